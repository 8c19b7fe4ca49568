/* Hostile texts made fit for UTF-8 formats (case C46). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/formats/printable.h"

static void becomes(const char *text, const char *also, const char *want)
{
	char *clean = printable_new(text, also);

	assert_string_equal(clean, want);
	assert_true(printable_is(clean, also));
	free(clean);
}

static void c46_odd_comm(void **state)
{
	(void)state;
	becomes("a b) S\n1 ;x", "", "a b) S\\n1 ;x");
	becomes("a b) S\n1 ;x", ";", "a b) S\\n1 \\x3bx");
	becomes("\x1b[31m\x7f\t\r", "", "\\x1b[31m\\x7f\\t\\x0d");
}

static void good_text_stays(void **state)
{
	(void)state;
	becomes("", "", "");
	becomes("std::vector<int>::push_back(int&&)", "",
		"std::vector<int>::push_back(int&&)");
	becomes("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "",
		"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void bad_utf8_is_spelled_out(void **state)
{
	(void)state;
	becomes("\xff", "", "\\xff");
	becomes("\xc3", "", "\\xc3");
	becomes("a\xe2\x82", "", "a\\xe2\\x82");
	becomes("\xc0\x80", "", "\\xc0\\x80");
	becomes("\xe0\x80\x80", "", "\\xe0\\x80\\x80");
	becomes("\xed\xa0\x80", "", "\\xed\\xa0\\x80");
	becomes("\xf0\x80\x80\x80", "", "\\xf0\\x80\\x80\\x80");
	becomes("\xf4\x90\x80\x80", "", "\\xf4\\x90\\x80\\x80");
	becomes("\xf5\x80\x80\x80", "", "\\xf5\\x80\\x80\\x80");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c46_odd_comm),
		cmocka_unit_test(good_text_stays),
		cmocka_unit_test(bad_utf8_is_spelled_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
