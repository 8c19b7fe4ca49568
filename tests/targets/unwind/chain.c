/* main -> outer -> middle -> inner -> spin, each with work after the call, so
 * that none is a tail call. With an argument, recurse that often first. */
#include <stdlib.h>

volatile unsigned long count;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void inner(void)
{
	spin();
	count++;
}

__attribute__((noinline)) static void middle(long n)
{
	char room[40];

	__asm__ volatile("" : : "r"(room) : "memory", "rbx", "r12", "r13");
	inner();
	count += (unsigned long)n;
}

__attribute__((noinline, optimize("no-optimize-sibling-calls"))) static void
outer(long n)
{
	if (n > 0)
		outer(n - 1);
	else
		middle(n);
	count++;
}

int main(int argc, char **argv)
{
	outer(argc > 1 ? atol(argv[1]) : 0);
	return (int)count;
}
