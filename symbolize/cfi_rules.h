/*
 * Rules: how a caller's registers are found from a frame's, at one address.
 * One rule for the CFA (canonical frame address: the stack pointer of the
 * caller before its call) and one for each register, by DWARF number.
 * DWARF 5 section 6.4.1.
 */
#ifndef SYMBOLIZE_CFI_RULES_H
#define SYMBOLIZE_CFI_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum cfi_rule_kind {
	CFI_UNSPECIFIED, /* the architecture's default; for the CFA: no row */
	CFI_UNDEFINED,	 /* cannot be found; return address: end of the stack */
	CFI_SAME,	 /* not changed */
	CFI_OFFSET,	 /* saved at CFA + offset */
	CFI_VAL_OFFSET,	 /* is CFA + offset */
	CFI_REGISTER,	 /* is register reg + offset */
	CFI_AT_REGISTER, /* saved at register reg + offset */
	CFI_EXPRESSION,	 /* saved where the expression says */
	CFI_VAL_EXPRESSION, /* is what the expression says */
};

struct cfi_rule {
	uint16_t kind;	/* enum cfi_rule_kind */
	uint16_t reg;	/* DWARF number, below CFI_REGISTERS */
	int32_t offset; /* bytes; of an expression: where it begins in its
			 * section (a ULEB size, then the operations) */
};

/* x86-64: 0 to 15 and 16 the return address. AArch64: x0 to x30, 31 the stack
 * pointer. Others (vector registers) are not kept. */
#define CFI_REGISTERS 33

struct cfi_rules {
	uint64_t start, end; /* holds for start <= vaddr < end */
	struct cfi_rule cfa;
	struct cfi_rule regs[CFI_REGISTERS];
	uint16_t ra; /* the register that stands for the return address */
	bool is_signal_frame;
};

#endif
