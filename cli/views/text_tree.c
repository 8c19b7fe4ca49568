#include <stdlib.h>
#include <string.h>

#include "cli/formats/printable.h"
#include "cli/profile/tree.h"
#include "cli/views/number.h"
#include "cli/views/text.h"
#include "perfcore/mem.h"

#define SHARE_MIN   0.005 /* of the window; what is less is summed up */
#define BAR_COLUMNS 10
#define INDENT_MAX  60

struct tree_view {
	FILE *out;
	const struct tree *tree;
	const struct window *window;
	uint64_t top;
	const struct terminal *terminal;
};

/* A bar of BAR_COLUMNS for 1, in eighths of a column. */
static void print_bar(const struct tree_view *view, double share)
{
	static const char *const eighths[] = { " ", "▏", "▎", "▍",
					       "▌", "▋", "▊", "▉" };
	int filled = (int)(share * BAR_COLUMNS * 8 + 0.5);

	fputs(view->terminal->has_color ? "\033[36m" : "", view->out);
	for (int i = 0; i < BAR_COLUMNS; i++, filled -= 8)
		fputs(filled >= 8  ? "█"
		      : filled > 0 ? eighths[filled]
				   : " ",
		      view->out);
	fputs(view->terminal->has_color ? "\033[0m" : "", view->out);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void print_name(const struct tree_view *view,
		       const struct tree_node *node, int indent, bool is_head)
{
	const struct label *labels = view->tree->labels.items;
	const struct label *label = &labels[node->label];
	const struct tree_node *parent = &view->tree->nodes[node->parent];
	bool is_root = node->parent == 0;
	char *name = printable_new(label->name, ";");

	fprintf(view->out, " %*s%s %s", indent, "", is_head ? "-" : " ", name);
	free(name);
	/* where the code is changes seldom on the way down */
	if (*label->module && (is_root || strcmp(labels[parent->label].module,
						 label->module) != 0)) {
		char *module = printable_new(base_name(label->module), ";");

		fprintf(view->out, " (%s)", module);
		free(module);
	}
}

static void print_node(const struct tree_view *view, uint32_t number,
		       int indent, bool is_head)
{
	const struct tree_node *node = &view->tree->nodes[number];
	double total = window_share(view->window, node->total);
	double self = window_share(view->window, node->self);

	fprintf(view->out, "%7s %7s  ", number_percent(total).text,
		node->self ? number_percent(self).text : "");
	print_bar(view, total);
	print_name(view, node, indent, is_head);
	fputc('\n', view->out);
}

static bool is_shown(const struct tree_view *view, uint32_t node,
		     uint64_t place)
{
	return (!view->top || place < view->top) &&
	       window_share(view->window, view->tree->nodes[node].total) >=
		       SHARE_MIN;
}

/* What of a node's children is left out, as one line. */
static void print_rest(const struct tree_view *view, uint32_t first, int indent)
{
	uint64_t weight = 0, count = 0;

	for (uint32_t i = first; i != TREE_NONE;
	     i = view->tree->nodes[i].next_sibling) {
		weight += view->tree->nodes[i].total;
		count++;
	}
	if (window_share(view->window, weight) < SHARE_MIN)
		return;
	fprintf(view->out, "%7s %7s  ",
		number_percent(window_share(view->window, weight)).text, "");
	print_bar(view, window_share(view->window, weight));
	fprintf(view->out, " %*s… %s more\n", indent, "",
		number_count((double)count).text);
}

/* Whether there is more to show below a node than its first child. Only forks
 * indent, so that deep stacks stay readable: their branches begin with a
 * dash, and what follows a branch without a fork stands below its name. */
static bool has_fork(const struct tree_view *view, uint32_t parent)
{
	const struct tree_node *node = &view->tree->nodes[parent];

	if (node->first_child == TREE_NONE)
		return false;
	return window_share(
		       view->window,
		       node->total - node->self -
			       view->tree->nodes[node->first_child].total) >=
	       SHARE_MIN;
}

/*
 * Walks depth first without recursion, as a stack may be deep. After a child
 * comes its first child, else its next sibling, else that of an ancestor.
 */
static void print_below_root(const struct tree_view *view)
{
	const struct tree_node *nodes = view->tree->nodes;
	int *indents = mem_calloc(view->tree->count, sizeof(*indents));
	uint64_t *places = mem_calloc(view->tree->count, sizeof(*places));
	uint32_t parent = 0, at = nodes[0].first_child;

	while (true) {
		bool is_head = !parent || has_fork(view, parent);
		bool is_deeper =
			parent && is_head && indents[parent] < INDENT_MAX;
		int indent = indents[parent] + (is_deeper ? 2 : 0);

		if (at != TREE_NONE && is_shown(view, at, places[parent])) {
			print_node(view, at, indent, is_head);
			indents[at] = indent;
			places[parent]++;
			parent = at;
			at = nodes[at].first_child;
			continue;
		}
		print_rest(view, at, indent);
		if (!parent)
			break;
		at = nodes[parent].next_sibling;
		parent = nodes[parent].parent;
	}
	free(indents);
	free(places);
}

void text_tree(FILE *out, const struct tree *tree, const struct window *window,
	       uint64_t top, const struct terminal *terminal)
{
	struct tree_view view = { out, tree, window, top, terminal };
	bool has_color = terminal->has_color;

	fprintf(out, "%s  total    self%*s   CALLS%s\n",
		has_color ? "\033[1m" : "", BAR_COLUMNS + 2, "",
		has_color ? "\033[0m" : "");
	print_below_root(&view);
}
