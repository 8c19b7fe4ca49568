#include "symbolize/cfi_expression.h"

#include <dwarf.h>
#include <errno.h>

#define STACK_MAX 32
#define STEPS_MAX 256

struct machine {
	struct cursor cursor;
	const struct cfi_expression_input *input;
	uint64_t stack[STACK_MAX];
	unsigned depth;
	int failure; /* 0, -EBADMSG, or what a callback gave */
};

static void fail(struct machine *machine)
{
	if (!machine->failure)
		machine->failure = -EBADMSG;
}

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_MAX)
		fail(machine);
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (machine->depth == 0) {
		fail(machine);
		return 0;
	}
	return machine->stack[--machine->depth];
}

/* The index-th value below the top; 0 is the top. */
static uint64_t pick(struct machine *machine, unsigned index)
{
	if (index >= machine->depth) {
		fail(machine);
		return 0;
	}
	return machine->stack[machine->depth - 1 - index];
}

static void push_register(struct machine *machine, uint64_t reg, int64_t offset)
{
	uint64_t value = 0;
	int failure = machine->input->read_register(machine->input->context,
						    reg, &value);

	if (failure)
		machine->failure = failure;
	push(machine, value + (uint64_t)offset);
}

static void push_memory(struct machine *machine, unsigned size)
{
	uint64_t address = pop(machine), value = 0;
	int failure;

	if (size == 0 || size > 8 || machine->failure) {
		fail(machine);
		return;
	}
	failure = machine->input->read_memory(machine->input->context, address,
					      size, &value);
	if (failure)
		machine->failure = failure;
	push(machine, value);
}

static bool run_constant(struct machine *machine, uint8_t op)
{
	struct cursor *cursor = &machine->cursor;

	switch (op) {
	case DW_OP_lit0 ... DW_OP_lit31:
		push(machine, op - DW_OP_lit0);
		return true;
	case DW_OP_addr:
		push(machine, cursor_u64(cursor) + machine->input->bias);
		return true;
	case DW_OP_const1u:
		push(machine, cursor_u8(cursor));
		return true;
	case DW_OP_const1s:
		push(machine, (uint64_t)(int64_t)(int8_t)cursor_u8(cursor));
		return true;
	case DW_OP_const2u:
		push(machine, cursor_u16(cursor));
		return true;
	case DW_OP_const2s:
		push(machine, (uint64_t)(int64_t)(int16_t)cursor_u16(cursor));
		return true;
	case DW_OP_const4u:
		push(machine, cursor_u32(cursor));
		return true;
	case DW_OP_const4s:
		push(machine, (uint64_t)(int64_t)(int32_t)cursor_u32(cursor));
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(machine, cursor_u64(cursor));
		return true;
	case DW_OP_constu:
		push(machine, cursor_uleb(cursor));
		return true;
	case DW_OP_consts:
		push(machine, (uint64_t)cursor_sleb(cursor));
		return true;
	default:
		return false;
	}
}

static bool run_load(struct machine *machine, uint8_t op)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t reg;

	switch (op) {
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(machine, op - DW_OP_breg0, cursor_sleb(cursor));
		return true;
	case DW_OP_bregx:
		reg = cursor_uleb(cursor);
		push_register(machine, reg, cursor_sleb(cursor));
		return true;
	case DW_OP_deref:
		push_memory(machine, 8);
		return true;
	case DW_OP_deref_size:
		push_memory(machine, cursor_u8(cursor));
		return true;
	default:
		return false;
	}
}

static bool run_stack(struct machine *machine, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup:
		push(machine, pick(machine, 0));
		return true;
	case DW_OP_drop:
		pop(machine);
		return true;
	case DW_OP_over:
		push(machine, pick(machine, 1));
		return true;
	case DW_OP_pick:
		push(machine, pick(machine, cursor_u8(&machine->cursor)));
		return true;
	case DW_OP_swap:
		a = pop(machine);
		b = pop(machine);
		push(machine, a);
		push(machine, b);
		return true;
	case DW_OP_rot:
		a = pop(machine);
		b = pop(machine);
		c = pop(machine);
		push(machine, a);
		push(machine, c);
		push(machine, b);
		return true;
	default:
		return false;
	}
}

static bool run_unary(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_abs: {
		uint64_t value = pop(machine);

		push(machine, (int64_t)value < 0 ? 0 - value : value);
		return true;
	}
	case DW_OP_neg:
		push(machine, 0 - pop(machine));
		return true;
	case DW_OP_not:
		push(machine, ~pop(machine));
		return true;
	case DW_OP_plus_uconst:
		push(machine, pop(machine) + cursor_uleb(&machine->cursor));
		return true;
	default:
		return false;
	}
}

