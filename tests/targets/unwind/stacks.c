/*
 * Stacks that are not the main thread's plain one, or are too large. Which,
 * is the argument: thread, coroutine, vdso, touched (a 40 KB array, written:
 * case C33), untouched (a 20 KB array of which only one page is: case C34),
 * system (in a system call that takes long).
 */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

volatile unsigned long count;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		count++;
}

__attribute__((noinline)) static void *worker(void *argument)
{
	spin();
	count++;
	return argument;
}

__attribute__((noinline)) static void coroutine(void)
{
	spin();
	count++;
}

__attribute__((noinline)) static void in_coroutine(void)
{
	static ucontext_t here, there;
	static char stack[262144];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
}

__attribute__((noinline)) static void ask_time(void)
{
	struct timespec time;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &time);
		count += (unsigned long)time.tv_nsec;
	}
}

__attribute__((noinline)) static void touched(void)
{
	volatile char room[40960];

	for (unsigned i = 0; i < sizeof(room); i++)
		room[i] = (char)i;
	spin();
	count += (unsigned long)room[4000];
}

__attribute__((noinline)) static void untouched(void)
{
	volatile char room[20480];

	__asm__ volatile("" : : "r"(room));
	spin();
	count += (unsigned long)room[4000];
}

__attribute__((noinline)) static void in_system(void)
{
	static char room[1 << 20];
	int pipes[2];

	if (pipe(pipes))
		return;
	for (;;) {
		if (write(pipes[1], room, 60000) != 60000 ||
		    read(pipes[0], room, 60000) != 60000)
			return;
		count++;
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "thread";
	pthread_t thread;

	if (strcmp(how, "thread") == 0) {
		pthread_create(&thread, NULL, worker, NULL);
		pthread_join(thread, NULL);
	} else if (strcmp(how, "coroutine") == 0) {
		in_coroutine();
	} else if (strcmp(how, "vdso") == 0) {
		ask_time();
	} else if (strcmp(how, "touched") == 0) {
		touched();
	} else if (strcmp(how, "untouched") == 0) {
		untouched();
	} else {
		in_system();
	}
	return 0;
}
