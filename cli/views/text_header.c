#include "cli/views/text.h"

#include <math.h>
#include <stdlib.h>

#include "cli/formats/printable.h"
#include "cli/profile/sanity.h"
#include "cli/views/number.h"

static void put(FILE *out, const char *text)
{
	char *printable = printable_new(text, "");

	fputs(printable, out);
	free(printable);
}

static void print_rate(FILE *out, const struct profile_event *event)
{
	if (event->freq_hz > 0)
		fprintf(out, " at %g Hz", event->freq_hz);
	else if (event->period > 0)
		fprintf(out, " every %s",
			number_count((double)event->period).text);
}

static void print_event(FILE *out, const struct profile_event *event)
{
	if (!*event->name)
		return;
	fputs(", ", out);
	put(out, event->name);
	print_rate(out, event);
	if (!*event->fallback_reason)
		return;
	fputs(" (", out);
	put(out, event->fallback_reason);
	fputc(')', out);
}

static void print_what(FILE *out, const struct profile *profile)
{
	put(out, *profile->host.name ? profile->host.name : "unknown host");
	fprintf(out, ", %.1f s", (double)profile->duration_ns / 1e9);
	if (profile->n_profiles > 1)
		fprintf(out, " in %u windows", profile->n_profiles);
	if (profile->start_ns)
		fprintf(out, " from %s", number_time(profile->start_ns).text);
	if (profile->host.cpus)
		fprintf(out, ", %u CPU%s", profile->host.cpus,
			profile->host.cpus == 1 ? "" : "s");
	print_event(out, &profile->event);
	fputc('\n', out);
}

static double capacity_s(const struct profile *profile)
{
	if (profile->host.capacity_s > 0)
		return profile->host.capacity_s;
	return (double)profile->duration_ns / 1e9 * profile->host.cpus;
}

static void print_cpu(FILE *out, const struct profile *profile)
{
	const struct profile_host *host = &profile->host;
	double capacity = capacity_s(profile);
	double busy = profile->health.sampled_cpu_s;

	if (busy < 0)
		busy = host->busy_s;
	if (busy < 0)
		return;
	fprintf(out, "cpu     %.2f", busy);
	if (capacity > 0)
		fprintf(out, " of %.2f s busy (%s)", capacity,
			number_percent(busy / capacity).text);
	else
		fputs(" s busy", out);
	if (host->runqueue_s >= 0)
		fprintf(out, ", run queue %.2f s", host->runqueue_s);
	if (host->steal_s >= 0)
		fprintf(out, ", steal %.2f s", host->steal_s);
	fputc('\n', out);
}

/* Prints "; 99.8 % of WHAT" where both counts are known. */
static void print_part(FILE *out, double part, double rest, const char *what)
{
	if (part >= 0 && rest >= 0 && part + rest > 0)
		fprintf(out, "; %s of %s",
			number_percent(part / (part + rest)).text, what);
}

static void print_trust(FILE *out, const struct profile *profile,
			const struct window *window)
{
	const struct profile_health *health = &profile->health;
	double incomplete = fmax(0, health->stacks_truncated) +
			    fmax(0, health->stacks_failed);

	fprintf(out, "trust   %s samples",
		number_count(health->samples >= 0 ? health->samples
						  : (double)window->samples)
			.text);
	if (health->lost >= 0)
		fprintf(out, ", %s lost", number_count(health->lost).text);
	if (health->throttled >= 0)
		fprintf(out, ", %s throttled",
			number_count(health->throttled).text);
	if (health->throttled > 0 && health->throttled_s > 0)
		fprintf(out, " for %.2f s", health->throttled_s);
	print_part(out, health->stacks_complete, incomplete, "stacks complete");
	print_part(out, health->frames_named, health->frames_unnamed,
		   "frames named");
	fputc('\n', out);
}

static void print_accounting(FILE *out, const struct profile *profile)
{
	const struct profile_health *health = &profile->health;
	double kernel = health->kernel_cpu_s, sampled = health->sampled_cpu_s;
	double capacity = capacity_s(profile);

	if (kernel < 0 && health->own_cpu_s < 0)
		return;
	fputs("        ", out);
	if (kernel >= 0) {
		fprintf(out, "kernel accounting says %.2f s", kernel);
		if (kernel > 0 && sampled >= 0)
			fprintf(out, " (%.1f %% apart)",
				fabs(sampled - kernel) / kernel * 100);
	}
	if (kernel >= 0 && health->own_cpu_s >= 0)
		fputs("; ", out);
	if (health->own_cpu_s >= 0) {
		fprintf(out, "hostprof itself used %.2f s", health->own_cpu_s);
		if (capacity > 0)
			fprintf(out, " (%.1f %%)",
				health->own_cpu_s / capacity * 100);
		if (health->own_peak_bytes > 0)
			fprintf(out, ", %s",
				number_bytes(health->own_peak_bytes).text);
	}
	fputc('\n', out);
}

static void print_notes(FILE *out, const struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++) {
		fputs("note    ", out);
		put(out, notes->items[i].text);
		if (notes->items[i].count > 1)
			fprintf(out, " (%s times)",
				number_count((double)notes->items[i].count)
					.text);
		fputc('\n', out);
	}
	if (notes->dropped)
		fprintf(out, "note    %s more notes were not kept\n",
			number_count((double)notes->dropped).text);
}

static void print_selected(FILE *out, const struct profile *profile,
			   const struct window *window)
{
	uint64_t selected = window_selected(window, profile);

	if (selected < window->total)
		fprintf(out, "select  %s of the window's %s\n",
			number_percent(window_share(window, selected)).text,
			window->value == PROFILE_NONE
				? "samples"
				: profile->value_types[window->value].type);
}

void text_header(FILE *out, const struct profile *profile,
		 const struct window *window)
{
	struct notes doubts = { 0 };

	print_what(out, profile);
	print_cpu(out, profile);
	print_trust(out, profile, window);
	print_accounting(out, profile);
	sanity_check(profile, window, &doubts);
	print_notes(out, &doubts);
	notes_destroy(&doubts);
	print_notes(out, &profile->notes);
	print_selected(out, profile, window);
}
