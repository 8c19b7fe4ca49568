/*
 * Eight threads, a fixed amount of work in work(), a part of it inside a
 * mutex: one for all of them ("shared"), or one for each ("own"). Prints what
 * it knows of itself, in seconds: its wall time, CPU time, and all that its
 * threads waited for their locks.
 *
 *   wall 1.203 cpu 1.190 lock 8.164
 *
 * usage: lock shared|own ROUNDS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS 8
#define INSIDE	200000 /* iterations of work in the lock, … */
#define OUTSIDE 10000  /* … and outside */

static pthread_mutex_t mutexes[THREADS];
static unsigned rounds;
static int is_shared;
static double lock_s[THREADS];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static __attribute__((noinline, noclone)) uint64_t work(unsigned count)
{
	volatile uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += i;
	return sum;
}

static __attribute__((noinline, noclone)) void critical(unsigned number)
{
	pthread_mutex_t *mutex = &mutexes[is_shared ? 0 : number];
	double before = now();

	pthread_mutex_lock(mutex);
	lock_s[number] += now() - before;
	work(INSIDE);
	pthread_mutex_unlock(mutex);
}

static void *run(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument;

	for (unsigned i = 0; i < rounds; i++) {
		critical(number);
		work(OUTSIDE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double start = now(), waited = 0, cpu;
	struct rusage usage;

	if (argc < 3)
		return 2;
	is_shared = strcmp(argv[1], "shared") == 0;
	rounds = (unsigned)atoi(argv[2]);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_mutex_init(&mutexes[i], NULL);
		pthread_create(&threads[i], NULL, run, (void *)i);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		waited += lock_s[i];
	}
	getrusage(RUSAGE_SELF, &usage);
	cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	printf("wall %.3f cpu %.3f lock %.3f\n", now() - start, cpu, waited);
	return 0;
}
