/* CFI rows against libdw's answers, in every way that a file may offer them. */
#include "symbolize/cfi.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/mem.h"
#include "symbolize/cfi_section.h"
#include "symbolize/machine.h"

/* Functions that are never run: only their tables are read. */
__asm__(".pushsection .text\n"
	".globl cfi_in_debug_frame\n"
	".cfi_sections .debug_frame\n"
	"cfi_in_debug_frame:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"	nop\n"
	"	pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".skip 64, 0xcc\n"
	".globl cfi_sigreturn\n"
	"cfi_sigreturn:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	".skip 16, 0xcc\n"
	".globl cfi_after_call\n"
	"	call cfi_in_debug_frame\n"
	"cfi_after_call:\n"
	"	int3\n"
	".skip 16, 0xcc\n"
	".popsection\n");
extern const char cfi_in_debug_frame[], cfi_sigreturn[], cfi_after_call[];
extern const char __executable_start[];

struct file {
	int fd;
	uint8_t *bytes;
	size_t size;
};

static struct file file_read(const char *path)
{
	struct file file = { open(path, O_RDONLY | O_CLOEXEC), NULL, 0 };

	assert_true(file.fd >= 0);
	file.size = (size_t)lseek(file.fd, 0, SEEK_END);
	file.bytes = mem_alloc(file.size);
	assert_int_equal(pread(file.fd, file.bytes, file.size, 0), file.size);
	return file;
}

static void file_close(struct file *file)
{
	close(file->fd);
	free(file->bytes);
}

static struct cfi *cfi_of_fd(int fd)
{
	struct cfi_input input = { .fd = fd, .debug_fd = -1 };
	struct cfi *cfi = NULL;

	assert_int_equal(cfi_new(&cfi, &input, NULL), 0);
	return cfi;
}

static struct cfi *cfi_of_image(const void *image, size_t size)
{
	struct cfi_input input = { -1, image, size, -1 };
	struct cfi *cfi = NULL;

	assert_int_equal(cfi_new(&cfi, &input, NULL), 0);
	return cfi;
}

static const char *libc_path(void)
{
	return access("/lib/x86_64-linux-gnu/libc.so.6", R_OK) == 0
		       ? "/lib/x86_64-linux-gnu/libc.so.6"
		       : "/lib64/libc.so.6";
}

/* One register's rule against what libdw says of it. */
static void assert_rule(Dwarf_Frame *frame, int number,
			const struct cfi_rule *rule, uint64_t vaddr)
{
	Dwarf_Op memory[3], *ops;
	size_t n_ops;

	assert_int_equal(
		dwarf_frame_register(frame, number, memory, &ops, &n_ops), 0);
	/* What a table leaves open, libdw answers by the ABI. */
	if (rule->kind == CFI_UNSPECIFIED)
		return;
	if (n_ops == 0 && ops == memory) { /* libdw: undefined */
		if (rule->kind != CFI_UNDEFINED)
			fail_msg("%lx: r%d has rule %u", vaddr, number,
				 rule->kind);
		return;
	}
	if (n_ops == 0) { /* libdw: same value */
		assert_int_equal(rule->kind, CFI_SAME);
		return;
	}
	if (ops != memory) {
		assert_true(rule->kind == CFI_EXPRESSION ||
			    rule->kind == CFI_VAL_EXPRESSION);
		return;
	}
	if (rule->kind == CFI_REGISTER) {
		assert_true(ops[0].atom == DW_OP_reg0 + rule->reg ||
			    ops[0].atom == DW_OP_regx);
		return;
	}
	if (rule->kind != CFI_OFFSET || ops[0].atom != DW_OP_call_frame_cfa)
		fail_msg("%lx: r%d has rule %u", vaddr, number, rule->kind);
	assert_int_equal(rule->offset, n_ops > 1 ? (int64_t)ops[1].number : 0);
}

