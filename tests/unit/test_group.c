#include "cli/profile/group.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "cli/profile/merge.h"
#include "known_profile.h"

struct fixture {
	struct profile *profile;
	struct window window;
	struct grouping grouping;
};

static void group_by(struct fixture *fixture, uint32_t n_keys,
		     const enum label_key *keys, enum group_sort sort,
		     uint64_t top)
{
	struct group_request request = { .n_keys = n_keys,
					 .sort = sort,
					 .top = top };

	memcpy(request.keys, keys, n_keys * sizeof(*keys));
	grouping_destroy(&fixture->grouping);
	window_of(&fixture->window, fixture->profile, 0);
	group_profile(&fixture->grouping, fixture->profile, &fixture->window,
		      &request);
}

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .profile = known_profile_new() };
	labels_init(&fixture.grouping.labels, fixture.profile);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	grouping_destroy(&fixture->grouping);
	profile_free(fixture->profile);
	return 0;
}

/* Group number i, with its sums in samples of 10 ms. */
static void assert_group(struct fixture *fixture, size_t i, const char *name,
			 const char *module, uint64_t self, uint64_t total)
{
	const struct group *group = &fixture->grouping.groups[i];
	const struct label *label = grouping_label(&fixture->grouping, group);

	assert_true(i < fixture->grouping.n_groups);
	assert_string_equal(label->name, name);
	assert_string_equal(label->module, module);
	assert_int_equal(group->self, self * 10000000);
	assert_int_equal(group->total, total * 10000000);
	assert_int_equal(group->samples, self);
	assert_int_equal(group->total_samples, total);
}

static void functions_have_self_and_total(void **state)
{
	struct fixture *fixture = *state;

	group_by(fixture, 1, (enum label_key[]){ LABEL_FUNCTION },
		 GROUP_SORT_DEFAULT, 0);
	assert_int_equal(fixture->grouping.n_groups, 7);
	assert_group(fixture, 0, "inner", "/bin/web", 40, 40);
	assert_group(fixture, 1, "work", "/bin/db", 30, 30);
	assert_group(fixture, 2, "rec", "/bin/web", 20, 20);
	assert_group(fixture, 3, "[libx.so]+0x2000", "/lib/libx.so", 10, 10);
	assert_group(fixture, 4, "main", "/bin/web", 0, 60);
	assert_group(fixture, 5, "main", "/bin/db", 0, 40);
	assert_group(fixture, 6, "work", "/bin/web", 0, 40);
}

static void order_can_be_chosen(void **state)
{
	struct fixture *fixture = *state;
	enum label_key keys[] = { LABEL_FUNCTION };

	group_by(fixture, 1, keys, GROUP_SORT_TOTAL, 3);
	assert_int_equal(fixture->grouping.n_groups, 3);
	assert_int_equal(fixture->grouping.n_hidden, 4);
	assert_group(fixture, 0, "main", "/bin/web", 0, 60);
	assert_group(fixture, 1, "inner", "/bin/web", 40, 40);
	assert_group(fixture, 2, "main", "/bin/db", 0, 40);
	group_by(fixture, 1, keys, GROUP_SORT_NAME, 2);
	assert_group(fixture, 0, "[libx.so]+0x2000", "/lib/libx.so", 10, 10);
	assert_group(fixture, 1, "inner", "/bin/web", 40, 40);
}

static void rows_are_grouped_by_who_and_where(void **state)
{
	static const struct {
		enum label_key key;
		const char *first, *second;
	} cases[] = {
		{ LABEL_CONTAINER, "web", "db" },
		{ LABEL_PROCESS, "web", "db" },
		{ LABEL_THREAD, "web", "db" },
		{ LABEL_COMM, "web", "db" },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 4; i++) {
		group_by(fixture, 1, &cases[i].key, GROUP_SORT_DEFAULT, 0);
		assert_int_equal(fixture->grouping.n_groups, 2);
		assert_group(fixture, 0, cases[i].first, "", 60, 60);
		assert_group(fixture, 1, cases[i].second, "", 40, 40);
	}
	group_by(fixture, 1, (enum label_key[]){ LABEL_STATE },
		 GROUP_SORT_DEFAULT, 0);
	assert_group(fixture, 0, "user", "", 100, 100);
	group_by(fixture, 1, (enum label_key[]){ LABEL_USER },
		 GROUP_SORT_DEFAULT, 0);
	assert_group(fixture, 0, "[unknown]", "", 100, 100);
	group_by(fixture, 1, (enum label_key[]){ LABEL_MODULE },
		 GROUP_SORT_DEFAULT, 0);
	assert_group(fixture, 0, "/bin/web", "/bin/web", 60, 60);
	assert_group(fixture, 1, "/bin/db", "/bin/db", 30, 40);
	assert_group(fixture, 2, "/lib/libx.so", "/lib/libx.so", 10, 10);
}

static void slices_come_in_order(void **state)
{
	struct fixture *fixture = *state;

	group_by(fixture, 1, (enum label_key[]){ LABEL_SLICE },
		 GROUP_SORT_DEFAULT, 0);
	assert_int_equal(fixture->grouping.n_groups, 10);
	for (uint32_t i = 0; i < 10; i++) {
		const struct group *group = &fixture->grouping.groups[i];

		assert_int_equal(
			grouping_label(&fixture->grouping, group)->index, i);
		assert_int_equal(group->samples, 10);
	}
}

