#include "perfcore/accounting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/host_time.h"
#include "perfcore/mem.h"
#include "perfcore/procfs.h"

/* Counters of one thread when it was looked at. */
struct thread_times {
	uint32_t tid;
	uint64_t cpu_ns, runqueue_ns;
};

/* Counters of one process; its threads follow each other in their array. */
struct process_times {
	uint32_t pid, n_threads;
	uint64_t start_ticks;
	uint64_t at_ns; /* CLOCK_BOOTTIME of the look */
	uint64_t cpu_ns;
	size_t first_thread;
};

/* Everything alive at one moment, sorted by pid. */
struct snapshot {
	struct process_times *processes;
	size_t n_processes, process_capacity;
	struct thread_times *threads;
	size_t n_threads, thread_capacity;
	struct host_time host;
	uint64_t own_cpu_ns;
};

struct accounting {
	const char *root;
	uint64_t tick_ns;
	uint64_t begin_ns; /* CLOCK_BOOTTIME at the first snapshot */
	struct snapshot begin;
	struct accounting_process *processes;
	size_t n_processes;
	struct accounting_host host;
};

static void snapshot_destroy(struct snapshot *snapshot)
{
	free(snapshot->processes);
	free(snapshot->threads);
	*snapshot = (struct snapshot){ 0 };
}

struct accounting *accounting_new(const char *root)
{
	struct accounting *accounting = mem_calloc(1, sizeof(*accounting));

	accounting->root = root;
	accounting->tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	accounting->host.busy_s = -1;
	return accounting;
}

void accounting_free(struct accounting *accounting)
{
	if (!accounting)
		return;
	snapshot_destroy(&accounting->begin);
	free(accounting->processes);
	free(accounting);
}

static int clock_read(clockid_t clock, uint64_t *ns)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return -errno;
	*ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	uint64_t ns = 0;

	clock_read(clock, &ns);
	return ns;
}

/* The CPU clock of a process: exact, with the time of threads that have
 * ended. Its id is made as in the kernel's MAKE_PROCESS_CPUCLOCK, with
 * CPUCLOCK_SCHED = 2 (include/linux/posix-timers.h). */
static clockid_t process_clock(uint32_t pid)
{
	return (clockid_t)(~pid << 3 | 2);
}

/*
 * 38209538 4011931 95
 *
 * ns on a CPU, ns on a run queue, times on a CPU.
 */
static bool read_schedstat(const char *path, struct thread_times *times)
{
	char text[96];

	return procfs_read(path, text, sizeof(text)) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64, &times->cpu_ns,
		      &times->runqueue_ns) == 2;
}

static void add_thread(struct snapshot *snapshot, const char *root,
		       struct process_times *process, uint32_t tid)
{
	struct thread_times times = { .tid = tid };
	char path[512];

	bool fits;

	/* The process's own file is its main thread's, and found faster. */
	if (tid == process->pid)
		fits = procfs_path(path, sizeof(path), root,
				   "/proc/%u/schedstat", tid);
	else
		fits = procfs_path(path, sizeof(path), root,
				   "/proc/%u/task/%u/schedstat", process->pid,
				   tid);
	if (!fits || !read_schedstat(path, &times))
		return;
	snapshot->threads = mem_grow(snapshot->threads, snapshot->n_threads,
				     &snapshot->thread_capacity, sizeof(times));
	snapshot->threads[snapshot->n_threads++] = times;
	process->n_threads++;
}

static void add_threads(struct snapshot *snapshot, const char *root,
			struct process_times *process)
{
	struct procfs_numbers tids;
	char path[512];
	uint32_t tid;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/task",
			 process->pid) ||
	    procfs_numbers_open(&tids, path))
		return;
	while (procfs_numbers_next(&tids, &tid) > 0)
		add_thread(snapshot, root, process, tid);
	procfs_numbers_close(&tids);
}

