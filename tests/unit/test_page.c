#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "cli/views/page.h"
#include "cli/views/page_bytes.h"
#include "cli/views/page_meta.h"
#include "cli/views/page_tables.h"
#include "cli/views/page_verdicts.h"
#include "known_profile.h"
#include "perfcore/mem.h"
#include "sample_profile.h"

static const char *text_at(const struct page_tables *tables, uint32_t text)
{
	assert_true(text < tables->n_texts);
	return tables->texts[text];
}

/* "main > work > inner", a node's callers first. */
static const char *path_of(const struct page_tables *tables, uint32_t node)
{
	static char path[256];
	const char *names[16];
	uint32_t depth = tables->nodes[node].depth;

	for (uint32_t at = node, want = depth; want != UINT32_MAX; at--) {
		const struct page_node *here = &tables->nodes[at];

		if (here->depth != want)
			continue;
		names[want--] = text_at(
			tables,
			tables->functions[tables->frames[here->frame].function]
				.name);
	}
	path[0] = '\0';
	for (uint32_t i = 0; i <= depth; i++)
		snprintf(path + strlen(path), sizeof(path) - strlen(path),
			 "%s%s", i ? " > " : "", names[i]);
	return path;
}

static uint64_t weight_at(const struct page_tables *tables, const char *path)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tables->n_rows; i++)
		if (!strcmp(path_of(tables, tables->rows[i].node), path))
			sum += tables->rows[i].values[0];
	return sum;
}

static void test_stacks_in_preorder(void **state)
{
	struct profile *profile = known_profile_new();
	struct page_tables tables;

	(void)state;
	page_tables_init(&tables, profile, NULL);
	/* two mains, work and its inner, three times rec, db's work, unnamed */
	assert_int_equal(tables.n_nodes, 9);
	for (size_t i = 1; i < tables.n_nodes; i++)
		assert_true(tables.nodes[i].depth <=
			    tables.nodes[i - 1].depth + 1);
	assert_int_equal(weight_at(&tables, "main > work > inner"), 400000000);
	assert_int_equal(weight_at(&tables, "main > rec > rec > rec"),
			 200000000);
	assert_int_equal(weight_at(&tables, "main > work"), 300000000);
	assert_int_equal(weight_at(&tables, "main > [libx.so]+0x2000"),
			 100000000);
	page_tables_destroy(&tables);
	profile_free(profile);
}

static void test_inlined_is_marked(void **state)
{
	struct profile *profile = known_profile_new();
	struct page_tables tables;
	int inlined = 0;

	(void)state;
	page_tables_init(&tables, profile, NULL);
	for (size_t i = 0; i < tables.n_frames; i++) {
		const struct page_frame *frame = &tables.frames[i];
		const char *name = text_at(
			&tables, tables.functions[frame->function].name);

		if (frame->kind & PAGE_KIND_INLINED) {
			assert_string_equal(name, "inner");
			inlined++;
		}
	}
	assert_int_equal(inlined, 1);
	page_tables_destroy(&tables);
	profile_free(profile);
}

static void test_rows_are_ordered_and_distinct(void **state)
{
	struct profile *profile = sample_profile();
	struct page_tables tables;
	uint64_t count = 0;

	(void)state;
	/* the same as its first row but for the CPU: one row of the page */
	profile_add(profile, &(struct profile_row){ profile->rows[0].stack,
						    profile->rows[0].thread,
						    profile->rows[0].container,
						    7,
						    profile->rows[0].state,
						    profile->rows[0].slice,
						    11,
						    { 13 } });
	page_tables_init(&tables, profile, NULL);
	assert_int_equal(tables.n_rows, profile->n_rows - 1);
	for (size_t i = 0; i < tables.n_rows; i++) {
		count += tables.rows[i].count;
		if (i)
			assert_true(tables.rows[i - 1].node <=
				    tables.rows[i].node);
	}
	assert_int_equal(count, 5 + 2 + 4 + 7 + 1 + 3 + 1 + 11);
	/* the row without a stack is the last */
	assert_int_equal(tables.rows[tables.n_rows - 1].node, PROFILE_NONE);
	assert_int_equal(tables.n_value_types, 2);
	page_tables_destroy(&tables);
	profile_free(profile);
}

static void test_comparison_shares_tables(void **state)
{
	struct profile *before = known_profile_new();
	struct profile *after = known_profile_new();
	struct page_tables tables;
	uint64_t sides[2] = { 0 };

	(void)state;
	after->processes[0].pid = 4711; /* restarted: the same program */
	page_tables_init(&tables, before, after);
	assert_int_equal(tables.n_nodes, 9);
	assert_int_equal(tables.n_processes, 2);
	assert_int_equal(tables.n_threads, 2);
	assert_int_equal(tables.n_containers, 2);
	for (size_t i = 0; i < tables.n_rows; i++)
		sides[tables.rows[i].side] += tables.rows[i].count;
	assert_int_equal(sides[0], 100);
	assert_int_equal(sides[1], 100);
	page_tables_destroy(&tables);
	profile_free(before);
	profile_free(after);
}

