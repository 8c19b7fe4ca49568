#include "symbolize/unwind_walk.h"

#include "symbolize/cfi_expression.h"

unsigned walk_end_outside(const struct walk *walk, uint64_t address)
{
	const struct unwind_stack *stack = walk->stack;

	if (walk->is_elsewhere)
		return UNWIND_TRUNCATED;
	if (address < stack->base ||
	    address - stack->base > stack->size + STACK_SPAN_MAX)
		return UNWIND_BAD_DATA;
	return UNWIND_TRUNCATED;
}

/* The callbacks of expressions return an end, or 0: UNWIND_COMPLETE, which
 * none of them can mean. */
static int expression_register(void *context, uint64_t number, uint64_t *value)
{
	const struct walk *walk = context;

	if (number >= CFI_REGISTERS)
		return UNWIND_BAD_DATA;
	if (!is_known(walk, (unsigned)number))
		return walk->is_all ? UNWIND_BAD_DATA : NEEDS_ALL;
	*value = reg(walk, (unsigned)number);
	return 0;
}

static int expression_memory(void *context, uint64_t address, unsigned size,
			     uint64_t *value)
{
	const struct walk *walk = context;

	if (!is_in_copy(walk->stack, address, size))
		return (int)walk_end_outside(walk, address);
	memcpy(value, walk->stack->bytes + (address - walk->stack->base), size);
	return 0;
}

static unsigned expression_value(struct walk *walk, const struct cfi_rule *rule,
				 bool is_debug_frame, const uint64_t *cfa,
				 uint64_t *value)
{
	struct cfi_expression_input input = {
		.read_register = expression_register,
		.read_memory = expression_memory,
		.context = walk,
		.bias = walk->module.bias,
	};
	struct cursor operations =
		cfi_expression(walk->module.cfi, rule, is_debug_frame);
	int end = cfi_expression_evaluate(operations, &input, cfa != NULL,
					  cfa ? *cfa : 0, value);

	if (end < 0)
		return UNWIND_BAD_DATA;
	return end ? (unsigned)end : GOES_ON;
}

static unsigned register_value(const struct walk *walk, unsigned number,
			       uint64_t *value)
{
	if (!is_known(walk, number))
		return walk->is_all ? UNWIND_NO_INFO : NEEDS_ALL;
	*value = reg(walk, number);
	return GOES_ON;
}

/* What a rule makes of a register; cfa is NULL while the CFA itself is being
 * found. The kinds that leave a register alone are the caller's business. */
static unsigned rule_value(struct walk *walk, const struct cfi_rule *rule,
			   bool is_debug_frame, const uint64_t *cfa,
			   uint64_t *value)
{
	int64_t offset = rule->offset;
	unsigned end;

	switch ((enum cfi_rule_kind)rule->kind) {
	case CFI_OFFSET:
		return read_word(walk, *cfa + (uint64_t)offset, value);
	case CFI_VAL_OFFSET:
		*value = *cfa + (uint64_t)offset;
		return GOES_ON;
	case CFI_REGISTER:
		end = register_value(walk, rule->reg, value);
		*value += (uint64_t)offset;
		return end;
	case CFI_AT_REGISTER:
		end = register_value(walk, rule->reg, value);
		if (end != GOES_ON)
			return end;
		return read_word(walk, *value + (uint64_t)offset, value);
	case CFI_EXPRESSION:
		end = expression_value(walk, rule, is_debug_frame, cfa, value);
		return end == GOES_ON ? read_word(walk, *value, value) : end;
	case CFI_VAL_EXPRESSION:
		return expression_value(walk, rule, is_debug_frame, cfa, value);
	case CFI_UNSPECIFIED:
	case CFI_UNDEFINED:
	case CFI_SAME:
		break;
	}
	return UNWIND_BAD_DATA;
}

/* A slot below the stack pointer has been popped, and tables do not tell so:
 * in an epilogue the register has its old value back. */
static bool is_popped(const struct walk *walk, uint64_t slot)
{
	return !walk->is_return_address && slot < reg(walk, walk->special.sp);
}

