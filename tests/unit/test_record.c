/* record.c: bytes to events; every record stands before a guard page, so a
 * read past its end is a crash and not a matter of luck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "perfcore/record.h"

#define PAGE 4096

static uint8_t *guarded_end(void)
{
	static uint8_t *pages;

	if (!pages) {
		pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(pages != MAP_FAILED);
		assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	}
	return pages + PAGE;
}

struct bytes {
	uint8_t data[2048];
	size_t size;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
	memcpy(bytes->data + bytes->size, &value, size);
	bytes->size += size;
}

static void begin(struct bytes *bytes, uint32_t type, uint16_t misc)
{
	bytes->size = 0;
	put(bytes, type, 4);
	put(bytes, misc, 2);
	put(bytes, 0, 2);
}

/* Sets header.size and decodes the record from just before the guard page. */
static int decode(struct bytes *bytes, const struct record_format *format,
		  struct event *event)
{
	uint16_t size = (uint16_t)bytes->size;
	uint8_t *at = guarded_end() - ((bytes->size + 7) & ~7ul);

	memcpy(bytes->data + 6, &size, 2);
	memcpy(at, bytes->data, bytes->size);
	return record_decode((void *)at, format, event);
}

static const struct record_format full = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
		       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | 16 /* LOST */ |
		       PERF_FORMAT_TOTAL_TIME_ENABLED,
	.user_regs_mask = 0x181, /* three registers */
	.sample_id_all = true,
	.event = 3,
};

enum { READ_COUNT_AT = 56, CHAIN_COUNT_AT = 120, STACK_SIZE_AT = 184 };

static void put_full_sample(struct bytes *bytes)
{
	begin(bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put(bytes, 77, 8);	 /* identifier */
	put(bytes, 0x401234, 8); /* ip */
	put(bytes, 100, 4);
	put(bytes, 101, 4);
	put(bytes, 5000, 8); /* time */
	put(bytes, 1, 4);    /* cpu */
	put(bytes, 0, 4);
	put(bytes, 10101010, 8); /* period */
	assert_int_equal(bytes->size, READ_COUNT_AT);
	put(bytes, 2, 8);    /* READ: two values of the group */
	put(bytes, 9999, 8); /* time enabled */
	for (int i = 0; i < 2; i++) {
		put(bytes, 1, 8); /* value, id, lost */
		put(bytes, 2, 8);
		put(bytes, 0, 8);
	}
	assert_int_equal(bytes->size, CHAIN_COUNT_AT);
	put(bytes, 3, 8);
	put(bytes, (uint64_t)PERF_CONTEXT_USER, 8);
	put(bytes, 0x401234, 8);
	put(bytes, 0x401300, 8);
	put(bytes, 2, 8); /* regs: abi 64 */
	put(bytes, 0x11, 8);
	put(bytes, 0x7ffe1000, 8);
	put(bytes, 0x401234, 8);
	assert_int_equal(bytes->size, STACK_SIZE_AT);
	put(bytes, 16, 8); /* stack: 16 bytes, 8 copied */
	put(bytes, 0xabcd, 8);
	put(bytes, 0, 8);
	put(bytes, 8, 8);
	put(bytes, 4711, 8); /* cgroup */
}

static void sample_with_every_field(void **state)
{
	struct bytes bytes;
	struct event event;

	(void)state;
	put_full_sample(&bytes);
	assert_int_equal(decode(&bytes, &full, &event), 0);
	assert_int_equal(event.kind, EVENT_SAMPLE);
	assert_int_equal(event.event, 3);
	assert_int_equal(event.pid, 100);
	assert_int_equal(event.tid, 101);
	assert_int_equal(event.time, 5000);
	assert_int_equal(event.cpu, 1);
	assert_int_equal(event.sample.period, 10101010);
	assert_int_equal(event.sample.mode, CPU_MODE_USER);
	assert_int_equal(event.sample.n_callchain, 3);
	assert_int_equal(event.sample.callchain[2], 0x401300);
	assert_int_equal(event.sample.user_regs.values[1], 0x7ffe1000);
	assert_int_equal(event.sample.stack_size, 8);
	assert_int_equal(event.sample.stack[0], 0xcd);
	assert_int_equal(event.sample.cgroup, 4711);
}

/* Case C56: a read_format that a reader does not follow shifts all the rest. */
static void sample_cut_anywhere_is_refused_c56(void **state)
{
	struct bytes bytes, cut;
	struct event event;

	(void)state;
	put_full_sample(&bytes);
	for (size_t size = 8; size < bytes.size; size += 8) {
		cut = bytes;
		cut.size = size;
		assert_int_equal(decode(&cut, &full, &event), -EBADMSG);
	}
}

static void counts_beyond_the_record_are_refused(void **state)
{
	static const size_t at[] = { READ_COUNT_AT, CHAIN_COUNT_AT,
				     STACK_SIZE_AT };
	static const uint64_t huge[] = { UINT64_MAX, 1ull << 61, 4000 };
	struct bytes bytes;
	struct event event;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 3; j++) {
			put_full_sample(&bytes);
			memcpy(bytes.data + at[i], &huge[j], 8);
			assert_int_equal(decode(&bytes, &full, &event),
					 -EBADMSG);
		}
	}
}