static void assert_cfa(Dwarf_Frame *frame, const struct cfi_rule *cfa)
{
	Dwarf_Op *ops;
	size_t n_ops;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n_ops), 0);
	if (cfa->kind == CFI_VAL_EXPRESSION) {
		assert_true(n_ops > 1);
		return;
	}
	assert_int_equal(cfa->kind, CFI_REGISTER);
	assert_int_equal(n_ops, 1);
	if (ops[0].atom == DW_OP_bregx) {
		assert_int_equal(cfa->reg, ops[0].number);
		assert_int_equal(cfa->offset, (int64_t)ops[0].number2);
	} else {
		assert_int_equal(cfa->reg, ops[0].atom - DW_OP_breg0);
		assert_int_equal(cfa->offset, (int64_t)ops[0].number);
	}
}

/* All rules at one address; returns where the row ends, 0 for no row. */
static uint64_t assert_same_as_libdw(struct cfi *cfi, Dwarf_CFI *dwarf,
				     uint64_t vaddr)
{
	struct cfi_rules rules;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	bool is_debug_frame, is_signal_frame;
	bool is_found = cfi_rules_find(cfi, vaddr, &rules, &is_debug_frame);

	if (dwarf_cfi_addrframe(dwarf, vaddr, &frame)) {
		assert_false(is_found);
		return 0;
	}
	if (!is_found)
		fail_msg("no row at %lx", vaddr);
	dwarf_frame_info(frame, &start, &end, &is_signal_frame);
	assert_int_equal(rules.is_signal_frame, is_signal_frame);
	/* libdw lets DW_CFA_restore_state bring back an older start. */
	assert_true(rules.start >= start && rules.start <= vaddr);
	assert_int_equal(rules.end, end);
	assert_cfa(frame, &rules.cfa);
	for (int i = 0; i <= 16; i++)
		if (i != 7)
			assert_rule(frame, i, &rules.regs[i], vaddr);
	free(frame);
	return end;
}

/* Every row of the first functions' worth of 100,000 bytes of each window. */
static void assert_file_same_as_libdw(const char *path, unsigned windows)
{
	struct file file = file_read(path);
	struct cfi *cfi = cfi_of_fd(file.fd);
	Elf *elf = elf_memory((char *)file.bytes, file.size);
	Dwarf_CFI *dwarf = dwarf_getcfi_elf(elf);
	unsigned n_rows = 0;

	assert_non_null(dwarf);
	for (unsigned window = 0; window < windows; window++) {
		uint64_t at = file.size / windows * window;
		uint64_t end = at + 20000;

		while (at < end) {
			uint64_t next = assert_same_as_libdw(cfi, dwarf, at);

			n_rows += next != 0;
			at = next > at ? next : at + 1;
		}
	}
	assert_true(n_rows > 100);
	dwarf_cfi_end(dwarf);
	elf_end(elf);
	cfi_free(cfi);
	file_close(&file);
}

static void rows_are_libdws(void **state)
{
	(void)state;
	assert_file_same_as_libdw(libc_path(), 16);
	assert_file_same_as_libdw("/lib64/ld-linux-x86-64.so.2", 4);
}

static void rows_of_the_vdso_are_libdws(void **state)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct cfi *cfi;
	Dwarf_CFI *dwarf;
	Elf *elf;
	unsigned n_rows = 0;

	(void)state;
	if (!image) {
		print_message("skip rows_of_the_vdso_are_libdws: no vDSO\n");
		skip();
	}
	cfi = cfi_of_image(image, 8192);
	elf = elf_memory((char *)image, 8192);
	dwarf = dwarf_getcfi_elf(elf);
	for (uint64_t at = 0; at < 8192; at++)
		n_rows += assert_same_as_libdw(cfi, dwarf, at) != 0;
	assert_true(n_rows > 100);
	dwarf_cfi_end(dwarf);
	elf_end(elf);
	cfi_free(cfi);
}

/* Rows at many addresses of two views of the same file. */
static void assert_same_rows(struct cfi *one, struct cfi *other, uint64_t size)
{
	unsigned n_rows = 0;

	for (uint64_t at = 0; at < size; at += 97) {
		struct cfi_row row = *cfi_find(one, at);
		const struct cfi_row *same = cfi_find(other, at);

		n_rows += row.cfa.kind != CFI_UNSPECIFIED;
		assert_memory_equal(&row.cfa, &same->cfa, sizeof(row.cfa));
		assert_memory_equal(&row.ra, &same->ra, sizeof(row.ra));
		assert_memory_equal(&row.fp, &same->fp, sizeof(row.fp));
	}
	assert_true(n_rows > 1000);
}

