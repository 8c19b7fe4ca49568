#include "perfcore/event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perfcore/nearest.h"
#include "perfcore/sys.h"

struct generic_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct generic_event generic_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "cache-references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_EMULATION_FAULTS },
};

#define N_GENERIC (sizeof(generic_events) / sizeof(generic_events[0]))

static const char *const tracefs_roots[] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing" };

static void attr_init(struct perf_event_attr *attr, uint32_t type,
		      uint64_t config)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = type,
		.config = config,
	};
}

/* "uP" and the like; false where a letter is none of perf's. */
static bool modifiers_apply(struct event_spec *spec, const char *modifiers)
{
	struct perf_event_attr *attr = &spec->attr;
	unsigned precise = 0;
	bool user = false, kernel = false, hypervisor = false;

	for (; *modifiers; modifiers++) {
		switch (*modifiers) {
		case 'u':
			user = true;
			break;
		case 'k':
			kernel = true;
			break;
		case 'h':
			hypervisor = true;
			break;
		case 'p':
			precise++;
			break;
		case 'P':
			spec->is_precise_max = true;
			break;
		default:
			return false;
		}
	}
	if (precise > 3)
		return false;
	attr->precise_ip = precise & 3;
	if (user || kernel || hypervisor) {
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
		attr->exclude_hv = !hypervisor;
	}
	return true;
}

static const struct generic_event *generic_find(const char *name, size_t length)
{
	for (size_t i = 0; i < N_GENERIC; i++)
		if (strlen(generic_events[i].name) == length &&
		    memcmp(generic_events[i].name, name, length) == 0)
			return &generic_events[i];
	return NULL;
}

static int parse_generic(struct event_spec *spec,
			 const struct generic_event *event, const char *text,
			 const char *modifiers, struct error *error)
{
	attr_init(&spec->attr, event->type, event->config);
	spec->is_clock = event->type == PERF_TYPE_SOFTWARE &&
			 (event->config == PERF_COUNT_SW_CPU_CLOCK ||
			  event->config == PERF_COUNT_SW_TASK_CLOCK);
	if (!modifiers_apply(spec, modifiers))
		return error_set(error, -EINVAL,
				 "event '%s': unknown modifier in ':%s' "
				 "(u, k, h, p, pp, ppp, P)",
				 text, modifiers);
	return 0;
}

static bool is_plain_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' &&
		    name[i] != '-')
			return false;
	return length > 0 && length < 100;
}

/*
 * "sched:sched_switch": the number stands in tracefs. Returns 1 where such a
 * tracepoint is known and spec is filled, 0 where it is none, or -errno.
 */
static int parse_tracepoint(struct event_spec *spec, const char *system,
			    const char *name, const char *text,
			    struct error *error)
{
	char path[512], number[32];
	struct stat status;
	const char *colon = strchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : strlen(name);
	size_t system_length = (size_t)(name - 1 - system);

	if (!is_plain_name(system, system_length) ||
	    !is_plain_name(name, length))
		return 0;
	for (size_t i = 0; i < 2; i++) {
		ssize_t got;

		snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/id",
			 tracefs_roots[i], (int)system_length, system,
			 (int)length, name);
		got = sys_read_text(path, number, sizeof(number));
		if (got == -EACCES || got == -EPERM)
			return error_set(error, -EACCES,
					 "event '%s': %s cannot be read by "
					 "this user",
					 text, path);
		if (got <= 0)
			continue;
		attr_init(&spec->attr, PERF_TYPE_TRACEPOINT,
			  strtoull(number, NULL, 10));
		if (!modifiers_apply(spec, colon ? colon + 1 : ""))
			return error_set(error, -EINVAL,
					 "event '%s': unknown modifier", text);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/events", tracefs_roots[0]);
	if (stat(path, &status) < 0 && stat(tracefs_roots[1], &status) == 0 &&
	    system_length > 2 && islower((unsigned char)system[0]))
		return error_set(error, -ENOENT,
				 "event '%s' looks like a tracepoint, but "
				 "tracefs is not mounted: mount -t tracefs "
				 "tracefs /sys/kernel/tracing",
				 text);
	return 0;
}

static int parse_pfm(struct event_spec *spec, const char *text)
{
	pfm_perf_encode_arg_t argument = { .attr = &spec->attr,
					   .size = sizeof(argument) };
	unsigned levels = PFM_PLM0 | PFM_PLM3 | PFM_PLMH;

	attr_init(&spec->attr, 0, 0);
	if (pfm_initialize() != PFM_SUCCESS)
		return -ENOENT;
	if (pfm_get_os_event_encoding(text, (int)levels, PFM_OS_PERF_EVENT_EXT,
				      &argument) != PFM_SUCCESS)
		return -ENOENT;
	spec->attr.size = sizeof(spec->attr);
	return 0;
}

/* Offers every name that could have been meant. */
static void offer_names(struct nearest *nearest)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int i;

	for (size_t j = 0; j < N_GENERIC; j++)
		nearest_offer(nearest, generic_events[j].name);
	if (pfm_initialize() != PFM_SUCCESS)
		return;
	for (int p = 0; p < PFM_PMU_MAX; p++) {
		if (pfm_get_pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS ||
		    !pmu.is_present)
			continue;
		for (i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
			if (pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT,
					       &info) == PFM_SUCCESS)
				nearest_offer(nearest, info.name);
	}
}

int event_spec_parse(struct event_spec *spec, const char *text,
		     struct error *error)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	const struct generic_event *generic = generic_find(text, length);
	struct nearest nearest = { .word = text };
	char names[256] = "";
	int result;

	*spec = (struct event_spec){ 0 };
	snprintf(spec->name, sizeof(spec->name), "%s", text);
	if (generic)
		return parse_generic(spec, generic, text,
				     colon ? colon + 1 : "", error);
	if (colon && colon[1] != ':') {
		result = parse_tracepoint(spec, text, colon + 1, text, error);
		if (result)
			return result < 0 ? result : 0;
	}
	if (parse_pfm(spec, text) == 0)
		return 0;
	offer_names(&nearest);
	for (size_t i = 0, used = 0; i < nearest.count; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%.60s", i ? ", " : "",
					 nearest.items[i]);
	return error_set(error, -ENOENT, "event '%s' is not known here%s%s",
			 text, names[0] ? "; nearest: " : "", names);
}

void event_spec_ladder(struct event_spec rungs[EVENT_LADDER_RUNGS])
{
	static const char *const names[EVENT_LADDER_RUNGS] = { "cycles:P",
							       "cycles",
							       "cpu-clock" };

	for (size_t i = 0; i < EVENT_LADDER_RUNGS; i++)
		event_spec_parse(&rungs[i], names[i], NULL);
}
