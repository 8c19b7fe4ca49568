/* A vfork child that spins on its parent's stack; the parent waits. */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

volatile unsigned long count;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void outer(void)
{
	if (vfork() == 0) {
		/* Who kills the parent must not leave this spinning. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin();
	}
	count++;
}

int main(void)
{
	outer();
	return 0;
}
