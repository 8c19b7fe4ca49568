#include "symbolize/unwind.h"

#include <elf.h>
#include <string.h>

#include "symbolize/cfi_expression.h"
#include "symbolize/machine.h"

/* A frame further above the copy than this is no frame: no stack is as big. */
#define STACK_SPAN_MAX (256ull << 20)

/* How far above a stack pointer without CFI and frame pointer the start of
 * the process is looked for: the frames of musl's start code and of ld.so's. */
#define START_SPAN_MAX 512

/* Internal: registers that a fast walk does not follow are needed. */
#define NEEDS_ALL UNWIND_ENDS

/* Internal: the step was made. */
#define GOES_ON (UNWIND_ENDS + 1)

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

static uint64_t reg(const struct walk *walk, unsigned number)
{
	return walk->regs.values[number];
}

static bool is_known(const struct walk *walk, unsigned number)
{
	return walk->regs.known >> number & 1;
}

/* Why an address cannot be read from the copy. */
static unsigned end_outside(const struct walk *walk, uint64_t address)
{
	const struct unwind_stack *stack = walk->stack;

	if (walk->is_elsewhere)
		return UNWIND_TRUNCATED;
	if (address < stack->base ||
	    address - stack->base > stack->size + STACK_SPAN_MAX)
		return UNWIND_BAD_DATA;
	return UNWIND_TRUNCATED;
}

static inline bool is_in_copy(const struct unwind_stack *stack,
			      uint64_t address, unsigned size)
{
	uint64_t offset = address - stack->base;

	return offset < stack->size && stack->size - offset >= size;
}

