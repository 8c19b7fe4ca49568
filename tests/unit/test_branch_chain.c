#include "perfcore/branch_chain.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

static const struct branch_entry calls[] = {
	{ .from = 0x402010, .to = 0x401000 }, /* the newest call */
	{ .from = 0x403010, .to = 0x402000 },
};

static void user_sample_begins_where_the_cpu_was(void **state)
{
	static const uint64_t chain[] = { USER, 0x401008, 0xbad };
	struct sample sample = {
		.ip = 0x401008,
		.mode = CPU_MODE_USER,
		.callchain = chain,
		.n_callchain = 3,
		.branches = calls,
		.n_branches = 2,
	};
	struct branch_chain made = { 0 };

	(void)state;
	branch_chain_set(&made, &sample);
	assert_int_equal(sample.n_callchain, 4);
	assert_int_equal(sample.callchain[0], USER);
	assert_int_equal(sample.callchain[1], 0x401008);
	assert_int_equal(sample.callchain[2], 0x402011);
	assert_int_equal(sample.callchain[3], 0x403011);
	branch_chain_destroy(&made);
}

static void kernel_part_stays(void **state)
{
	static const uint64_t chain[] = { KERNEL, 0xffffffff81000000, USER,
					  0xbad };
	struct sample sample = {
		.ip = 0xffffffff81000000,
		.mode = CPU_MODE_KERNEL,
		.callchain = chain,
		.n_callchain = 4,
		.branches = calls,
		.n_branches = 2,
	};
	struct branch_chain made = { 0 };

	(void)state;
	branch_chain_set(&made, &sample);
	assert_int_equal(sample.n_callchain, 6);
	assert_int_equal(sample.callchain[1], 0xffffffff81000000);
	assert_int_equal(sample.callchain[2], USER);
	assert_int_equal(sample.callchain[3], 0x401000);
	assert_int_equal(sample.callchain[5], 0x403011);
	branch_chain_destroy(&made);
}

static void without_branches_the_chain_is_left_alone(void **state)
{
	static const uint64_t chain[] = { USER, 0x401008 };
	struct sample sample = { .callchain = chain, .n_callchain = 2 };
	struct branch_chain made = { 0 };

	(void)state;
	branch_chain_set(&made, &sample);
	assert_ptr_equal(sample.callchain, chain);
	assert_int_equal(sample.n_callchain, 2);
	branch_chain_destroy(&made);
	assert_true(branch_chain_is_calls(PERF_SAMPLE_BRANCH_CALL_STACK |
					  PERF_SAMPLE_BRANCH_USER));
	assert_false(branch_chain_is_calls(PERF_SAMPLE_BRANCH_ANY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_sample_begins_where_the_cpu_was),
		cmocka_unit_test(kernel_part_stays),
		cmocka_unit_test(without_branches_the_chain_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
