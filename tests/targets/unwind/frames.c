/* Frames that are not "stack pointer plus a constant": alloca, realigned
 * locals, both; a tail call leaves no frame. */
#include <stdlib.h>

volatile unsigned long count;
volatile int stop; /* for ever 0: else GCC calls what does not return */

typedef float vector __attribute__((vector_size(32)));

__attribute__((noinline)) void spin(void *a, void *b)
{
	while (!stop)
		count += a != b;
}

__attribute__((noinline)) void jumps(void *a, void *b)
{
	spin(a, b); /* with TAIL_CALL a jump: no frame remains */
#ifndef TAIL_CALL
	count++;
#endif
}

__attribute__((noinline)) void both(int n)
{
	vector aligned[2];
	char *room = __builtin_alloca((size_t)n * 24);

	jumps(aligned, room);
	count += (unsigned long)room[0];
}

__attribute__((noinline)) void realigned(int n)
{
	vector aligned[3];

	__asm__ volatile("" : : "r"(aligned) : "memory");
	both(n);
	__asm__ volatile("" : : "r"(aligned) : "memory");
}

__attribute__((noinline)) void variable(int n)
{
	char *room = __builtin_alloca((size_t)n * 16);

	__asm__ volatile("" : : "r"(room) : "memory");
	realigned(n);
	count += (unsigned long)room[0];
}

int main(int argc, char **argv)
{
	(void)argv;
	variable(argc + 7);
	return 0;
}