/* A process that ends while it is looked at is left out. */
static void add_process(struct snapshot *snapshot, const char *root,
			uint32_t pid)
{
	struct process_times process = { .pid = pid };
	struct procfs_stat stat;

	if (procfs_stat(root, pid, pid, &stat))
		return;
	process.start_ticks = stat.start_ticks;
	process.first_thread = snapshot->n_threads;
	if (stat.n_threads == 1)
		add_thread(snapshot, root, &process, pid);
	else
		add_threads(snapshot, root, &process);
	process.at_ns = clock_ns(CLOCK_BOOTTIME);
	if (*root || clock_read(process_clock(pid), &process.cpu_ns)) {
		for (size_t i = 0; i < process.n_threads; i++)
			process.cpu_ns +=
				snapshot->threads[process.first_thread + i]
					.cpu_ns;
	}
	snapshot->processes =
		mem_grow(snapshot->processes, snapshot->n_processes,
			 &snapshot->process_capacity, sizeof(process));
	snapshot->processes[snapshot->n_processes++] = process;
}

static int by_pid(const void *a, const void *b)
{
	uint32_t first = ((const struct process_times *)a)->pid;
	uint32_t second = ((const struct process_times *)b)->pid;

	return (first > second) - (first < second);
}

static int take_snapshot(struct snapshot *snapshot, const char *root,
			 struct error *error)
{
	struct procfs_numbers pids;
	char path[512];
	uint32_t pid;
	int status;

	if (!procfs_path(path, sizeof(path), root, "/proc"))
		return error_set(error, -ENAMETOOLONG, "%s: name too long",
				 root);
	status = procfs_numbers_open(&pids, path);
	if (status)
		return error_set(error, status, "%s: %s", path,
				 strerror(-status));
	while (procfs_numbers_next(&pids, &pid) > 0)
		add_process(snapshot, root, pid);
	procfs_numbers_close(&pids);
	if (snapshot->n_processes)
		qsort(snapshot->processes, snapshot->n_processes,
		      sizeof(*snapshot->processes), by_pid);
	return 0;
}

int accounting_begin(struct accounting *accounting, struct error *error)
{
	struct host_time host;
	uint64_t own_cpu_ns;
	int status;

	snapshot_destroy(&accounting->begin);
	/* The host first, here and at the end: its window is the recording's,
	 * and each process's is as long, wherever its turn comes. */
	accounting->begin_ns = clock_ns(CLOCK_BOOTTIME);
	host_time_read(accounting->root, &host);
	own_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	status = take_snapshot(&accounting->begin, accounting->root, error);
	accounting->begin.host = host;
	accounting->begin.own_cpu_ns = own_cpu_ns;
	return status;
}

/* Counters of tasks never run backwards; a broken one gives 0. */
static uint64_t since(uint64_t end, uint64_t begin)
{
	return end > begin ? end - begin : 0;
}

static const struct process_times *find_process(const struct snapshot *snapshot,
						uint32_t pid)
{
	const struct process_times key = { .pid = pid };

	if (!snapshot->n_processes)
		return NULL;
	return bsearch(&key, snapshot->processes, snapshot->n_processes,
		       sizeof(key), by_pid);
}

/* Threads are listed in the order of their ids, so this ends soon. */
static const struct thread_times *find_thread(
	const struct snapshot *snapshot, const struct process_times *process,
	uint32_t tid, size_t hint)
{
	const struct thread_times *threads;

	if (!process)
		return NULL;
	threads = snapshot->threads + process->first_thread;
	for (size_t n = 0; n < process->n_threads; n++) {
		size_t i = (hint + n) % process->n_threads;

		if (threads[i].tid == tid)
			return &threads[i];
	}
	return NULL;
}

/* How long a thread was alive in the window, one that was born in it since
 * its start. */
static uint64_t thread_wall(const struct accounting *accounting,
			    const struct process_times *process, uint32_t tid,
			    uint64_t wall_ns)
{
	struct procfs_stat stat;

	if (procfs_stat(accounting->root, process->pid, tid, &stat))
		return 0;
	stat.start_ticks *= accounting->tick_ns;
	return since(process->at_ns, stat.start_ticks) < wall_ns
		       ? since(process->at_ns, stat.start_ticks)
		       : wall_ns;
}

static void sum_threads(const struct accounting *accounting,
			const struct snapshot *end,
			const struct process_times *now,
			const struct process_times *before,
			struct accounting_process *result)
{
	size_t hint = 0;

