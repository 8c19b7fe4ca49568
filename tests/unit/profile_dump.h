/*
 * A profile as text, independent of the order and numbers of its tables: two
 * profiles that dump alike look alike in every report.
 */
#ifndef TESTS_PROFILE_DUMP_H
#define TESTS_PROFILE_DUMP_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/formats/printable.h"
#include "cli/profile/profile.h"

static inline void dump_text(FILE *to, const char *text)
{
	char *clean = printable_new(text, "");

	fprintf(to, " <%s>", clean);
	free(clean);
}

static inline void dump_container(FILE *to, const struct profile *p,
				  uint32_t index)
{
	const struct profile_container *container = &p->containers[index];

	if (index == PROFILE_NONE) {
		fprintf(to, " -");
		return;
	}
	dump_text(to, container->name);
	dump_text(to, container->id);
	dump_text(to, container->runtime);
	dump_text(to, container->path);
}

static inline void dump_process(FILE *to, const struct profile *p,
				uint32_t index)
{
	const struct profile_process *process = &p->processes[index];

	fprintf(to, "%u@%" PRIu64, process->pid, process->start_ns);
	dump_text(to, process->comm);
	dump_text(to, process->exe);
	dump_text(to, process->user);
	dump_container(to, p, process->container);
	fprintf(to, " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %u",
		process->has_accounting, process->cpu_ns, process->runqueue_ns,
		process->blocked_ns, process->n_threads);
}

static inline void dump_frame(FILE *to, const struct profile *p, uint32_t index)
{
	const struct profile_frame *frame = &p->frames[index];
	const struct profile_mapping *mapping = &p->mappings[frame->mapping];

	fprintf(to, " | %x %" PRIx64, frame->flags, frame->address);
	dump_text(to, mapping->path);
	fprintf(to, " %s %" PRIx64 " %" PRIx64 " %" PRIx64 " %d",
		mapping->build_id, mapping->start, mapping->limit,
		mapping->offset, mapping->is_deleted);
	for (uint32_t i = 0; i < frame->n_lines; i++) {
		const struct profile_line *line =
			&p->lines[frame->first_line + i];
		const struct profile_function *function =
			&p->functions[line->function];

		dump_text(to, function->name);
		dump_text(to, function->system_name);
		dump_text(to, function->file);
		fprintf(to, ":%u %d", line->line, function->is_named);
	}
}

static inline void dump_row(FILE *to, const struct profile *p,
			    const struct profile_row *row)
{
	fprintf(to, "row cpu %d state %s slice %u count %" PRIu64,
		(int)row->cpu, p->states[row->state], row->slice, row->count);
	for (uint32_t i = 0; i < p->n_value_types; i++)
		fprintf(to, " %" PRIu64, row->values[i]);
	if (row->thread != PROFILE_NONE) {
		fprintf(to, " thread %u", p->threads[row->thread].tid);
		dump_text(to, p->threads[row->thread].comm);
		dump_process(to, p, p->threads[row->thread].process);
	}
	dump_container(to, p, row->container);
	for (uint32_t node = row->stack; node; node = p->nodes[node].parent)
		dump_frame(to, p, p->nodes[node].frame);
	fputc('\n', to);
}

static inline void dump_header(FILE *to, const struct profile *p)
{
	const struct profile_health *h = &p->health;

	fprintf(to, "host %s %s %s %u %.17g %.17g %.17g %.17g\n", p->host.name,
		p->host.kernel, p->host.arch, p->host.cpus, p->host.capacity_s,
		p->host.busy_s, p->host.runqueue_s, p->host.steal_s);
	fprintf(to, "event %s %s %.17g %" PRIu64 " %s\n", p->event.name,
		p->event.requested, p->event.freq_hz, p->event.period,
		p->event.fallback_reason);
	fprintf(to,
		"health %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g "
		"%.17g %.17g %.17g %.17g %.17g\n",
		h->samples, h->expected, h->lost, h->throttled, h->throttled_s,
		h->stacks_complete, h->stacks_truncated, h->stacks_failed,
		h->frames_named, h->frames_unnamed, h->kernel_cpu_s,
		h->sampled_cpu_s, h->own_cpu_s, h->own_peak_bytes);
	fprintf(to, "window %" PRIu64 " %" PRIu64 " %" PRIu64 " %u default %u",
		p->start_ns, p->duration_ns, p->slice_ns, p->n_profiles,
		p->default_value);
	for (uint32_t i = 0; i < p->n_value_types; i++)
		fprintf(to, " %s/%s", p->value_types[i].type,
			p->value_types[i].unit);
	for (size_t i = 0; i < p->notes.count; i++)
		fprintf(to, "\nnote %" PRIu64 " %s", p->notes.items[i].count,
			p->notes.items[i].text);
	fputc('\n', to);
}

static inline int dump_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts the lines of text; returns a new text for free(). */
static inline char *dump_sorted(char *text)
{
	char *lines[4096], *sorted = malloc(strlen(text) + 2), *to = sorted;
	size_t count = 0;

	for (char *line = strtok(text, "\n"); line && count < 4096;
	     line = strtok(NULL, "\n"))
		lines[count++] = line;
	qsort(lines, count, sizeof(lines[0]), dump_compare);
	for (size_t i = 0; i < count; i++)
		to += snprintf(to, strlen(lines[i]) + 2, "%s\n", lines[i]);
	*to = '\0';
	return sorted;
}

/* Returns a text for free(). Processes without rows and accounting are no
 * part of it. */
static inline char *profile_dump(const struct profile *p)
{
	char *text = NULL, *sorted;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	dump_header(to, p);
	for (size_t i = 0; i < p->n_processes; i++) {
		if (!p->processes[i].has_accounting)
			continue;
		fprintf(to, "process ");
		dump_process(to, p, (uint32_t)i);
		fputc('\n', to);
	}
	for (size_t i = 0; i < p->n_rows; i++)
		dump_row(to, p, &p->rows[i]);
	fclose(to);
	sorted = dump_sorted(text);
	free(text);
	return sorted;
}

#endif
