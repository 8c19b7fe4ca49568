#include "cli/profile/select_stacks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/label.h"
#include "perfcore/mem.h"

struct stack_selector {
	struct profile *profile;
	struct labels labels;
	uint32_t *functions; /* labels of elements */
	uint32_t *stacks;    /* the result */
	size_t n_nodes;	     /* before any were added */
};

/* A question about labels, answered once for each label. */
struct matcher {
	bool (*matches)(const void *asked, const struct label *label);
	const void *asked;
};

static bool regex_matches(const void *asked, const struct label *label)
{
	return regexec(asked, label->name, 0, NULL, 0) == 0;
}

static bool module_matches(const void *asked, const struct label *label)
{
	const struct option_texts *patterns = asked;
	const char *slash = strrchr(label->module, '/');

	for (size_t i = 0; i < patterns->count; i++)
		if (fnmatch(patterns->items[i], label->module, 0) == 0 ||
		    (slash && fnmatch(patterns->items[i], slash + 1, 0) == 0))
			return true;
	return false;
}

static bool name_matches(const void *asked, const struct label *label)
{
	return label_name_is(label->name, asked);
}

static bool *labels_ask(const struct stack_selector *selector,
			const struct matcher *matcher)
{
	bool *answers = mem_alloc(selector->labels.count * sizeof(*answers));

	for (size_t i = 0; i < selector->labels.count; i++)
		answers[i] = matcher->matches(matcher->asked,
					      &selector->labels.items[i]);
	return answers;
}

static bool frame_has(const struct stack_selector *selector,
		      const bool *answers, uint32_t frame)
{
	const uint32_t *first = selector->labels.first_element;

	for (uint32_t i = first[frame]; i < first[frame + 1]; i++)
		if (answers[selector->functions[i]])
			return true;
	return false;
}

/* Drops the stacks that have (or have not) a frame with such a label. A
 * node's parent always stands before it. */
static void stacks_require(struct stack_selector *selector,
			   const struct matcher *matcher, bool is_wanted)
{
	const struct profile *profile = selector->profile;
	bool *answers = labels_ask(selector, matcher);
	bool *has = mem_calloc(selector->n_nodes, sizeof(*has));

	for (size_t i = 0; i < selector->n_nodes; i++) {
		const struct profile_node *node = &profile->nodes[i];

		if (i)
			has[i] = has[node->parent] ||
				 frame_has(selector, answers, node->frame);
		if (has[i] != is_wanted)
			selector->stacks[i] = PROFILE_NONE;
	}
	free(answers);
	free(has);
}

int select_regex(regex_t *regex, const char *text, struct error *error)
{
	int code = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	char reason[128];

	if (!code)
		return 0;
	regerror(code, regex, reason, sizeof(reason));
	return error_set(error, -EINVAL, "'%s' is no regular expression: %s",
			 text, reason);
}

static int stacks_match(struct stack_selector *selector,
			const struct option_texts *texts, bool is_wanted,
			struct error *error)
{
	for (size_t i = 0; i < texts->count; i++) {
		regex_t regex;
		struct matcher matcher = { regex_matches, &regex };
		int code = select_regex(&regex, texts->items[i], error);

		if (code)
			return code;
		stacks_require(selector, &matcher, is_wanted);
		regfree(&regex);
	}
	return 0;
}

/* The number of the outermost line of a frame with such a label (0 is the
 * innermost), or -1. */
static int outermost_line(const struct stack_selector *selector,
			  const bool *answers, uint32_t frame)
{
	const uint32_t *first = selector->labels.first_element;

	for (uint32_t i = first[frame + 1]; i-- > first[frame];)
		if (answers[selector->functions[i]])
			return (int)(i - first[frame]);
	return -1;
}

/* The frame with only count of its lines, from the first on. */
static uint32_t frame_part(struct profile *profile, uint32_t number,
			   uint32_t first, uint32_t count)
{
	struct profile_frame frame = profile->frames[number];
	uint32_t part;

	if (count == frame.n_lines || frame.n_lines == 0)
		return number;
	part = profile_frame_add(profile, &frame);
	profile->frames[part].first_line = frame.first_line + first;
	profile->frames[part].n_lines = count;
	return part;
}

