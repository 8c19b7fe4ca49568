/*
 * The tables of one thread of a Firefox profile: the stacks, frames, functions
 * and strings that its samples reach, numbered from 0, and written out.
 */
#ifndef CLI_FORMATS_FIREFOX_TABLES_H
#define CLI_FORMATS_FIREFOX_TABLES_H

#include "cli/formats/json.h"
#include "cli/formats/stack_tree.h"

/* Which of many numbered things are used, and their new numbers. */
struct firefox_subset {
	uint32_t *numbers; /* by old number; PROFILE_NONE: not used */
	uint32_t *items;   /* old numbers, by new number */
	size_t count;
};

struct firefox_tables {
	const struct profile *profile; /* borrowed, as are the next three */
	const struct labels *labels;
	const struct stack_tree *tree; /* whose classes are elements */
	const uint32_t *functions;     /* labels of elements */
	uint32_t *frames;	       /* of the profile, by element */
	struct firefox_subset stacks;  /* of tree nodes */
	struct firefox_subset elements, functions_used;
	uint32_t *first_elements;    /* of each function: a new number */
	struct idmap string_numbers; /* (text, 0) -> number */
	const char **strings;
	size_t n_strings, string_room;
	struct idmap resource_numbers; /* (mapping, 0) -> number */
	uint32_t *resources;	       /* mappings */
	size_t n_resources, resource_room;
};

void firefox_tables_init(struct firefox_tables *tables,
			 const struct stack_tree *tree,
			 const uint32_t *functions);
void firefox_tables_destroy(struct firefox_tables *tables);

/* Forgets the thread before. */
void firefox_tables_clear(struct firefox_tables *tables);

/* Makes the stack at that tree node part of the tables. All stacks are added
 * before any number is asked for. */
void firefox_tables_add(struct firefox_tables *tables, uint32_t node);
void firefox_tables_number(struct firefox_tables *tables);

/* The stack's number in the stackTable. */
uint32_t firefox_tables_stack(const struct firefox_tables *tables,
			      uint32_t node);

/* Writes the keys "stackTable", "frameTable", … to "stringArray" into the
 * object that is open. */
void firefox_tables_write(struct firefox_tables *tables, struct json *json);

#endif
