/* ring.c on a fake kernel: wrap-around, rubbish, release, looking ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "fake_sys.h"
#include "perfcore/ring.h"
#include "perfcore/sys.h"

static struct ring ring;
static int fd;

static void open_ring(uint32_t pages)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };

	fake_sys_reset("0");
	fd = sys_perf_open(&attr, -1, 0, 0);
	assert_int_equal(ring_open(&ring, fd, pages), 0);
}

static void put_number(uint64_t number, size_t size)
{
	uint64_t body[512] = { number };

	body[size / 8 - 1] = number;
	assert_true(fake_sys_record(0, false, 9, 0, body, size));
}

static uint64_t take_number(void)
{
	const struct perf_event_header *record = ring_peek(&ring);
	uint64_t first, last;

	assert_non_null(record);
	memcpy(&first, record + 1, 8);
	memcpy(&last, (const char *)record + record->size - 8, 8);
	assert_int_equal(first, last);
	ring_consume(&ring, record);
	return first;
}

static void records_wrap_around_the_end(void **state)
{
	uint64_t next_in = 1, next_out = 1;

	(void)state;
	open_ring(1);
	/* 3 records of 1000 bytes at a time: the fifth wraps, and so on. */
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 3; i++)
			put_number(next_in++, 992);
		ring_refresh(&ring);
		for (int i = 0; i < 3; i++)
			assert_int_equal(take_number(), next_out++);
		assert_null(ring_peek(&ring));
		ring_release(&ring);
	}
	assert_int_equal(fake_sys.events[0].lost, 0);
	assert_int_equal(ring.broken, 0);
	ring_close(&ring);
}

static void room_is_given_back_while_reading(void **state)
{
	(void)state;
	open_ring(1);
	for (int i = 0; i < 4; i++)
		put_number(7, 992);
	assert_false(fake_sys_record(0, false, 9, 0, &fd, 992));
	ring_refresh(&ring);
	take_number(); /* 1000 of 4096 bytes: more than an eighth */
	put_number(8, 992);
	ring_close(&ring);
}

static void rubbish_empties_the_ring_and_is_counted(void **state)
{
	struct perf_event_mmap_page *page;
	struct perf_event_header bad[] = {
		{ .type = 9, .size = 0 },
		{ .type = 9, .size = 4 },
		{ .type = 9, .size = 4000 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		open_ring(1);
		put_number(1, 16);
		page = fake_sys.events[0].memory;
		memcpy((char *)page + 4096 + 24, &bad[i], sizeof(bad[i]));
		page->data_head += 64;
		ring_refresh(&ring);
		assert_int_equal(take_number(), 1);
		assert_null(ring_peek(&ring));
		assert_int_equal(ring.broken, 1);
		assert_int_equal(page->data_tail, page->data_head);
		ring_close(&ring);
	}
}

static void scanning_looks_ahead_and_consumes_nothing(void **state)
{
	const struct perf_event_header *record;
	uint64_t seen = 0;

	(void)state;
	open_ring(1);
	put_number(1, 16);
	put_number(2, 16);
	ring_refresh(&ring);
	while ((record = ring_scan(&ring)))
		seen++;
	assert_int_equal(seen, 2);
	put_number(3, 16);
	ring_refresh(&ring);
	while ((record = ring_scan(&ring)))
		seen++;
	assert_int_equal(seen, 3);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(take_number(), i);
	put_number(4, 16);
	ring_refresh(&ring);
	assert_int_equal(take_number(), 4);
	assert_null(ring_scan(&ring)); /* consumed before it was scanned */
	ring_close(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_wrap_around_the_end),
		cmocka_unit_test(room_is_given_back_while_reading),
		cmocka_unit_test(rubbish_empties_the_ring_and_is_counted),
		cmocka_unit_test(scanning_looks_ahead_and_consumes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
