/*
 * Runs a program, samples it with registers and stack copy, and prints each
 * stack on a line: how it ended, then the functions, leaf first.
 * usage: unwind_chains SAMPLES STACK-BYTES COMMAND [ARGUMENT…]
 *
 *   complete leaf middle main __libc_start_call_main __libc_start_main _start
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unwind/stack_samples.h"

#define FRAMES_MAX 2048

static const char *const end_names[UNWIND_ENDS] = {
	"complete", "truncated", "no_info", "bad_data", "too_deep",
};

static void print_frame(const struct unwind_frame *frame)
{
	const struct space_mapping *mapping = frame->owner;
	uint64_t lookup = unwind_frame_lookup(frame);
	struct module_lookup names = { 0 };

	if (mapping && mapping->module)
		module_symbolize(mapping->module, lookup - mapping->bias,
				 &names);
	if (names.n_lines)
		printf(" %s", names.lines[names.n_lines - 1].name);
	else if (mapping && mapping->path[0])
		printf(" [%s]", strrchr(mapping->path, '/')
					? strrchr(mapping->path, '/') + 1
					: mapping->path);
	else
		printf(" [%s]", mapping ? "anonymous" : "nowhere");
}

static void print_chains(const struct stack_samples *samples,
			 struct space *space)
{
	static struct unwind_frame frames[FRAMES_MAX];
	struct unwind_modules modules = { space_find, space };

	for (size_t i = 0; i < samples->count; i++) {
		const struct stack_sample *sample = &samples->items[i];
		size_t count;
		enum unwind_end end =
			unwind(&sample->regs, &sample->stack, &modules, frames,
			       FRAMES_MAX, &count);

		printf("%s", end_names[end]);
		for (size_t n = 0; n < count; n++)
			print_frame(&frames[n]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct stack_samples samples;
	struct space space;
	struct error error;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: %s SAMPLES STACK-BYTES COMMAND…\n",
			argv[0]);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		perror(argv[3]);
		_exit(127);
	}
	if (stack_samples_take(&samples, pid, strtoul(argv[1], NULL, 10),
			       (uint32_t)strtoul(argv[2], NULL, 10), 997,
			       &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	kill(pid, SIGSTOP);
	space_read(&space, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print_chains(&samples, &space);
	space_free(&space);
	stack_samples_free(&samples);
	return 0;
}
