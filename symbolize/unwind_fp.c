#include "symbolize/unwind_walk.h"

#include <elf.h>

/* How far above a stack pointer without CFI and frame pointer the start of
 * the process is looked for: the frames of musl's start code and of ld.so's. */
#define START_SPAN_MAX 512

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
bool walk_is_process_start(const struct walk *walk, uint64_t at)
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
		if (walk_is_process_start(walk, at))
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
unsigned walk_step_fp(struct walk *walk)
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
