/*
 * From a sample to a stack in the profile: the kernel's part from its
 * callchain, the user's part by unwinding where registers and a stack copy
 * were recorded, else from the callchain too (frame pointers), each address
 * put into the binary that is mapped there.
 */
#ifndef CLI_STACKS_H
#define CLI_STACKS_H

#include "cli/frame_table.h"
#include "cli/jit_dumps.h"
#include "cli/profile/profile.h"
#include "cli/stack_walker.h"
#include "perfcore/binary_file.h"
#include "perfcore/event.h"
#include "perfcore/process.h"

enum stack_end {
	STACK_COMPLETE,
	STACK_TRUNCATED, /* more was there than could be recorded */
	STACK_FAILED,	 /* no unwind information, or it led nowhere */
};

struct stacks;

struct stacks_config {
	struct profile *profile;
	struct frame_table *frames;
	struct process_table *processes;
	struct binary_table *binaries;
	struct binary_files *files;  /* NULL: none can be opened */
	struct stack_walker *walker; /* NULL: no stack is unwound */
	struct jit_dumps *jit_dumps; /* NULL: none are looked for */
	uint32_t max_callchain;	     /* as pipeline_config */
	bool want_addresses;
	uint8_t kernel_build_id[BUILD_ID_MAX];
	uint8_t kernel_build_id_size; /* 0: not known */
};

/* config is copied, what it points to borrowed. */
struct stacks *stacks_new(const struct stacks_config *config);
void stacks_free(struct stacks *stacks);

/* The stack of a sample of that process; *end tells how it ended. A stack
 * that is not complete stands on a root frame that says why: "[truncated]",
 * "[no unwind information]" or "[broken stack]". */
uint32_t stacks_of(struct stacks *stacks, struct process *process,
		   const struct sample *sample, enum stack_end *end);

/* The last stack as addresses, leaf first: raw return addresses between the
 * kernel's context markers; valid until the next stacks_of(). Only where
 * config.want_addresses was set. */
const uint64_t *stacks_addresses(const struct stacks *stacks, size_t *count);

/* A KSYMBOL record: code of the kernel that came or went (BPF, case C52). */
void stacks_ksymbol(struct stacks *stacks, const struct event_ksymbol *event);

#endif
