/*
 * make bench-unwind: what a frame costs. Real stacks of a program are sampled
 * once, then unwound again and again, by us and by libdw; then made-up stacks
 * through as many different return addresses of that program as there are.
 * usage: unwind SAMPLES COMMAND [ARGUMENT…]
 */
#include <elfutils/libdwfl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "symbolize/machine.h"
#include "tests/unwind/stack_samples.h"

#define FRAMES_MAX 1024
#define ROUNDS	   9
#define PER_STACK  25
#define FAR	   50000 /* return addresses that are many */
#define NEAR	   500	 /* and few */

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The copy of a stack has just been written when it is unwound: each is put
 * into the caches, untimed, before its turn. */
static struct unwind_stack stack_warm(const struct unwind_stack *stack)
{
	static uint8_t bytes[1 << 16];

	memcpy(bytes, stack->bytes, stack->size);
	return (struct unwind_stack){ bytes, stack->size, stack->base };
}

/* Unwinds all samples; returns ns per frame. */
static double unwind_all(const struct stack_samples *samples,
			 struct space *space, size_t *n_frames,
			 size_t ends[UNWIND_ENDS])
{
	static struct unwind_frame frames[FRAMES_MAX];
	struct unwind_modules modules = { space_find, space };
	double total = 0, start;
	size_t count;

	*n_frames = 0;
	memset(ends, 0, UNWIND_ENDS * sizeof(*ends));
	for (size_t i = 0; i < samples->count; i++) {
		const struct stack_sample *sample = &samples->items[i];
		struct unwind_stack stack = stack_warm(&sample->stack);

		start = now_ns();
		ends[unwind(&sample->regs, &stack, &modules, frames, FRAMES_MAX,
			    &count)]++;
		total += now_ns() - start;
		*n_frames += count;
	}
	return total / (double)*n_frames;
}

/* The best of ROUNDS warm rounds: what else runs here only ever adds. */
static double unwind_warm(const struct stack_samples *samples,
			  struct space *space, size_t *n_frames,
			  size_t ends[UNWIND_ENDS])
{
	double best = 0;

	for (int i = 0; i <= ROUNDS; i++) {
		double ns = unwind_all(samples, space, n_frames, ends);

		if (i == 1 || (i > 1 && ns < best))
			best = ns;
	}
	return best;
}

/* libdw, fed as perf feeds it. */
struct libdw {
	const struct stack_sample *sample;
	struct unwind_stack stack;
	size_t n_frames;
};

static pid_t libdw_next_thread(Dwfl *dwfl, void *argument, void **thread)
{
	struct libdw *libdw = argument;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = libdw;
	return (pid_t)libdw->sample->tid;
}

static bool libdw_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result,
			 void *argument)
{
	const struct unwind_stack *stack = &((struct libdw *)argument)->stack;
	uint64_t offset = address - stack->base;

	(void)dwfl;
	if (offset >= stack->size || stack->size - offset < sizeof(*result))
		return false;
	memcpy(result, stack->bytes + offset, sizeof(*result));
	return true;
}

static bool libdw_registers(Dwfl_Thread *thread, void *argument)
{
	struct libdw *libdw = argument;

	return dwfl_thread_state_registers(
		thread, 0, 17, (const Dwarf_Word *)libdw->sample->regs.values);
}

static int libdw_frame(Dwfl_Frame *frame, void *argument)
{
	struct libdw *libdw = argument;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	libdw->n_frames++;
	return DWARF_CB_OK;
}

static double libdw_all(Dwfl *dwfl, struct libdw *libdw,
			const struct stack_samples *samples)
{
	double total = 0, start;

	libdw->n_frames = 0;
	for (size_t i = 0; i < samples->count; i++) {
		libdw->sample = &samples->items[i];
		libdw->stack = stack_warm(&libdw->sample->stack);
		start = now_ns();
		dwfl_getthread_frames(dwfl, (pid_t)libdw->sample->tid,
				      libdw_frame, libdw);
		total += now_ns() - start;
	}
	return total / (double)libdw->n_frames;
}

static double libdw_warm(pid_t pid, const struct stack_samples *samples,
			 size_t *n_frames)
{
	static const Dwfl_Callbacks files = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	static const Dwfl_Thread_Callbacks threads = {
		.next_thread = libdw_next_thread,
		.memory_read = libdw_memory,
		.set_initial_registers = libdw_registers,
	};
	struct libdw libdw = { .sample = &samples->items[0] };
	Dwfl *dwfl = dwfl_begin(&files);
	double best = 0;

	dwfl_linux_proc_report(dwfl, pid);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!dwfl_attach_state(dwfl, NULL, pid, &threads, &libdw))
		fprintf(stderr, "libdw: %s\n", dwfl_errmsg(-1));
	for (int i = 0; i <= ROUNDS / 2; i++) {
		double ns = libdw_all(dwfl, &libdw, samples);

		if (i == 1 || (i > 1 && ns < best))
			best = ns;
	}
	*n_frames = libdw.n_frames;
	dwfl_end(dwfl);
	return best;
}

/* Return addresses of the program whose caller's frame is "rsp + constant",
 * with that constant; found by their calls. */
struct place {
	uint64_t ip;
	int32_t cfa_offset;
};

