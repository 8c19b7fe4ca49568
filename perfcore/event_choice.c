#include "perfcore/event_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/sys.h"

/* Newer than Debian 12's header. */
#define READ_FORMAT_LOST (1u << 4) /* Linux 6.0 */

#define WAIT_STACK_MAX 16384 /* bytes */

/*
 * attr features by the kernel that brought them, newest first: an older one
 * answers EINVAL or E2BIG, and they are given up in this order.
 */
enum feature {
	FEATURE_LOST_COUNT, /* 6.0 */
	FEATURE_BUILD_ID,   /* 5.12 */
	FEATURE_CGROUP,	    /* 5.7 */
	FEATURE_KSYMBOL,    /* 5.1 */
	FEATURE_NAMESPACES, /* 4.12 */
	FEATURES
};

static const char *const feature_loss[FEATURES] = {
	"lost samples are counted from LOST records (kernel before 6.0)",
	"files are told by inode, not build-id (kernel before 5.12)",
	"containers are told by process, not by sample (kernel before 5.7)",
	"BPF programs loaded later have no names (kernel before 5.1)",
	"namespaces are read from /proc (kernel before 4.12)",
};

uint64_t event_choice_user_regs(void)
{
#if defined(__x86_64__)
	/* All but segment and flags registers: AX..SP, IP, R8..R15. */
	return 0x1ffull | 0xffull << 16;
#elif defined(__aarch64__)
	return (1ull << 33) - 1; /* X0..X29, LR, SP, PC */
#else
	return 0;
#endif
}

static void attr_common(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC; /* NMI-safe, and jitdump's clock */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
}

static void attr_stacks(struct perf_event_attr *attr,
			const struct session_options *options)
{
	if (options->stacks == SESSION_STACKS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->stacks == SESSION_STACKS_FP)
		return;
	attr->exclude_callchain_user = 1;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = event_choice_user_regs();
	attr->sample_stack_user = options->stack_size;
}

static void attr_sampling(struct perf_event_attr *attr,
			  const struct event_spec *spec,
			  const struct session_options *options,
			  uint64_t freq_hz)
{
	*attr = spec->attr;
	attr_common(attr);
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	attr->exclude_idle = 1;
	attr->freq = freq_hz > 0;
	if (freq_hz)
		attr->sample_freq = freq_hz;
	else
		attr->sample_period = options->period;
	attr_stacks(attr, options);
	attr->watermark = 1;
}

static void attr_tracking(struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_DUMMY };
	attr_common(attr);
	attr->sample_period = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	/* Any byte wakes the reader. wakeup_events would not: the kernel counts
	 * samples only for it (seen on 6.18). */
	attr->watermark = 1;
	attr->wakeup_watermark = 1;
}

static void features_apply(struct event_choice *choice, unsigned features)
{
	struct perf_event_attr *sampling = &choice->sampling;
	struct perf_event_attr *tracking = &choice->tracking;

	if (features & 1u << FEATURE_LOST_COUNT) {
		sampling->read_format |= READ_FORMAT_LOST;
		tracking->read_format |= READ_FORMAT_LOST;
	}
	if (features & 1u << FEATURE_CGROUP) {
		sampling->sample_type |= PERF_SAMPLE_CGROUP;
		tracking->cgroup = 1;
	}
	tracking->build_id = !!(features & 1u << FEATURE_BUILD_ID);
	tracking->ksymbol = !!(features & 1u << FEATURE_KSYMBOL);
	tracking->bpf_event = !!(features & 1u << FEATURE_KSYMBOL);
	tracking->namespaces = !!(features & 1u << FEATURE_NAMESPACES);
}

static int try_open(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr copy = *attr; /* E2BIG writes into it */
	int fd = sys_perf_open(&copy, -1, cpu, 0);

	if (fd < 0)
		return fd;
	sys_close(fd);
	return 0;
}

/* One spec at one precision, with the most features the kernel takes. */
static int try_spec(struct event_choice *choice, const struct event_spec *spec,
		    const struct session_options *options, int cpu,
		    struct notes *notes)
{
	unsigned features = (1u << FEATURES) - 1;

	for (unsigned dropped = 0;; dropped++) {
		int result;

		attr_sampling(&choice->sampling, spec, options,
			      choice->freq_hz);
		attr_tracking(&choice->tracking);
		features_apply(choice, features);
		result = try_open(&choice->sampling, cpu);
		if (result == 0)
			result = try_open(&choice->tracking, cpu);
		if (result == 0) {
			for (unsigned i = 0; i < dropped; i++)
				notes_add(notes, "%s", feature_loss[i]);
			choice->spec = *spec;
			return 0;
		}
		if ((result != -EINVAL && result != -E2BIG) ||
		    dropped == FEATURES)
			return result;
		features &= ~(1u << dropped);
	}
}

static int try_precisions(struct event_choice *choice,
			  const struct event_spec *spec,
			  const struct session_options *options, int cpu,
			  struct notes *notes)
{
	struct event_spec precise = *spec;
	int result = -ENOENT;

	if (!spec->is_precise_max)
		return try_spec(choice, spec, options, cpu, notes);
	for (unsigned level = 3; level >= 1; level--) {
		precise.attr.precise_ip = level & 3;
		result = try_spec(choice, &precise, options, cpu, notes);
		if (result == 0 || result == -EACCES || result == -EPERM)
			return result;
	}
	return result;
}

