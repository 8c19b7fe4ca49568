/* Unwinding AArch64 on any machine: made-up stacks through the functions of
 * tests/fixtures/unwind-aarch64.s. */
#include "symbolize/unwind.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define FIXTURE "tests/fixtures/unwind-aarch64.so"
#define BIAS	0x550000000000ull
#define BASE	0x7ffc0000000ull
#define FP	29
#define LR	30
#define SP	31
#define PC	32
#define SIGNED	0x002a000000000000ull /* a signature in the top bits */

static struct {
	int fd;
	struct cfi *cfi;
	Elf *elf;
	uint64_t words[200];
	struct unwind_regs regs;
	struct unwind_frame frames[16];
	size_t count;
} f;

static uint64_t address_of(const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(f.elf, section)) != NULL) {
		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_DYNSYM)
			continue;
		for (int i = 0;
		     gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++)
			if (strcmp(elf_strptr(f.elf, header.sh_link,
					      symbol.st_name),
				   name) == 0)
				return BIAS + symbol.st_value;
	}
	fail_msg("no symbol %s", name);
	return 0;
}

static bool module_at(void *context, uint64_t ip, struct unwind_module *module)
{
	(void)context;
	*module = (struct unwind_module){ BIAS, BIAS + 0x10000, BIAS, f.cfi,
					  NULL };
	return ip >= BIAS && ip < BIAS + 0x10000;
}

static int setup(void **state)
{
	struct cfi_input input = { .fd = open(FIXTURE, O_RDONLY | O_CLOEXEC),
				   .debug_fd = -1 };

	(void)state;
	memset(&f, 0, sizeof(f));
	f.fd = input.fd;
	f.regs.machine = EM_AARCH64;
	f.regs.known = (1ull << 33) - 1;
	f.regs.values[SP] = BASE;
	elf_version(EV_CURRENT);
	f.elf = elf_begin(f.fd, ELF_C_READ, NULL);
	return cfi_new(&f.cfi, &input, NULL);
}

static int teardown(void **state)
{
	(void)state;
	cfi_free(f.cfi);
	elf_end(f.elf);
	close(f.fd);
	return 0;
}

static uint64_t at(size_t word)
{
	return BASE + 8 * word;
}

static void expect_chain(enum unwind_end end, ...)
{
	struct unwind_stack stack = { (const uint8_t *)f.words, sizeof(f.words),
				      BASE };
	struct unwind_modules modules = { module_at, NULL };
	uint64_t want;
	va_list list;
	size_t n = 0;

	assert_int_equal(
		unwind(&f.regs, &stack, &modules, f.frames, 16, &f.count), end);
	va_start(list, end);
	while ((want = va_arg(list, uint64_t)) != 0) {
		assert_true(n < f.count);
		assert_int_equal(f.frames[n++].ip, want);
	}
	va_end(list);
	assert_int_equal(f.count, n);
}

/* caller's frame at a word: the saved x29, and x30 with a signature. */
static void caller_frame(size_t word)
{
	f.words[word] = 0;
	f.words[word + 1] = address_of("start_ret") | SIGNED;
}

static void a_leaf_returns_by_its_link_register(void **state)
{
	(void)state;
	f.regs.values[PC] = address_of("leaf") + 4;
	f.regs.values[LR] = address_of("caller_ret");
	f.regs.values[FP] = at(0);
	caller_frame(0);
	expect_chain(UNWIND_COMPLETE, address_of("leaf") + 4,
		     address_of("caller_ret"), address_of("start_ret"),
		     (uint64_t)0);
	assert_true(f.frames[1].is_return_address);
}

static void a_signature_is_masked(void **state)
{
	(void)state;
	f.regs.values[PC] = address_of("caller_ret");
	f.regs.values[FP] = at(4);
	caller_frame(4);
	expect_chain(UNWIND_COMPLETE, address_of("caller_ret"),
		     address_of("start_ret"), (uint64_t)0);
	/* Before anything is saved it is in the register, signed or not. */
	f.regs.values[PC] = address_of("caller") + 4;
	f.regs.values[LR] = address_of("start_ret") | SIGNED;
	expect_chain(UNWIND_COMPLETE, address_of("caller") + 4,
		     address_of("start_ret"), (uint64_t)0);
}

static void only_a_leaf_returns_by_the_link_register(void **state)
{
	(void)state;
	/* leaf cannot have called: its return address would be its own. */
	f.regs.values[PC] = address_of("caller_ret");
	f.regs.values[FP] = at(4);
	f.words[4] = 0;
	f.words[5] = address_of("leaf") + 8;
	expect_chain(UNWIND_BAD_DATA, address_of("caller_ret"),
		     address_of("leaf") + 8, (uint64_t)0);
}

static void the_frame_pointer_helps_where_there_is_no_row(void **state)
{
	(void)state;
	f.regs.values[PC] = address_of("bare") + 8;
	f.regs.values[FP] = at(2);
	f.words[2] = at(6);
	f.words[3] = address_of("bare_ret");
	f.words[6] = at(10);
	f.words[7] = address_of("caller_ret");
	caller_frame(10);
	expect_chain(UNWIND_COMPLETE, address_of("bare") + 8,
		     address_of("bare_ret"), address_of("caller_ret"),
		     address_of("start_ret"), (uint64_t)0);
}

/* struct rt_sigframe: x0 at 312 bytes, then the others, sp and pc. */
static void a_signal_frame_leads_to_the_interrupted_instruction(void **state)
{
	(void)state;
	f.regs.values[PC] = address_of("leaf");
	f.regs.values[LR] = address_of("sigreturn");
	f.words[39 + 29] = at(100);
	f.words[39 + 30] = 0x1234;
	f.words[39 + 31] = at(100);
	f.words[39 + 32] = address_of("caller_ret");
	caller_frame(100);
	expect_chain(UNWIND_COMPLETE, address_of("leaf"),
		     address_of("sigreturn"), address_of("caller_ret"),
		     address_of("start_ret"), (uint64_t)0);
	assert_true(f.frames[1].is_signal_frame);
	assert_false(f.frames[2].is_return_address);
}

/* A leaf may be what was interrupted: then its link register, from the signal
 * frame, is the way on. */
static void a_signal_may_interrupt_a_leaf(void **state)
{
	(void)state;
	f.regs.values[PC] = address_of("leaf");
	f.regs.values[LR] = address_of("sigreturn");
	f.words[39 + 29] = at(100);
	f.words[39 + 30] = address_of("caller_ret");
	f.words[39 + 31] = at(100);
	f.words[39 + 32] = address_of("leaf") + 4;
	caller_frame(100);
	expect_chain(UNWIND_COMPLETE, address_of("leaf"),
		     address_of("sigreturn"), address_of("leaf") + 4,
		     address_of("caller_ret"), address_of("start_ret"),
		     (uint64_t)0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_leaf_returns_by_its_link_register),
		TEST(a_signature_is_masked),
		TEST(only_a_leaf_returns_by_the_link_register),
		TEST(the_frame_pointer_helps_where_there_is_no_row),
		TEST(a_signal_frame_leads_to_the_interrupted_instruction),
		TEST(a_signal_may_interrupt_a_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