static size_t places_find(const struct space_mapping *mapping,
			  struct place *places, size_t max, double *cold_ns)
{
	size_t count = 0, n_asked = 0;
	uint64_t vaddr = mapping->start - mapping->bias;
	uint64_t end = mapping->end - mapping->bias;
	double total = 0;

	for (; vaddr < end && count < max; vaddr++) {
		const struct cfi_row *row;
		double start;

		if (!cfi_follows_call(mapping->cfi, vaddr))
			continue;
		start = now_ns();
		row = cfi_find(mapping->cfi, vaddr - 1);
		total += now_ns() - start;
		n_asked++;
		if (row->is_simple && row->cfa.reg == 7 &&
		    row->cfa.offset > 8 && row->ra.offset == -8 &&
		    row->cfa.offset < 256)
			places[count++] = (struct place){ vaddr + mapping->bias,
							  row->cfa.offset };
	}
	*cold_ns = n_asked ? total / (double)n_asked : 0;
	return count;
}

static void places_shuffle(struct place *places, size_t count)
{
	srandom(1);
	for (size_t i = count; i > 1; i--) {
		size_t other = (size_t)random() % i;
		struct place place = places[i - 1];

		places[i - 1] = places[other];
		places[other] = place;
	}
}

/* Stacks of PER_STACK frames through all places, the end of each a 0. */
static struct stack_samples stacks_make(const struct place *places,
					size_t count, size_t n_stacks)
{
	struct stack_samples samples = {
		mem_calloc(n_stacks, sizeof(struct stack_sample)), n_stacks,
		n_stacks
	};

	for (size_t i = 0; i < n_stacks; i++) {
		struct stack_sample *sample = &samples.items[i];
		uint8_t *bytes = mem_calloc(1, 256 * (PER_STACK + 1));
		uint64_t base = 0x7ff000000000, at = 0;

		sample->regs.machine = EM_X86_64;
		sample->regs.known = (1 << 17) - 1;
		sample->regs.values[7] = base;
		for (size_t n = 0; n < PER_STACK; n++) {
			const struct place *place =
				&places[(i * PER_STACK + n) % count];

			if (n == 0)
				sample->regs.values[16] = place->ip - 1;
			else
				memcpy(bytes + at - 8, &place->ip, 8);
			at += (uint64_t)place->cfa_offset;
		}
		sample->stack =
			(struct unwind_stack){ bytes, 256 * (PER_STACK + 1),
					       base };
	}
	return samples;
}

static void bench_places(struct space *space)
{
	struct place *places = mem_calloc(FAR, sizeof(*places));
	struct space_mapping *largest = &space->mappings[0];
	const size_t n_stacks = FAR / PER_STACK;
	size_t ends[UNWIND_ENDS], n_frames, count;
	struct stack_samples near, far;
	double cold, near_ns, far_ns;

	for (size_t i = 1; i < space->count; i++)
		if (space->mappings[i].end - space->mappings[i].start >
		    largest->end - largest->start)
			largest = &space->mappings[i];
	count = places_find(largest, places, FAR, &cold);
	places_shuffle(places, count);
	near = stacks_make(places, NEAR, n_stacks);
	far = stacks_make(places, count, n_stacks);
	near_ns = unwind_warm(&near, space, &n_frames, ends);
	far_ns = unwind_warm(&far, space, &n_frames, ends);
	printf("%-44s %8.1f ns a frame\n",
	       "made-up stacks, 500 return addresses", near_ns);
	printf("made-up stacks, %6zu return addresses       %8.1f ns a frame,"
	       " %.2f times that (goal: at most 2)\n",
	       count, far_ns, far_ns / near_ns);
	printf("%-44s %8.0f ns a row (goal: at most 3000)\n", "cold", cold);
	printf("%-44s %8.1f bytes an address\n", "cache of that file",
	       (double)cfi_statistics(largest->cfi).bytes /
		       (double)cfi_statistics(largest->cfi).parsed);
	stack_samples_free(&near);
	stack_samples_free(&far);
	free(places);
}

static void bench(pid_t pid, const struct stack_samples *samples,
		  struct space *space)
{
	size_t ends[UNWIND_ENDS], n_frames, n_libdw;
	double ours = unwind_warm(samples, space, &n_frames, ends);
	double libdw = libdw_warm(pid, samples, &n_libdw);

	printf("%zu stacks, %zu frames (libdw: %zu), %zu complete, %zu "
	       "truncated, %zu otherwise\n",
	       samples->count, n_frames, n_libdw, ends[UNWIND_COMPLETE],
	       ends[UNWIND_TRUNCATED],
	       samples->count - ends[UNWIND_COMPLETE] - ends[UNWIND_TRUNCATED]);
	printf("%-44s %8.1f ns a frame (goal: at most 20)\n",
	       "real stacks, rows cached", ours);
	printf("%-44s %8.1f ns a frame, %.1f times ours (goal: at least 40)\n",
	       "libdw's dwfl_getthread_frames, warm", libdw, libdw / ours);
	bench_places(space);
}

int main(int argc, char **argv)
{
	struct stack_samples samples;
	struct space space;
	struct error error;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: %s SAMPLES COMMAND…\n", argv[0]);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (stack_samples_take(&samples, pid, strtoul(argv[1], NULL, 10), 32768,
			       997, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	kill(pid, SIGSTOP);
	space_read(&space, pid);
	if (samples.count && space.count)
		bench(pid, &samples, &space);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	space_free(&space);
	stack_samples_free(&samples);
	return 0;
}
