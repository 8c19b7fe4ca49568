/*
 * Waits in one known way for about SECONDS, and prints how long it waited by
 * its own clock:
 *
 *   waited 1.002
 *
 * usage: waiting sleep|poll|epoll|pipe|socket|child|condition|semaphore|
 *                yield|fsync|direct|fault SECONDS [FILE]
 *
 * FILE is for fsync, direct and fault: on a disk, 16 MB or more for the last
 * two.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUND_MS 20
#define BLOCK	 65536

static const char *file;
static int fds[2];
static char *block;
static volatile char seen;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void nap(void)
{
	struct timespec time = { 0, ROUND_MS * 1000000 };

	nanosleep(&time, NULL);
}

static struct timespec in_a_round(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += ROUND_MS * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void wait_poll(void)
{
	poll(NULL, 0, ROUND_MS);
}

static void wait_epoll(void)
{
	struct epoll_event event;

	epoll_wait(fds[0], &event, 1, ROUND_MS);
}

static void wait_read(void)
{
	char byte;

	if (read(fds[0], &byte, 1) != 1)
		exit(1);
}

static void wait_receive(void)
{
	char byte;

	if (recv(fds[0], &byte, 1, 0) != 1)
		exit(1);
}

static void wait_child(void)
{
	if (fork() == 0) {
		nap();
		_exit(0);
	}
	wait(NULL);
}

static void wait_condition(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec until = in_a_round();

	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static void wait_semaphore(void)
{
	static sem_t semaphore;
	struct timespec until = in_a_round();

	sem_timedwait(&semaphore, &until);
}

static void wait_yield(void)
{
	for (int i = 0; i < 1000; i++)
		sched_yield();
}

static void wait_fsync(void)
{
	if (pwrite(fds[0], block, BLOCK, 0) != BLOCK || fsync(fds[0]))
		exit(1);
}

static void wait_direct(void)
{
	static off_t at;

	if (pread(fds[0], block, BLOCK, at) != BLOCK)
		at = -BLOCK;
	at += BLOCK;
}

/* The file's pages are thrown away first, so each touch reads the disk. */
static void wait_fault(void)
{
	char *map;

	posix_fadvise(fds[0], 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, 16 << 20, PROT_READ, MAP_PRIVATE, fds[0], 0);
	if (map == MAP_FAILED)
		exit(1);
	madvise(map, 16 << 20, MADV_RANDOM);
	for (int i = 0; i < 16 << 20; i += BLOCK)
		seen = map[i];
	munmap(map, 16 << 20);
}

/* A child that writes a byte each round. */
static void writer_start(int is_socket)
{
	if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds))
		exit(1);
	if (fork())
		return;
	while (getppid() != 1) {
		nap();
		if (write(fds[1], "", 1) != 1)
			break;
	}
	_exit(0);
}

static void file_open(int flags)
{
	fds[0] = open(file, flags, 0600);
	if (fds[0] < 0)
		exit(1);
}

static void prepare(const char *kind)
{
	block = aligned_alloc(4096, BLOCK);
	memset(block, 1, BLOCK);
	if (strcmp(kind, "epoll") == 0)
		fds[0] = epoll_create1(0);
	if (strcmp(kind, "pipe") == 0 || strcmp(kind, "socket") == 0)
		writer_start(strcmp(kind, "socket") == 0);
	if (strcmp(kind, "fsync") == 0)
		file_open(O_RDWR | O_CREAT);
	if (strcmp(kind, "direct") == 0)
		file_open(O_RDONLY | O_DIRECT);
	if (strcmp(kind, "fault") == 0)
		file_open(O_RDONLY);
}

static const struct {
	const char *name;
	void (*wait)(void);
} kinds[] = {
	{ "sleep", nap },
	{ "poll", wait_poll },
	{ "epoll", wait_epoll },
	{ "pipe", wait_read },
	{ "socket", wait_receive },
	{ "child", wait_child },
	{ "condition", wait_condition },
	{ "semaphore", wait_semaphore },
	{ "yield", wait_yield },
	{ "fsync", wait_fsync },
	{ "direct", wait_direct },
	{ "fault", wait_fault },
};

int main(int argc, char **argv)
{
	double start, waited = 0;

	if (argc < 3)
		return 2;
	file = argc > 3 ? argv[3] : NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		prepare(argv[1]);
		start = now();
		while (now() - start < atof(argv[2])) {
			double before = now();

			kinds[i].wait();
			waited += now() - before;
		}
		printf("waited %.3f\n", waited);
		return 0;
	}
	return 2;
}