static inline unsigned read_word(const struct walk *walk, uint64_t address,
				 uint64_t *value)
{
	if (!is_in_copy(walk->stack, address, sizeof(*value)))
		return end_outside(walk, address);
	memcpy(value, walk->stack->bytes + (address - walk->stack->base),
	       sizeof(*value));
	return GOES_ON;
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
		return (int)end_outside(walk, address);
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

static void set(struct unwind_regs *regs, unsigned number, uint64_t value)
{
	regs->values[number] = value;
	regs->known |= 1ull << number;
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

/* A caller's frame is above its callee's. A leaf that has not touched the
 * stack yet has no frame where the return address is in a register. */
static bool is_cfa_plausible(const struct walk *walk, uint64_t cfa)
{
	uint64_t sp = reg(walk, walk->special.sp);

	if (cfa % 8)
		return false;
	return cfa > sp || (cfa == sp && !walk->is_return_address &&
			    walk->special.link != walk->special.pc);
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
static unsigned step_row(struct walk *walk, const struct cfi_row *row,
			 uint64_t vaddr)
{
	struct machine_registers special = walk->special;
	struct unwind_regs next = walk->regs;
	uint64_t cfa, ra = 0;
	unsigned end;

	if (row->ra.kind == CFI_UNDEFINED)
		return UNWIND_COMPLETE;
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

/* The same for nearly all rows, without copying registers about. */
static unsigned step_simple(struct walk *walk, const struct cfi_row *row)
{
	const struct machine_registers special = walk->special;
	uint64_t *values = walk->regs.values;
	uint64_t known = walk->regs.known & walk->special_mask;
	uint64_t cfa, ra, slot;
	unsigned end;

	if (!is_known(walk, row->cfa.reg))
		return NEEDS_ALL;
	cfa = values[row->cfa.reg] + (uint64_t)(int64_t)row->cfa.offset;
	if (!is_cfa_plausible(walk, cfa))
		return UNWIND_BAD_DATA;
	end = read_word(walk, cfa + (uint64_t)(int64_t)row->ra.offset, &ra);
	if (end != GOES_ON)
		return end;
	slot = cfa + (uint64_t)(int64_t)row->fp.offset;
	if (row->fp.kind == CFI_OFFSET && !is_popped(walk, slot)) {
		known |= 1ull << special.fp;
		if (read_word(walk, slot, &values[special.fp]) != GOES_ON)
			known &= ~(1ull << special.fp);
	}
	ra &= walk->mask;
	values[special.sp] = cfa;
	values[special.link] = ra;
	values[special.pc] = ra;
	walk->regs.known = known;
	walk->is_return_address = true;
	return GOES_ON;
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

/* Passes a list of pointers into the stack above it, up to its NULL. Returns
 * the address after that, or 0 where it is no such list. */
static uint64_t pointers_pass(const struct walk *walk, uint64_t at)
{
	uint64_t pointer;

	for (uint64_t next = at; read_word(walk, next, &pointer) == GOES_ON;
	     next += 8) {
		if (pointer == 0)
			return next + 8;
		if (pointer <= next || pointer - next > STACK_SPAN_MAX)
			return 0;
	}
	return 0;
}

/*
 * The initial stack of a process, by the System V ABI: the count of
 * arguments, pointers to them, NULL, pointers to the environment, NULL, the
 * auxiliary vector, which Linux begins with the vDSO's address or, where
 * there is none, the CPU's features. Nothing is called from above it.
 */
static bool is_process_start(const struct walk *walk, uint64_t at)
{
	uint64_t count, type, environment, auxiliary;

	if (read_word(walk, at, &count) != GOES_ON)
		return false;
	environment = pointers_pass(walk, at + 8);
	if (environment == 0 || environment != at + 8 * (count + 2))
		return false;
	auxiliary = pointers_pass(walk, environment);
	return auxiliary != 0 && read_word(walk, auxiliary, &type) == GOES_ON &&
	       (type == AT_SYSINFO_EHDR || type == AT_HWCAP ||
		type == AT_MINSIGSTKSZ);
}

/* True where a word of the stack is an address right after a call. */
static bool is_return_address(struct walk *walk, uint64_t word)
{
	return module_find(walk, word) && walk->module.cfi &&
	       cfi_follows_call(walk->module.cfi, word - walk->module.bias);
}

/* True if nothing between the stack pointer and the start of the process's
 * stack has been called but by _start, which aligns the stack and calls. */
static bool is_called_by_start(struct walk *walk, uint64_t start)
{
	uint64_t word, in_start = (start & ~15ull) - 8;

	for (uint64_t at = reg(walk, walk->special.sp); at < start; at += 8)
		if (at != in_start && read_word(walk, at, &word) == GOES_ON &&
		    is_return_address(walk, word & walk->mask))
			return false;
	return true;
}

/*
 * Neither CFI nor frame pointer: musl's and ld.so's start code is so, and
 * programs without a C library. That it is the start must be seen, or else
 * any function of a library without CFI, called from main, would end a stack
 * that is not complete.
 */
static unsigned end_without_fp(struct walk *walk)
{
	uint64_t sp = reg(walk, walk->special.sp);

	for (uint64_t at = sp; at - sp < START_SPAN_MAX; at += 8)
		if (is_process_start(walk, at))
			return is_called_by_start(walk, at) ? UNWIND_COMPLETE
							    : UNWIND_NO_INFO;
	return UNWIND_NO_INFO;
}

/* A return address is in executable memory and has a call before it. Code
 * that is in no file cannot be looked at; there the chain must go on. */
static bool is_return_plausible(struct walk *walk, uint64_t ra, uint64_t fp,
				uint64_t next_fp)
{
	const struct cfi_row *row;

	if (!module_find(walk, ra - 1))
		return false;
	if (!walk->module.cfi)
		return next_fp == 0 || next_fp > fp;
	row = cfi_find(walk->module.cfi, ra - 1 - walk->module.bias);
	return row->cfa.kind != CFI_UNSPECIFIED || row->follows_call;
}

/* One step by the frame pointer: [fp] is the caller's, [fp + 8] the return
 * address, in the code of both machines. */
static unsigned step_fp(struct walk *walk)
{
	struct machine_registers special = walk->special;
	uint64_t sp = reg(walk, special.sp), fp = reg(walk, special.fp);
	uint64_t next_fp, ra;
	unsigned end;

	if (fp == 0 && walk->is_chain)
		return UNWIND_COMPLETE;
	if (!is_known(walk, special.fp) || fp < sp || fp % 8)
		return end_without_fp(walk);
	end = read_word(walk, fp, &next_fp);
	if (end == GOES_ON)
		end = read_word(walk, fp + 8, &ra);
	if (end != GOES_ON)
		return end == UNWIND_BAD_DATA ? end_without_fp(walk) : end;
	ra &= walk->mask;
	if (ra == 0 && next_fp == 0)
		return UNWIND_COMPLETE;
	if (!is_return_plausible(walk, ra, fp, next_fp))
		return end_without_fp(walk);
	walk->regs.known = 0;
	set(&walk->regs, special.sp, fp + 16);
	set(&walk->regs, special.fp, next_fp);
	set(&walk->regs, special.link, ra);
	set(&walk->regs, special.pc, ra);
	walk->is_return_address = true;
	return GOES_ON;
}

/* One step from the frame at the program counter to its caller's. */
static unsigned step(struct walk *walk, struct unwind_frame *frame)
{
	uint64_t ip = reg(walk, walk->special.pc);
	uint64_t lookup = ip - walk->is_return_address;
	const struct cfi_row *row;
	uint64_t vaddr;
	unsigned end;

	*frame = (struct unwind_frame){ .ip = ip,
					.is_return_address =
						walk->is_return_address };
	if (!module_find(walk, lookup))
		return UNWIND_NO_INFO;
	frame->owner = walk->module.owner;
	if (walk->module.cfi) {
		vaddr = lookup - walk->module.bias;
		row = cfi_find(walk->module.cfi, vaddr);
		frame->is_signal_frame = row->is_signal_frame;
		if (row->cfa.kind != CFI_UNSPECIFIED) {
			end = row->is_simple && !walk->is_all
				      ? step_simple(walk, row)
				      : step_row(walk, row, vaddr);
			walk->is_chain = false;
			return end;
		}
	}
	end = step_fp(walk);
	frame->is_by_fp = walk->is_chain = end == GOES_ON;
	return end;
}

/* A return address of 0 ends a stack, as does the count of arguments where
 * _start's would be; any other that is nowhere is no frame. */
static unsigned end_at_pc(struct walk *walk)
{
	uint64_t ip = reg(walk, walk->special.pc);

	if (ip == 0)
		return UNWIND_COMPLETE;
	if (module_find(walk, ip - walk->is_return_address))
		return GOES_ON;
	return is_process_start(walk, reg(walk, walk->special.sp) - 8)
		       ? UNWIND_COMPLETE
		       : UNWIND_BAD_DATA;
}

static unsigned walk_all(struct walk *walk, struct unwind_frame *frames,
			 size_t max, size_t *count)
{
	unsigned end;

	for (*count = 0; *count < max; (*count)++) {
		if (*count > 0) {
			end = end_at_pc(walk);
			if (end != GOES_ON)
				return end;
		}
		end = step(walk, &frames[*count]);
		if (end != GOES_ON) {
			(*count)++;
			return end;
		}
	}
	return end_at_pc(walk) == UNWIND_COMPLETE ? UNWIND_COMPLETE
						  : UNWIND_TOO_DEEP;
}

static void walk_init(struct walk *walk, const struct unwind_regs *regs,
		      const struct unwind_stack *stack,
		      const struct unwind_modules *modules)
{
	struct machine_registers special = machine_registers(regs->machine);

	*walk = (struct walk){
		.stack = stack,
		.modules = modules,
		.special = special,
		.mask = machine_address_mask(regs->machine),
		.special_mask = 1ull << special.sp | 1ull << special.fp |
				1ull << special.link | 1ull << special.pc,
		.regs = *regs,
	};
}

enum unwind_end unwind(const struct unwind_regs *regs,
		       const struct unwind_stack *stack,
		       const struct unwind_modules *modules,
		       struct unwind_frame *frames, size_t max, size_t *count)
{
	struct walk walk;
	unsigned end;

	walk_init(&walk, regs, stack, modules);
	end = walk_all(&walk, frames, max, count);
	if (end != NEEDS_ALL)
		return (enum unwind_end)end;
	walk_init(&walk, regs, stack, modules);
	walk.is_all = true;
	end = walk_all(&walk, frames, max, count);
	return end == NEEDS_ALL ? UNWIND_NO_INFO : (enum unwind_end)end;
}

bool unwind_regs_from_sample(const struct sample_regs *sample, uint16_t machine,
			     struct unwind_regs *regs)
{
	struct machine_registers special = machine_registers(machine);
	unsigned at = 0;

	*regs = (struct unwind_regs){ .machine = machine };
	if (sample->abi != 2 || !sample->values)
		return false;
	for (unsigned i = 0; i < 64; i++) {
		uint16_t number;

		if (!(sample->mask >> i & 1))
			continue;
		number = machine_perf_register(machine, i);
		if (number < CFI_REGISTERS)
			set(regs, number, sample->values[at]);
		at++;
	}
	return regs->known >> special.sp & regs->known >> special.pc & 1;
}

uint64_t unwind_regs_sp(const struct unwind_regs *regs)
{
	return regs->values[machine_registers(regs->machine).sp];
}
