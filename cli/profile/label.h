/*
 * Labels: what the rows of a report stand for. A label is one value of one
 * key: this container, that function. Rows of the profile have one value of
 * the first kind of keys; each line of their stack has one of the second.
 */
#ifndef CLI_PROFILE_LABEL_H
#define CLI_PROFILE_LABEL_H

#include "cli/profile/profile.h"

enum label_key {
	LABEL_CONTAINER,
	LABEL_PROCESS,
	LABEL_THREAD,
	LABEL_COMM,
	LABEL_USER,
	LABEL_CPU,
	LABEL_STATE,
	LABEL_SLICE,
	/* from here on of each line of the stack */
	LABEL_MODULE,
	LABEL_FUNCTION,
	LABEL_LINE,
	LABEL_KEYS
};

static inline bool label_key_is_of_stack(enum label_key key)
{
	return key >= LABEL_MODULE;
}

/* The names by which keys are asked for and written: "container" … */
extern const char *const label_key_names[LABEL_KEYS + 1]; /* NULL-ended */

struct label {
	enum label_key key;
	uint32_t index;	    /* container, process, thread or state; CPU or
			     * slice number; PROFILE_NONE: not known */
	const char *name;   /* never NULL; "[unknown]" where not known */
	const char *module; /* path; "" but for module, function, line */
	const char *file;   /* of a line; "" where unknown */
	uint32_t line;	    /* of a line; 0 where unknown */
};

/*
 * Every line of every frame is an element, frame by frame, innermost first;
 * a frame without lines is one element, named by module and address. One more
 * element stands for stacks without frames.
 */
struct labels {
	const struct profile *profile; /* borrowed */
	struct label *items;
	size_t count, capacity;
	struct idmap map;
	uint32_t *first_element; /* for each frame, and one past the last */
	uint32_t n_elements;	 /* without the one for empty stacks */
};

void labels_init(struct labels *labels, const struct profile *profile);
void labels_destroy(struct labels *labels);

/* The label of a row of the profile for a key that is not of the stack. */
uint32_t labels_of_row(struct labels *labels, enum label_key key,
		       const struct profile_row *row);

/* The labels of all elements, and of the empty stack (at n_elements), for a
 * key of the stack; to be released with free(). */
uint32_t *labels_of_elements(struct labels *labels, enum label_key key);

/* Is that the function a user asked for: by its whole name, or by what stands
 * in front of its arguments ("f" for "f(int)")? */
bool label_name_is(const char *name, const char *asked);

/* Less, equal or greater than 0; numbers by size, texts by bytes, and what
 * has the same text by what it is. */
int label_compare(const struct profile *profile, const struct label *a,
		  const struct label *b);

#endif
