/*
 * Unwinding of made-up stacks through functions that are never run: only
 * their tables and bytes are read, from this program's own file.
 */
#include "symbolize/unwind.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbolize/machine.h"

/*
 * Each function has its call to another in the middle: NAME_ret is where that
 * call returns to.
 */
__asm__(".pushsection .text\n"
	".cfi_sections .eh_frame\n"
	/* The end of every thread: the return address is undefined. */
	".globl u_start, u_start_ret\n"
	"u_start:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	call u_plain\n"
	"u_start_ret:\n"
	"	hlt\n"
	".cfi_endproc\n"
	/* 8 bytes pushed, 24 made room for: CFA = rsp + 40. */
	".globl u_plain, u_plain_ret, u_plain_end\n"
	"u_plain:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"	sub $24, %rsp\n"
	".cfi_def_cfa_offset 40\n"
	"	call u_framed\n"
	"u_plain_ret:\n"
	"	add $24, %rsp\n"
	".cfi_def_cfa_offset 16\n"
	"	pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"u_plain_end:\n"
	"	ret\n"
	".cfi_endproc\n"
	/* With a frame pointer: CFA = rbp + 16. */
	".globl u_framed, u_framed_ret\n"
	"u_framed:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	".cfi_def_cfa_register rbp\n"
	"	call u_realigned\n"
	"u_framed_ret:\n"
	"	pop %rbp\n"
	".cfi_def_cfa rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	/* As GCC realigns: CFA = *(rbp - 8). */
	".globl u_realigned, u_realigned_ret\n"
	"u_realigned:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 3, 0x76, 0x78, 6\n"
	".cfi_escape 0x10, 6, 2, 0x76, 0\n"
	"	call u_rbx\n"
	"u_realigned_ret:\n"
	"	ret\n"
	".cfi_endproc\n"
	/* The frame hangs on rbx, which a callee may have saved. */
	".globl u_rbx, u_rbx_ret\n"
	"u_rbx:\n"
	".cfi_startproc\n"
	".cfi_def_cfa rbx, 16\n"
	"	call u_plain\n"
	"u_rbx_ret:\n"
	"	ret\n"
	".cfi_endproc\n"
	/* A PLT entry: CFA = rsp + 8, + 8 more once the index is pushed. */
	".balign 16\n"
	".globl u_plt\n"
	"u_plt:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a\n"
	".cfi_escape 0x33, 0x24, 0x22\n"
	".skip 16, 0x90\n"
	".cfi_endproc\n"
	/* Its call is the last instruction; another function follows. */
	".globl u_noreturn, u_after, u_after_end\n"
	"u_noreturn:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"	call u_plain\n"
	".cfi_endproc\n"
	"u_after:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 64\n"
	"	ret\n"
	".cfi_endproc\n"
	"u_after_end:\n"
	/* Broken tables: the frame below its callee's; an endless loop. */
	".globl u_sinking, u_loop\n"
	"u_sinking:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset -64\n"
	"	nop\n"
	".cfi_endproc\n"
	"u_loop:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 4, 0x2f, 0xfd, 0xff, 0x96\n"
	"	nop\n"
	".cfi_endproc\n"
	/* As glibc's vfork: the return address is popped into a register. */
	".globl u_vfork, u_vfork_popped\n"
	"u_vfork:\n"
	".cfi_startproc\n"
	"	pop %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_register rip, rdi\n"
	"u_vfork_popped:\n"
	"	syscall\n"
	"	jmp *%rdi\n"
	".cfi_endproc\n"
	/* Without tables. */
	".globl u_bare, u_bare_ret, u_sigreturn\n"
	".skip 16, 0xcc\n"
	"u_bare:\n"
	"	call u_plain\n"
	"u_bare_ret:\n"
	"	ret\n"
	".skip 16, 0xcc\n"
	"u_sigreturn:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	".skip 16, 0xcc\n"
	".popsection\n");
extern const char u_start_ret[], u_plain[], u_plain_ret[], u_plain_end[],
	u_framed_ret[], u_realigned_ret[], u_rbx_ret[], u_plt[], u_noreturn[],
	u_after[], u_vfork_popped[], u_sinking[], u_loop[], u_bare[],
	u_bare_ret[], u_sigreturn[];
