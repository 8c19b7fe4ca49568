/*
 * Spins in three functions whose shares of its CPU time are 50:30:20, in
 * segments of random length, and at the end (after SECONDS of CPU time, or
 * SIGTERM) prints what each really took by the thread's own CPU clock:
 *
 *   spin_half 1.002 spin_third 0.598 spin_fifth 0.400
 *
 * usage: shares SECONDS [SEED]
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t is_over;
static volatile uint64_t sink;

static void on_term(int number)
{
	(void)number;
	is_over = 1;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Three functions with the same body, kept apart by the compiler; about 20 us
 * between two looks at the clock. */
#define SPINNER(name)                                                          \
	static __attribute__((noinline, noclone, no_icf)) void name(           \
		uint64_t end)                                                  \
	{                                                                      \
		do {                                                           \
			for (unsigned i = 0; i < 10000; i++)                   \
				sink += i * 3;                                 \
		} while (cpu_ns() < end && !is_over);                          \
	}

SPINNER(spin_half)
SPINNER(spin_third)
SPINNER(spin_fifth)

int main(int argc, char **argv)
{
	static void (*const spin[])(uint64_t) = { spin_half, spin_third,
						  spin_fifth };
	static const char *const names[] = { "spin_half", "spin_third",
					     "spin_fifth" };
	static const double share[] = { 0.5, 0.3, 0.2 };
	uint64_t spent[3] = { 0 };
	double limit = argc > 1 ? atof(argv[1]) : 1;

	srand48(argc > 2 ? atol(argv[2]) : 1);
	signal(SIGTERM, on_term);
	while (!is_over && (double)cpu_ns() < limit * 1e9) {
		for (int i = 0; i < 3 && !is_over; i++) {
			uint64_t begin = cpu_ns();
			double mean_ns = share[i] * 1e7;

			spin[i](begin + (uint64_t)(2 * drand48() * mean_ns));
			spent[i] += cpu_ns() - begin;
		}
	}
	for (int i = 0; i < 3; i++)
		printf("%s %.6f%c", names[i], (double)spent[i] / 1e9,
		       i < 2 ? ' ' : '\n');
	return 0;
}
