/*
 * Many short processes: RATE times a second a new copy of this program is
 * written under a new path, run for 5 ms of CPU time in brief_spin() as
 * "briefling", and its file deleted as soon as it runs.
 *
 * usage: brief SECONDS RATE
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void brief_spin(void)
{
	do {
		for (unsigned i = 0; i < 10000; i++)
			sink += i;
	} while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < 5000000);
}

static void copy_self(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
	struct stat status;

	fstat(from, &status);
	if (sendfile(to, from, NULL, (size_t)status.st_size) != status.st_size)
		_exit(2);
	close(from);
	close(to);
}

static void run_one(const char *directory, int number)
{
	char path[256], byte;
	int gate[2];

	snprintf(path, sizeof(path), "%s/%d", directory, number);
	mkdir(path, 0700);
	strncat(path, "/briefling", sizeof(path) - strlen(path) - 1);
	copy_self(path);
	if (pipe2(gate, O_CLOEXEC) < 0)
		_exit(2);
	if (fork() == 0) {
		execl(path, "briefling", (char *)NULL);
		_exit(2);
	}
	/* exec closes the child's writing end, the last one: then the file
	 * can go. */
	close(gate[1]);
	while (read(gate[0], &byte, 1) > 0)
		;
	close(gate[0]);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/hostprof-brief.XXXXXX";
	uint64_t begin = now_ns(CLOCK_MONOTONIC), end;
	int rate, number = 0;

	if (argc < 3) {
		brief_spin();
		return 0;
	}
	if (!mkdtemp(directory))
		return 1;
	end = begin + (uint64_t)(atof(argv[1]) * 1e9);
	rate = atoi(argv[2]);
	while (now_ns(CLOCK_MONOTONIC) < end) {
		uint64_t due =
			begin + (uint64_t)number * 1000000000u / (uint64_t)rate;
		uint64_t now = now_ns(CLOCK_MONOTONIC);

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (now < due)
			usleep((useconds_t)((due - now) / 1000));
		run_one(directory, number++);
	}
	while (wait(NULL) > 0)
		;
	rmdir(directory);
	printf("%d\n", number);
	return 0;
}