extern const char __executable_start[], etext[];

#define SP 7
#define FP 6
#define PC 16

#define WORDS 512
#define BASE  0x7ffc0000000ull

/* One made-up sample. word(n) is the n-th word above the stack pointer. */
struct fixture {
	int fd;
	struct cfi *cfi;
	struct unwind_regs regs;
	uint64_t words[WORDS];
	struct unwind_stack stack;
	struct unwind_frame frames[1200];
	size_t count;
	uint64_t jit_start, jit_end;
};

static bool module_at(void *context, uint64_t ip, struct unwind_module *module)
{
	struct fixture *f = context;
	uint64_t start = (uint64_t)__executable_start;

	if (ip >= f->jit_start && ip < f->jit_end) {
		*module = (struct unwind_module){ f->jit_start, f->jit_end, 0,
						  NULL, "jit" };
		return true;
	}
	*module = (struct unwind_module){ start, (uint64_t)etext, start, f->cfi,
					  "file" };
	return ip >= start && ip < (uint64_t)etext;
}

static int setup(void **state)
{
	static struct fixture f;
	struct cfi_input input = { .fd = open("/proc/self/exe",
					      O_RDONLY | O_CLOEXEC),
				   .debug_fd = -1 };

	f = (struct fixture){ .fd = input.fd };
	f.regs.machine = EM_X86_64;
	f.regs.known = (1 << 17) - 1;
	f.regs.values[SP] = BASE;
	f.stack = (struct unwind_stack){ (const uint8_t *)f.words,
					 sizeof(f.words), BASE };
	*state = &f;
	return cfi_new(&f.cfi, &input, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cfi_free(f->cfi);
	close(f->fd);
	return 0;
}

static uint64_t at(size_t word)
{
	return BASE + 8 * word;
}

static enum unwind_end run(struct fixture *f, const char *ip, size_t max)
{
	struct unwind_modules modules = { module_at, f };

	f->regs.values[PC] = (uint64_t)ip;
	return unwind(&f->regs, &f->stack, &modules, f->frames, max, &f->count);
}

/* Unwinds from ip and compares the frames, leaf first; NULL ends the list. */
static void expect_chain(struct fixture *f, enum unwind_end end, const char *ip,
			 ...)
{
	size_t n = 1;
	const char *want;
	va_list list;

	assert_int_equal(run(f, ip, 1200), end);
	assert_ptr_equal(f->frames[0].ip, ip);
	assert_false(f->frames[0].is_return_address);
	va_start(list, ip);
	while ((want = va_arg(list, const char *)) != NULL) {
		assert_true(n < f->count);
		assert_ptr_equal(f->frames[n++].ip, want);
	}
	va_end(list);
	assert_int_equal(f->count, n);
}

static void set_words(struct fixture *f, size_t word, const void *a,
		      const void *b)
{
	f->words[word] = (uint64_t)a;
	f->words[word + 1] = (uint64_t)b;
}

static void rows_lead_to_the_start(void **state)
{
	struct fixture *f = *state;

	/* The leaf u_plain's frame is 5 words, u_framed's record 2. */
	f->regs.values[FP] = 1; /* u_plain does not use it, but keeps it */
	f->words[4] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_start_ret, NULL);

	f->regs.values[FP] = at(10);
	f->words[4] = (uint64_t)u_framed_ret;
	set_words(f, 10, NULL, u_start_ret);
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_framed_ret, u_start_ret,
		     NULL);
	assert_true(f->frames[1].is_return_address);
	assert_string_equal(f->frames[1].owner, "file");
	assert_false(f->frames[1].is_by_fp);
}

static void the_first_and_last_instruction_have_rows_of_their_own(void **state)
{
	struct fixture *f = *state;

	f->words[0] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_plain, u_start_ret, NULL);
	expect_chain(f, UNWIND_COMPLETE, u_plain_end, u_start_ret, NULL);
}

static void a_realigned_frame_is_found_through_its_expression(void **state)
{
	struct fixture *f = *state;

	f->regs.values[FP] = at(20);
	f->words[19] = at(31); /* the CFA */
	f->words[20] = at(40); /* rbp of the caller, u_framed */
	f->words[30] = (uint64_t)u_framed_ret;
	set_words(f, 40, NULL, u_start_ret);
	expect_chain(f, UNWIND_COMPLETE, u_realigned_ret, u_framed_ret,
		     u_start_ret, NULL);
}

