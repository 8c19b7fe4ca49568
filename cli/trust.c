#include "cli/trust.h"

#include <string.h>

#include "cli/profile/names.h"
#include "cli/wait_hint.h"

static bool has_filter(const struct sample_filter *filter)
{
	return filter->n_pids || filter->comm || filter->cgroup ||
	       filter->container;
}

static void fill_host(struct profile *profile, const struct trust_input *input)
{
	const struct accounting_host *host = accounting_host(input->accounting);
	struct strings *strings = profile->strings;
	double duration_s = (double)input->duration_ns / 1e9;
	/* On a busy host the recorder may wait for a CPU between stopping the
	 * events and reading the accounting: what it says is for its own
	 * window, a little longer or shorter than that of the samples. */
	double scale = host->wall_s > 0 ? duration_s / host->wall_s : 1;

	profile->host = (struct profile_host){
		.name = strings_intern(strings, input->info->host),
		.kernel = strings_intern(strings, input->info->kernel),
		.arch = strings_intern(strings, input->info->arch),
		.cpus = input->info->n_cpus,
		.capacity_s = duration_s * input->info->n_cpus,
		.busy_s = host->busy_s < 0 ? -1 : host->busy_s * scale,
		.runqueue_s = host->runqueue_s,
		.steal_s = host->steal_s,
	};
}

static void fill_event(struct profile *profile, const struct trust_input *input)
{
	const struct recorder_options *options = input->options;
	struct strings *strings = profile->strings;
	uint64_t freq_hz = session_freq_hz(input->session);

	profile->event = (struct profile_event){
		.name = strings_intern(strings, input->info->events[1].name),
		.requested = strings_intern(
			strings, options->session.event ? options->session.event
							: "cycles:P"),
		.freq_hz = (double)freq_hz,
		.period = freq_hz ? 0 : options->session.period,
		.fallback_reason = strings_intern(
			strings, session_fallback_reason(input->session)),
	};
}

/* How many samples the busy time of the window should have given; -1 where
 * that cannot be told. */
static double samples_expected(const struct profile *profile,
			       const struct trust_input *input)
{
	const struct source_event *event = &input->info->events[1];
	double busy_s = profile->host.busy_s;

	if (has_filter(&input->options->filter) || busy_s < 0 ||
	    event->attr.exclude_user || event->attr.exclude_kernel)
		return -1;
	if (profile->event.freq_hz > 0 &&
	    strcmp(profile->value_types[0].unit, "nanoseconds") == 0)
		return busy_s * profile->event.freq_hz;
	if (event->is_clock && profile->event.period)
		return busy_s * 1e9 / (double)profile->event.period;
	return -1;
}

static double sampled_cpu_s(const struct profile *profile)
{
	double sum = 0;

	if (strcmp(profile->value_types[0].unit, "nanoseconds") != 0)
		return -1;
	for (size_t i = 0; i < profile->n_rows; i++)
		sum += (double)profile->rows[i].values[0];
	return sum / 1e9;
}

/* How far the time off the CPU can be trusted. */
static void note_waits(struct profile *profile, const struct trust_input *input,
		       const struct session_counts *kernel)
{
	struct waits_counts waits;

	waits_counts(pipeline_waits(input->pipeline), &waits);
	notes_add(
		&profile->notes,
		"off-CPU: %.2f s of at most %.2f s (%llu threads x wall); "
		"%llu switches, stacks of %llu waits, which stand for %.1f %% "
		"of the time",
		waits.off_cpu_s,
		(double)waits.threads * (double)input->duration_ns / 1e9,
		(unsigned long long)waits.threads,
		(unsigned long long)pipeline_counts(input->pipeline)->switches,
		(unsigned long long)waits.stacks,
		waits.off_cpu_s > 0 ? 100 * waits.named_s / waits.off_cpu_s
				    : 100);
	if (kernel->lost_switches)
		notes_add(&profile->notes,
			  "%llu records of switches were lost: waits are "
			  "missing (%llu are known to be)",
			  (unsigned long long)kernel->lost_switches,
			  (unsigned long long)waits.broken);
	if (waits.over)
		notes_add(&profile->notes,
			  "%llu threads seem to have waited longer than the "
			  "window: do not trust their waits",
			  (unsigned long long)waits.over);
}

