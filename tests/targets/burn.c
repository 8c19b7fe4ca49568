/*
 * Takes SECONDS of CPU time in burn_cpu() and then waits for its end: in a
 * container (linked statically, so that it is all that its root needs). With
 * "fork", a child does the same.
 *
 * usage: burn SECONDS [fork]
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline, noclone)) void burn_cpu(uint64_t end)
{
	do {
		for (unsigned i = 0; i < 100000; i++)
			sink += i;
	} while (cpu_ns() < end);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (argc > 2)
		fork();
	burn_cpu((uint64_t)(atof(argv[1]) * 1e9));
	for (;;)
		pause();
}
