#include "perfcore/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void distance_counts_edits(void **state)
{
	(void)state;
	assert_int_equal(nearest_distance("", ""), 0);
	assert_int_equal(nearest_distance("", "abc"), 3);
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
	assert_int_equal(nearest_distance("foucs", "focus"), 1);
	assert_int_equal(nearest_distance("CYCLES", "cycles"), 0);
	assert_int_equal(nearest_distance("ca", "abc"), 3);
}

static void the_nearest_come_first(void **state)
{
	struct nearest nearest = { "reprot" };

	(void)state;
	nearest_offer(&nearest, "record");
	nearest_offer(&nearest, "export");
	nearest_offer(&nearest, "report");
	nearest_offer(&nearest, "annotate");
	assert_int_equal(nearest.count, 1);
	assert_string_equal(nearest.items[0], "report");
}

static void only_three_are_kept(void **state)
{
	struct nearest nearest = { "aaaa" };

	(void)state;
	nearest_offer(&nearest, "aabb");
	nearest_offer(&nearest, "aacc");
	nearest_offer(&nearest, "aaab");
	nearest_offer(&nearest, "aadd");
	nearest_offer(&nearest, "aaaaa");
	assert_int_equal(nearest.count, 3);
	assert_string_equal(nearest.items[0], "aaab");
	assert_string_equal(nearest.items[1], "aaaaa");
	assert_string_equal(nearest.items[2], "aabb");
}

static void long_words_are_safe(void **state)
{
	char word[300];

	(void)state;
	for (size_t i = 0; i < sizeof(word) - 1; i++)
		word[i] = 'x';
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(nearest_distance(word, word), 0);
	assert_int_equal(nearest_distance(word, ""), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(the_nearest_come_first),
		cmocka_unit_test(only_three_are_kept),
		cmocka_unit_test(long_words_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
