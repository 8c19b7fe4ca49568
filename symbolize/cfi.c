#include "symbolize/cfi.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "perfcore/hash.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "symbolize/cfi_expression.h"
#include "symbolize/cfi_image.h"
#include "symbolize/cfi_program.h"
#include "symbolize/cfi_section.h"
#include "symbolize/machine.h"

/* A slot of the cache: the address as an offset from the lowest segment, and
 * the number of its row plus 1 (0: the slot is free). */
struct slot {
	uint32_t address;
	uint32_t row;
};

#define SLOTS_MIN 64
#define ROWS_MAX  (1u << 16)

struct cfi {
	struct cfi_image image, debug_image;
	struct cfi_section eh_frame, debug_frame;
	uint64_t base; /* of the slots' addresses */

	struct slot *slots;
	size_t n_slots, n_used;
	unsigned shift; /* the hash keeps 64 - shift bits: log2(n_slots) */

	struct cfi_row *rows;
	size_t n_rows, rows_capacity;
	struct idmap row_numbers; /* hash of a row, attempt → number */

	struct cfi_row outside; /* of an address beyond the slots' 4 GB */
	uint64_t n_parsed, n_emptied;
};

static void slots_reset(struct cfi *cfi, size_t n_slots)
{
	free(cfi->slots);
	cfi->slots = mem_calloc(n_slots, sizeof(*cfi->slots));
	cfi->n_slots = n_slots;
	cfi->n_used = 0;
	cfi->shift = 64 - (unsigned)__builtin_ctzll(n_slots);
}

/* Fibonacci hashing: the high bits of a product spread addresses that differ
 * in their low bits only. */
static inline size_t slot_first(const struct cfi *cfi, uint32_t address)
{
	return (address * 0x9e3779b97f4a7c15ull) >> cfi->shift;
}

static void slot_add(struct cfi *cfi, uint32_t address, uint32_t row)
{
	size_t i = slot_first(cfi, address);

	while (cfi->slots[i].row)
		i = (i + 1) & (cfi->n_slots - 1);
	cfi->slots[i] = (struct slot){ address, row };
	cfi->n_used++;
}

static void slots_grow(struct cfi *cfi)
{
	struct slot *old = cfi->slots;
	size_t n_old = cfi->n_slots;

	cfi->slots = NULL;
	slots_reset(cfi, n_old * 2);
	for (size_t i = 0; i < n_old; i++)
		if (old[i].row)
			slot_add(cfi, old[i].address, old[i].row);
	free(old);
}

static void rows_reset(struct cfi *cfi)
{
	free(cfi->rows);
	cfi->rows = NULL;
	cfi->n_rows = cfi->rows_capacity = 0;
	idmap_destroy(&cfi->row_numbers);
	idmap_init(&cfi->row_numbers);
}

static void cache_empty(struct cfi *cfi)
{
	slots_reset(cfi, SLOTS_MIN);
	rows_reset(cfi);
	cfi->n_emptied++;
}

/* The number of the equal row, which is added where it is new. Rows have no
 * padding, so that they can be compared as bytes. */
static uint32_t row_number(struct cfi *cfi, const struct cfi_row *row)
{
	uint64_t hash = hash_bytes(row, sizeof(*row));

	for (uint64_t attempt = 0;; attempt++) {
		uint32_t *number = idmap_at(&cfi->row_numbers, hash, attempt);

		if (*number == IDMAP_NONE) {
			cfi->rows = mem_grow(cfi->rows, cfi->n_rows,
					     &cfi->rows_capacity,
					     sizeof(*cfi->rows));
			cfi->rows[cfi->n_rows] = *row;
			*number = (uint32_t)cfi->n_rows++;
			return *number;
		}
		if (memcmp(&cfi->rows[*number], row, sizeof(*row)) == 0)
			return *number;
	}
}

struct cursor cfi_expression(const struct cfi *cfi, const struct cfi_rule *rule,
			     bool is_debug_frame)
{
	const struct cfi_section *section =
		is_debug_frame ? &cfi->debug_frame : &cfi->eh_frame;
	struct cursor cursor =
		cursor_at(section->frames.bytes, section->frames.size);
	uint64_t size;

	if (!cursor.at)
		return cursor;
	cursor_skip(&cursor, (uint32_t)rule->offset);
	size = cursor_uleb(&cursor);
	if (cursor.has_failed || size > cursor_left(&cursor))
		return cursor_at(NULL, 0);
	return cursor_at(cursor.at, size);
}