static void test_verdicts_of_functions(void **state)
{
	struct profile *before = known_profile_new();
	struct profile *after = known_profile_new();
	struct compare_side sides[2] = { { .profile = before },
					 { .profile = after } };
	struct page_tables tables;
	char *text;

	(void)state;
	/* recursion takes four times as long, everything else as before */
	for (size_t i = 0; i < after->n_rows; i++)
		if (after->rows[i].count == 2)
			after->rows[i].values[0] *= 4;
	for (int i = 0; i < 2; i++)
		window_of(&sides[i].window, sides[i].profile, 0);
	page_tables_init(&tables, before, after);
	text = page_verdicts_new(&tables, sides);
	assert_non_null(strstr(text, "\"more\""));
	assert_int_equal(strncmp(text, "[[", 2), 0);
	free(text);
	page_tables_destroy(&tables);
	profile_free(before);
	profile_free(after);
}

static void test_empty_profile(void **state)
{
	struct profile *profile = profile_new();
	struct page_tables tables;
	char *meta;

	(void)state;
	page_tables_init(&tables, profile, NULL);
	assert_int_equal(tables.n_nodes, 0);
	assert_int_equal(tables.n_rows, 0);
	meta = page_meta_new(&tables);
	assert_non_null(strstr(meta, "\"samples\":null"));
	free(meta);
	page_tables_destroy(&tables);
	profile_free(profile);
}

static void test_numbers(void **state)
{
	static const uint8_t want[] = {
		0, 0x7f, 0x80, 0x01, 0xac, 0x02, 2, 0, 1
	};
	uint32_t column[] = { PROFILE_NONE, 0 };
	struct page_bytes bytes = { 0 };

	(void)state;
	page_bytes_number(&bytes, 0);
	page_bytes_number(&bytes, 127);
	page_bytes_number(&bytes, 128);
	page_bytes_number(&bytes, 300);
	page_bytes_column(&bytes, column, sizeof(*column), 2, 1);
	assert_int_equal(bytes.size, sizeof(want));
	assert_memory_equal(bytes.bytes, want, sizeof(want));
	page_bytes_destroy(&bytes);
}

/* What a sink writes, as a text; free() it. */
static char *written(void (*write_it)(struct sink *, const void *),
		     const void *what, size_t *size)
{
	FILE *file = tmpfile();
	struct sink sink;
	struct error error;
	char *text;

	assert_non_null(file);
	sink_init(&sink, fileno(file));
	write_it(&sink, what);
	assert_int_equal(sink_finish(&sink, &error), 0);
	*size = (size_t)lseek(fileno(file), 0, SEEK_END);
	text = mem_calloc(*size + 1, 1);
	assert_int_equal(pread(fileno(file), text, *size, 0), *size);
	fclose(file);
	return text;
}

static void write_bytes(struct sink *sink, const void *bytes)
{
	page_bytes_write(bytes, sink);
}

static size_t decoded(char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strcspn(text, "="), used = 0;
	uint32_t bits = 0;

	for (size_t i = 0; i < length; i++) {
		const char *digit = strchr(digits, text[i]);

		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4 != 0)
			text[used++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
	}
	return used;
}

/* More than one part of base64, so that an inner padding would show. */
static void test_bytes_come_back(void **state)
{
	struct page_bytes bytes = { 0 };
	uint32_t random = 1;
	size_t size;
	char *text, *back;

	(void)state;
	for (int i = 0; i < 50000; i++)
		page_bytes_number(&bytes, random = random * 1664525 + 10139);
	text = written(write_bytes, &bytes, &size);
	assert_int_equal(size % 4, 0);
	back = mem_alloc(bytes.size);
	z_stream stream = { .next_in = (Bytef *)text,
			    .avail_in = (uInt)decoded(text),
			    .next_out = (Bytef *)back,
			    .avail_out = (uInt)bytes.size };
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, bytes.size);
	assert_memory_equal(back, bytes.bytes, bytes.size);
	inflateEnd(&stream);
	free(text);
	free(back);
	page_bytes_destroy(&bytes);
}

static void write_page_of(struct sink *sink, const void *profile)
{
	page_write(sink, &(struct compare_side){ .profile = profile }, NULL);
}

static void test_page_is_closed_to_names(void **state)
{
	struct profile *profile = known_profile_new();
	char *text, *data, *end;
	size_t size;

	(void)state;
	profile->functions[1].name = "</script><script>alert(1)</script>";
	profile->host.name = "<img src=x onerror=alert(1)>";
	text = written(write_page_of, profile, &size);
	assert_null(strstr(text, "alert(1)"));
	assert_null(strstr(text, "@DATA@"));
	assert_null(strstr(text, "_HASH@"));
	assert_non_null(
		strstr(text, "default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(text, "unsafe-"));
	data = strstr(text, "id=\"profile\">");
	assert_non_null(data);
	data += strlen("id=\"profile\">");
	end = data + strspn(data, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789+/=");
	assert_true(end - data > 100);
	assert_int_equal(strncmp(end, "</script>", 9), 0);
	assert_string_equal(text + size - strlen("</html>\n"), "</html>\n");
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_in_preorder),
		cmocka_unit_test(test_inlined_is_marked),
		cmocka_unit_test(test_rows_are_ordered_and_distinct),
		cmocka_unit_test(test_comparison_shares_tables),
		cmocka_unit_test(test_verdicts_of_functions),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bytes_come_back),
		cmocka_unit_test(test_page_is_closed_to_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