static const char *why(int code)
{
	switch (-code) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return "no PMU here, so no cycles";
	case EBUSY:
		return "the PMU is taken by somebody else";
	default:
		return NULL;
	}
}

static void reason_set(struct event_choice *choice, const char *name, int code)
{
	if (why(code))
		snprintf(choice->reason, sizeof(choice->reason), "%s",
			 why(code));
	else
		snprintf(choice->reason, sizeof(choice->reason), "%.60s: %s",
			 name, strerror(-code));
}

static long sysctl_number(const char *name, long unknown)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return unknown;
	return strtol(text, NULL, 10);
}

/* The kernel refuses more than its limit with EINVAL, before all else. */
static void frequency_clamp(struct event_choice *choice, uint64_t asked,
			    struct notes *notes)
{
	long limit = sysctl_number("perf_event_max_sample_rate", 0);

	choice->freq_hz = asked;
	if (limit > 0 && asked > (uint64_t)limit) {
		choice->freq_hz = (uint64_t)limit;
		notes_add(notes,
			  "sampling at %ld Hz instead of %llu: the limit of "
			  "kernel.perf_event_max_sample_rate",
			  limit, (unsigned long long)asked);
	}
}

int event_choice_refusal(int code, struct error *error)
{
	long level = sysctl_number("perf_event_paranoid", -2);

	if (level == -2)
		return error_set(error, code,
				 "sampling the whole host is not permitted "
				 "here: %s (a seccomp filter, as containers "
				 "have one, may refuse perf_event_open); run "
				 "as root on the host",
				 strerror(-code));
	return error_set(
		error, code,
		"sampling the whole host is not permitted: "
		"kernel.perf_event_paranoid is %ld and this process has no "
		"CAP_PERFMON%s. Run it with sudo, or grant the capability: "
		"sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep "
		"./hostprof",
		level,
		level <= 0 ? " (or a seccomp filter refuses perf_event_open)"
			   : "");
}

static int refused(const struct event_spec *spec, int code, struct error *error)
{
	if (code == -EACCES || code == -EPERM)
		return event_choice_refusal(code, error);
	if (code == -EMFILE || code == -ENFILE)
		return error_set(error, code,
				 "no file descriptor left for an event: raise "
				 "the limit (ulimit -n)");
	return error_set(error, code, "event '%s' cannot be opened here: %s",
			 spec->name, strerror(-code));
}

static int ladder_walk(struct event_choice *choice,
		       const struct session_options *options, int cpu,
		       struct notes *notes, struct error *error)
{
	struct event_spec rungs[EVENT_LADDER_RUNGS];
	int result = -ENOENT;

	event_spec_ladder(rungs);
	for (size_t i = 0; i < EVENT_LADDER_RUNGS; i++) {
		result = try_precisions(choice, &rungs[i], options, cpu, notes);
		if (result == 0)
			return 0;
		if (result == -EACCES || result == -EPERM ||
		    result == -EMFILE || result == -ENFILE)
			break;
		reason_set(choice, rungs[i].name, result);
	}
	return refused(&rungs[EVENT_LADDER_RUNGS - 1], result, error);
}

/*
 * The stacks of threads that leave their CPU: what a sample has, but smaller
 * stack copies (a thread that waits is seldom deep) and all modes: with
 * exclude_kernel nothing is ever counted. Switches themselves are bare.
 */
static void choose_off_cpu(struct event_choice *choice)
{
	struct perf_event_attr *waits = &choice->waits;
	struct perf_event_attr *switches = &choice->switches;

	*waits = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE };
	attr_common(waits);
	waits->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	waits->sample_period = SESSION_WAIT_PERIOD;
	waits->sample_type =
		choice->sampling.sample_type | PERF_SAMPLE_CALLCHAIN;
	waits->read_format = choice->tracking.read_format;
	waits->sample_regs_user = choice->sampling.sample_regs_user;
	waits->sample_stack_user = choice->sampling.sample_stack_user;
	if (waits->sample_stack_user > WAIT_STACK_MAX)
		waits->sample_stack_user = WAIT_STACK_MAX;
	/* By frame pointers, or not at all: then kernel frames alone. */
	waits->exclude_callchain_user =
		choice->sampling.exclude_callchain_user ||
		!(choice->sampling.sample_type & PERF_SAMPLE_CALLCHAIN);
	waits->watermark = 1;

	*switches = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE };
	attr_common(switches);
	switches->config = PERF_COUNT_SW_DUMMY;
	switches->sample_period = 1;
	switches->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	switches->read_format = choice->tracking.read_format;
	switches->context_switch = 1;
	switches->watermark = 1;
}

int event_choice_make(struct event_choice *choice,
		      const struct session_options *options, int cpu,
		      struct notes *notes, struct error *error)
{
	struct event_spec spec;
	int result;

	*choice = (struct event_choice){ 0 };
	if (!options->period)
		frequency_clamp(choice, options->freq_hz, notes);
	if (!options->event) {
		result = ladder_walk(choice, options, cpu, notes, error);
	} else {
		result = event_spec_parse(&spec, options->event, error);
		if (result < 0)
			return result;
		result = try_precisions(choice, &spec, options, cpu, notes);
		if (result < 0)
			refused(&spec, result, error);
	}
	if (result == 0 && options->off_cpu)
		choose_off_cpu(choice);
	return result;
}
