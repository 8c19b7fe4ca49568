/* A vfork child that spins on its parent's stack; the parent waits. */
#include <unistd.h>

volatile unsigned long count;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void outer(void)
{
	if (vfork() == 0)
		spin();
	count++;
}

int main(void)
{
	outer();
	return 0;
}