/*
 * Sets the caller's value of one register by its rule; next begins as a copy
 * of the callee's registers. One that cannot be found ends nothing: it may
 * never be asked for.
 */
static void step_register(struct walk *walk, unsigned number,
			  const struct cfi_rule *rule, bool is_debug_frame,
			  uint64_t cfa, struct unwind_regs *next)
{
	uint64_t value;

	if (rule->kind == CFI_UNSPECIFIED || rule->kind == CFI_SAME ||
	    (rule->kind == CFI_OFFSET &&
	     is_popped(walk, cfa + (uint64_t)(int64_t)rule->offset)))
		return;
	next->known &= ~(1ull << number);
	if (rule->kind != CFI_UNDEFINED &&
	    rule_value(walk, rule, is_debug_frame, &cfa, &value) == GOES_ON)
		set(next, number, value);
}

/* A caller's frame is above its callee's. A leaf may have none: before it has
 * touched the stack, where the return address is in a register, and in vfork,
 * which pops it into one. */
static bool is_cfa_plausible(const struct walk *walk, uint64_t cfa)
{
	uint64_t sp = reg(walk, walk->special.sp);

	return cfa % 8 == 0 &&
	       (cfa > sp || (cfa == sp && !walk->is_return_address));
}

static unsigned row_ra(struct walk *walk, const struct cfi_row *row,
		       uint64_t cfa, uint64_t *ra)
{
	if (row->ra.kind == CFI_SAME) {
		if (walk->is_return_address ||
		    walk->special.link == walk->special.pc)
			return UNWIND_BAD_DATA;
		return register_value(walk, walk->special.link, ra);
	}
	return rule_value(walk, &row->ra, row->is_debug_frame, &cfa, ra);
}

/* The registers beside the special ones: a fast walk does not follow them. */
static bool step_others(struct walk *walk, uint64_t vaddr, uint64_t cfa,
			struct unwind_regs *next)
{
	struct cfi_rules rules;
	bool is_debug_frame;

	if (!walk->is_all) {
		next->known &= walk->special_mask;
		return true;
	}
	if (!cfi_rules_find(walk->module.cfi, vaddr, &rules, &is_debug_frame))
		return false;
	for (unsigned i = 0; i < walk->special.pc; i++)
		if (i != walk->special.sp && i != walk->special.fp)
			step_register(walk, i, &rules.regs[i], is_debug_frame,
				      cfa, next);
	return true;
}

/* Any row: one step by the rules of call frame information. */
unsigned walk_step_row(struct walk *walk, const struct cfi_row *row,
		       uint64_t vaddr)
{
	struct machine_registers special = walk->special;
	struct unwind_regs next = walk->regs;
	uint64_t cfa, ra = 0;
	unsigned end;

	if (row->ra.kind == CFI_UNDEFINED)
		return UNWIND_COMPLETE;
	/* What a signal interrupted may be a leaf, whose return address is in
	 * the link register that the signal frame keeps. */
	if (row->is_signal_frame && !walk->is_all && special.link != special.pc)
		return NEEDS_ALL;
	end = rule_value(walk, &row->cfa, row->is_debug_frame, NULL, &cfa);
	if (end != GOES_ON)
		return end;
	if (!row->is_signal_frame && !is_cfa_plausible(walk, cfa))
		return UNWIND_BAD_DATA;
	end = row_ra(walk, row, cfa, &ra);
	if (end != GOES_ON)
		return end;
	step_register(walk, special.fp, &row->fp, row->is_debug_frame, cfa,
		      &next);
	if (!step_others(walk, vaddr, cfa, &next))
		return UNWIND_BAD_DATA;
	ra &= walk->mask;
	set(&next, special.sp, cfa);
	set(&next, special.pc, ra);
	if (!row->is_signal_frame)
		set(&next, special.link, ra);
	if (row->is_signal_frame && !is_in_copy(walk->stack, cfa, 1))
		walk->is_elsewhere = true;
	walk->regs = next;
	walk->is_return_address = !row->is_signal_frame;
	return GOES_ON;
}
