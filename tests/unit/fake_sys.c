#include "fake_sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/sys.h"

struct fake_sys fake_sys;

void fake_sys_reset(const char *online)
{
	for (size_t i = 0; i < fake_sys.n_events; i++)
		free(fake_sys.events[i].memory);
	memset(&fake_sys, 0, sizeof(fake_sys));
	snprintf(fake_sys.online, sizeof(fake_sys.online), "%s", online);
	fake_sys.clock_ns = 1000000000000ull;
	fake_sys.files_limit = 1 << 20;
	fake_sys.map_limit = SIZE_MAX;
	fake_sys.max_rate = "100000";
	fake_sys.paranoid = "2";
}

static struct fake_event *event_of(int fd)
{
	return &fake_sys.events[fd - FAKE_FD_FIRST];
}

int sys_perf_open(struct perf_event_attr *attr, pid_t pid, int cpu,
		  unsigned long flags)
{
	int refused = fake_sys.open ? fake_sys.open(attr, cpu) : 0;
	struct fake_event *event = &fake_sys.events[fake_sys.n_events];

	(void)pid;
	(void)flags;
	if (refused < 0)
		return refused;
	if (fake_sys.n_events == FAKE_EVENTS_MAX)
		return -EMFILE;
	*event = (struct fake_event){ .attr = *attr,
				      .cpu = cpu,
				      .is_open = true };
	return FAKE_FD_FIRST + (int)fake_sys.n_events++;
}

int sys_ioctl(int fd, unsigned long request, unsigned long argument)
{
	if (request == PERF_EVENT_IOC_PERIOD) {
		event_of(fd)->attr.sample_period = *(uint64_t *)argument;
		return 0;
	}
	event_of(fd)->is_enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static ssize_t counters_read(int fd, void *buffer, size_t size)
{
	uint64_t values[5] = { 0, 1000, 1000, 1, event_of(fd)->lost };
	size_t length = size < sizeof(values) ? size : sizeof(values);

	memcpy(buffer, values, length);
	return (ssize_t)length;
}

int sys_uevent_open(void)
{
	return FAKE_UEVENT_FD;
}

static ssize_t uevent_read(char *buffer, size_t size)
{
	int length = snprintf(buffer, size, "%s", fake_sys.uevent);

	fake_sys.uevent[0] = '\0';
	return length ? length : -EAGAIN;
}

ssize_t sys_read(int fd, void *buffer, size_t size)
{
	if (fd == FAKE_UEVENT_FD)
		return uevent_read(buffer, size);
	return counters_read(fd, buffer, size);
}

int sys_close(int fd)
{
	if (fd == FAKE_UEVENT_FD)
		return 0;
	event_of(fd)->is_open = false;
	return 0;
}

static bool has_records(const struct fake_event *event)
{
	const struct perf_event_mmap_page *page = event->memory;

	return page && page->data_head != page->data_tail;
}

int sys_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready = 0;

	for (nfds_t i = 0; i < count; i++) {
		const struct fake_event *event = event_of(fds[i].fd);

		/* Only a watermark of one byte wakes at once here. */
		fds[i].revents =
			event->attr.wakeup_watermark == 1 && has_records(event)
				? POLLIN
				: 0;
		ready += fds[i].revents != 0;
	}
	if (!ready)
		fake_sys.clock_ns += (uint64_t)timeout_ms * 1000000;
	return ready;
}

void *sys_map(int fd, size_t size, int *failure)
{
	struct fake_event *event = event_of(fd);

	if (size > fake_sys.map_limit) {
		*failure = -EPERM;
		return NULL;
	}
	event->memory = calloc(1, size);
	event->size = size;
	return event->memory;
}

void sys_unmap(void *memory, size_t size)
{
	(void)size;
	for (size_t i = 0; i < fake_sys.n_events; i++) {
		if (fake_sys.events[i].memory != memory)
			continue;
		free(memory);
		fake_sys.events[i].memory = NULL;
	}
}

uint64_t sys_clock_ns(clockid_t clock)
{
	(void)clock;
	return fake_sys.clock_ns;
}

uint64_t sys_raise_files(uint64_t wanted)
{
	return wanted < fake_sys.files_limit ? wanted : fake_sys.files_limit;
}

static ssize_t text_give(const char *text, char *buffer, size_t size)
{
	if (!text)
		return -ENOENT;
	return snprintf(buffer, size, "%s", text);
}

ssize_t sys_read_text(const char *path, char *buffer, size_t size)
{
	if (strcmp(path, "/sys/devices/system/cpu/online") == 0)
		return text_give(fake_sys.online, buffer, size);
	if (strcmp(path, "/proc/sys/kernel/perf_event_max_sample_rate") == 0)
		return text_give(fake_sys.max_rate, buffer, size);
	if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0)
		return text_give(fake_sys.paranoid, buffer, size);
	if (strcmp(path, "/proc/sys/kernel/perf_event_mlock_kb") == 0)
		return text_give("516", buffer, size);
	return -ENOENT;
}

static enum fake_ring ring_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return FAKE_SAMPLING;
	if (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES)
		return FAKE_WAITS;
	if (attr->config != PERF_COUNT_SW_DUMMY)
		return FAKE_SAMPLING;
	return attr->context_switch ? FAKE_SWITCHES : FAKE_TRACKING;
}

struct fake_event *fake_sys_event(int cpu, enum fake_ring ring)
{
	for (size_t i = fake_sys.n_events; i-- > 0;) {
		struct fake_event *event = &fake_sys.events[i];

		if (event->is_open && event->cpu == cpu &&
		    ring_of(&event->attr) == ring)
			return event;
	}
	return NULL;
}

static void ring_put(struct fake_event *event, uint64_t at, const void *bytes,
		     size_t size)
{
	size_t data_size = event->size - 4096;
	uint8_t *data = (uint8_t *)event->memory + 4096;

	for (size_t i = 0; i < size; i++)
		data[(at + i) % data_size] = ((const uint8_t *)bytes)[i];
}

bool fake_sys_record(int cpu, enum fake_ring ring, uint32_t type, uint16_t misc,
		     const void *body, size_t size)
{
	struct fake_event *event = fake_sys_event(cpu, ring);
	struct perf_event_mmap_page *page = event->memory;
	struct perf_event_header header = { type, misc,
					    (uint16_t)(sizeof(header) + size) };
	uint64_t used = page->data_head - page->data_tail;

	if (event->size - 4096 - used < header.size) {
		event->lost++;
		return false;
	}
	ring_put(event, page->data_head, &header, sizeof(header));
	ring_put(event, page->data_head + sizeof(header), body, size);
	__atomic_store_n(&page->data_head, page->data_head + header.size,
			 __ATOMIC_RELEASE);
	return true;
}

size_t fake_sys_open_count(void)
{
	size_t count = 0;

	for (size_t i = 0; i < fake_sys.n_events; i++)
		count += fake_sys.events[i].is_open;
	return count;
}
