/*
 * Hand-written assembly that calls back into C. Which, is the argument:
 *   cfi      with call frame information
 *   fp       without, but it keeps the frame pointer
 *   bare     without either
 *   last     C: its last instruction is the call; another function follows
 */
#include <string.h>

volatile unsigned long count;

void with_cfi(void), with_fp(void), bare(void), last(void);
__asm__(".text\n"
	".type with_cfi, @function\n"
	"with_cfi:\n"
	"	.cfi_startproc\n"
	"	sub $40, %rsp\n"
	"	.cfi_adjust_cfa_offset 40\n"
	"	call spin\n"
	"	add $40, %rsp\n"
	"	.cfi_adjust_cfa_offset -40\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size with_cfi, . - with_cfi\n"
	".type with_fp, @function\n"
	"with_fp:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $32, %rsp\n"
	"	call spin\n"
	"	leave\n"
	"	ret\n"
	".size with_fp, . - with_fp\n"
	".type bare, @function\n"
	"bare:\n"
	"	sub $8, %rsp\n"
	"	mov $12345, %ebp\n"
	"	call spin\n"
	"	ud2\n"
	".size bare, . - bare\n"
	".type last, @function\n"
	"last:\n"
	"	.cfi_startproc\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call spin\n"
	"	.cfi_endproc\n"
	".size last, . - last\n"
	".type innocent, @function\n"
	"innocent:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size innocent, . - innocent\n");

__attribute__((noinline, used)) void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void caller(const char *how)
{
	if (strcmp(how, "cfi") == 0)
		with_cfi();
	else if (strcmp(how, "fp") == 0)
		with_fp();
	else if (strcmp(how, "bare") == 0)
		bare();
	else
		last();
	count++;
}

int main(int argc, char **argv)
{
	caller(argc > 1 ? argv[1] : "cfi");
	return 0;
}
