#include "symbolize/unwind.h"

#include "symbolize/unwind_walk.h"

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
			walk->is_chain = false;
			return walk_step_row(walk, row, vaddr);
		}
	}
	end = walk_step_fp(walk);
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
	return walk_is_process_start(walk, reg(walk, walk->special.sp) - 8)
		       ? UNWIND_COMPLETE
		       : UNWIND_BAD_DATA;
}

/*
 * Nearly all frames, and nothing else: as long as rows are simple, the module
 * stays the same and the stack is inside the copy. What is anything else is
 * left to step(), which tells why. The row decides by data, not by branches:
 * which of the two registers, and whether fp was saved, nobody can predict.
 */
static size_t run_simple(struct walk *walk, struct unwind_frame *frames,
			 size_t max)
{
	const struct machine_registers special = walk->special;
	const struct unwind_module module = walk->module;
	const struct unwind_stack stack = *walk->stack;
	const uint64_t last = stack.size - sizeof(uint64_t);
	uint64_t *values = walk->regs.values;
	uint64_t sp = values[special.sp], fp = values[special.fp];
	uint64_t ip = values[special.pc];
	bool is_return = walk->is_return_address;
	size_t count = 0;

	if (!module.cfi || stack.size < sizeof(uint64_t) ||
	    !is_known(walk, special.fp))
		return 0;
	for (; count < max; count++) {
		uint64_t lookup = ip - is_return, cfa, ra_at, fp_at, saved;
		const struct cfi_row *row;

		if (lookup - module.start >= module.end - module.start)
			break;
		row = cfi_find(module.cfi, lookup - module.bias);
		cfa = (row->cfa.reg == special.sp ? sp : fp) +
		      (uint64_t)(int64_t)row->cfa.offset;
		ra_at = cfa + (uint64_t)(int64_t)row->ra.offset - stack.base;
		fp_at = cfa + (uint64_t)(int64_t)row->fp.offset - stack.base;
		if (!row->is_simple || cfa <= sp || cfa % 8 || ra_at > last ||
		    fp_at > last)
			break;
		frames[count] =
			(struct unwind_frame){ ip, module.owner,
					       .is_return_address = is_return };
		memcpy(&ip, stack.bytes + ra_at, sizeof(ip));
		memcpy(&saved, stack.bytes + fp_at, sizeof(saved));
		fp = row->fp.kind == CFI_OFFSET ? saved : fp;
		ip &= walk->mask;
		sp = cfa;
		is_return = true;
	}
	if (count == 0)
		return 0;
	values[special.sp] = sp;
	values[special.fp] = fp;
	values[special.link] = values[special.pc] = ip;
	walk->regs.known &= walk->special_mask;
	walk->is_return_address = true;
	walk->is_chain = false;
	return count;
}

static unsigned walk_all(struct walk *walk, struct unwind_frame *frames,
			 size_t max, size_t *count)
{
	unsigned end;

	for (*count = 0; *count < max;) {
		if (*count > 0) {
			end = end_at_pc(walk);
			if (end != GOES_ON)
				return end;
		}
		end = step(walk, &frames[(*count)++]);
		if (end != GOES_ON)
			return end;
		if (!walk->is_all)
			*count +=
				run_simple(walk, frames + *count, max - *count);
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

uint64_t unwind_regs_pc(const struct unwind_regs *regs)
{
	return regs->values[machine_registers(regs->machine).pc];
}
