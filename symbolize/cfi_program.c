#include "symbolize/cfi_program.h"

#include <dwarf.h>
#include <errno.h>

/* GCC nests one or two, hand-written assembly a few. */
#define REMEMBERED_MAX 16

/* Not in elfutils 0.188's dwarf.h. */
#define CFA_AARCH64_NEGATE_RA_STATE_WITH_PC 0x2c

struct program_state {
	const struct cfi_section *section;
	const struct cfi_fde *fde;
	struct cursor cursor;
	uint64_t location; /* of the row being made */
	struct cfi_rules *rules;
	const struct cfi_rules *initial; /* what DW_CFA_restore goes back to;
					  * NULL in the CIE's own program */
	struct cfi_rules remembered[REMEMBERED_MAX];
	unsigned n_remembered;
	struct cfi_rule cfa; /* the last one of register and offset: what sets
			      * one half keeps the other, even when an
			      * expression came between (libgcrypt) */
	bool has_failed;
};

static int32_t offset_checked(struct program_state *state, int64_t offset)
{
	if (offset != (int32_t)offset)
		state->has_failed = true;
	return (int32_t)offset;
}

static int64_t read_factored(struct program_state *state)
{
	int64_t value;

	if (__builtin_mul_overflow((int64_t)cursor_uleb(&state->cursor),
				   state->fde->cie.data_align, &value))
		state->has_failed = true;
	return value;
}

static int64_t read_factored_signed(struct program_state *state)
{
	int64_t value;

	if (__builtin_mul_overflow(cursor_sleb(&state->cursor),
				   state->fde->cie.data_align, &value))
		state->has_failed = true;
	return value;
}

/* Rules of registers that are not kept (vectors) go nowhere. */
static void rule_set(struct program_state *state, uint64_t reg,
		     enum cfi_rule_kind kind, int64_t offset)
{
	int32_t checked = offset_checked(state, offset);

	if (reg < CFI_REGISTERS)
		state->rules->regs[reg] =
			(struct cfi_rule){ .kind = kind, .offset = checked };
}

/* An expression is kept by where its size stands; it ends in the section. */
static void rule_set_expression(struct program_state *state,
				struct cfi_rule *rule, enum cfi_rule_kind kind)
{
	int64_t at = state->cursor.at - state->section->frames.bytes;

	cursor_skip(&state->cursor, cursor_uleb(&state->cursor));
	if (rule)
		*rule = (struct cfi_rule){ .kind = kind,
					   .offset =
						   offset_checked(state, at) };
}

static struct cfi_rule *rule_at(struct program_state *state, uint64_t reg)
{
	return reg < CFI_REGISTERS ? &state->rules->regs[reg] : NULL;
}

static void rule_restore(struct program_state *state, uint64_t reg)
{
	if (!state->initial)
		state->has_failed = true;
	else if (reg < CFI_REGISTERS)
		state->rules->regs[reg] = state->initial->regs[reg];
}

static void cfa_set(struct program_state *state, uint64_t reg, int64_t offset)
{
	if (reg >= CFI_REGISTERS)
		state->has_failed = true;
	state->cfa = (struct cfi_rule){ CFI_REGISTER, (uint16_t)reg,
					offset_checked(state, offset) };
	state->rules->cfa = state->cfa;
}

static void state_remember(struct program_state *state)
{
	if (state->n_remembered == REMEMBERED_MAX)
		state->has_failed = true;
	else
		state->remembered[state->n_remembered++] = *state->rules;
}

static void state_restore(struct program_state *state)
{
	if (state->n_remembered == 0) {
		state->has_failed = true;
		return;
	}
	*state->rules = state->remembered[--state->n_remembered];
	state->rules->start = state->location;
	if (state->rules->cfa.kind == CFI_REGISTER)
		state->cfa = state->rules->cfa;
}

static void run_register(struct program_state *state)
{
	uint64_t reg = cursor_uleb(&state->cursor);
	uint64_t other = cursor_uleb(&state->cursor);
	struct cfi_rule *rule = rule_at(state, reg);

	if (rule && other < CFI_REGISTERS)
		*rule = (struct cfi_rule){ CFI_REGISTER, (uint16_t)other, 0 };
	else if (rule) /* it is in a register that is not kept */
		*rule = (struct cfi_rule){ .kind = CFI_UNDEFINED };
}

/* Instructions that set the CFA. Returns false where op is none of them. */
static bool run_cfa(struct program_state *state, uint8_t op)
{
	struct cursor *cursor = &state->cursor;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = cursor_uleb(cursor);
		cfa_set(state, reg, (int64_t)cursor_uleb(cursor));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor_uleb(cursor);
		cfa_set(state, reg, read_factored_signed(state));
		return true;
	case DW_CFA_def_cfa_register:
		cfa_set(state, cursor_uleb(cursor), state->cfa.offset);
		return true;
	case DW_CFA_def_cfa_offset:
		cfa_set(state, state->cfa.reg, (int64_t)cursor_uleb(cursor));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		cfa_set(state, state->cfa.reg, read_factored_signed(state));
		return true;
	case DW_CFA_def_cfa_expression:
		rule_set_expression(state, &state->rules->cfa,
				    CFI_VAL_EXPRESSION);
		return true;
	default:
		return false;
	}
}