static void keys_can_be_nested(void **state)
{
	struct fixture *fixture = *state;
	const struct group *group;

	group_by(fixture, 2,
		 (enum label_key[]){ LABEL_CONTAINER, LABEL_FUNCTION },
		 GROUP_SORT_DEFAULT, 2);
	assert_int_equal(fixture->grouping.n_groups, 6);
	assert_group(fixture, 0, "web", "", 60, 60);
	assert_group(fixture, 1, "inner", "/bin/web", 40, 40);
	assert_group(fixture, 2, "rec", "/bin/web", 20, 20);
	assert_group(fixture, 3, "db", "", 40, 40);
	assert_group(fixture, 4, "work", "/bin/db", 30, 30);
	group = &fixture->grouping.groups[2];
	assert_ptr_equal(grouping_outer(&fixture->grouping, group, 0),
			 &fixture->grouping.groups[0]);
	assert_int_equal(fixture->grouping.groups[0].n_hidden, 2);
	group_by(fixture, 3,
		 (enum label_key[]){ LABEL_MODULE, LABEL_FUNCTION, LABEL_CPU },
		 GROUP_SORT_TOTAL, 1);
	assert_int_equal(fixture->grouping.n_groups, 3);
	assert_group(fixture, 1, "main", "/bin/web", 0, 60);
	assert_int_equal(fixture->grouping.groups[2].total_samples, 60);
}

static void lines_are_kept_apart(void **state)
{
	struct fixture *fixture = *state;
	const struct label *label;

	group_by(fixture, 1, (enum label_key[]){ LABEL_LINE },
		 GROUP_SORT_DEFAULT, 1);
	label = grouping_label(&fixture->grouping,
			       &fixture->grouping.groups[0]);
	assert_string_equal(label->file, "inner.h");
	assert_int_equal(label->line, 3);
}

static void shares_have_intervals(void **state)
{
	struct fixture *fixture = *state;
	const struct group *group;
	struct interval wilson = interval_wilson(0.4, 100);

	group_by(fixture, 1, (enum label_key[]){ LABEL_FUNCTION },
		 GROUP_SORT_DEFAULT, 0);
	assert_int_equal(fixture->window.samples, 100);
	assert_int_equal(fixture->window.n_batches, 10);
	assert_true(fabs(fixture->window.effective - 100) < 1e-6);
	group = &fixture->grouping.groups[0]; /* inner, the same each slice */
	assert_true(fabs(group->self_share.low - wilson.low) < 1e-9);
	assert_true(fabs(group->total_share.high - wilson.high) < 1e-9);
	group = &fixture->grouping.groups[4]; /* main, self 0 */
	assert_true(group->self_share.low == 0);
	assert_true(group->total_share.low > 0.45);
}

static void stacks_without_frames_are_counted(void **state)
{
	struct fixture *fixture = *state;

	known_add(fixture->profile, 0, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE,
		  99, 70);
	group_by(fixture, 1, (enum label_key[]){ LABEL_FUNCTION },
		 GROUP_SORT_DEFAULT, 1);
	assert_group(fixture, 0, "[no stack]", "", 70, 70);
	group_by(fixture, 1, (enum label_key[]){ LABEL_PROCESS },
		 GROUP_SORT_DEFAULT, 1);
	assert_group(fixture, 0, "[unknown]", "", 70, 70);
}

/* Three runs of which one differs: the interval reaches over all of them,
 * though within each run nothing changes. */
static void runs_that_differ_widen_the_interval(void **state)
{
	struct fixture fixture = { .profile = profile_merge_new() };
	struct profile *run;
	double within;

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		run = known_profile_new();
		if (i == 2) /* a run in which web has much more to do */
			for (size_t j = 0; j < run->n_rows; j++)
				if (run->rows[j].container == 0)
					run->rows[j].values[0] *= 4;
		profile_merge(fixture.profile, run);
		profile_free(run);
	}
	labels_init(&fixture.grouping.labels, fixture.profile);
	group_by(&fixture, 1, (enum label_key[]){ LABEL_CONTAINER },
		 GROUP_SORT_DEFAULT, 0);
	assert_int_equal(fixture.window.n_window_batches, 3);
	within = interval_wilson(0.75, 300).high -
		 interval_wilson(0.75, 300).low;
	assert_true(fixture.grouping.groups[0].self_share.high -
			    fixture.grouping.groups[0].self_share.low >
		    2 * within);
	/* 60 of 100 twice, then 240 of 280 */
	assert_int_equal(fixture.grouping.groups[0].self_spread.n, 3);
	assert_true(fabs(fixture.grouping.groups[0].self_spread.median - 0.6) <
		    1e-9);
	assert_true(fabs(fixture.grouping.groups[0].self_spread.most -
			 240.0 / 280) < 1e-9);
	assert_true(fabs(fixture.grouping.groups[0].self_spread.mean -
			 (1.2 + 240.0 / 280) / 3) < 1e-9);
	grouping_destroy(&fixture.grouping);
	profile_free(fixture.profile);
}

static void nothing_gives_no_groups(void **state)
{
	struct fixture fixture = { .profile = profile_new() };

	(void)state;
	labels_init(&fixture.grouping.labels, fixture.profile);
	fixture.profile->n_value_types = 1;
	group_by(&fixture, 1, (enum label_key[]){ LABEL_FUNCTION },
		 GROUP_SORT_DEFAULT, 20);
	assert_int_equal(fixture.grouping.n_groups, 0);
	assert_true(window_share(&fixture.window, 0) == 0);
	grouping_destroy(&fixture.grouping);
	profile_free(fixture.profile);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(functions_have_self_and_total),
		TEST(order_can_be_chosen),
		TEST(rows_are_grouped_by_who_and_where),
		TEST(slices_come_in_order),
		TEST(keys_can_be_nested),
		TEST(lines_are_kept_apart),
		TEST(shares_have_intervals),
		TEST(stacks_without_frames_are_counted),
		cmocka_unit_test(runs_that_differ_widen_the_interval),
		cmocka_unit_test(nothing_gives_no_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