/* Turns the simple expressions of rules into rules without one. */
static void rule_simplify(const struct cfi *cfi, struct cfi_rule *rule,
			  bool is_debug_frame)
{
	struct cfi_rule simple;

	if (rule->kind != CFI_EXPRESSION && rule->kind != CFI_VAL_EXPRESSION)
		return;
	if (!cfi_expression_simplify(cfi_expression(cfi, rule, is_debug_frame),
				     &simple))
		return;
	if (rule->kind == CFI_VAL_EXPRESSION)
		*rule = simple;
	else if (simple.kind == CFI_REGISTER)
		*rule = (struct cfi_rule){ CFI_AT_REGISTER, simple.reg,
					   simple.offset };
}

static bool section_rules(struct cfi_section *section, uint64_t vaddr,
			  struct cfi_rules *rules)
{
	struct cfi_fde fde;

	return cfi_section_find(section, vaddr, &fde) &&
	       cfi_program_run(section, &fde, vaddr, rules) == 0 &&
	       rules->cfa.kind != CFI_UNSPECIFIED;
}

/*
 * The instructions that return from a signal stand at an address whose row
 * would be looked for one byte before (it was pushed as a return address) or
 * right there. glibc's is described by its .eh_frame; musl's and Go's are
 * not, or wrongly, and then their instructions tell.
 */
static bool is_sigreturn(const struct cfi *cfi, uint64_t vaddr)
{
	uint8_t code[MACHINE_SIGRETURN_MAX + 1];
	size_t size = cfi_image_code(&cfi->image, vaddr, code, sizeof(code));

	return machine_is_sigreturn(cfi->image.machine, code, size) ||
	       (size &&
		machine_is_sigreturn(cfi->image.machine, code + 1, size - 1));
}

bool cfi_rules_find(struct cfi *cfi, uint64_t vaddr, struct cfi_rules *rules,
		    bool *is_debug_frame)
{
	*is_debug_frame = false;
	if (section_rules(&cfi->eh_frame, vaddr, rules))
		return true;
	if (is_sigreturn(cfi, vaddr)) {
		machine_sigreturn_rules(cfi->image.machine, rules);
		return true;
	}
	*is_debug_frame = true;
	return section_rules(&cfi->debug_frame, vaddr, rules);
}

static bool code_before(const struct cfi *cfi, uint64_t vaddr,
			uint8_t code[MACHINE_CALL_MAX])
{
	return cfi_image_code(&cfi->image, vaddr - MACHINE_CALL_MAX, code,
			      MACHINE_CALL_MAX) == MACHINE_CALL_MAX;
}

bool cfi_follows_call(const struct cfi *cfi, uint64_t vaddr)
{
	uint8_t code[MACHINE_CALL_MAX];

	return code_before(cfi, vaddr, code) &&
	       machine_ends_in_call(cfi->image.machine, code);
}

bool cfi_follows_syscall(const struct cfi *cfi, uint64_t vaddr)
{
	uint8_t code[MACHINE_CALL_MAX];

	return code_before(cfi, vaddr, code) &&
	       machine_ends_in_syscall(cfi->image.machine, code);
}

static bool row_is_simple(const struct cfi_row *row,
			  const struct machine_registers *special)
{
	return !row->is_signal_frame && row->cfa.kind == CFI_REGISTER &&
	       (row->cfa.reg == special->sp || row->cfa.reg == special->fp) &&
	       row->ra.kind == CFI_OFFSET &&
	       (row->fp.kind == CFI_SAME || row->fp.kind == CFI_OFFSET);
}

static void row_compile(struct cfi *cfi, uint64_t vaddr, struct cfi_row *row)
{
	struct machine_registers special =
		machine_registers(cfi->image.machine);
	struct cfi_rules rules;
	bool is_debug_frame;

	*row = (struct cfi_row){ 0 };
	cfi->n_parsed++;
	if (!cfi_rules_find(cfi, vaddr, &rules, &is_debug_frame)) {
		row->follows_call = cfi_follows_call(cfi, vaddr + 1);
		return;
	}
	row->cfa = rules.cfa;
	row->ra = rules.regs[rules.ra];
	row->fp = rules.regs[special.fp];
	row->is_signal_frame = rules.is_signal_frame;
	row->is_debug_frame = is_debug_frame;
	rule_simplify(cfi, &row->cfa, is_debug_frame);
	rule_simplify(cfi, &row->ra, is_debug_frame);
	rule_simplify(cfi, &row->fp, is_debug_frame);
	if (row->ra.kind == CFI_UNSPECIFIED)
		row->ra = machine_default_ra(cfi->image.machine);
	if (row->fp.kind == CFI_UNSPECIFIED)
		row->fp.kind = CFI_SAME;
	row->is_simple = row_is_simple(row, &special);
	if (row->is_simple && row->fp.kind == CFI_SAME)
		row->fp.offset = row->ra.offset;
}