/* C21: the program headers are enough. */
static void a_file_without_section_headers_has_the_same_rows(void **state)
{
	struct file file = file_read(libc_path());
	struct cfi *whole = cfi_of_fd(file.fd), *bare;
	Elf64_Ehdr *header = (Elf64_Ehdr *)file.bytes;

	(void)state;
	header->e_shoff = 0;
	header->e_shnum = header->e_shstrndx = 0;
	bare = cfi_of_image(file.bytes, file.size);
	assert_same_rows(whole, bare, file.size);
	cfi_free(whole);
	cfi_free(bare);
	file_close(&file);
}

static void a_file_without_eh_frame_hdr_has_the_same_rows(void **state)
{
	struct file file = file_read(libc_path());
	struct cfi *whole = cfi_of_fd(file.fd), *bare;
	Elf64_Ehdr *header = (Elf64_Ehdr *)file.bytes;
	Elf64_Phdr *segments = (Elf64_Phdr *)(file.bytes + header->e_phoff);

	(void)state;
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			segments[i].p_type = PT_NULL;
	bare = cfi_of_image(file.bytes, file.size);
	assert_same_rows(whole, bare, file.size);
	cfi_free(whole);
	cfi_free(bare);
	file_close(&file);
}

static void debug_frame_is_used_where_there_is_no_eh_frame(void **state)
{
	struct file file = file_read("/proc/self/exe");
	struct cfi *cfi = cfi_of_fd(file.fd);
	uint64_t vaddr = (uint64_t)(cfi_in_debug_frame - __executable_start);
	struct cfi_rules rules;
	bool is_debug_frame;

	(void)state;
	assert_true(cfi_rules_find(cfi, vaddr + 1, &rules, &is_debug_frame));
	assert_true(is_debug_frame);
	assert_int_equal(rules.cfa.offset, 16);
	assert_int_equal(rules.regs[3].kind, CFI_OFFSET);
	assert_int_equal(rules.regs[3].offset, -16);
	assert_int_equal(cfi_find(cfi, vaddr)->cfa.offset, 8);
	assert_true(cfi_find(cfi, vaddr)->is_debug_frame);
	assert_int_equal(cfi_find(cfi, vaddr + 4)->cfa.kind, CFI_UNSPECIFIED);
	cfi_free(cfi);
	file_close(&file);
}

/* Turns the section of that name into one without bytes, as it is in a
 * stripped file. */
static void section_hide(struct file *file, const char *name)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)file->bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(file->bytes + header->e_shoff);
	const char *names = (const char *)file->bytes +
			    sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, name) == 0)
			sections[i].sh_type = SHT_NOBITS;
}

static void debug_frame_is_found_in_the_debug_file(void **state)
{
	struct file file = file_read("/proc/self/exe");
	struct cfi_input input = { -1, file.bytes, file.size, -1 };
	uint64_t vaddr = (uint64_t)(cfi_in_debug_frame - __executable_start);
	struct cfi *cfi = NULL;

	(void)state;
	section_hide(&file, ".debug_frame");
	assert_int_equal(cfi_new(&cfi, &input, NULL), 0);
	assert_int_equal(cfi_find(cfi, vaddr)->cfa.kind, CFI_UNSPECIFIED);
	cfi_free(cfi);
	input.debug_fd = dup(file.fd);
	assert_int_equal(cfi_new(&cfi, &input, NULL), 0);
	close(input.debug_fd); /* it is no longer needed */
	assert_int_equal(cfi_find(cfi, vaddr)->cfa.offset, 8);
	assert_int_equal(cfi_find(cfi, vaddr + 1)->cfa.offset, 16);
	cfi_free(cfi);
	file_close(&file);
}

