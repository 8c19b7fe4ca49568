/*
 * What the model of the running system costs: reading the maps of a process
 * with 60,000 mappings, finding a thread and a mapping, taking the accounting
 * with 1,000 processes more.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/accounting.h"
#include "perfcore/process.h"

#define MAPPINGS  60000
#define PROCESSES 1000
#define ROUNDS	  5000000

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* A child that has done its work and waits to be killed. */
static pid_t child_of(void (*work)(void))
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (pid == 0) {
		if (work)
			work();
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		exit(1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* Alternating protections make a mapping of each page. */
static void map_much(void)
{
	char *pages = mmap(NULL, MAPPINGS * 4096ul, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < MAPPINGS; i += 2)
		mprotect(pages + i * 4096, 4096, PROT_READ);
}

static void bench_maps(struct process_table *table)
{
	pid_t pid = child_of(map_much);
	struct thread *thread =
		process_table_thread(table, (uint32_t)pid, (uint32_t)pid, 0, 1);
	double start = cpu_ms(), read;
	uint64_t sum = 0, address;
	size_t count;

	process_table_find(table, thread->process, 0);
	read = cpu_ms() - start;
	count = maps_count(thread->process->maps);
	start = cpu_ms();
	for (uint64_t i = 0; i < ROUNDS; i++) {
		thread = process_table_thread(table, (uint32_t)pid,
					      (uint32_t)pid, 0, 1);
		address =
			maps_at(thread->process->maps, i * 7919 % count)->start;
		sum += process_table_find(table, thread->process, address) !=
		       NULL;
	}
	printf("maps of %d mappings, %zu of code: %.1f ms of CPU time; thread "
	       "and mapping found in %.0f ns (%lu hits)\n",
	       MAPPINGS, count, read, (cpu_ms() - start) * 1e6 / ROUNDS, sum);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void bench_accounting(void)
{
	struct accounting *accounting = accounting_new("");
	static pid_t pids[PROCESSES];
	struct error error;
	double start;

	for (int i = 0; i < PROCESSES; i++)
		pids[i] = child_of(NULL);
	start = cpu_ms();
	accounting_begin(accounting, &error);
	printf("accounting with %d processes more: begin %.1f ms", PROCESSES,
	       cpu_ms() - start);
	start = cpu_ms();
	accounting_end(accounting, &error);
	printf(", end %.1f ms of CPU time\n", cpu_ms() - start);
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	accounting_free(accounting);
}

int main(void)
{
	struct process_table_config config = { .root = "" };
	struct process_table *table;

	config.strings = strings_new();
	config.binaries = binary_table_new(config.strings);
	table = process_table_new(&config);
	bench_maps(table);
	bench_accounting();
	process_table_free(table);
	binary_table_free(config.binaries);
	strings_free(config.strings);
	return 0;
}
