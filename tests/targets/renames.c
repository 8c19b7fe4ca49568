/*
 * One process under many names (cases C45, C46): it spins 80 ms of CPU time in
 * spin_first() as "first", renames itself and spins in spin_second() as
 * "second", then in spin_odd() under a name with a bracket, a newline and a
 * semicolon; a thread "worker" spins in spin_worker() and then calls exec on
 * this program, which spins in spin_after() under the name exec gave it.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* step: the compiler makes one of functions that are equal */
#define SPIN(name, step)                                                       \
	static __attribute__((noinline)) void name(void)                       \
	{                                                                      \
		uint64_t end = cpu_ns() + 80000000;                            \
                                                                               \
		do                                                             \
			for (int i = 0; i < 20000; i++)                        \
				sink += (uint64_t)i * step;                    \
		while (cpu_ns() < end);                                        \
	}

SPIN(spin_first, 3)
SPIN(spin_second, 5)
SPIN(spin_odd, 7)
SPIN(spin_worker, 9)
SPIN(spin_after, 11)

static void *work(void *argument)
{
	(void)argument;
	prctl(PR_SET_NAME, "worker");
	spin_worker();
	execl("/proc/self/exe", "renames", "after", NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1) {
		spin_after();
		return 0;
	}
	prctl(PR_SET_NAME, "first");
	spin_first();
	prctl(PR_SET_NAME, "second");
	spin_second();
	prctl(PR_SET_NAME, "a b) S\n1 ;x");
	spin_odd();
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pause();
	return 1;
}