	for (size_t i = 0; i < now->n_threads; i++) {
		const struct thread_times *thread =
			&end->threads[now->first_thread + i];
		const struct thread_times *old = find_thread(
			&accounting->begin, before, thread->tid, hint);
		uint64_t cpu, runqueue, wall = result->wall_ns;

		if (old)
			hint = (size_t)(old - accounting->begin.threads) -
			       before->first_thread + 1;
		else if (before || thread->tid != now->pid)
			wall = thread_wall(accounting, now, thread->tid, wall);
		cpu = since(thread->cpu_ns, old ? old->cpu_ns : 0);
		runqueue =
			since(thread->runqueue_ns, old ? old->runqueue_ns : 0);
		result->runqueue_ns += runqueue;
		result->blocked_ns += since(wall, cpu + runqueue);
	}
}

static struct accounting_process account(const struct accounting *accounting,
					 const struct snapshot *end,
					 const struct process_times *now)
{
	const struct process_times *before =
		find_process(&accounting->begin, now->pid);
	uint64_t start_ns = now->start_ticks * accounting->tick_ns;
	struct accounting_process result = {
		.pid = now->pid,
		.start_ticks = now->start_ticks,
		.n_threads = now->n_threads,
	};

	if (before && before->start_ticks != now->start_ticks)
		before = NULL;
	/* Missed at the beginning, although it was there: nothing to say. */
	if (!before && start_ns + accounting->tick_ns < accounting->begin_ns)
		return result;
	result.is_whole = true;
	result.wall_ns = since(now->at_ns, before ? before->at_ns : start_ns);
	result.cpu_ns = since(now->cpu_ns, before ? before->cpu_ns : 0);
	if (before && before->n_threads > now->n_threads)
		result.n_threads = before->n_threads;
	sum_threads(accounting, end, now, before, &result);
	return result;
}

/* The peak of this image; ru_maxrss would be that of who started us. */
static double own_peak_bytes(void)
{
	char text[4096], *at;

	if (procfs_read("/proc/self/status", text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, "\nVmHWM:");
	return at ? strtod(at + 7, NULL) * 1024 : 0;
}

static void account_host(struct accounting *accounting,
			 const struct host_time *now, uint64_t end_ns,
			 uint64_t own_cpu_ns)
{
	const struct host_time *before = &accounting->begin.host;
	struct accounting_host *host = &accounting->host;
	uint64_t runqueue = 0;

	host->wall_s = (double)since(end_ns, accounting->begin_ns) / 1e9;

	host->busy_source = now->busy_source;
	host->busy_s = -1;
	if (now->busy_source)
		host->busy_s =
			(double)since(now->busy_ns, before->busy_ns) / 1e9;
	host->steal_s = (double)since(now->steal_ns, before->steal_ns) / 1e9;
	if (now->has_runqueue)
		runqueue = since(now->runqueue_ns, before->runqueue_ns);
	else
		for (size_t i = 0; i < accounting->n_processes; i++)
			runqueue += accounting->processes[i].runqueue_ns;
	host->runqueue_s = (double)runqueue / 1e9;
	host->own_cpu_s =
		(double)since(own_cpu_ns, accounting->begin.own_cpu_ns) / 1e9;
	host->own_peak_bytes = own_peak_bytes();
}

int accounting_end(struct accounting *accounting, struct error *error)
{
	struct snapshot end = { 0 };
	uint64_t end_ns = clock_ns(CLOCK_BOOTTIME);
	uint64_t own_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct host_time host;
	int status;

	host_time_read(accounting->root, &host);
	status = take_snapshot(&end, accounting->root, error);
	free(accounting->processes);
	accounting->processes =
		mem_calloc(end.n_processes, sizeof(*accounting->processes));
	for (size_t i = 0; i < end.n_processes; i++)
		accounting->processes[i] =
			account(accounting, &end, &end.processes[i]);
	accounting->n_processes = end.n_processes;
	account_host(accounting, &host, end_ns, own_cpu_ns);
	snapshot_destroy(&end);
	return status;
}

const struct accounting_host *accounting_host(
	const struct accounting *accounting)
{
	return &accounting->host;
}

const struct accounting_process *accounting_process(
	const struct accounting *accounting, uint32_t pid)
{
	size_t low = 0, high = accounting->n_processes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (accounting->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == accounting->n_processes ||
	    accounting->processes[low].pid != pid)
		return NULL;
	return &accounting->processes[low];
}

const struct accounting_process *accounting_at(
	const struct accounting *accounting, size_t index)
{
	return index < accounting->n_processes ? &accounting->processes[index]
					       : NULL;
}
