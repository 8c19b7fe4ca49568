#include "cli/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void new_profile_knows_nothing(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile->n_mappings, 1);
	assert_int_equal(profile->n_functions, 1);
	assert_int_equal(profile->n_nodes, 1);
	assert_int_equal(profile->n_rows, 0);
	assert_string_equal(profile->host.name, "");
	assert_true(profile->host.busy_s < 0);
	assert_true(profile->health.samples < 0);
	assert_true(profile->health.own_peak_bytes < 0);
	assert_int_equal(profile_value_type(profile, ""), PROFILE_NONE);
	profile_free(profile);
	profile_free(NULL);
}

static void equal_entries_share_an_index(void **state)
{
	struct profile *profile = profile_new();
	struct profile_mapping mapping = { "/bin/x", "ab", 1, 2, 3, false };
	struct profile_function function = { "f()", "_Z1fv", "", true };
	struct profile_container container = { "web", "id", "runc", "/web" };
	uint32_t index = profile_mapping(profile, &mapping);

	(void)state;
	assert_int_equal(index, 1);
	mapping.path = strdupa("/bin/x"); /* equal, not the same pointer */
	assert_int_equal(profile_mapping(profile, &mapping), index);
	mapping.offset = 4;
	assert_int_equal(profile_mapping(profile, &mapping), 2);
	mapping.is_deleted = true;
	assert_int_equal(profile_mapping(profile, &mapping), 3);

	index = profile_function(profile, &function);
	assert_int_equal(profile_function(profile, &function), index);
	function.file = "f.c";
	assert_int_not_equal(profile_function(profile, &function), index);

	index = profile_container(profile, &container);
	assert_int_equal(profile_container(profile, &container), index);
	container.name = "db";
	assert_int_equal(profile_container(profile, &container), index + 1);

	index = profile_state(profile, "user");
	assert_int_equal(profile_state(profile, "kernel"), index + 1);
	assert_int_equal(profile_state(profile, "user"), index);
	profile_free(profile);
}

static void process_is_pid_and_start(void **state)
{
	struct profile *profile = profile_new();
	uint32_t first = profile_process(profile, 7, 100);
	uint32_t second = profile_process(profile, 7, 200);
	uint32_t thread = profile_thread(profile, first, 7, "sh");

	(void)state;
	assert_int_not_equal(first, second);
	assert_int_equal(profile_process(profile, 7, 100), first);
	assert_int_equal(profile->processes[first].container, PROFILE_NONE);
	assert_int_equal(profile_thread(profile, first, 7, "sh"), thread);
	assert_int_not_equal(profile_thread(profile, first, 7, "ls"), thread);
	assert_int_not_equal(profile_thread(profile, second, 7, "sh"), thread);
	profile_free(profile);
}

static void stacks_share_their_roots(void **state)
{
	struct profile *profile = profile_new();
	struct profile_frame frame = { .address = 0x10 };
	uint32_t main_frame = profile_frame_add(profile, &frame);
	uint32_t leaf_frame = profile_frame_add(profile, &frame);
	uint32_t main_node = profile_node(profile, 0, main_frame);
	uint32_t leaf = profile_node(profile, main_node, leaf_frame);

	(void)state;
	assert_int_not_equal(main_frame, leaf_frame);
	assert_int_equal(profile_node(profile, 0, main_frame), main_node);
	assert_int_equal(profile_node(profile, main_node, leaf_frame), leaf);
	assert_int_not_equal(profile_node(profile, 0, leaf_frame), leaf);
	assert_int_equal(profile->nodes[leaf].parent, main_node);
	assert_int_equal(profile->nodes[leaf].frame, leaf_frame);
	profile_free(profile);
}

static void frames_get_lines_and_specials_are_one(void **state)
{
	struct profile *profile = profile_new();
	struct profile_line lines[2] = { { 0, 7 }, { 0, 9 } };
	uint32_t frame = profile_frame_add(
		profile, &(struct profile_frame){ .address = 1 });
	uint32_t special = profile_frame_special(profile, "[truncated]");
	const struct profile_frame *entry;

	(void)state;
	profile_frame_set_lines(profile, frame, lines, 2);
	entry = &profile->frames[frame];
	assert_int_equal(entry->n_lines, 2);
	assert_int_equal(profile->lines[entry->first_line + 1].line, 9);
	assert_int_equal(profile_frame_special(profile, "[truncated]"),
			 special);
	assert_int_not_equal(profile_frame_special(profile, "[idle]"), special);
	entry = &profile->frames[special];
	assert_int_equal(entry->flags, PROFILE_FRAME_SPECIAL);
	assert_string_equal(
		profile->functions[profile->lines[entry->first_line].function]
			.name,
		"[truncated]");
	profile_free(profile);
}

static void rows_with_one_key_are_summed(void **state)
{
	struct profile *profile = profile_new();
	struct profile_row row = {
		.thread = 1, .cpu = 2, .count = 1, .values = { 10, 0, 0, 5 }
	};
	struct profile_row other[6] = { row, row, row, row, row, row };

	(void)state;
	profile_add(profile, &row);
	profile_add(profile, &row);
	assert_int_equal(profile->n_rows, 1);
	assert_int_equal(profile->rows[0].count, 2);
	assert_int_equal(profile->rows[0].values[0], 20);
	assert_int_equal(profile->rows[0].values[3], 10);
	other[0].stack++;
	other[1].thread++;
	other[2].container++;
	other[3].cpu++;
	other[4].state++;
	other[5].slice++;
	for (int i = 0; i < 6; i++)
		profile_add(profile, &other[i]);
	assert_int_equal(profile->n_rows, 7);
	profile_free(profile);
}

static void many_rows_keep_their_sum(void **state)
{
	struct profile *profile = profile_new();
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		profile_add(profile, &(struct profile_row){ .stack = i % 777,
							    .slice = i % 13,
							    .count = 1,
							    .values = { i } });
	assert_int_equal(profile->n_rows, 777 * 13);
	for (size_t i = 0; i < profile->n_rows; i++)
		sum += profile->rows[i].values[0];
	assert_int_equal(sum, 100000ull * 99999 / 2);
	profile_free(profile);
}

static void value_types_are_found_by_name(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	profile->value_types[0] = (struct profile_value_type){ "cpu", "ns" };
	profile->value_types[1] = (struct profile_value_type){ "off", "ns" };
	profile->n_value_types = 2;
	profile->default_value = 1;
	assert_int_equal(profile_value_type(profile, ""), 1);
	assert_int_equal(profile_value_type(profile, "cpu"), 0);
	assert_int_equal(profile_value_type(profile, "x"), PROFILE_NONE);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_profile_knows_nothing),
		cmocka_unit_test(equal_entries_share_an_index),
		cmocka_unit_test(process_is_pid_and_start),
		cmocka_unit_test(stacks_share_their_roots),
		cmocka_unit_test(frames_get_lines_and_specials_are_one),
		cmocka_unit_test(rows_with_one_key_are_summed),
		cmocka_unit_test(many_rows_keep_their_sum),
		cmocka_unit_test(value_types_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