static void mmap2_with_build_id_or_inode(void **state)
{
	struct record_format format = full;
	struct bytes bytes;
	struct event event;

	(void)state;
	format.sample_id_all = false;
	for (int has_build_id = 0; has_build_id < 2; has_build_id++) {
		begin(&bytes, PERF_RECORD_MMAP2,
		      PERF_RECORD_MISC_USER | (has_build_id ? 1 << 14 : 0));
		put(&bytes, 7, 4);
		put(&bytes, 8, 4);
		put(&bytes, 0x400000, 8);
		put(&bytes, 0x1000, 8);
		put(&bytes, 0x2000, 8);
		put(&bytes, has_build_id ? 20 : 254, 4);
		put(&bytes, 1, 4);
		put(&bytes, 0x1122334455667788, 8);
		put(&bytes, 5, 8);
		put(&bytes, 5, 4);
		put(&bytes, 2, 4);
		put(&bytes, 0x6e69622f, 8); /* "/bin" and zeros */
		assert_int_equal(decode(&bytes, &format, &event), 0);
		assert_int_equal(event.kind, EVENT_MMAP);
		assert_string_equal(event.mmap.path, "/bin");
		assert_int_equal(event.mmap.protection, 5);
		if (has_build_id) {
			assert_int_equal(event.mmap.build_id_size, 20);
			assert_int_equal(event.mmap.build_id[4], 0x88);
			assert_int_equal(event.mmap.inode, 0);
		} else {
			assert_int_equal(event.mmap.build_id_size, 0);
			assert_int_equal(event.mmap.major, 254);
			assert_int_equal(event.mmap.inode, 0x1122334455667788);
		}
	}
}

/* The flag of the session that asked for build-ids is in everybody's. */
static void build_id_flag_alone_does_not_tell(void **state)
{
	static const uint32_t majors[] = { 254, 8, 0 };
	struct record_format format = full;
	struct bytes bytes;
	struct event event;

	(void)state;
	format.sample_id_all = false;
	for (size_t i = 0; i < 3; i++) {
		begin(&bytes, PERF_RECORD_MMAP2,
		      PERF_RECORD_MISC_USER | 1 << 14);
		put(&bytes, 7, 4);
		put(&bytes, 8, 4);
		put(&bytes, 0x400000, 8);
		put(&bytes, 0x1000, 8);
		put(&bytes, 0x2000, 8);
		put(&bytes, majors[i], 4);
		put(&bytes, 1, 4);
		put(&bytes, 77, 8);
		put(&bytes, 5, 8);
		put(&bytes, 5, 4);
		put(&bytes, 2, 4);
		put(&bytes, 0x6e69622f, 8);
		assert_int_equal(decode(&bytes, &format, &event), 0);
		assert_int_equal(event.mmap.build_id_size, 0);
		assert_int_equal(event.mmap.major, majors[i]);
		assert_int_equal(event.mmap.minor, 1);
		assert_int_equal(event.mmap.inode, 77);
		assert_string_equal(event.mmap.path, "/bin");
	}
	format.asks_build_ids = true; /* then 8 is a short build-id */
	begin(&bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14);
	for (int i = 0; i < 4; i++)
		put(&bytes, 0x1000, 8);
	put(&bytes, 8, 4);
	for (int i = 0; i < 5; i++)
		put(&bytes, 0xabababab, 4);
	put(&bytes, 5, 8);
	put(&bytes, 0x6e69622f, 8);
	assert_int_equal(decode(&bytes, &format, &event), 0);
	assert_int_equal(event.mmap.build_id_size, 8);
	assert_int_equal(event.mmap.build_id[7], 0xab);
}

