/*
 * A kernel of our own in place of perfcore/sys.c: any number of CPUs, every
 * errno, rings that a test fills record by record, and a clock that only the
 * test moves.
 */
#ifndef TESTS_FAKE_SYS_H
#define TESTS_FAKE_SYS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_event {
	struct perf_event_attr attr; /* as asked */
	int cpu;
	bool is_open, is_enabled;
	void *memory; /* of its ring */
	size_t size;
	uint64_t lost; /* records that found no room */
};

#define FAKE_EVENTS_MAX 8192
#define FAKE_UEVENT_FD	900
#define FAKE_FD_FIRST	1000

struct fake_sys {
	struct fake_event events[FAKE_EVENTS_MAX]; /* in order of opening */
	size_t n_events;
	char uevent[64];   /* the next message of a device; "" none */
	char online[64];   /* "0-3" */
	uint64_t clock_ns; /* all clocks; poll moves it by its timeout */
	uint64_t files_limit;
	size_t map_limit;		 /* bytes of one ring; more is EPERM */
	const char *max_rate, *paranoid; /* NULL: no such file */
	/* Returns 0 to allow the open, or -errno. NULL allows all. */
	int (*open)(const struct perf_event_attr *attr, int cpu);
};

extern struct fake_sys fake_sys;

void fake_sys_reset(const char *online);

/* The events of a CPU, by what they are for. */
enum fake_ring { FAKE_SAMPLING, FAKE_TRACKING, FAKE_WAITS, FAKE_SWITCHES };

/* The event last opened for that; NULL: none is open. */
struct fake_event *fake_sys_event(int cpu, enum fake_ring ring);

/* Appends a record to the ring of the event opened for cpu. Sets header.size.
 * Returns false where it is full. */
bool fake_sys_record(int cpu, enum fake_ring ring, uint32_t type, uint16_t misc,
		     const void *body, size_t size);

/* Events now open. */
size_t fake_sys_open_count(void);

#endif