static uint64_t divide(struct machine *machine, int64_t a, int64_t b)
{
	if (b == 0 || (a == INT64_MIN && b == -1)) {
		fail(machine);
		return 0;
	}
	return (uint64_t)(a / b);
}

static uint64_t modulo(struct machine *machine, uint64_t a, uint64_t b)
{
	if (b == 0) {
		fail(machine);
		return 0;
	}
	return a % b;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)a >> (b < 63 ? b : 63));
}

/* Pops the second operand first: "a b op". */
static bool run_binary(struct machine *machine, uint8_t op)
{
	uint64_t b = pick(machine, 0), a = pick(machine, 1), result;

	switch (op) {
	case DW_OP_and:
		result = a & b;
		break;
	case DW_OP_or:
		result = a | b;
		break;
	case DW_OP_xor:
		result = a ^ b;
		break;
	case DW_OP_plus:
		result = a + b;
		break;
	case DW_OP_minus:
		result = a - b;
		break;
	case DW_OP_mul:
		result = a * b;
		break;
	case DW_OP_div:
		result = divide(machine, (int64_t)a, (int64_t)b);
		break;
	case DW_OP_mod:
		result = modulo(machine, a, b);
		break;
	case DW_OP_shl:
		result = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		result = b < 64 ? a >> b : 0;
		break;
	case DW_OP_shra:
		result = shift_right_signed(a, b);
		break;
	case DW_OP_eq:
		result = a == b;
		break;
	case DW_OP_ne:
		result = a != b;
		break;
	case DW_OP_ge:
		result = (int64_t)a >= (int64_t)b;
		break;
	case DW_OP_gt:
		result = (int64_t)a > (int64_t)b;
		break;
	case DW_OP_le:
		result = (int64_t)a <= (int64_t)b;
		break;
	case DW_OP_lt:
		result = (int64_t)a < (int64_t)b;
		break;
	default:
		return false;
	}
	pop(machine);
	pop(machine);
	push(machine, result);
	return true;
}

static void jump(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	int16_t distance = (int16_t)cursor_u16(cursor);
	int64_t target = (int64_t)cursor_offset(cursor) + distance;

	if (target < 0 || target > cursor->end - cursor->begin)
		fail(machine);
	else
		cursor->at = cursor->begin + target;
}

static void run_flow(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_skip:
		jump(machine);
		break;
	case DW_OP_bra:
		if (pop(machine) != 0)
			jump(machine);
		else
			cursor_skip(&machine->cursor, 2);
		break;
	case DW_OP_nop:
		break;
	default:
		fail(machine);
	}
}

static void run_one(struct machine *machine, uint8_t op)
{
	if (run_constant(machine, op) || run_load(machine, op) ||
	    run_stack(machine, op) || run_unary(machine, op))
		return;
	if (op < DW_OP_and || op > DW_OP_ne || op == DW_OP_bra)
		run_flow(machine, op);
	else if (!run_binary(machine, op))
		fail(machine);
}

int cfi_expression_evaluate(struct cursor operations,
			    const struct cfi_expression_input *input,
			    bool has_initial, uint64_t initial,
			    uint64_t *result)
{
	struct machine machine = { .cursor = operations, .input = input };

	machine.cursor.begin = operations.at;
	if (has_initial)
		push(&machine, initial);
	for (unsigned steps = 0; cursor_left(&machine.cursor); steps++) {
		if (steps == STEPS_MAX)
			return -EBADMSG;
		run_one(&machine, cursor_u8(&machine.cursor));
		if (machine.cursor.has_failed)
			fail(&machine);
		if (machine.failure)
			return machine.failure;
	}
	*result = pop(&machine);
	return machine.failure;
}

bool cfi_expression_simplify(struct cursor operations, struct cfi_rule *rule)
{
	uint8_t op = cursor_u8(&operations);
	int64_t offset = cursor_sleb(&operations);
	bool is_read = cursor_left(&operations) == 1;

	if (op < DW_OP_breg0 || op > DW_OP_breg31 || offset != (int32_t)offset)
		return false;
	if (is_read && cursor_u8(&operations) != DW_OP_deref)
		return false;
	if (operations.has_failed || cursor_left(&operations))
		return false;
	*rule = (struct cfi_rule){ is_read ? CFI_AT_REGISTER : CFI_REGISTER,
				   (uint16_t)(op - DW_OP_breg0),
				   (int32_t)offset };
	return true;
}