/* rbx was saved by the callee: the fast walk does not follow it, so the walk
 * is made again with all registers. */
static void a_frame_on_another_register_is_found(void **state)
{
	struct fixture *f = *state;

	f->words[3] = at(20); /* saved rbx at CFA - 16 of u_plain */
	f->words[4] = (uint64_t)u_rbx_ret;
	f->words[21] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_rbx_ret, u_start_ret,
		     NULL);
	/* As the leaf, rbx is in the sample. */
	f->regs.values[3] = at(20);
	expect_chain(f, UNWIND_COMPLETE, u_rbx_ret, u_start_ret, NULL);
	/* Or it is not, and then nobody knows. */
	f->regs.known &= ~(1ull << 3);
	expect_chain(f, UNWIND_NO_INFO, u_rbx_ret, NULL);
}

/* In an epilogue tables still name the slot that was popped, which is below
 * the stack pointer now: the register itself has the caller's value. */
static void a_popped_register_has_its_value_back(void **state)
{
	struct fixture *f = *state;

	f->regs.values[3] = at(20);
	f->words[0] = (uint64_t)u_rbx_ret;
	f->words[21] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_plain_end, u_rbx_ret, u_start_ret,
		     NULL);
}

static void a_plt_entry_is_known_on_both_sides_of_its_push(void **state)
{
	struct fixture *f = *state;

	set_words(f, 0, u_start_ret, u_framed_ret);
	expect_chain(f, UNWIND_COMPLETE, u_plt + 4, u_start_ret, NULL);
	set_words(f, 0, (void *)3, u_start_ret);
	expect_chain(f, UNWIND_COMPLETE, u_plt + 11, u_start_ret, NULL);
}

static void a_return_address_may_be_in_a_register(void **state)
{
	struct fixture *f = *state;

	f->regs.values[5] = (uint64_t)u_plain_ret; /* rdi */
	f->words[4] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_vfork_popped, u_plain_ret,
		     u_start_ret, NULL);
}

/* C01: the return address after a function's last call is in the next one. */
static void a_last_call_belongs_to_its_function(void **state)
{
	struct fixture *f = *state;

	f->words[4] = (uint64_t)u_after;
	f->words[6] = (uint64_t)u_start_ret; /* noreturn: CFA = rsp + 16 */
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_after, u_start_ret,
		     NULL);
}

/* struct ucontext at word n, with the three registers that matter. */
static void set_signal_frame(struct fixture *f, size_t n, uint64_t sp,
			     uint64_t fp, const char *pc)
{
	f->words[n + 120 / 8] = fp;
	f->words[n + 160 / 8] = sp;
	f->words[n + 168 / 8] = (uint64_t)pc;
}

/* C02: a signal came at a function's first instruction; one byte before it
 * is another function, or nothing. */
static void a_signal_frame_leads_to_the_interrupted_instruction(void **state)
{
	struct fixture *f = *state;

	f->words[4] = (uint64_t)u_sigreturn;
	set_signal_frame(f, 5, at(100), 0, u_after);
	f->words[107] = (uint64_t)u_start_ret; /* u_after: CFA = rsp + 64 */
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_sigreturn, u_after,
		     u_start_ret, NULL);
	assert_true(f->frames[1].is_signal_frame);
	assert_false(f->frames[2].is_return_address);
	assert_true(f->frames[3].is_return_address);
}

/* C04: the interrupted function is known from the signal frame, its stack is
 * not in the copy. */
static void an_alternate_stack_ends_truncated(void **state)
{
	struct fixture *f = *state;

	f->words[4] = (uint64_t)u_sigreturn;
	set_signal_frame(f, 5, 0x7fff12340000, 0, u_plain_ret);
	expect_chain(f, UNWIND_TRUNCATED, u_plain_ret, u_sigreturn, u_plain_ret,
		     NULL);
	set_signal_frame(f, 5, 0x10000, 0, u_plain_ret); /* a lower address */
	expect_chain(f, UNWIND_TRUNCATED, u_plain_ret, u_sigreturn, u_plain_ret,
		     NULL);
}

