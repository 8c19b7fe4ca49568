#include "cli/formats/folded.h"

#include <stdlib.h>

#include "cli/formats/printable.h"
#include "cli/formats/sink.h"
#include "cli/formats/stack_tree.h"
#include "perfcore/mem.h"

struct folded {
	const struct profile *profile;
	struct sink sink;
	struct labels labels;
	struct stack_tree tree;
	enum stack_grouping first;
	uint32_t *groups; /* of rows: index into prefixes */
	char **prefixes;  /* "web;nginx;", or "" */
	size_t n_prefixes, prefix_room;
	uint32_t *path; /* scratch */
	size_t path_room;
};

static char *escaped(const char *text)
{
	return printable_new(text, ";");
}

static char *prefix_of(const struct folded *folded, uint32_t group,
		       uint32_t comm)
{
	char *name, *first, *second, *prefix;

	if (folded->first == STACK_GROUPING_NONE)
		return mem_strdup("");
	name = stack_group_name(&folded->labels, folded->first, group);
	first = escaped(name);
	if (folded->first == STACK_GROUPING_CONTAINER) {
		second = escaped(folded->labels.items[comm].name);
		prefix = mem_printf("%s;%s;", first, second);
		free(second);
	} else {
		prefix = mem_printf("%s;", first);
	}
	free(name);
	free(first);
	return prefix;
}

/* Rows whose stacks begin alike are one group. */
static void group_rows(struct folded *folded)
{
	const struct profile *profile = folded->profile;
	bool has_comm = folded->first == STACK_GROUPING_CONTAINER;
	uint32_t *comms = has_comm ? stack_groups_new(&folded->labels,
						      STACK_GROUPING_COMM)
				   : NULL;
	struct idmap known;

	folded->groups = stack_groups_new(&folded->labels, folded->first);
	idmap_init(&known);
	for (size_t i = 0; i < profile->n_rows; i++) {
		uint32_t comm = has_comm ? comms[i] : 0;
		uint32_t *slot = idmap_at(&known, folded->groups[i], comm);

		if (*slot == IDMAP_NONE) {
			*slot = (uint32_t)folded->n_prefixes;
			folded->prefixes =
				mem_grow(folded->prefixes, folded->n_prefixes,
					 &folded->prefix_room,
					 sizeof(*folded->prefixes));
			folded->prefixes[folded->n_prefixes++] =
				prefix_of(folded, folded->groups[i], comm);
		}
		folded->groups[i] = *slot;
	}
	idmap_destroy(&known);
	free(comms);
}

static void write_frame(struct folded *folded, uint32_t class)
{
	const char *name = folded->labels.items[class].name;
	char *clean;

	if (printable_is(name, ";")) {
		sink_text(&folded->sink, name);
		return;
	}
	clean = escaped(name);
	sink_text(&folded->sink, clean);
	free(clean);
}

static void write_sum(struct folded *folded, const struct stack_sum *sum)
{
	const struct stack_tree_node *nodes = folded->tree.nodes;
	size_t depth = 0;

	for (uint32_t node = sum->node; node; node = nodes[node].parent) {
		folded->path = mem_grow(folded->path, depth, &folded->path_room,
					sizeof(*folded->path));
		folded->path[depth++] = nodes[node].class;
	}
	sink_text(&folded->sink, folded->prefixes[sum->group]);
	while (depth-- > 0) {
		write_frame(folded, folded->path[depth]);
		sink_char(&folded->sink, depth ? ';' : ' ');
	}
	sink_number(&folded->sink, sum->weight);
	sink_char(&folded->sink, '\n');
}

int folded_write(const struct profile *profile, uint32_t value,
		 enum stack_grouping first, int fd, struct error *error)
{
	struct folded folded = { .profile = profile, .first = first };
	struct stack_sums sums;
	uint32_t *classes;
	int result;

	sink_init(&folded.sink, fd);
	labels_init(&folded.labels, profile);
	classes = labels_of_elements(&folded.labels, LABEL_FUNCTION);
	stack_tree_init(&folded.tree, profile, &folded.labels, classes);
	group_rows(&folded);
	stack_sums_init(&sums, &folded.tree, value, folded.groups, false);
	for (size_t i = 0; i < sums.count; i++)
		write_sum(&folded, &sums.items[i]);
	result = sink_finish(&folded.sink, error);
	for (size_t i = 0; i < folded.n_prefixes; i++)
		free(folded.prefixes[i]);
	free(folded.prefixes);
	free(folded.groups);
	free(folded.path);
	stack_sums_destroy(&sums);
	stack_tree_destroy(&folded.tree);
	labels_destroy(&folded.labels);
	free(classes);
	return result;
}
