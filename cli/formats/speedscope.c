#include "cli/formats/speedscope.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/json.h"
#include "cli/formats/stack_tree.h"
#include "cli/version.h"
#include "perfcore/mem.h"

/* Sums of one group: sums.items[first] to before end. */
struct part {
	size_t first, end;
	uint64_t weight;
};

struct speedscope {
	const struct profile *profile;
	struct sink sink;
	struct json json; /* into the sink */
	struct labels labels;
	struct stack_tree tree;
	struct stack_sums sums;
	enum stack_grouping by;
	const char *unit;
	uint32_t *frames; /* number of the frame by class; PROFILE_NONE */
	uint32_t *classes_used;
	size_t n_frames;
	struct part *parts;
	size_t n_parts, part_room;
	uint32_t *path; /* scratch */
	size_t path_room;
};

/* What speedscope knows; anything else is a plain number to it. */
static const char *unit_of(const struct profile *profile, uint32_t value)
{
	static const char *const known[] = { "nanoseconds", "microseconds",
					     "milliseconds", "seconds",
					     "bytes" };

	for (size_t i = 0; value != PROFILE_NONE && i < 5; i++)
		if (strcmp(profile->value_types[value].unit, known[i]) == 0)
			return known[i];
	return "none";
}

static void find_parts(struct speedscope *speedscope)
{
	const struct stack_sum *items = speedscope->sums.items;
	struct part *part = NULL;

	for (size_t i = 0; i < speedscope->sums.count; i++) {
		if (!part || items[part->first].group != items[i].group) {
			speedscope->parts =
				mem_grow(speedscope->parts, speedscope->n_parts,
					 &speedscope->part_room, sizeof(*part));
			part = &speedscope->parts[speedscope->n_parts++];
			*part = (struct part){ i, i, 0 };
		}
		part->end = i + 1;
		part->weight += items[i].weight;
	}
}

static int heavier_first(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Numbers the classes that the sums reach, in the tree's order. */
static void number_frames(struct speedscope *speedscope)
{
	const struct stack_tree *tree = &speedscope->tree;
	size_t n_classes = speedscope->labels.count;

	speedscope->frames = mem_alloc((n_classes + 1) * sizeof(uint32_t));
	memset(speedscope->frames, 0xff, (n_classes + 1) * sizeof(uint32_t));
	speedscope->classes_used =
		mem_alloc((n_classes + 1) * sizeof(uint32_t));
	for (size_t i = 1; i < tree->n_nodes; i++) {
		uint32_t class = tree->nodes[i].class;

		if (speedscope->frames[class] != PROFILE_NONE)
			continue;
		speedscope->classes_used[speedscope->n_frames] = class;
		speedscope->frames[class] = (uint32_t)speedscope->n_frames++;
	}
}

static void write_frames(struct speedscope *speedscope)
{
	struct json *json = &speedscope->json;

	json_open_object(json, "shared");
	json_open_list(json, "frames");
	for (size_t i = 0; i < speedscope->n_frames; i++) {
		const struct label *label =
			&speedscope->labels.items[speedscope->classes_used[i]];

		json_open_object(json, NULL);
		json_put_text(json, "name", label->name);
		if (*label->module)
			json_put_text(json, "file", label->module);
		json_close_object(json);
	}
	json_close_list(json);
	json_close_object(json);
}

static void write_stack(struct speedscope *speedscope, uint32_t node)
{
	const struct stack_tree_node *nodes = speedscope->tree.nodes;
	size_t depth = 0;

	for (; node; node = nodes[node].parent) {
		speedscope->path = mem_grow(speedscope->path, depth,
					    &speedscope->path_room,
					    sizeof(*speedscope->path));
		speedscope->path[depth++] =
			speedscope->frames[nodes[node].class];
	}
	json_open_list(&speedscope->json, NULL);
	while (depth-- > 0)
		json_put_count(&speedscope->json, NULL,
			       speedscope->path[depth]);
	json_close_list(&speedscope->json);
}

static void write_part(struct speedscope *speedscope, const struct part *part)
{
	const struct stack_sum *items = speedscope->sums.items;
	struct json *json = &speedscope->json;
	char *name = stack_group_name(&speedscope->labels, speedscope->by,
				      items[part->first].group);

	json_open_object(json, NULL);
	json_put_text(json, "type", "sampled");
	json_put_text(json, "name", name);
	json_put_text(json, "unit", speedscope->unit);
	json_put_count(json, "startValue", 0);
	json_put_count(json, "endValue", part->weight);
	json_open_list(json, "samples");
	for (size_t i = part->first; i < part->end; i++)
		write_stack(speedscope, items[i].node);
	json_close_list(json);
	json_open_list(json, "weights");
	for (size_t i = part->first; i < part->end; i++)
		json_put_count(json, NULL, items[i].weight);
	json_close_list(json);
	json_close_object(json);
	free(name);
}

static void write_file(struct speedscope *speedscope)
{
	struct json *json = &speedscope->json;
	const char *host = speedscope->profile->host.name;

	json_open_object(json, NULL);
	json_put_text(json, "$schema",
		      "https://www.speedscope.app/file-format-schema.json");
	json_put_text(json, "exporter", "hostprof " HOSTPROF_VERSION);
	json_put_text(json, "name", *host ? host : "hostprof");
	json_put_count(json, "activeProfileIndex", 0);
	write_frames(speedscope);
	json_open_list(json, "profiles");
	for (size_t i = 0; i < speedscope->n_parts; i++)
		write_part(speedscope, &speedscope->parts[i]);
	json_close_list(json);
	json_close_object(json);
}

int speedscope_write(const struct profile *profile, uint32_t value,
		     enum stack_grouping by, int fd, struct error *error)
{
	struct speedscope speedscope = { .profile = profile, .by = by };
	uint32_t *classes, *groups;
	int result;

	sink_init(&speedscope.sink, fd);
	json_init(&speedscope.json, &speedscope.sink);
	speedscope.unit = unit_of(profile, value);
	labels_init(&speedscope.labels, profile);
	classes = labels_of_elements(&speedscope.labels, LABEL_FUNCTION);
	groups = stack_groups_new(&speedscope.labels, by);
	stack_tree_init(&speedscope.tree, profile, &speedscope.labels, classes);
	stack_sums_init(&speedscope.sums, &speedscope.tree, value, groups,
			true);
	find_parts(&speedscope);
	if (speedscope.n_parts > 1)
		qsort(speedscope.parts, speedscope.n_parts, sizeof(struct part),
		      heavier_first);
	number_frames(&speedscope);
	write_file(&speedscope);
	result = sink_finish(&speedscope.sink, error);
	free(speedscope.frames);
	free(speedscope.classes_used);
	free(speedscope.parts);
	free(speedscope.path);
	stack_sums_destroy(&speedscope.sums);
	stack_tree_destroy(&speedscope.tree);
	labels_destroy(&speedscope.labels);
	free(groups);
	free(classes);
	return result;
}
