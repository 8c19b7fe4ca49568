/*
 * A handler that spins. How the signal comes is the argument:
 *   timer  anywhere in work(), on the same stack
 *   alt    the same, on an alternate stack
 *   entry  by ud2, the first instruction of faults() (case C02)
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

volatile unsigned long count;

void faults(void);
__asm__(".text\n"
	".globl before_faults\n"
	".type before_faults, @function\n"
	"before_faults:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 128\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size before_faults, . - before_faults\n"
	".globl faults\n"
	".type faults, @function\n"
	"faults:\n"
	"	.cfi_startproc\n"
	"	ud2\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size faults, . - faults\n");

__attribute__((noinline)) void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) void handler(int signal)
{
	spin();
	count += (unsigned long)signal;
}

__attribute__((noinline)) void work(int faulting)
{
	if (faulting)
		faults();
	for (;;)
		count++;
}

__attribute__((noinline)) void outer(int faulting)
{
	work(faulting);
	count++;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "timer";
	struct itimerval timer = { .it_value = { .tv_usec = 20000 } };
	struct sigaction action = { .sa_handler = handler };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	if (strcmp(how, "alt") == 0) {
		sigaltstack(&stack, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (strcmp(how, "entry") != 0)
		setitimer(ITIMER_REAL, &timer, NULL);
	outer(strcmp(how, "entry") == 0);
	return 0;
}
