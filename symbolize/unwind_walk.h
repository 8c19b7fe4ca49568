/*
 * Inside unwind.c, unwind_row.c and unwind_fp.c: the state of one walk, and
 * what a step by either kind of information needs of it.
 */
#ifndef SYMBOLIZE_UNWIND_WALK_H
#define SYMBOLIZE_UNWIND_WALK_H

#include <string.h>

#include "symbolize/machine.h"
#include "symbolize/unwind.h"

/* A frame further above the copy than this is no frame: no stack is as big. */
#define STACK_SPAN_MAX (256ull << 20)

/* What a step may return beside an enum unwind_end: registers are needed that
 * a fast walk does not follow; and the step was made. */
#define NEEDS_ALL UNWIND_ENDS
#define GOES_ON	  (UNWIND_ENDS + 1)

struct walk {
	const struct unwind_stack *stack;
	const struct unwind_modules *modules;
	struct machine_registers special;
	uint64_t mask;	       /* of addresses */
	uint64_t special_mask; /* a bit for each special register */
	struct unwind_regs regs;
	struct unwind_module module; /* the last one found */
	bool is_all; /* all registers are followed, not only the special */
	bool is_return_address; /* what the pc is */
	bool is_elsewhere; /* a signal came in on another stack: this one */
	bool is_chain;	   /* the last step was by frame pointer */
};

static inline uint64_t reg(const struct walk *walk, unsigned number)
{
	return walk->regs.values[number];
}

static inline bool is_known(const struct walk *walk, unsigned number)
{
	return walk->regs.known >> number & 1;
}

static inline bool is_in_copy(const struct unwind_stack *stack,
			      uint64_t address, unsigned size)
{
	uint64_t offset = address - stack->base;

	return offset < stack->size && stack->size - offset >= size;
}

/* Why an address cannot be read from the copy. */
unsigned walk_end_outside(const struct walk *walk, uint64_t address);

static inline unsigned read_word(const struct walk *walk, uint64_t address,
				 uint64_t *value)
{
	if (!is_in_copy(walk->stack, address, sizeof(*value))) {
		*value = 0;
		return walk_end_outside(walk, address);
	}
	memcpy(value, walk->stack->bytes + (address - walk->stack->base),
	       sizeof(*value));
	return GOES_ON;
}

static inline void set(struct unwind_regs *regs, unsigned number,
		       uint64_t value)
{
	regs->values[number] = value;
	regs->known |= 1ull << number;
}

/* Finds the module of an address, which most often is the last one's. */
static inline bool module_find(struct walk *walk, uint64_t ip)
{
	if (ip >= walk->module.start && ip < walk->module.end)
		return true;
	if (walk->modules->find(walk->modules->context, ip, &walk->module))
		return true;
	walk->module = (struct unwind_module){ 0 };
	return false;
}

/* One step by the row of call frame information at vaddr. */
unsigned walk_step_row(struct walk *walk, const struct cfi_row *row,
		       uint64_t vaddr);

/* One step by the frame pointer. */
unsigned walk_step_fp(struct walk *walk);

/* True if the initial stack of the process begins at that address. */
bool walk_is_process_start(const struct walk *walk, uint64_t at);

#endif
