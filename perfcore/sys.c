#include "perfcore/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int sys_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu,
		  unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int sys_ioctl(int fd, unsigned long request, unsigned long argument)
{
	int result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

ssize_t sys_read(int fd, void *buffer, size_t size)
{
	ssize_t got = read(fd, buffer, size);

	return got < 0 ? -errno : got;
}

int sys_close(int fd)
{
	return close(fd) < 0 ? -errno : 0;
}

int sys_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready = poll(fds, count, timeout_ms);

	return ready < 0 ? -errno : ready;
}

void *sys_map(int fd, size_t size, int *failure)
{
	void *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED) {
		*failure = -errno;
		return NULL;
	}
	return memory;
}

void sys_unmap(void *memory, size_t size)
{
	munmap(memory, size);
}

uint64_t sys_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t sys_raise_files(uint64_t wanted)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= wanted)
		return limit.rlim_cur;
	if (limit.rlim_max < wanted) {
		struct rlimit raised = { wanted, wanted };

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			return wanted;
	}
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

int sys_uevent_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK,
				       .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int failure = -errno;

		close(fd);
		return failure;
	}
	return fd;
}

ssize_t sys_read_text(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, buffer, size - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return got;
	if (got > 0 && buffer[got - 1] == '\n')
		got--;
	buffer[got] = '\0';
	return got;
}
