#include "cli/profile/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

const char *const label_key_names[LABEL_KEYS + 1] = {
	[LABEL_CONTAINER] = "container", [LABEL_PROCESS] = "process",
	[LABEL_THREAD] = "thread",	 [LABEL_COMM] = "comm",
	[LABEL_USER] = "user",		 [LABEL_CPU] = "cpu",
	[LABEL_STATE] = "state",	 [LABEL_SLICE] = "slice",
	[LABEL_MODULE] = "module",	 [LABEL_FUNCTION] = "function",
	[LABEL_LINE] = "line",
};

static const char unknown[] = "[unknown]";

static void elements_count(struct labels *labels)
{
	const struct profile *profile = labels->profile;
	uint32_t at = 0;

	labels->first_element = mem_calloc(profile->n_frames + 1,
					   sizeof(*labels->first_element));
	for (size_t i = 0; i < profile->n_frames; i++) {
		uint32_t lines = profile->frames[i].n_lines;

		labels->first_element[i] = at;
		at += lines ? lines : 1;
	}
	labels->first_element[profile->n_frames] = at;
	labels->n_elements = at;
}

void labels_init(struct labels *labels, const struct profile *profile)
{
	*labels = (struct labels){ .profile = profile };
	idmap_init(&labels->map);
	elements_count(labels);
}

void labels_destroy(struct labels *labels)
{
	if (!labels)
		return;
	idmap_destroy(&labels->map);
	free(labels->items);
	free(labels->first_element);
}

/* The number of the label under (key and a, b), which is made of made where
 * it is new. Pointers and indices leave the top byte free for the key. */
static uint32_t label_at(struct labels *labels, uint64_t a, uint64_t b,
			 const struct label *made)
{
	uint32_t *at = idmap_at(
		&labels->map, (uint64_t)made->key << 56 | (a & ~0ull >> 8), b);

	if (*at != IDMAP_NONE)
		return *at;
	labels->items = mem_grow(labels->items, labels->count,
				 &labels->capacity, sizeof(*labels->items));
	*at = (uint32_t)labels->count;
	labels->items[labels->count++] = *made;
	return *at;
}

static struct label label_new(enum label_key key, uint32_t index,
			      const char *name)
{
	return (struct label){ key, index, name && *name ? name : unknown,
			       "",  "",	   0 };
}

static const struct profile_thread *thread_at(const struct profile *profile,
					      uint32_t thread)
{
	return thread < profile->n_threads ? &profile->threads[thread] : NULL;
}

static const struct profile_process *process_of(
	const struct profile *profile, const struct profile_thread *thread)
{
	return thread && thread->process < profile->n_processes
		       ? &profile->processes[thread->process]
		       : NULL;
}

uint32_t labels_of_row(struct labels *labels, enum label_key key,
		       const struct profile_row *row)
{
	const struct profile *profile = labels->profile;
	const struct profile_thread *thread = thread_at(profile, row->thread);
	const struct profile_process *process = process_of(profile, thread);
	bool is_text = key == LABEL_COMM || key == LABEL_USER;
	const char *name = NULL;
	uint32_t index = PROFILE_NONE;
	struct label label;

	switch (key) {
	case LABEL_CONTAINER:
		index = row->container;
		if (index < profile->n_containers)
			name = profile->containers[index].name;
		break;
	case LABEL_PROCESS:
		index = process ? thread->process : PROFILE_NONE;
		name = process ? process->comm : NULL;
		break;
	case LABEL_THREAD:
		index = thread ? row->thread : PROFILE_NONE;
		name = thread ? thread->comm : NULL;
		break;
	case LABEL_COMM: /* the text is the value, as for the user */
		name = thread && *thread->comm ? thread->comm : unknown;
		break;
	case LABEL_USER:
		name = process && *process->user ? process->user : unknown;
		break;
	case LABEL_STATE:
		index = row->state;
		if (index < profile->n_states)
			name = profile->states[index];
		break;
	case LABEL_CPU:
		index = row->cpu;
		break;
	default:
		index = row->slice;
		break;
	}
	label = label_new(key, index, name);
	return label_at(labels, index, is_text ? (uintptr_t)name : 0, &label);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* As the recorder names what it cannot name: "[libx.so]+0x12". */
static const char *address_name(const struct profile *profile,
				const struct profile_frame *frame,
				const char *module)
{
	char text[512];

	if (*module == '[' || !*module)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64,
			 *module ? module : unknown, frame->address);
	else
		snprintf(text, sizeof(text), "[%s]+0x%" PRIx64,
			 base_name(module), frame->address);
	return strings_intern(profile->strings, text);
}

