/*
 * Samples of one process with registers and stack copy, taken through a
 * session and kept, and the process's modules for unwinding and naming them:
 * what hostprof does while recording, in the small.
 */
#ifndef TESTS_STACK_SAMPLES_H
#define TESTS_STACK_SAMPLES_H

#include <sys/types.h>

#include "symbolize/module.h"
#include "symbolize/unwind.h"

struct stack_sample {
	uint32_t tid;
	struct unwind_regs regs;
	struct unwind_stack stack;
};

struct stack_samples {
	struct stack_sample *items;
	size_t count, capacity;
};

struct space_mapping { /* an executable one */
	uint64_t start, end, offset, bias;
	char path[256];
	struct module *module; /* NULL: no file */
	struct cfi *cfi;
	int fd;
};

struct space {
	struct space_mapping *mappings;
	size_t count, capacity;
	struct strings *strings;
};

/*
 * Samples the process until there are wanted samples or it ends. Returns 0 or
 * -errno with error filled.
 */
int stack_samples_take(struct stack_samples *samples, pid_t pid, size_t wanted,
		       uint32_t stack_size, uint64_t freq_hz,
		       struct error *error);
void stack_samples_free(struct stack_samples *samples);

/* Reads the maps of a process that is still there and opens its files. */
void space_read(struct space *space, pid_t pid);
void space_free(struct space *space);

/* For struct unwind_modules; the context is the space. */
bool space_find(void *context, uint64_t ip, struct unwind_module *module);

#endif