/* Instructions that set the rule of one register; false where op is none. */
static bool run_rule(struct program_state *state, uint8_t op)
{
	struct cursor *cursor = &state->cursor;
	uint64_t reg;

	switch (op) {
	case DW_CFA_undefined:
		rule_set(state, cursor_uleb(cursor), CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		rule_set(state, cursor_uleb(cursor), CFI_SAME, 0);
		return true;
	case DW_CFA_offset_extended:
		reg = cursor_uleb(cursor);
		rule_set(state, reg, CFI_OFFSET, read_factored(state));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = cursor_uleb(cursor);
		rule_set(state, reg, CFI_OFFSET, read_factored_signed(state));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_uleb(cursor);
		rule_set(state, reg, CFI_OFFSET,
			 (int64_t)(0 - (uint64_t)read_factored(state)));
		return true;
	case DW_CFA_val_offset:
		reg = cursor_uleb(cursor);
		rule_set(state, reg, CFI_VAL_OFFSET, read_factored(state));
		return true;
	case DW_CFA_val_offset_sf:
		reg = cursor_uleb(cursor);
		rule_set(state, reg, CFI_VAL_OFFSET,
			 read_factored_signed(state));
		return true;
	case DW_CFA_restore_extended:
		rule_restore(state, cursor_uleb(cursor));
		return true;
	case DW_CFA_register:
		run_register(state);
		return true;
	case DW_CFA_expression:
		reg = cursor_uleb(cursor);
		rule_set_expression(state, rule_at(state, reg), CFI_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		reg = cursor_uleb(cursor);
		rule_set_expression(state, rule_at(state, reg),
				    CFI_VAL_EXPRESSION);
		return true;
	default:
		return false;
	}
}

static void run_other(struct program_state *state, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* on AArch64: the return address becomes
				      * signed; it is masked in any case */
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		break;
	case DW_CFA_GNU_args_size: /* of no use to an unwinder */
		cursor_uleb(&state->cursor);
		break;
	case DW_CFA_remember_state:
		state_remember(state);
		break;
	case DW_CFA_restore_state:
		state_restore(state);
		break;
	default:
		state->has_failed = true;
	}
}

/* The bytes of code that an instruction moves on by; false where op moves
 * nothing. */
static bool read_advance(struct program_state *state, uint8_t op,
			 uint64_t *delta)
{
	switch (op) {
	case DW_CFA_advance_loc1:
		*delta = cursor_u8(&state->cursor);
		return true;
	case DW_CFA_advance_loc2:
		*delta = cursor_u16(&state->cursor);
		return true;
	case DW_CFA_advance_loc4:
		*delta = cursor_u32(&state->cursor);
		return true;
	default:
		*delta = op & 0x3f;
		return (op & 0xc0) == DW_CFA_advance_loc;
	}
}

static void run_one(struct program_state *state, uint8_t op)
{
	switch (op & 0xc0) {
	case DW_CFA_offset:
		rule_set(state, op & 0x3f, CFI_OFFSET, read_factored(state));
		break;
	case DW_CFA_restore:
		rule_restore(state, op & 0x3f);
		break;
	default:
		if (!run_cfa(state, op) && !run_rule(state, op))
			run_other(state, op);
	}
}

/*
 * Runs one program up to vaddr. The row that holds there begins at the last
 * location that is not above vaddr, and ends at the first that is.
 */
static int run(struct program_state *state, const struct cursor *program,
	       uint64_t vaddr)
{
	state->cursor = *program;
	while (cursor_left(&state->cursor)) {
		uint8_t op = cursor_u8(&state->cursor);
		uint64_t next = state->location, delta;

		if (op == DW_CFA_set_loc)
			next = cfi_section_pointer(
				state->section, &state->cursor,
				state->fde->cie.pointer_encoding);
		else if (read_advance(state, op, &delta))
			next += delta * state->fde->cie.code_align;
		else
			run_one(state, op);
		if (state->has_failed || state->cursor.has_failed ||
		    next < state->location)
			return -EBADMSG;
		if (next > vaddr) {
			state->rules->end = next;
			return 0;
		}
		state->location = next;
		state->rules->start = next;
	}
	return 0;
}

int cfi_program_run(const struct cfi_section *section,
		    const struct cfi_fde *fde, uint64_t vaddr,
		    struct cfi_rules *rules)
{
	struct program_state state;
	struct cfi_rules initial;

	/* Not the 10 KB of remembered states: they are set before use. */
	state.section = section;
	state.fde = fde;
	state.location = fde->start;
	state.rules = rules;
	state.initial = NULL;
	state.n_remembered = 0;
	state.cfa = (struct cfi_rule){ 0 };
	state.has_failed = false;
	*rules = (struct cfi_rules){
		.start = fde->start,
		.end = fde->end,
		.is_signal_frame = fde->cie.is_signal_frame,
	};
	if (fde->cie.ra >= CFI_REGISTERS)
		return -EBADMSG;
	rules->ra = (uint16_t)fde->cie.ra;
	if (run(&state, &fde->cie.program, vaddr))
		return -EBADMSG;
	initial = *rules;
	state.initial = &initial;
	if (run(&state, &fde->program, vaddr))
		return -EBADMSG;
	if (rules->end > fde->end)
		rules->end = fde->end;
	return 0;
}
