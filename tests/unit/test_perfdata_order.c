#include "perfcore/perfdata_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Case C43. A record's number in the file stands in its event. */
static struct perf_event_header record = { .type = 9, .size = 40 };

static void push(struct perfdata_order *order, uint64_t time, uint32_t number)
{
	struct perfdata_entry entry = { time, &record, (uint16_t)number,
					record.size, 0 };

	perfdata_order_push(order, &entry);
}

/* Takes what is ready: "time:number " of each, at most size bytes. */
static void popped(struct perfdata_order *order, char *text, size_t size)
{
	struct perfdata_entry entry;
	size_t used = 0;

	*text = '\0';
	while (perfdata_order_pop(order, &entry))
		used += (size_t)snprintf(text + used, size - used, "%llu:%u ",
					 (unsigned long long)entry.time,
					 entry.event);
}

static void rounds_overlap_by_one(void **state)
{
	struct perfdata_order order;
	char text[256];

	(void)state;
	perfdata_order_init(&order);
	push(&order, 10, 0); /* first ring */
	push(&order, 30, 1);
	push(&order, 20, 2); /* second ring */
	perfdata_order_round(&order);
	popped(&order, text, sizeof(text));
	assert_string_equal(text, "");
	push(&order, 40, 3);
	push(&order, 25, 4); /* older than the end of the round before */
	perfdata_order_round(&order);
	popped(&order, text, sizeof(text));
	assert_string_equal(text, "10:0 20:2 25:4 30:1 ");
	push(&order, 35, 5);
	perfdata_order_round(&order);
	popped(&order, text, sizeof(text));
	assert_string_equal(text, "35:5 40:3 ");
	perfdata_order_finish(&order);
	popped(&order, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(order.n_late, 0);
	perfdata_order_destroy(&order);
}

static void equal_times_keep_the_files_order(void **state)
{
	struct perfdata_order order;
	char text[256];

	(void)state;
	perfdata_order_init(&order);
	push(&order, 5, 0);
	push(&order, 7, 1);
	push(&order, 5, 2);
	push(&order, 7, 3);
	push(&order, 5, 4);
	push(&order, 6, 5);
	push(&order, 5, 6);
	perfdata_order_finish(&order);
	popped(&order, text, sizeof(text));
	assert_string_equal(text, "5:0 5:2 5:4 5:6 6:5 7:1 7:3 ");
	perfdata_order_destroy(&order);
}

static void without_rounds_all_is_sorted(void **state)
{
	struct perfdata_order order;
	struct perfdata_entry entry;
	uint64_t last = 0, count = 0;

	(void)state;
	perfdata_order_init(&order);
	for (uint32_t i = 0; i < 5000; i++) /* scattered and backwards */
		push(&order, 1 + (uint64_t)(5000 - i) * 7919 % 5003, i);
	perfdata_order_finish(&order);
	while (perfdata_order_pop(&order, &entry)) {
		assert_true(entry.time >= last);
		last = entry.time;
		count++;
	}
	assert_int_equal(count, 5000);
	perfdata_order_destroy(&order);
}

/* However long a file without rounds is, what is held is bounded; a record
 * that comes too late is delivered at once, and counted. */
static void memory_is_bounded(void **state)
{
	struct perfdata_order order;
	struct perfdata_entry entry;
	uint64_t last = 0, count = 0, most = 0;

	(void)state;
	perfdata_order_init(&order);
	record.size = 65528;
	for (uint32_t i = 0; i < 20000; i++) {
		push(&order, 1000 + (i ^ 1), i);
		if (order.bytes > most)
			most = order.bytes;
		while (perfdata_order_pop(&order, &entry)) {
			assert_true(entry.time >= last);
			last = entry.time;
			count++;
		}
	}
	assert_true(most <= 100ull << 20);
	assert_true(count > 15000);
	assert_int_equal(order.n_late, 0);
	push(&order, 1, 20000);
	assert_int_equal(order.n_late, 1);
	perfdata_order_finish(&order);
	assert_true(perfdata_order_pop(&order, &entry));
	assert_int_equal(entry.time, 1);
	while (perfdata_order_pop(&order, &entry))
		count++;
	assert_int_equal(count, 20000);
	record.size = 40;
	perfdata_order_destroy(&order);
}

static void lowest_record_is_found(void **state)
{
	static struct perf_event_header records[3] = { { .size = 8 },
						       { .size = 8 },
						       { .size = 8 } };
	struct perfdata_order order;

	(void)state;
	perfdata_order_init(&order);
	assert_null(perfdata_order_lowest(&order));
	for (int i = 2; i > 0; i--) {
		struct perfdata_entry entry = { 9, &records[i], 0, 8, 0 };

		perfdata_order_push(&order, &entry);
	}
	assert_ptr_equal(perfdata_order_lowest(&order), &records[1]);
	perfdata_order_destroy(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_overlap_by_one),
		cmocka_unit_test(equal_times_keep_the_files_order),
		cmocka_unit_test(without_rounds_all_is_sorted),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(lowest_record_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