static void fill_health(struct profile *profile,
			const struct trust_input *input)
{
	const struct pipeline_counts *counts = pipeline_counts(input->pipeline);
	const struct accounting_host *host = accounting_host(input->accounting);
	struct session_counts kernel;

	session_counts(input->session, &kernel);
	profile->health = (struct profile_health){
		.samples = (double)counts->samples,
		.expected = samples_expected(profile, input),
		.lost = (double)(kernel.lost + kernel.lost_hardware),
		.throttled = (double)kernel.throttles,
		.throttled_s = (double)kernel.throttled_ns / 1e9,
		.stacks_complete = (double)counts->stacks_complete,
		.stacks_truncated = (double)counts->stacks_truncated,
		.stacks_failed = (double)counts->stacks_failed,
		.kernel_cpu_s = profile->host.busy_s,
		.sampled_cpu_s = sampled_cpu_s(profile),
		.own_cpu_s = input->own_cpu_s,
		.own_peak_bytes = host->own_peak_bytes,
	};
	names_count(profile);
	if (pipeline_waits(input->pipeline))
		note_waits(profile, input, &kernel);
	if (kernel.lost_tracking)
		notes_add(&profile->notes,
			  "%llu records of processes and mappings were lost: "
			  "some names may be missing",
			  (unsigned long long)kernel.lost_tracking);
	if (kernel.malformed)
		notes_add(&profile->notes, "%llu records could not be read",
			  (unsigned long long)kernel.malformed);
	if (kernel.offline_ns)
		notes_add(&profile->notes,
			  "CPUs were offline for %.1f s of the window",
			  (double)kernel.offline_ns / 1e9);
	if (kernel.running_ns && kernel.running_ns < kernel.enabled_ns * 0.99)
		notes_add(&profile->notes,
			  "the event ran for %.0f %% of the window only: "
			  "others shared its counter",
			  100.0 * (double)kernel.running_ns /
				  (double)kernel.enabled_ns);
}

/* The profile's process of a pid: of several instances the one that lived
 * last, which is the one the accounting met at the end. */
static uint32_t find_process(const struct profile *profile, uint32_t pid)
{
	uint32_t found = PROFILE_NONE;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		if (profile->processes[i].pid == pid &&
		    (found == PROFILE_NONE ||
		     profile->processes[i].start_ns >=
			     profile->processes[found].start_ns))
			found = i;
	return found;
}

/* Processes that used a CPU too little to be sampled have their row too. */
static void fill_processes(struct profile *profile,
			   const struct trust_input *input)
{
	const struct accounting_process *from;
	bool is_filtered = has_filter(&input->options->filter);

	for (uint32_t i = 0; (from = accounting_at(input->accounting, i));
	     i++) {
		uint32_t index = find_process(profile, from->pid);
		struct profile_process *to;

		if (index == PROFILE_NONE) {
			if (is_filtered || !from->cpu_ns)
				continue;
			index = pipeline_process(input->pipeline, from->pid);
		}
		to = &profile->processes[index];
		to->has_accounting = true;
		to->cpu_ns = from->cpu_ns;
		to->runqueue_ns = from->runqueue_ns;
		to->blocked_ns = from->blocked_ns;
		to->n_threads = from->n_threads;
	}
}

void trust_fill(const struct trust_input *input)
{
	struct profile *profile = pipeline_profile(input->pipeline);

	profile->start_ns = input->wall_begin_ns;
	profile->duration_ns = input->duration_ns;
	profile->slice_ns = input->options->slice_ns;
	profile->n_profiles = 1;
	fill_host(profile, input);
	fill_event(profile, input);
	fill_health(profile, input);
	fill_processes(profile, input);
	if (!pipeline_waits(input->pipeline))
		wait_hint(profile);
}
