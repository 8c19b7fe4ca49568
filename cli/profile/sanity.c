#include "cli/profile/sanity.h"

#include <math.h>

#define STEAL_MAX     0.02 /* of the capacity */
#define LOST_MAX      0.01 /* of the samples expected */
#define APART_MAX     0.05 /* of the accounted CPU time */
#define TRUNCATED_MAX 0.05 /* of the stacks */
#define SAMPLES_MIN   100

static void check_capacity(const struct profile *profile, struct notes *notes)
{
	double capacity = profile->host.capacity_s;
	double sampled = profile->health.sampled_cpu_s;

	/* a sample stands for a whole period: one more for each CPU */
	if (capacity > 0 && sampled > capacity * 1.02 + 0.02)
		notes_add(notes,
			  "contradiction: %.2f s of CPU time were sampled, but "
			  "the window had only %.2f s",
			  sampled, capacity);
}

static void check_accounting(const struct profile *profile, struct notes *notes)
{
	const struct profile_health *health = &profile->health;
	double apart, expected_error;

	if (health->kernel_cpu_s <= 0 || health->sampled_cpu_s < 0 ||
	    health->samples <= 0)
		return;
	apart = fabs(health->sampled_cpu_s - health->kernel_cpu_s) /
		health->kernel_cpu_s;
	expected_error = 3 / sqrt(health->samples);
	if (apart > fmax(APART_MAX, expected_error))
		notes_add(notes,
			  "contradiction: %.2f s of CPU time were sampled, but "
			  "the kernel accounted for %.2f s",
			  health->sampled_cpu_s, health->kernel_cpu_s);
}

static void check_steal(const struct profile *profile, struct notes *notes)
{
	const struct profile_host *host = &profile->host;

	if (host->capacity_s > 0 &&
	    host->steal_s > host->capacity_s * STEAL_MAX)
		notes_add(notes,
			  "the hypervisor took %.1f %% of the CPU time: what "
			  "ran meanwhile looks slower than it is",
			  host->steal_s / host->capacity_s * 100);
}

static void check_losses(const struct profile *profile, struct notes *notes)
{
	const struct profile_health *health = &profile->health;
	double whole =
		fmax(health->expected, fmax(0, health->samples) + health->lost);

	if (health->lost > 0 && whole > 0 && health->lost / whole > LOST_MAX)
		notes_add(notes,
			  "%.1f %% of the samples were lost: busy moments are "
			  "underrated",
			  health->lost / whole * 100);
	if (health->throttled > 0)
		notes_add(notes, "the kernel throttled sampling: busy CPUs are "
				 "underrated; a lower frequency helps");
}

static void check_stacks(const struct profile *profile, struct notes *notes)
{
	const struct profile_health *health = &profile->health;
	double cut = fmax(0, health->stacks_truncated) +
		     fmax(0, health->stacks_failed);
	double whole = fmax(0, health->stacks_complete) + cut;

	if (whole > 0 && cut / whole > TRUNCATED_MAX)
		notes_add(notes,
			  "%.1f %% of the stacks are cut off: totals of their "
			  "outer functions are too low",
			  cut / whole * 100);
}

static void check_samples(const struct window *window, struct notes *notes)
{
	if (window->samples == 0)
		notes_add(notes, "no samples: nothing can be said");
	else if (window->samples < SAMPLES_MIN)
		notes_add(notes,
			  "%llu sample%s: shares are good to ±%.0f points",
			  (unsigned long long)window->samples,
			  window->samples == 1 ? "" : "s",
			  fmin(100, 98 / sqrt((double)window->samples)));
}

void sanity_check(const struct profile *profile, const struct window *window,
		  struct notes *notes)
{
	check_samples(window, notes);
	check_capacity(profile, notes);
	check_accounting(profile, notes);
	check_steal(profile, notes);
	check_losses(profile, notes);
	check_stacks(profile, notes);
}
