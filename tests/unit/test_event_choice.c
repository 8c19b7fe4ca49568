/* event_choice.c: the ladder and the attr that results, on kernels, PMUs and
 * permissions that no one machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <time.h>

#include "fake_sys.h"
#include "perfcore/event_choice.h"

static const struct session_options by_default = { .freq_hz = 99,
						   .stacks =
							   SESSION_STACKS_FP };

static struct event_choice choice;
static struct notes notes;
static struct error error;

static int choose(const struct session_options *options)
{
	notes_destroy(&notes);
	error.text[0] = '\0';
	return event_choice_make(&choice, options, 0, &notes, &error);
}

static bool is_cycles(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE;
}

static int refuse_code;
static int refuse_cycles(const struct perf_event_attr *attr, int cpu)
{
	(void)cpu;
	return is_cycles(attr) ? refuse_code : 0;
}

static int refuse_precise(const struct perf_event_attr *attr, int cpu)
{
	(void)cpu;
	return is_cycles(attr) && attr->precise_ip > refuse_code ? -EOPNOTSUPP
								 : 0;
}

static void precise_cycles_where_the_pmu_can(void **state)
{
	(void)state;
	fake_sys_reset("0-1");
	assert_int_equal(choose(&by_default), 0);
	assert_string_equal(choice.spec.name, "cycles:P");
	assert_int_equal(choice.sampling.precise_ip, 3);
	assert_string_equal(choice.reason, "");
	assert_int_equal(notes.count, 0);
	for (refuse_code = 2; refuse_code >= 0; refuse_code--) {
		fake_sys_reset("0");
		fake_sys.open = refuse_precise;
		assert_int_equal(choose(&by_default), 0);
		assert_int_equal(choice.sampling.precise_ip, refuse_code);
		assert_string_equal(choice.spec.name,
				    refuse_code ? "cycles:P" : "cycles");
	}
}

static void every_errno_leads_to_the_clock(void **state)
{
	static const int codes[] = { -ENOENT, -EOPNOTSUPP, -ENODEV,
				     -ENXIO,  -EINVAL,	   -EBUSY };

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		fake_sys_reset("0-1");
		fake_sys.open = refuse_cycles;
		refuse_code = codes[i];
		assert_int_equal(choose(&by_default), 0);
		assert_string_equal(choice.spec.name, "cpu-clock");
		assert_true(choice.spec.is_clock);
		assert_true(choice.reason[0] != '\0');
		assert_int_equal(fake_sys_open_count(), 0);
	}
}

static void permission_ends_the_ladder(void **state)
{
	static const int codes[] = { -EACCES, -EPERM };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fake_sys_reset("0");
		fake_sys.open = refuse_cycles;
		refuse_code = codes[i];
		assert_int_equal(choose(&by_default), codes[i]);
		assert_non_null(strstr(error.text, "perf_event_paranoid is 2"));
		assert_non_null(strstr(error.text, "CAP_PERFMON"));
		assert_non_null(strstr(error.text, "setcap"));
	}
}

static void attr_is_exactly_this(void **state)
{
	struct session_options options = by_default;
	const struct perf_event_attr *sampling = &choice.sampling;
	const struct perf_event_attr *tracking = &choice.tracking;

	(void)state;
	fake_sys_reset("0");
	options.stacks = SESSION_STACKS_COPY;
	options.stack_size = 32768;
	assert_int_equal(choose(&options), 0);
	assert_int_equal(sampling->freq, 1);
	assert_int_equal(sampling->sample_freq, 99);
	assert_int_equal(sampling->inherit, 0);
	assert_int_equal(sampling->exclude_idle, 1);
	assert_int_equal(sampling->disabled, 1);
	assert_int_equal(sampling->sample_id_all, 1);
	assert_int_equal(sampling->clockid, CLOCK_MONOTONIC);
	assert_int_equal(sampling->exclude_callchain_user, 1);
	assert_int_equal(sampling->sample_stack_user, 32768);
	assert_int_equal(sampling->sample_type,
			 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
				 PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP);
	assert_int_equal(sampling->read_format & 16, 16);
	assert_int_equal(sampling->mmap, 0);
	assert_int_equal(tracking->config, PERF_COUNT_SW_DUMMY);
	assert_true(tracking->mmap2 && tracking->comm && tracking->task &&
		    tracking->comm_exec && tracking->build_id &&
		    tracking->ksymbol && tracking->bpf_event &&
		    tracking->namespaces && tracking->cgroup);
	assert_int_equal(tracking->watermark, 1);
	assert_int_equal(tracking->wakeup_watermark, 1);
}

/* Kernels without the features: LOST count, build-id, cgroup, ksymbol. */
static unsigned kernel_age;
static int old_kernel(const struct perf_event_attr *attr, int cpu)
{
	(void)cpu;
	if (kernel_age >= 1 && attr->read_format & 16)
		return -EINVAL;
	if (kernel_age >= 2 && attr->build_id)
		return -E2BIG;
	if (kernel_age >= 3 &&
	    (attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP))
		return -EINVAL;
	if (kernel_age >= 4 && (attr->ksymbol || attr->bpf_event))
		return -EINVAL;
	if (kernel_age >= 5 && attr->namespaces)
		return -EINVAL;
	return 0;
}

static void older_kernels_get_what_they_know(void **state)
{
	(void)state;
	for (kernel_age = 0; kernel_age <= 5; kernel_age++) {
		fake_sys_reset("0");
		fake_sys.open = old_kernel;
		assert_int_equal(choose(&by_default), 0);
		assert_int_equal(notes.count, kernel_age);
		assert_int_equal(choice.tracking.build_id, kernel_age < 2);
		assert_int_equal(choice.tracking.cgroup, kernel_age < 3);
		assert_int_equal(choice.tracking.namespaces, kernel_age < 5);
		assert_string_equal(choice.spec.name, "cycles:P");
	}
}

static void frequency_is_clamped_and_said(void **state)
{
	struct session_options options = by_default;

	(void)state;
	fake_sys_reset("0");
	fake_sys.max_rate = "250";
	options.freq_hz = 999;
	assert_int_equal(choose(&options), 0);
	assert_int_equal(choice.sampling.sample_freq, 250);
	assert_int_equal(choice.freq_hz, 250);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.items[0].text, "250 Hz instead of 999"));
}

static void asked_event_has_no_ladder(void **state)
{
	struct session_options options = by_default;

	(void)state;
	fake_sys_reset("0");
	fake_sys.open = refuse_cycles;
	refuse_code = -ENOENT;
	options.event = "cycles";
	assert_int_equal(choose(&options), -ENOENT);
	assert_non_null(strstr(error.text, "'cycles'"));
	options.event = "cpu-clock:u";
	assert_int_equal(choose(&options), 0);
	assert_int_equal(choice.sampling.exclude_kernel, 1);
	assert_int_equal(choice.sampling.exclude_user, 0);
	options.freq_hz = 0;
	options.period = 5000;
	assert_int_equal(choose(&options), 0);
	assert_int_equal(choice.sampling.freq, 0);
	assert_int_equal(choice.sampling.sample_period, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precise_cycles_where_the_pmu_can),
		cmocka_unit_test(every_errno_leads_to_the_clock),
		cmocka_unit_test(permission_ends_the_ladder),
		cmocka_unit_test(attr_is_exactly_this),
		cmocka_unit_test(older_kernels_get_what_they_know),
		cmocka_unit_test(frequency_is_clamped_and_said),
		cmocka_unit_test(asked_event_has_no_ladder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
