/*
 * The stack walker: unwinds the user part of samples with registers and stack
 * copy, through what the sampled process has mapped. Call frame information
 * is read from a binary when a stack first leads through it, and kept.
 */
#ifndef CLI_STACK_WALKER_H
#define CLI_STACK_WALKER_H

#include "perfcore/binary_file.h"
#include "perfcore/process.h"
#include "symbolize/unwind.h"

#define STACK_WALKER_FRAMES 2048

struct stack_walker;

struct stack_walker_config {
	struct process_table *processes;
	struct binary_files *files; /* NULL: none can be opened */
	uint16_t machine; /* EM_X86_64 or EM_AARCH64; any other: no stack can
			   * be unwound */
	const void *vdso; /* image in memory, borrowed; NULL: none */
	uint64_t vdso_size;
};

/* The user part of one stack, leaf first; valid until the next walk. */
struct walked_stack {
	const struct unwind_frame *frames;
	size_t count;
	enum unwind_end end;
};

/* config is copied, what it points to borrowed. */
struct stack_walker *stack_walker_new(const struct stack_walker_config *config);
void stack_walker_free(struct stack_walker *walker);

/* The machine of uname -m's name; EM_NONE for one we cannot unwind. */
uint16_t stack_walker_machine(const char *arch);

/*
 * Unwinds a sample of that process. Returns false where it has no user
 * registers of a known kind (a kernel thread, 32-bit code): then nothing is
 * known of its user stack.
 */
bool stack_walker_walk(struct stack_walker *walker, struct process *process,
		       const struct sample *sample,
		       struct walked_stack *walked);

/* How all stacks ended, by enum unwind_end. */
const uint64_t *stack_walker_ends(const struct stack_walker *walker);

#endif
