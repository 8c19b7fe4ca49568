#include "perfcore/process_proc.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/procfs.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t process_proc_boot_ns(void)
{
	uint64_t before, wall, after;
	int tries = 100;

	/* Nothing should come between the readings. */
	do {
		before = clock_ns(CLOCK_BOOTTIME);
		wall = clock_ns(CLOCK_REALTIME);
		after = clock_ns(CLOCK_BOOTTIME);
	} while (after - before > 100000 && --tries);
	return (wall - before + 500000) / 1000000 * 1000000;
}

uint64_t process_proc_tick_ns(void)
{
	return 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

static void take_exe(const struct process_table_config *config,
		     struct process *process)
{
	static const char mark[] = " (deleted)";
	char path[4096];
	size_t length;

	if (procfs_link(config->root, process->pid, "exe", path, sizeof(path)))
		return;
	length = strlen(path);
	if (length > sizeof(mark) - 1 &&
	    strcmp(path + length - (sizeof(mark) - 1), mark) == 0)
		length -= sizeof(mark) - 1;
	process->exe = strings_intern_n(config->strings, path, length);
}

void process_proc_read(const struct process_table_config *config,
		       struct instance *instance, uint64_t boot_ns)
{
	struct process *process = &instance->process;
	const char *root = config->root;
	struct procfs_status status;
	struct procfs_stat stat;
	char link[64];

	if (procfs_stat(root, process->pid, process->pid, &stat) == 0) {
		instance->start_ticks = stat.start_ticks;
		process->start_wall_ns =
			boot_ns + stat.start_ticks * process_proc_tick_ns();
		if (!instance->has_comm)
			process->comm =
				strings_intern(config->strings, stat.comm);
		instance->has_comm = true;
	}
	if (procfs_status(root, process->pid, &status) == 0) {
		process->uid = status.uid;
		process->namespace_pid = status.namespace_pid;
	}
	if (!process->exe[0] && !instance->is_exe_next)
		take_exe(config, process);
	if (procfs_link(root, process->pid, "ns/mnt", link, sizeof(link)) == 0)
		sscanf(link, "mnt:[%lu]", &process->mount_namespace);
}

const char *process_proc_comm(const struct process_table_config *config,
			      const struct instance *instance, uint32_t tid)
{
	char comm[PROCFS_COMM_MAX];

	if (!config->root || tid == instance->process.pid ||
	    procfs_comm(config->root, instance->process.pid, tid, comm))
		return instance->process.comm;
	return strings_intern(config->strings, comm);
}
