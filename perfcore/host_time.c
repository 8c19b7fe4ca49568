#include "perfcore/host_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/procfs.h"

/*
 * cpu0 0 0 0 0 0 0 1273824783 102873 4021
 *
 * The seventh number is the time that tasks ran on the CPU, the eighth the
 * time that they waited for it, in ns (Documentation/scheduler/
 * sched-stats.rst); only with CONFIG_SCHEDSTATS. A line without them (of
 * another version) leaves the source unused.
 */
static bool read_schedstat(const char *root, struct host_time *time)
{
	struct procfs_lines lines;
	bool is_found = false;
	char path[512], *line;

	if (!procfs_path(path, sizeof(path), root, "/proc/schedstat") ||
	    procfs_lines_open(&lines, path))
		return false;
	while (procfs_lines_next(&lines, &line) > 0) {
		uint64_t ran, waited;

		if (sscanf(line,
			   "cpu%*u %*u %*u %*u %*u %*u %*u %" SCNu64
			   " %" SCNu64,
			   &ran, &waited) != 2)
			continue;
		time->busy_ns += ran;
		time->runqueue_ns += waited;
		is_found = true;
	}
	procfs_lines_close(&lines);
	time->has_runqueue = is_found;
	return is_found;
}

/* The usage of the root of a version 1 hierarchy, in ns. */
static bool read_cpuacct(const char *root, struct host_time *time)
{
	static const char *const places[] = {
		"/sys/fs/cgroup/cpuacct/cpuacct.usage",
		"/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage",
	};
	char path[512], text[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!procfs_path(path, sizeof(path), root, "%s", places[i]) ||
		    procfs_read(path, text, sizeof(text)) <= 0)
			continue;
		time->busy_ns = strtoull(text, NULL, 10);
		return true;
	}
	return false;
}

/*
 * cpu  7437 0 2349 252644 1198 0 66 7 0 0
 *
 * user nice system idle iowait irq softirq steal, in ticks since the boot;
 * guest time is part of user. Returns the busy ticks, or -1.
 */
static int64_t read_stat(const char *root, struct host_time *time)
{
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t user, nice, system, irq, softirq, steal;
	char path[512], text[512];

	if (!procfs_path(path, sizeof(path), root, "/proc/stat") ||
	    procfs_read(path, text, sizeof(text)) <= 0 ||
	    sscanf(text,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &irq, &softirq, &steal) != 6)
		return -1;
	time->steal_ns = steal * tick_ns;
	return (int64_t)((user + nice + system + irq + softirq) * tick_ns);
}

void host_time_read(const char *root, struct host_time *time)
{
	int64_t stat_busy;

	*time = (struct host_time){ 0 };
	stat_busy = read_stat(root, time);
	if (read_schedstat(root, time)) {
		time->busy_source = "schedstat";
	} else if (read_cpuacct(root, time)) {
		time->busy_source = "cpuacct";
	} else if (stat_busy >= 0) {
		time->busy_ns = (uint64_t)stat_busy;
		time->busy_source = "/proc/stat";
	}
}