/* C33, C34: only what was copied counts. */
static void a_copy_that_ends_early_is_truncated(void **state)
{
	struct fixture *f = *state;

	f->words[4] = (uint64_t)u_plain_ret;
	f->words[9] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_plain_ret, u_plain_ret, u_start_ret,
		     NULL);
	f->stack.size = 79; /* one byte of the last return address is missing */
	expect_chain(f, UNWIND_TRUNCATED, u_plain_ret, u_plain_ret, NULL);
	f->stack.size = 39;
	expect_chain(f, UNWIND_TRUNCATED, u_plain_ret, NULL);
	f->stack.size = 0;
	f->stack.bytes = NULL;
	expect_chain(f, UNWIND_TRUNCATED, u_plain_ret, NULL);
}

static void contradictions_end_as_bad_data(void **state)
{
	struct fixture *f = *state;

	f->words[0] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_BAD_DATA, u_sinking, NULL);
	expect_chain(f, UNWIND_BAD_DATA, u_loop, NULL);
	f->words[4] = 0x1234; /* nothing is mapped there: no frame */
	expect_chain(f, UNWIND_BAD_DATA, u_plain_ret, NULL);
	f->regs.values[FP] = at(10) + 1;
	expect_chain(f, UNWIND_BAD_DATA, u_framed_ret, NULL);
}

/* Without tables: C37. */
static void the_frame_pointer_helps_where_there_is_no_row(void **state)
{
	struct fixture *f = *state;

	f->regs.values[FP] = at(10);
	set_words(f, 10, (void *)at(20), u_plain_ret);
	f->words[12 + 4] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, u_bare, u_plain_ret, u_start_ret,
		     NULL);
	assert_true(f->frames[0].is_by_fp);
	/* Two in a row; a record of zeros ends the chain. */
	set_words(f, 10, (void *)at(20), u_bare_ret);
	set_words(f, 20, NULL, NULL);
	expect_chain(f, UNWIND_COMPLETE, u_bare, u_bare_ret, NULL);
	/* And so does a saved frame pointer of 0, as in Go. */
	set_words(f, 10, NULL, u_bare_ret);
	expect_chain(f, UNWIND_COMPLETE, u_bare, u_bare_ret, NULL);
}

static void a_frame_pointer_that_is_none_is_not_followed(void **state)
{
	struct fixture *f = *state;
	const uint64_t bad[] = { 1, 42, BASE - 64, at(10) + 4, 0x5555 };

	set_words(f, 10, (void *)at(20), u_plain_ret);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f->regs.values[FP] = bad[i];
		expect_chain(f, UNWIND_NO_INFO, u_bare, NULL);
	}
	f->regs.values[FP] = at(10);
	set_words(f, 10, (void *)at(20), (void *)0x5555); /* nowhere */
	expect_chain(f, UNWIND_NO_INFO, u_bare, NULL);
	set_words(f, 10, (void *)at(20), u_bare + 2); /* not after a call */
	expect_chain(f, UNWIND_NO_INFO, u_bare, NULL);
	f->regs.values[FP] = at(WORDS) + 64; /* above the copy: not known */
	expect_chain(f, UNWIND_TRUNCATED, u_bare, NULL);
}

static void jit_code_is_unwound_by_frame_pointer(void **state)
{
	struct fixture *f = *state;
	const char *jit = (const char *)0x10000;

	f->jit_start = (uint64_t)jit;
	f->jit_end = f->jit_start + 4096;
	f->regs.values[FP] = at(10);
	set_words(f, 10, (void *)at(20), jit + 100);
	set_words(f, 20, (void *)at(30), u_plain_ret);
	f->words[22 + 4] = (uint64_t)u_start_ret;
	expect_chain(f, UNWIND_COMPLETE, jit + 5, jit + 100, u_plain_ret,
		     u_start_ret, NULL);
	assert_string_equal(f->frames[0].owner, "jit");
	set_words(f, 10, (void *)at(5), jit + 100); /* the chain must rise */
	expect_chain(f, UNWIND_NO_INFO, jit + 5, NULL);
}