static void fixed_period_stands_where_none_is_recorded(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP,
		.sample_period = 4000,
	};
	struct record_format format = record_format_of(&attr, 0);
	struct bytes bytes;
	struct event event;

	(void)state;
	begin(&bytes, PERF_RECORD_SAMPLE, 0);
	put(&bytes, 0x401000, 8);
	assert_int_equal(decode(&bytes, &format, &event), 0);
	assert_int_equal(event.sample.period, 4000);
	attr.freq = 1; /* then it is no period */
	format = record_format_of(&attr, 0);
	assert_int_equal(decode(&bytes, &format, &event), 0);
	assert_int_equal(event.sample.period, 1);
}

static void text_without_its_end_is_refused(void **state)
{
	struct record_format format = { 0 };
	struct bytes bytes;
	struct event event;

	(void)state;
	begin(&bytes, PERF_RECORD_COMM, 0);
	put(&bytes, 1, 4);
	put(&bytes, 1, 4);
	put(&bytes, 0x6161616161616161, 8);
	assert_int_equal(decode(&bytes, &format, &event), -EBADMSG);
}

static void trailer_gives_time_and_cpu(void **state)
{
	struct bytes bytes;
	struct event event;

	(void)state;
	begin(&bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put(&bytes, 10, 4);
	put(&bytes, 11, 4);
	put(&bytes, 0x6873, 8); /* "sh" */
	put(&bytes, 1, 4);	/* trailer: another pid and tid */
	put(&bytes, 2, 4);
	put(&bytes, 123456, 8);
	put(&bytes, 1, 8);
	put(&bytes, 77, 8);
	assert_int_equal(decode(&bytes, &full, &event), 0);
	assert_string_equal(event.comm.comm, "sh");
	assert_true(event.comm.is_exec);
	assert_int_equal(event.pid, 10);
	assert_int_equal(event.tid, 11);
	assert_int_equal(event.time, 123456);
	assert_int_equal(event.cpu, 1);
	assert_int_equal(record_time((void *)bytes.data, &full), 123456);
}

static void unknown_types_are_other_and_short_ones_refused(void **state)
{
	struct bytes bytes;
	struct event event;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
					    .size = 4 };

	(void)state;
	begin(&bytes, 999, 0);
	put(&bytes, 1, 8);
	assert_int_equal(decode(&bytes, &full, &event), 0);
	assert_int_equal(event.kind, EVENT_OTHER);
	assert_int_equal(record_decode(&header, &full, &event), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_with_every_field),
		cmocka_unit_test(sample_cut_anywhere_is_refused_c56),
		cmocka_unit_test(counts_beyond_the_record_are_refused),
		cmocka_unit_test(mmap2_with_build_id_or_inode),
		cmocka_unit_test(build_id_flag_alone_does_not_tell),
		cmocka_unit_test(fixed_period_stands_where_none_is_recorded),
		cmocka_unit_test(text_without_its_end_is_refused),
		cmocka_unit_test(trailer_gives_time_and_cpu),
		cmocka_unit_test(
			unknown_types_are_other_and_short_ones_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
