/*
 * The system calls and the clock that recording stands on, each as thin as
 * can be, so that tests replace this one file (tests/unit/fake_sys.c) and meet
 * every errno, every odd record and any number of CPUs.
 */
#ifndef PERFCORE_SYS_H
#define PERFCORE_SYS_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* All return -errno on failure. */
int sys_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu,
		  unsigned long flags);
int sys_ioctl(int fd, unsigned long request, unsigned long argument);
ssize_t sys_read(int fd, void *buffer, size_t size);
int sys_close(int fd);
int sys_poll(struct pollfd *fds, nfds_t count, int timeout_ms);

/* Maps size bytes of fd for reading and writing; returns NULL and sets
 * *failure to -errno when the kernel refuses. */
void *sys_map(int fd, size_t size, int *failure);
void sys_unmap(void *memory, size_t size);

uint64_t sys_clock_ns(clockid_t clock);

/* Raises RLIMIT_NOFILE to at least wanted, the hard limit too where this user
 * may; returns the limit that now holds. */
uint64_t sys_raise_files(uint64_t wanted);

/* A socket on which the kernel tells of devices that come and go, one message
 * for each sys_read(), -EAGAIN when there is none: "offline@/devices/system/
 * cpu/cpu1" and more texts behind the NUL. */
int sys_uevent_open(void);

/* Reads a small text file ("/proc/sys/…", "/sys/…") into buffer, ends it with
 * NUL and cuts the last newline. Returns its length or -errno. */
ssize_t sys_read_text(const char *path, char *buffer, size_t size);

#endif