/* A function's callees: stacks begin with its outermost call. */
static void keep_callees(struct stack_selector *selector, const bool *answers)
{
	struct profile *profile = selector->profile;
	uint32_t *parts = mem_calloc(profile->n_frames, sizeof(*parts));
	uint32_t *begun = mem_calloc(selector->n_nodes, sizeof(*begun));

	for (size_t i = 1; i < selector->n_nodes; i++) {
		struct profile_node node = profile->nodes[i];
		uint32_t frame = node.frame;
		int line = outermost_line(selector, answers, frame);

		if (begun[node.parent]) {
			begun[i] = profile_node(profile, begun[node.parent],
						frame);
		} else if (line >= 0) {
			if (!parts[frame])
				parts[frame] = frame_part(profile, frame, 0,
							  (uint32_t)line + 1) +
					       1;
			begun[i] = profile_node(profile, 0, parts[frame] - 1);
		}
	}
	for (size_t i = 0; i < selector->n_nodes; i++)
		if (selector->stacks[i] != PROFILE_NONE)
			selector->stacks[i] =
				begun[i] ? begun[i] : PROFILE_NONE;
	free(parts);
	free(begun);
}

/* What stands above such a line in its frame: inlined callers. */
static uint32_t frame_above(struct profile *profile, uint32_t number,
			    uint32_t line)
{
	return frame_part(profile, number, line + 1,
			  profile->frames[number].n_lines - line - 1);
}

/* A function's callers: stacks end above its outermost call. */
static void keep_callers(struct stack_selector *selector, const bool *answers)
{
	struct profile *profile = selector->profile;
	uint32_t *parts = mem_calloc(profile->n_frames, sizeof(*parts));
	uint32_t *ended = mem_calloc(selector->n_nodes, sizeof(*ended));
	uint32_t none = profile_frame_special(profile, "[no caller]");

	for (size_t i = 1; i < selector->n_nodes; i++) {
		struct profile_node node = profile->nodes[i];
		uint32_t frame = node.frame;
		int line = outermost_line(selector, answers, frame);

		if (ended[node.parent]) {
			ended[i] = ended[node.parent];
		} else if (line >= 0 &&
			   (uint32_t)line + 1 <
				   profile->frames[frame].n_lines) {
			if (!parts[frame])
				parts[frame] = frame_above(profile, frame,
							   (uint32_t)line) +
					       1;
			ended[i] = profile_node(profile, node.parent,
						parts[frame] - 1);
		} else if (line >= 0) {
			ended[i] = node.parent ? node.parent
					       : profile_node(profile, 0, none);
		}
	}
	for (size_t i = 0; i < selector->n_nodes; i++)
		if (selector->stacks[i] != PROFILE_NONE)
			selector->stacks[i] =
				ended[i] ? ended[i] : PROFILE_NONE;
	free(parts);
	free(ended);
}

static int stacks_cut(struct stack_selector *selector, const char *function,
		      void (*keep)(struct stack_selector *, const bool *),
		      struct error *error)
{
	struct matcher matcher = { name_matches, function };
	bool *answers = labels_ask(selector, &matcher);
	bool is_known = false;

	for (size_t i = 0; i < selector->labels.count; i++)
		is_known |= answers[i];
	if (is_known)
		keep(selector, answers);
	free(answers);
	return is_known ? 0
			: error_set(error, -ENODATA,
				    "no stack has a function '%s'", function);
}

int select_stacks(struct profile *profile, const struct select_options *options,
		  uint32_t **stacks, struct error *error)
{
	struct stack_selector selector = { .profile = profile,
					   .n_nodes = profile->n_nodes };
	int code;

	labels_init(&selector.labels, profile);
	selector.functions =
		labels_of_elements(&selector.labels, LABEL_FUNCTION);
	selector.stacks =
		mem_alloc(selector.n_nodes * sizeof(*selector.stacks));
	for (size_t i = 0; i < selector.n_nodes; i++)
		selector.stacks[i] = (uint32_t)i;
	code = stacks_match(&selector, &options->focus, true, error);
	if (!code)
		code = stacks_match(&selector, &options->ignore, false, error);
	if (!code && options->modules.count)
		stacks_require(
			&selector,
			&(struct matcher){ module_matches, &options->modules },
			true);
	if (!code && options->callee_of)
		code = stacks_cut(&selector, options->callee_of, keep_callees,
				  error);
	if (!code && options->caller_of)
		code = stacks_cut(&selector, options->caller_of, keep_callers,
				  error);
	labels_destroy(&selector.labels);
	free(selector.functions);
	*stacks = selector.stacks;
	if (code)
		free(selector.stacks);
	return code;
}
