#include "cli/profile/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "known_profile.h"

static void equal_things_become_one(void **state)
{
	struct profile *a = known_profile_new(), *b = known_profile_new();
	struct profile *merged = profile_merge_new();
	uint64_t count = 0, weight = 0;

	(void)state;
	b->start_ns += 5000000000ull;
	profile_merge(merged, a);
	profile_merge(merged, b);
	assert_int_equal(merged->n_profiles, 2);
	assert_int_equal(merged->start_ns, a->start_ns);
	assert_int_equal(merged->duration_ns, 2 * a->duration_ns);
	assert_int_equal(merged->n_functions, a->n_functions);
	assert_int_equal(merged->n_mappings, a->n_mappings);
	assert_int_equal(merged->n_frames, a->n_frames);
	assert_int_equal(merged->n_nodes, a->n_nodes);
	assert_int_equal(merged->n_processes, 2);
	assert_int_equal(merged->n_threads, 2);
	assert_int_equal(merged->n_containers, 2);
	/* later slices come after earlier ones */
	assert_int_equal(merged->n_rows, 2 * a->n_rows);
	for (size_t i = 0; i < merged->n_rows; i++) {
		count += merged->rows[i].count;
		weight += merged->rows[i].values[0];
		assert_true(merged->rows[i].slice < 20);
	}
	assert_int_equal(count, 200);
	assert_int_equal(weight, 2000000000);
	profile_free(a);
	profile_free(b);
	profile_free(merged);
}

static void what_is_known_is_summed(void **state)
{
	struct profile *a = known_profile_new(), *b = known_profile_new();
	struct profile *merged = profile_merge_new();

	(void)state;
	a->host.name = b->host.name = "web1";
	a->health.samples = b->health.samples = 100;
	a->health.lost = 3; /* of b it is not known */
	a->health.own_peak_bytes = 5;
	b->health.own_peak_bytes = 7;
	a->processes[0].has_accounting = b->processes[0].has_accounting = true;
	a->processes[1].has_accounting = true;
	a->processes[0].cpu_ns = 10;
	b->processes[0].cpu_ns = 20;
	notes_add(&a->notes, "x");
	notes_add(&b->notes, "x");
	profile_merge(merged, a);
	profile_merge(merged, b);
	assert_true(merged->health.samples == 200);
	assert_true(merged->health.lost < 0);
	assert_true(merged->health.own_peak_bytes == 7);
	assert_true(merged->host.capacity_s == 4);
	assert_string_equal(merged->host.name, "web1");
	assert_true(merged->processes[0].has_accounting);
	assert_int_equal(merged->processes[0].cpu_ns, 30);
	assert_false(merged->processes[1].has_accounting);
	assert_int_equal(merged->notes.count, 1);
	assert_int_equal(merged->notes.items[0].count, 2);
	profile_free(a);
	profile_free(b);
	profile_free(merged);
}

static void hosts_and_values_may_differ(void **state)
{
	struct profile *a = known_profile_new(), *b = known_profile_new();
	struct profile *merged = profile_merge_new();

	(void)state;
	a->host.name = "web1";
	b->host.name = "web2";
	a->event.name = "cycles";
	b->event.name = "cpu-clock";
	b->value_types[0].type = "wait";
	b->slice_ns = 50000000;
	profile_merge(merged, a);
	profile_merge(merged, b);
	assert_string_equal(merged->host.name, "web1 and others");
	assert_int_equal(merged->n_value_types, 2);
	assert_int_equal(merged->rows[merged->n_rows - 1].values[0], 0);
	assert_true(merged->rows[merged->n_rows - 1].values[1] > 0);
	assert_int_equal(merged->slice_ns, 100000000);
	/* ten slices of 50 ms are five of 100 ms */
	for (size_t i = 0; i < merged->n_rows; i++)
		assert_true(merged->rows[i].slice < 15);
	assert_int_equal(merged->notes.count, 1);
	profile_free(a);
	profile_free(b);
	profile_free(merged);
}

static void special_frames_stay_special(void **state)
{
	struct profile *a = known_profile_new();
	struct profile *merged = profile_merge_new();
	uint32_t frame = profile_frame_special(a, "[truncated]");

	(void)state;
	known_add(a, profile_node(a, 0, frame), 0, PROFILE_NONE, 0, 0, 1);
	profile_merge(merged, a);
	frame = profile_frame_special(merged, "[truncated]");
	assert_int_equal(merged->n_frames, a->n_frames);
	assert_int_equal(merged->frames[frame].flags, PROFILE_FRAME_SPECIAL);
	profile_free(a);
	profile_free(merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_things_become_one),
		cmocka_unit_test(what_is_known_is_summed),
		cmocka_unit_test(hosts_and_values_may_differ),
		cmocka_unit_test(special_frames_stay_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
