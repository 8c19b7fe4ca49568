/*
 * DWARF expressions of call frame information: PLT entries, signal
 * trampolines, realigned stacks. A bounded machine: no loop outlives its
 * steps, no memory is read but through the callback.
 * DWARF 5 section 2.5; section 6.4.2 says what may stand in one.
 */
#ifndef SYMBOLIZE_CFI_EXPRESSION_H
#define SYMBOLIZE_CFI_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "symbolize/cfi_rules.h"

struct cfi_expression_input {
	/* Return 0, or a number that ends the evaluation and is returned. */
	int (*read_register)(void *context, uint64_t reg, uint64_t *value);
	int (*read_memory)(void *context, uint64_t address, unsigned size,
			   uint64_t *value);
	void *context;
	uint64_t bias; /* what an address in the file is moved by */
};

/*
 * Evaluates the operations that the cursor spans, with initial on the stack
 * (the CFA; where has_initial is false, nothing). Returns 0 with what is left
 * on top in *result, -EBADMSG where the expression is damaged, does not end,
 * or has operations that an unwinder cannot answer, or what a callback gave.
 */
int cfi_expression_evaluate(struct cursor operations,
			    const struct cfi_expression_input *input,
			    bool has_initial, uint64_t initial,
			    uint64_t *result);

/*
 * Recognises the one form that nearly all expressions have: a register plus
 * a constant, and perhaps the word at that address. Returns true with *rule
 * set to CFI_REGISTER or CFI_AT_REGISTER.
 */
bool cfi_expression_simplify(struct cursor operations, struct cfi_rule *rule);

#endif
