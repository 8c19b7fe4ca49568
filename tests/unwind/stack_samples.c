#include "tests/unwind/stack_samples.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "perfcore/session.h"
#include "perfcore/vdso.h"

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static void sample_keep(struct stack_samples *samples,
			const struct event *event)
{
	const struct sample *sample = &event->sample;
	struct stack_sample kept = { .tid = event->tid };

	if (!unwind_regs_from_sample(&sample->user_regs, MACHINE, &kept.regs))
		return;
	kept.stack = (struct unwind_stack){
		mem_dup(sample->stack, sample->stack_size), sample->stack_size,
		unwind_regs_sp(&kept.regs)
	};
	samples->items = mem_grow(samples->items, samples->count,
				  &samples->capacity, sizeof(kept));
	samples->items[samples->count++] = kept;
}

static int round_read(struct stack_samples *samples, struct session *session,
		      pid_t pid, size_t wanted, struct error *error)
{
	struct event event;
	int got;

	session_refresh(session);
	while ((got = source_next(session_source(session), &event, error)) > 0)
		if (event.kind == EVENT_SAMPLE && event.pid == (uint32_t)pid &&
		    samples->count < wanted)
			sample_keep(samples, &event);
	return got;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
		       0 &&
	       info.si_pid == pid;
}

int stack_samples_take(struct stack_samples *samples, pid_t pid, size_t wanted,
		       uint32_t stack_size, uint64_t freq_hz,
		       struct error *error)
{
	struct session_options options = { .event = "cpu-clock",
					   .freq_hz = freq_hz,
					   .stacks = SESSION_STACKS_COPY,
					   .stack_size = stack_size };
	struct session *session = NULL;
	enum session_wake wake;
	int err;

	*samples = (struct stack_samples){ 0 };
	err = session_open(&session, &options, NULL, error);
	if (err)
		return err;
	err = session_start(session, error);
	while (!err && samples->count < wanted && !has_ended(pid)) {
		err = session_wait(session, 50, &wake, error);
		if (!err)
			err = round_read(samples, session, pid, wanted, error);
	}
	session_free(session);
	return err;
}

void stack_samples_free(struct stack_samples *samples)
{
	for (size_t i = 0; i < samples->count; i++)
		free((void *)(uintptr_t)samples->items[i].stack.bytes);
	free(samples->items);
	*samples = (struct stack_samples){ 0 };
}

static void mapping_open(struct space *space, struct space_mapping *mapping,
			 pid_t pid)
{
	struct module_input input = { .fd = -1,
				      .path = mapping->path,
				      .strings = space->strings };
	struct cfi_input cfi_input = { .fd = -1, .debug_fd = -1 };
	size_t vdso_size = 0;
	char link[64];

	mapping->fd = -1;
	if (strcmp(mapping->path, "[vdso]") == 0) {
		input.image = cfi_input.image = vdso_image(&vdso_size);
		input.image_size = cfi_input.image_size = vdso_size;
	} else {
		snprintf(link, sizeof(link), "/proc/%d/map_files/%lx-%lx", pid,
			 mapping->start, mapping->end);
		mapping->fd = open(link, O_RDONLY | O_CLOEXEC);
		input.fd = cfi_input.fd = mapping->fd;
		if (mapping->fd < 0)
			return;
	}
	if (module_new(&mapping->module, &input, NULL) == 0)
		cfi_new(&mapping->cfi, &cfi_input, NULL);
}

void space_read(struct space *space, pid_t pid)
{
	char path[32], line[512];
	FILE *maps;

	*space = (struct space){ .strings = strings_new() };
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		struct space_mapping mapping = { 0 };
		char flags[5] = "";

		/* 559b1000-559b5000 r-xp 00002000 fe:00 12 /usr/bin/cat */
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %255s",
			   &mapping.start, &mapping.end, flags, &mapping.offset,
			   mapping.path) < 4 ||
		    flags[2] != 'x')
			continue;
		mapping_open(space, &mapping, pid);
		space->mappings = mem_grow(space->mappings, space->count,
					   &space->capacity, sizeof(mapping));
		space->mappings[space->count++] = mapping;
	}
	if (maps)
		fclose(maps);
}

void space_free(struct space *space)
{
	for (size_t i = 0; i < space->count; i++) {
		cfi_free(space->mappings[i].cfi);
		module_free(space->mappings[i].module);
		if (space->mappings[i].fd >= 0)
			close(space->mappings[i].fd);
	}
	free(space->mappings);
	strings_free(space->strings);
	*space = (struct space){ 0 };
}

/* By the file offset of the address itself: the mapping's first page may be
 * in two segments (case C08). */
static void bias_find(struct space_mapping *mapping, uint64_t ip)
{
	uint64_t vaddr;

	if (mapping->module &&
	    module_vaddr(mapping->module, mapping->offset + ip - mapping->start,
			 &vaddr))
		mapping->bias = ip - vaddr;
}

bool space_find(void *context, uint64_t ip, struct unwind_module *module)
{
	const struct space *space = context;
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct space_mapping *mapping = &space->mappings[middle];

		if (ip < mapping->start) {
			high = middle;
		} else if (ip >= mapping->end) {
			low = middle + 1;
		} else {
			bias_find(mapping, ip);
			*module = (struct unwind_module){
				mapping->start, mapping->end, mapping->bias,
				mapping->cfi, mapping
			};
			return true;
		}
	}
	return false;
}
