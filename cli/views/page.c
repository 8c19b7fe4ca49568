#include "cli/views/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/printable.h"
#include "cli/views/page_bytes.h"
#include "cli/views/page_meta.h"
#include "cli/views/page_tables.h"
#include "cli/views/page_template.h"
#include "cli/views/page_verdicts.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"

/* Lengths of the texts, then the texts. */
static void texts_of(struct page_bytes *bytes, const struct page_tables *tables)
{
	struct page_bytes all = { 0 };

	page_bytes_number(bytes, tables->n_texts);
	for (size_t i = 0; i < tables->n_texts; i++) {
		char *printable = printable_new(tables->texts[i], "");

		page_bytes_number(bytes, strlen(printable));
		page_bytes_text(&all, printable);
		free(printable);
	}
	page_bytes_append(bytes, &all);
	page_bytes_destroy(&all);
}

/* A table without entries may have no memory: nothing is taken of it. */
#define COLUMN(bytes, tables, table, field, offset)                            \
	page_bytes_column(                                                     \
		bytes, (tables)->n_##table ? &(tables)->table->field : NULL,   \
		sizeof(*(tables)->table), (tables)->n_##table, offset)
#define COLUMN64(bytes, tables, table, field)                                  \
	page_bytes_column64(                                                   \
		bytes, (tables)->n_##table ? &(tables)->table->field : NULL,   \
		sizeof(*(tables)->table), (tables)->n_##table)

static void processes_of(struct page_bytes *bytes,
			 const struct page_tables *tables)
{
	COLUMN(bytes, tables, processes, comm, 0);
	COLUMN(bytes, tables, processes, exe, 0);
	COLUMN(bytes, tables, processes, user, 0);
	COLUMN(bytes, tables, processes, pid, 0);
	COLUMN(bytes, tables, processes, container, 1);
	COLUMN(bytes, tables, processes, has_accounting, 0);
	COLUMN64(bytes, tables, processes, cpu_ns);
	COLUMN64(bytes, tables, processes, runqueue_ns);
	COLUMN64(bytes, tables, processes, blocked_ns);
	COLUMN(bytes, tables, processes, n_threads, 0);
}

/*
 * A function calls few others, so a node's frame is written as the place it
 * has among those that its caller's frame was seen to call before, counted
 * from 1; 0 where it is new there, and then the frame follows in a column of
 * its own. That halves the page of a large profile.
 */
static void nodes_of(struct page_bytes *bytes, const struct page_tables *tables)
{
	struct page_bytes places = { 0 }, new = { 0 };
	uint32_t *callers = mem_calloc(tables->n_nodes + 1, sizeof(*callers));
	uint32_t *n_callees =
		mem_calloc(tables->n_frames + 1, sizeof(*n_callees));
	struct idmap known;
	size_t n_new = 0;

	idmap_init(&known);
	callers[0] = (uint32_t)tables->n_frames; /* of nodes at the root */
	for (size_t i = 0; i < tables->n_nodes; i++) {
		const struct page_node *node = &tables->nodes[i];
		uint32_t caller = callers[node->depth];
		uint32_t *place = idmap_at(&known, caller, node->frame);

		callers[node->depth + 1] = node->frame;
		if (*place == IDMAP_NONE) {
			*place = ++n_callees[caller];
			page_bytes_number(&places, 0);
			page_bytes_number(&new, node->frame);
			n_new++;
		} else {
			page_bytes_number(&places, *place);
		}
	}
	COLUMN(bytes, tables, nodes, depth, 0);
	page_bytes_number(bytes, tables->n_nodes);
	page_bytes_append(bytes, &places);
	page_bytes_number(bytes, n_new);
	page_bytes_append(bytes, &new);
	idmap_destroy(&known);
	free(callers);
	free(n_callees);
	page_bytes_destroy(&places);
	page_bytes_destroy(&new);
}

/* Nearly always that of the thread's process: 0. Else 1: none, or the
 * container plus 2. */
static void row_containers_of(struct page_bytes *bytes,
			      const struct page_tables *tables)
{
	page_bytes_number(bytes, tables->n_rows);
	for (size_t i = 0; i < tables->n_rows; i++) {
		const struct page_row *row = &tables->rows[i];
		uint32_t process = PROFILE_NONE, usual = PROFILE_NONE;

		if (row->thread != PROFILE_NONE)
			process = tables->threads[row->thread].process;
		if (process != PROFILE_NONE)
			usual = tables->processes[process].container;
		page_bytes_number(bytes, row->container == usual
						 ? 0
						 : row->container + 2);
	}
}

/* Rows are in the order of their nodes, so these are written as steps. A
 * stack without frames counts as the node after the last. */
static void row_nodes_of(struct page_bytes *bytes,
			 const struct page_tables *tables)
{
	uint32_t before = 0;

	page_bytes_number(bytes, tables->n_rows);
	for (size_t i = 0; i < tables->n_rows; i++) {
		uint32_t node = tables->rows[i].node;

		if (node == PROFILE_NONE)
			node = (uint32_t)tables->n_nodes;
		page_bytes_number(bytes, node - before);
		before = node;
	}
}

static void rows_of(struct page_bytes *bytes, const struct page_tables *tables)
{
	row_nodes_of(bytes, tables);
	COLUMN(bytes, tables, rows, side, 0);
	COLUMN(bytes, tables, rows, thread, 1);
	row_containers_of(bytes, tables);
	COLUMN(bytes, tables, rows, state, 1);
	COLUMN(bytes, tables, rows, slice, 0);
	COLUMN64(bytes, tables, rows, count);
	for (uint32_t v = 0; v < tables->n_value_types; v++)
		COLUMN64(bytes, tables, rows, values[v]);
}

/* profile.js reads these in the same order. */
static void columns_of(struct page_bytes *bytes,
		       const struct page_tables *tables)
{
	texts_of(bytes, tables);
	COLUMN(bytes, tables, functions, name, 0);
	COLUMN(bytes, tables, functions, module, 0);
	COLUMN(bytes, tables, frames, function, 0);
	COLUMN(bytes, tables, frames, kind, 0);
	nodes_of(bytes, tables);
	COLUMN(bytes, tables, containers, name, 0);
	COLUMN(bytes, tables, containers, id, 0);
	COLUMN(bytes, tables, containers, runtime, 0);
	COLUMN(bytes, tables, containers, path, 0);
	processes_of(bytes, tables);
	COLUMN(bytes, tables, threads, process, 1);
	COLUMN(bytes, tables, threads, tid, 0);
	COLUMN(bytes, tables, threads, comm, 0);
	page_bytes_column(bytes, tables->states, sizeof(*tables->states),
			  tables->n_states, 0);
	rows_of(bytes, tables);
}

/* Length and bytes; text is released. */
static void text_put(struct page_bytes *bytes, char *text)
{
	page_bytes_number(bytes, strlen(text));
	page_bytes_text(bytes, text);
	free(text);
}

void page_write(struct sink *sink, const struct compare_side *before,
		const struct compare_side *after)
{
	struct page_bytes bytes = { 0 };
	struct page_tables tables;

	page_tables_init(&tables, before->profile,
			 after ? after->profile : NULL);
	text_put(&bytes, page_meta_new(&tables));
	if (after)
		text_put(&bytes,
			 page_verdicts_new(&tables, (struct compare_side[]){
							    *before, *after }));
	else
		page_bytes_number(&bytes, 0);
	columns_of(&bytes, &tables);
	page_tables_destroy(&tables);

	sink_text(sink, page_template_head);
	page_bytes_write(&bytes, sink);
	sink_text(sink, page_template_tail);
	page_bytes_destroy(&bytes);
}