static const struct cfi_row *row_add(struct cfi *cfi, uint64_t vaddr)
{
	uint64_t address = vaddr - cfi->base;
	struct cfi_row row;
	uint32_t number;

	row_compile(cfi, vaddr, &row);
	if (address > UINT32_MAX) {
		cfi->outside = row;
		return &cfi->outside;
	}
	if (cfi->n_used == CFI_CACHE_MAX || cfi->n_rows == ROWS_MAX)
		cache_empty(cfi);
	if (cfi->n_used >= cfi->n_slots / 4 * 3)
		slots_grow(cfi);
	number = row_number(cfi, &row);
	slot_add(cfi, (uint32_t)address, number + 1);
	return &cfi->rows[number];
}

const struct cfi_row *cfi_find(struct cfi *cfi, uint64_t vaddr)
{
	uint64_t address = vaddr - cfi->base;
	size_t i;

	if (address > UINT32_MAX)
		return row_add(cfi, vaddr);
	i = slot_first(cfi, (uint32_t)address);
	while (cfi->slots[i].row) {
		if (cfi->slots[i].address == address)
			return &cfi->rows[cfi->slots[i].row - 1];
		i = (i + 1) & (cfi->n_slots - 1);
	}
	return row_add(cfi, vaddr);
}

/* The debug file's .debug_frame, where the file itself has none. A debug
 * file that is none is as good as no debug file. */
static void debug_frame_open(struct cfi *cfi, int debug_fd)
{
	struct cfi_bytes frames;

	if (!cfi_image_debug_frame(&cfi->image, &frames) &&
	    (debug_fd < 0 ||
	     cfi_image_open(&cfi->debug_image, debug_fd, NULL, 0, NULL) ||
	     !cfi_image_debug_frame(&cfi->debug_image, &frames)))
		return;
	if (cfi->debug_image.elf) /* what was read stays, the fd may go */
		elf_cntl(cfi->debug_image.elf, ELF_C_FDDONE);
	cfi_section_init(&cfi->debug_frame, &frames, true, NULL);
}

int cfi_new(struct cfi **result, const struct cfi_input *input,
	    struct error *error)
{
	struct cfi *cfi = mem_calloc(1, sizeof(*cfi));
	struct cfi_bytes frames, hdr;
	int err = cfi_image_open(&cfi->image, input->fd, input->image,
				 input->image_size, error);

	if (err) {
		free(cfi);
		return err;
	}
	if (cfi_image_eh_frame(&cfi->image, &frames, &hdr))
		cfi_section_init(&cfi->eh_frame, &frames, false,
				 hdr.size ? &hdr : NULL);
	debug_frame_open(cfi, input->debug_fd);
	cfi->base = UINT64_MAX;
	for (size_t i = 0; i < cfi->image.n_segments; i++)
		if (cfi->image.segments[i].vaddr < cfi->base)
			cfi->base = cfi->image.segments[i].vaddr;
	slots_reset(cfi, SLOTS_MIN);
	idmap_init(&cfi->row_numbers);
	*result = cfi;
	return 0;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	cfi_section_destroy(&cfi->eh_frame);
	cfi_section_destroy(&cfi->debug_frame);
	cfi_image_close(&cfi->image);
	cfi_image_close(&cfi->debug_image);
	rows_reset(cfi);
	free(cfi->slots);
	free(cfi);
}

uint16_t cfi_machine(const struct cfi *cfi)
{
	return cfi->image.machine;
}

bool cfi_vaddr(const struct cfi *cfi, uint64_t file_offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < cfi->image.n_segments; i++) {
		const struct cfi_segment *segment = &cfi->image.segments[i];

		if (!segment->is_executable || file_offset < segment->offset ||
		    file_offset - segment->offset >= segment->file_size)
			continue;
		*vaddr = file_offset - segment->offset + segment->vaddr;
		return true;
	}
	return false;
}

struct cfi_statistics cfi_statistics(const struct cfi *cfi)
{
	return (struct cfi_statistics){
		.parsed = cfi->n_parsed,
		.emptied = cfi->n_emptied,
		.bytes = cfi->n_slots * sizeof(*cfi->slots) +
			 cfi->rows_capacity * sizeof(*cfi->rows),
	};
}