static void code_without_rows_is_looked_at(void **state)
{
	struct file file = file_read("/proc/self/exe");
	struct cfi *cfi = cfi_of_fd(file.fd);
	uint64_t signal = (uint64_t)(cfi_sigreturn - __executable_start);
	uint64_t call = (uint64_t)(cfi_after_call - __executable_start);

	(void)state;
	assert_true(cfi_find(cfi, signal)->is_signal_frame);
	assert_true(cfi_find(cfi, signal - 1)->is_signal_frame);
	assert_int_equal(cfi_find(cfi, signal)->ra.kind, CFI_AT_REGISTER);
	assert_int_equal(cfi_find(cfi, signal)->ra.offset, 168);
	assert_int_equal(cfi_find(cfi, signal - 2)->cfa.kind, CFI_UNSPECIFIED);
	assert_true(cfi_find(cfi, call - 1)->follows_call);
	assert_false(cfi_find(cfi, call)->follows_call);
	cfi_free(cfi);
	file_close(&file);
}

/* Every form of "call through register or memory" ends right before the
 * address; bytes that merely contain ff do not. */
static void calls_are_known_by_their_bytes(void **state)
{
	static const struct {
		uint8_t code[MACHINE_CALL_MAX];
		bool is_call;
	} cases[] = {
		{ { 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, true },
		{ { 0, 0, 0, 0, 0, 0xff, 0xd0 }, true }, /* call *%rax */
		{ { 0, 0, 0, 0, 0, 0xff, 0x10 }, true }, /* call *(%rax) */
		{ { 0, 0, 0, 0, 0xff, 0x50, 0x18 }, true },
		{ { 0, 0xff, 0x15, 1, 2, 3, 4 }, true }, /* *x(%rip) */
		{ { 0, 0xff, 0x90, 1, 2, 3, 4 }, true },
		{ { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, true },
		{ { 0xff, 0x14, 0xc5, 1, 2, 3, 4 }, true },
		{ { 0, 0, 0, 0, 0, 0xff, 0xe0 }, false }, /* jmp *%rax */
		{ { 0, 0, 0, 0, 0, 0x90, 0x91 }, false },
		{ { 0, 0, 0, 0xff, 0xd0, 0x91, 0x91 }, false },
		{ { 0, 0, 0, 0, 0, 0, 0x90 }, true }, /* Go */
	};
	uint8_t bl[MACHINE_CALL_MAX] = { 0, 0, 0, 0x10, 0, 0, 0x94 };
	uint8_t blr[MACHINE_CALL_MAX] = { 0, 0, 0, 0x00, 0x01, 0x3f, 0xd6 };
	uint8_t ret[MACHINE_CALL_MAX] = { 0, 0, 0, 0xc0, 0x03, 0x5f, 0xd6 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(machine_ends_in_call(EM_X86_64, cases[i].code),
				 cases[i].is_call);
	assert_true(machine_ends_in_call(EM_AARCH64, bl));
	assert_true(machine_ends_in_call(EM_AARCH64, blr));
	assert_false(machine_ends_in_call(EM_AARCH64, ret));
	assert_true(machine_ends_in_syscall(
		EM_X86_64, (uint8_t[]){ 0, 0, 0, 0, 0, 0x0f, 0x05 }));
	assert_false(machine_ends_in_syscall(EM_X86_64, ret));
}

static void the_cache_answers_and_stays_small(void **state)
{
	struct file file = file_read(libc_path());
	struct cfi *cfi = cfi_of_fd(file.fd);
	struct cfi_statistics before, after;

	(void)state;
	for (uint64_t at = 0x30000; at < 0x30000 + 50000; at++)
		cfi_find(cfi, at);
	before = cfi_statistics(cfi);
	assert_int_equal(before.parsed, 50000);
	assert_true(before.bytes < 50000 * 24);
	for (uint64_t at = 0x30000; at < 0x30000 + 50000; at++)
		cfi_find(cfi, at);
	after = cfi_statistics(cfi);
	assert_int_equal(after.parsed, before.parsed);
	assert_int_equal(after.emptied, 0);
	/* Addresses beyond the cache's 4 GB have no row, and cost no room. */
	assert_int_equal(cfi_find(cfi, UINT64_MAX)->cfa.kind, CFI_UNSPECIFIED);
	assert_int_equal(cfi_statistics(cfi).bytes, after.bytes);
	cfi_free(cfi);
	file_close(&file);
}

static void a_full_cache_begins_anew(void **state)
{
	struct file file = file_read("/proc/self/exe");
	struct cfi *cfi = cfi_of_image(file.bytes, file.size);
	uint64_t vaddr = (uint64_t)(cfi_in_debug_frame - __executable_start);

	(void)state;
	for (uint64_t at = 0; at < CFI_CACHE_MAX + 10; at++)
		cfi_find(cfi, at + (1 << 24));
	assert_int_equal(cfi_statistics(cfi).emptied, 1);
	assert_int_equal(cfi_find(cfi, vaddr + 1)->cfa.offset, 16);
	cfi_free(cfi);
	file_close(&file);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	struct cfi_input input = { -1,
				   "\x7f"
				   "ELF but not really",
				   20, -1 };
	struct error error = { "" };
	struct cfi *cfi = NULL;

	(void)state;
	assert_int_equal(cfi_new(&cfi, &input, &error), -ENOEXEC);
	assert_string_not_equal(error.text, "");
	input.image = "#!/bin/sh\n";
	input.image_size = 10;
	assert_int_equal(cfi_new(&cfi, &input, &error), -ENOEXEC);
	assert_null(cfi);
}

static bool finds(const uint8_t *bytes, size_t size, uint64_t vaddr)
{
	struct cfi_bytes frames = { bytes, size, 0x1000 };
	struct cfi_section section;
	struct cfi_fde fde;
	bool is_found;

	cfi_section_init(&section, &frames, false, NULL);
	is_found = cfi_section_find(&section, vaddr, &fde);
	cfi_section_destroy(&section);
	return is_found;
}

/* C38: a damaged entry is lost, and no other. */
static void damaged_entries_are_left_out(void **state)
{
	/* CIE "zR" with absolute pointers; FDEs for 0x100 and 0x200. */
	uint8_t good[] = {
		16,   0,  0, 0,	   0,  0, 0, 0, 1,  'z', 'R', 0, 1,
		0x78, 16, 1, 0x03, 0,  0, 0, /* CIE */
		13,   0,  0, 0,	   24, 0, 0, 0, 0,  1,	 0,   0, 0x10,
		0,    0,  0, 0,	   13, 0, 0, 0, 41, 0,	 0,   0, 0,
		2,    0,  0, 0x10, 0,  0, 0, 0, 0,  0,	 0,   0,
	};
	uint8_t bytes[sizeof(good)];

	(void)state;
	assert_true(finds(good, sizeof(good), 0x100));
	assert_true(finds(good, sizeof(good), 0x20f));
	assert_false(finds(good, sizeof(good), 0x110));
	memcpy(bytes, good, sizeof(good));
	bytes[24] = 7; /* the first FDE's CIE is inside something */
	assert_false(finds(bytes, sizeof(bytes), 0x100));
	assert_true(finds(bytes, sizeof(bytes), 0x200));
	bytes[24] = 0xff; /* before the section */
	assert_false(finds(bytes, sizeof(bytes), 0x100));
	assert_true(finds(bytes, sizeof(bytes), 0x200));
	memcpy(bytes, good, sizeof(good));
	bytes[11] = 'X'; /* an augmentation without its NUL */
	memset(bytes + 12, 'X', 8);
	assert_false(finds(bytes, sizeof(bytes), 0x100));
	for (size_t size = 0; size < sizeof(good); size++)
		finds(good, size, 0x200);
	memset(bytes, 0, sizeof(bytes));
	assert_false(finds(bytes, sizeof(bytes), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_libdws),
		cmocka_unit_test(rows_of_the_vdso_are_libdws),
		cmocka_unit_test(
			a_file_without_section_headers_has_the_same_rows),
		cmocka_unit_test(a_file_without_eh_frame_hdr_has_the_same_rows),
		cmocka_unit_test(
			debug_frame_is_used_where_there_is_no_eh_frame),
		cmocka_unit_test(debug_frame_is_found_in_the_debug_file),
		cmocka_unit_test(code_without_rows_is_looked_at),
		cmocka_unit_test(calls_are_known_by_their_bytes),
		cmocka_unit_test(the_cache_answers_and_stays_small),
		cmocka_unit_test(a_full_cache_begins_anew),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
		cmocka_unit_test(damaged_entries_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
