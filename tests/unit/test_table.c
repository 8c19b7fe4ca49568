#include "cli/views/table.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct table table;

static int setup(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	table_init(&table);
	table_column_add(&table, (struct table_column){ "NAME", true, true });
	table_column_add(&table, (struct table_column){ "n", false, false });
	table_column_add(&table, (struct table_column){ "module", true, true });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	table_destroy(&table);
	return 0;
}

static void add(const char *name, int number, const char *module)
{
	table_row_add(&table, number == 0);
	table_cell(&table, 0, "%s", name);
	table_cell(&table, 1, "%d", number);
	table_cell(&table, 2, "%s", module);
}

static void assert_printed(struct terminal terminal, const char *want)
{
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	table_print(&table, out, &terminal);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
}

static void columns_are_aligned(void **state)
{
	(void)state;
	add("a", 5, "libc");
	add("bcdefg", 1234, "");
	assert_printed((struct terminal){ 0 }, "NAME        n   module\n"
					       "a           5   libc\n"
					       "bcdefg   1234\n");
}

static void wide_characters_take_two_columns(void **state)
{
	(void)state;
	add("日本", 1, "x");
	add("e\xcc\x81t\xc3\xa9", 2, "y"); /* a combining and a whole accent */
	assert_int_equal(table_text_width("日本"), 4);
	assert_printed((struct terminal){ 0 }, "NAME   n   module\n"
					       "日本   1   x\n"
					       "e\xcc\x81t\xc3\xa9    2   y\n");
}

/* C46: a process may call itself anything. */
static void c46_control_characters_are_escaped(void **state)
{
	(void)state;
	add("a b) S\n1 ;x", 1, "\x1b[31m\xff");
	assert_printed((struct terminal){ 0 },
		       "NAME              n   module\n"
		       "a b) S\\n1 \\x3bx   1   \\x1b[31m\\xff\n");
}

static void long_names_are_cut_in_the_middle(void **state)
{
	(void)state;
	add("abcdefghijklmnopqrstuvwxyz", 1, "m");
	assert_printed((struct terminal){ true, false, 31 },
		       "NAME                 n   module\n"
		       "abcdefgh…rstuvwxyz   1   m\n");
}

static void color_marks_titles_and_dim_rows(void **state)
{
	(void)state;
	add("a", 0, "");
	assert_printed((struct terminal){ true, true, 80 },
		       "\033[1mNAME   n   module\n\033[0m"
		       "\033[2ma      0\n\033[0m");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(columns_are_aligned),
		TEST(wide_characters_take_two_columns),
		TEST(c46_control_characters_are_escaped),
		TEST(long_names_are_cut_in_the_middle),
		TEST(color_marks_titles_and_dim_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
