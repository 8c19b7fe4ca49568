/*
 * libFuzzer target of call frame information: the first byte tells what the
 * others are (.eh_frame, .debug_frame, a whole ELF file); each entry found in
 * them is run to several addresses and its expressions are evaluated.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/cfi.h"
#include "symbolize/cfi_expression.h"
#include "symbolize/cfi_program.h"
#include "symbolize/cfi_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int read_register(void *context, uint64_t number, uint64_t *value)
{
	(void)context;
	*value = number * 0x1001;
	return number > 16 ? 1 : 0;
}

static int read_memory(void *context, uint64_t address, unsigned size,
		       uint64_t *value)
{
	(void)context;
	*value = 0;
	memcpy(value, &address, size);
	return address % 16 == 15 ? 2 : 0;
}

static void evaluate(struct cursor operations)
{
	const struct cfi_expression_input input = { read_register, read_memory,
						    NULL, 0x10000 };
	struct cfi_rule rule;
	uint64_t value;

	cfi_expression_simplify(operations, &rule);
	cfi_expression_evaluate(operations, &input, true, 0x7000, &value);
	cfi_expression_evaluate(operations, &input, false, 0, &value);
}

static void try_rule(const struct cfi_section *section,
		     const struct cfi_rule *rule)
{
	struct cursor cursor =
		cursor_at(section->frames.bytes, section->frames.size);
	uint64_t size;

	if (rule->kind != CFI_EXPRESSION && rule->kind != CFI_VAL_EXPRESSION)
		return;
	cursor_skip(&cursor, (uint32_t)rule->offset);
	size = cursor_uleb(&cursor);
	if (cursor.has_failed || size > cursor_left(&cursor))
		abort(); /* the program has read it, so it is there */
	evaluate(cursor_at(cursor.at, size));
}

static void try_address(struct cfi_section *section, uint64_t vaddr)
{
	struct cfi_rules rules;
	struct cfi_fde fde;

	if (!cfi_section_find(section, vaddr, &fde) ||
	    cfi_program_run(section, &fde, vaddr, &rules))
		return;
	if (rules.start > vaddr || rules.end <= vaddr)
		abort();
	try_rule(section, &rules.cfa);
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		try_rule(section, &rules.regs[i]);
}

static void try_section(const uint8_t *bytes, size_t size, bool is_debug_frame)
{
	struct cfi_bytes frames = { bytes, size, 0x1000 };
	struct cfi_section section;

	cfi_section_init(&section, &frames, is_debug_frame, NULL);
	try_address(&section, 0x1000);
	for (size_t i = 0; i < section.n_index && i < 64; i++) {
		uint64_t start = section.index[i].start;

		try_address(&section, start);
		try_address(&section, start + 1);
		try_address(&section, start + 40);
		try_address(&section, start + 4000);
	}
	cfi_section_destroy(&section);
}

static void try_file(const uint8_t *bytes, size_t size)
{
	struct cfi_input input = { -1, bytes, size, -1 };
	struct cfi *cfi;

	if (cfi_new(&cfi, &input, NULL))
		return;
	for (uint64_t vaddr = 0; vaddr < 0x8000; vaddr += 61) {
		const struct cfi_row *row = cfi_find(cfi, vaddr);

		if (row->cfa.kind == CFI_VAL_EXPRESSION)
			evaluate(cfi_expression(cfi, &row->cfa,
						row->is_debug_frame));
		cfi_follows_call(cfi, vaddr);
	}
	cfi_free(cfi);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t *copy;

	if (size < 1)
		return 0;
	copy = malloc(size - 1 ? size - 1 : 1); /* exact: ASan sees its end */
	memcpy(copy, bytes + 1, size - 1);
	if (bytes[0] % 4 < 2)
		try_section(copy, size - 1, bytes[0] % 4 == 1);
	else
		try_file(copy, size - 1);
	free(copy);
	return 0;
}