/* The initial stack of a process above code without anything: musl, ld.so. */
static void the_start_of_a_process_is_known_by_its_stack(void **state)
{
	struct fixture *f = *state;
	const uint64_t initial[] = { 2,	     at(60), at(61),	     0,
				     at(62), 0,	     AT_SYSINFO_EHDR };

	f->regs.values[FP] = 0;
	expect_chain(f, UNWIND_NO_INFO, u_bare, NULL);
	memcpy(f->words + 8, initial, sizeof(initial));
	expect_chain(f, UNWIND_COMPLETE, u_bare, NULL);
	f->words[8] = 3;
	expect_chain(f, UNWIND_NO_INFO, u_bare, NULL);
}

static void code_that_is_not_mapped_has_no_callers(void **state)
{
	struct fixture *f = *state;

	expect_chain(f, UNWIND_NO_INFO, (const char *)0x1000, NULL);
	assert_null(f->frames[0].owner);
	expect_chain(f, UNWIND_NO_INFO, (const char *)0, NULL);
}

/* C35: far beyond the kernel's 127 frames. */
static void depth_is_the_callers_choice(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 100; i++)
		f->words[5 * i + 4] =
			(uint64_t)(i < 99 ? u_plain_ret : u_start_ret);
	assert_int_equal(run(f, u_plain_ret, 1200), UNWIND_COMPLETE);
	assert_int_equal(f->count, 101);
	assert_int_equal(run(f, u_plain_ret, 100), UNWIND_TOO_DEEP);
	assert_int_equal(f->count, 100);
	assert_int_equal(run(f, u_plain_ret, 1), UNWIND_TOO_DEEP);
}

static void registers_come_by_perfs_numbers(void **state)
{
	/* What perf asks for: all but DS, ES, FS, GS. */
	uint64_t values[20];
	struct sample_regs sample = { 2, 0xff0fff, values };
	struct unwind_regs regs;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		values[i] = 100 + i;
	assert_true(unwind_regs_from_sample(&sample, EM_X86_64, &regs));
	assert_int_equal(regs.values[0], 100); /* rax */
	assert_int_equal(regs.values[3], 101); /* rbx */
	assert_int_equal(regs.values[FP], 106);
	assert_int_equal(regs.values[SP], 107);
	assert_int_equal(regs.values[PC], 108);
	assert_int_equal(regs.values[8], 112); /* r8 */
	assert_int_equal(regs.values[15], 119);
	assert_int_equal(regs.known, (1 << 17) - 1);
	sample.abi = 1;
	assert_false(unwind_regs_from_sample(&sample, EM_X86_64, &regs));
	sample.abi = 2;
	sample.mask = 0x0f;
	assert_false(unwind_regs_from_sample(&sample, EM_X86_64, &regs));
	sample.mask = 0x1ffffffffull;
	sample.values = (uint64_t[33]){ [29] = 29, [31] = 31, [32] = 32 };
	assert_true(unwind_regs_from_sample(&sample, EM_AARCH64, &regs));
	assert_int_equal(regs.values[31], 31);
	assert_int_equal(regs.values[32], 32);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_lead_to_the_start),
		TEST(the_first_and_last_instruction_have_rows_of_their_own),
		TEST(a_realigned_frame_is_found_through_its_expression),
		TEST(a_frame_on_another_register_is_found),
		TEST(a_popped_register_has_its_value_back),
		TEST(a_plt_entry_is_known_on_both_sides_of_its_push),
		TEST(a_return_address_may_be_in_a_register),
		TEST(a_last_call_belongs_to_its_function),
		TEST(a_signal_frame_leads_to_the_interrupted_instruction),
		TEST(an_alternate_stack_ends_truncated),
		TEST(a_copy_that_ends_early_is_truncated),
		TEST(contradictions_end_as_bad_data),
		TEST(the_frame_pointer_helps_where_there_is_no_row),
		TEST(a_frame_pointer_that_is_none_is_not_followed),
		TEST(jit_code_is_unwound_by_frame_pointer),
		TEST(the_start_of_a_process_is_known_by_its_stack),
		TEST(code_that_is_not_mapped_has_no_callers),
		TEST(depth_is_the_callers_choice),
		TEST(registers_come_by_perfs_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