struct element {
	const char *module, *function, *file; /* interned */
	uint32_t line;
};

static struct element element_at(const struct profile *profile,
				 const struct profile_frame *frame, uint32_t i)
{
	struct element element = { "", "", "", 0 };
	const struct profile_line *line;

	if (frame->mapping < profile->n_mappings)
		element.module = profile->mappings[frame->mapping].path;
	if (frame->n_lines == 0) {
		element.function = address_name(profile, frame, element.module);
		return element;
	}
	line = &profile->lines[frame->first_line + i];
	element.function = profile->functions[line->function].name;
	element.file = profile->functions[line->function].file;
	element.line = line->line;
	return element;
}

static uint32_t label_of_element(struct labels *labels, enum label_key key,
				 const struct element *element)
{
	struct label label = label_new(key, PROFILE_NONE, element->function);
	uint32_t function;

	label.module = element->module;
	if (key == LABEL_MODULE) {
		label.name = *element->module ? element->module : unknown;
		return label_at(labels, (uintptr_t)element->module, 0, &label);
	}
	label.key = LABEL_FUNCTION;
	function = label_at(labels, (uintptr_t)element->function,
			    (uintptr_t)element->module, &label);
	if (key == LABEL_FUNCTION)
		return function;
	label.key = LABEL_LINE;
	label.file = element->file;
	label.line = element->line;
	return label_at(labels, (uintptr_t)element->file,
			(uint64_t)function << 32 | element->line, &label);
}

uint32_t *labels_of_elements(struct labels *labels, enum label_key key)
{
	const struct profile *profile = labels->profile;
	uint32_t *numbers =
		mem_calloc(labels->n_elements + 1, sizeof(*numbers));
	struct element none = { strings_intern(profile->strings, ""),
				strings_intern(profile->strings, "[no stack]"),
				strings_intern(profile->strings, ""), 0 };
	uint32_t at = 0;

	for (size_t i = 0; i < profile->n_frames; i++) {
		const struct profile_frame *frame = &profile->frames[i];
		uint32_t n = frame->n_lines ? frame->n_lines : 1;

		for (uint32_t j = 0; j < n; j++) {
			struct element element = element_at(profile, frame, j);

			numbers[at++] = label_of_element(labels, key, &element);
		}
	}
	numbers[at] = label_of_element(labels, key, &none);
	return numbers;
}

bool label_name_is(const char *name, const char *asked)
{
	size_t length = strlen(asked);

	return strncmp(name, asked, length) == 0 &&
	       (!name[length] || name[length] == '(');
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint32_t label_pid(const struct profile *profile,
			  const struct label *label)
{
	if (label->index == PROFILE_NONE)
		return 0;
	if (label->key == LABEL_PROCESS)
		return profile->processes[label->index].pid;
	return label->key == LABEL_THREAD ? profile->threads[label->index].tid
					  : 0;
}

int label_compare(const struct profile *profile, const struct label *a,
		  const struct label *b)
{
	int order = 0;

	if (a->key != LABEL_CPU && a->key != LABEL_SLICE)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->module, b->module);
	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = compare_numbers(a->line, b->line);
	if (!order)
		order = compare_numbers(label_pid(profile, a),
					label_pid(profile, b));
	return order ? order : compare_numbers(a->index, b->index);
}
