/* The same recording written by a little-endian and by a big-endian machine
 * is read as the same events. Both are made here, number by number. */
#include "perfcore/perfdata_swap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/perfdata_reader.h"

struct image {
	uint8_t bytes[16384];
	size_t size;
	bool is_big;
};

static void put(struct image *image, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t shift = 8 * (image->is_big ? size - 1 - i : i);

		image->bytes[image->size++] = (uint8_t)(value >> shift);
	}
}

static void put8(struct image *image, uint64_t value)
{
	put(image, value, 8);
}

static void put4(struct image *image, uint32_t value)
{
	put(image, value, 4);
}

static void put_bytes(struct image *image, const void *bytes, size_t size)
{
	memcpy(image->bytes + image->size, bytes, size);
	image->size += size;
}

static void put_text(struct image *image, const char *text, size_t size)
{
	memset(image->bytes + image->size, 0, size);
	memcpy(image->bytes + image->size, text, strlen(text));
	image->size += size;
}

/* Bit number bit of a bitfield, counted from its first member. */
static uint64_t flag(const struct image *image, unsigned int bit)
{
	return image->is_big ? 1ull << (63 - bit) : 1ull << bit;
}

/* Where the size of the record under construction stands. */
static size_t record_begin(struct image *image, uint32_t type, uint16_t misc)
{
	put4(image, type);
	put(image, misc, 2);
	put(image, 0, 2);
	return image->size - 8;
}

static void record_end(struct image *image, size_t begin)
{
	size_t end = image->size;

	image->size = begin + 6;
	put(image, end - begin, 2);
	image->size = end;
}

#define SAMPLE_TYPE                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |               \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |       \
	 PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |  \
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |  \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP)

#define ID 0x1122334455667788

static void put_attr(struct image *image)
{
	size_t begin = image->size;

	put4(image, PERF_TYPE_HARDWARE);
	put4(image, 112);
	put8(image, PERF_COUNT_HW_INSTRUCTIONS);
	put8(image, 4000);
	put8(image, SAMPLE_TYPE);
	put8(image, PERF_FORMAT_GROUP | PERF_FORMAT_ID | 1u << 4);
	/* disabled 0, exclude_kernel 5, freq 10, precise_ip 15 and 16 (here
	 * 1, whose bit is the lower one), sample_id_all 18 */
	put8(image, flag(image, 0) | flag(image, 5) | flag(image, 10) |
			    flag(image, image->is_big ? 16 : 15) |
			    flag(image, 18));
	put4(image, 1);
	put4(image, 0);
	put8(image, 0);
	put8(image, 0);
	put8(image, PERF_SAMPLE_BRANCH_ANY);
	put8(image, 7); /* three registers */
	put4(image, 16);
	put4(image, 1);
	put8(image, 0);
	put4(image, 0);
	put(image, 127, 2);
	put(image, 0, 2);
	assert_int_equal(image->size - begin, 112);
}

static void put_trailer(struct image *image, uint64_t time)
{
	put4(image, 70);
	put4(image, 71);
	put8(image, time);
	put4(image, 3);
	put4(image, 0);
	put8(image, ID);
}

/* from, to and flags: predicted, and 300 cycles. */
static void put_branch(struct image *image)
{
	put8(image, 0x1000);
	put8(image, 0x2000);
	put8(image, image->is_big ? 1ull << 62 | 300ull << 44
				  : 1ull << 1 | 300ull << 4);
}

static void put_sample(struct image *image)
{
	size_t begin = record_begin(image, PERF_RECORD_SAMPLE, 2);

	put8(image, ID);
	put8(image, 0x401000);
	put4(image, 70);
	put4(image, 71);
	put8(image, 5000);
	put8(image, 0xabcd); /* address */
	put4(image, 3);
	put4(image, 0);
	put8(image, 12345); /* period */
	put8(image, 2);	    /* group of two: value, id, lost each */
	for (uint64_t i = 0; i < 6; i++)
		put8(image, i);
	put8(image, 3);
	put8(image, (uint64_t)PERF_CONTEXT_USER);
	put8(image, 0x401000);
	put8(image, 0x402000);
	put4(image, 12);
	put_bytes(image, "raw is bytes", 12);
	put8(image, 1);
	put_branch(image);
	put8(image, 2); /* abi */
	put8(image, 0xa);
	put8(image, 0xb);
	put8(image, 0xc);
	put8(image, 16);
	put_bytes(image, "sixteen bytes...", 16);
	put8(image, 8);	 /* of which 8 were copied */
	put8(image, 33); /* weight */
	put8(image, 44); /* data source */
	put8(image, 55); /* physical address */
	put8(image, 66); /* cgroup */
	record_end(image, begin);
}

static void put_maps(struct image *image)
{
	size_t begin = record_begin(image, PERF_RECORD_MMAP2, 2);

	put4(image, 70);
	put4(image, 70);
	put8(image, 0x400000);
	put8(image, 0x3000);
	put8(image, 0x1000);
	put4(image, 8);
	put4(image, 1);
	put8(image, 99);
	put8(image, 7);
	put4(image, 5);
	put4(image, 2);
	put_text(image, "/bin/a", 8);
	put_trailer(image, 1000);
	record_end(image, begin);

	begin = record_begin(image, PERF_RECORD_MMAP2, 2 | 1 << 14);
	put4(image, 70);
	put4(image, 70);
	put8(image, 0x500000);
	put8(image, 0x3000);
	put8(image, 0);
	put_bytes(image,
		  "\x14\0\0\0"
		  "build-id of 20 bytes",
		  24);
	put4(image, 5);
	put4(image, 2);
	put_text(image, "/bin/b", 8);
	put_trailer(image, 1001);
	record_end(image, begin);
}

static void put_others(struct image *image)
{
	size_t begin = record_begin(image, PERF_RECORD_COMM, 1 << 13);

	put4(image, 70);
	put4(image, 71);
	put_text(image, "web server", 16);
	put_trailer(image, 2000);
	record_end(image, begin);

	begin = record_begin(image, PERF_RECORD_FORK, 0);
	put4(image, 72);
	put4(image, 70);
	put4(image, 73);
	put4(image, 71);
	put8(image, 2001);
	put_trailer(image, 2001);
	record_end(image, begin);

	begin = record_begin(image, PERF_RECORD_KSYMBOL, 0);
	put8(image, 0xffffffffc0000000);
	put4(image, 256);
	put(image, 1, 2);
	put(image, 0, 2);
	put_text(image, "bpf_prog", 16);
	put_trailer(image, 2002);
	record_end(image, begin);

	begin = record_begin(image, PERF_RECORD_NAMESPACES, 0);
	put4(image, 70);
	put4(image, 71);
	put8(image, 2);
	for (uint64_t i = 0; i < 4; i++)
		put8(image, 4026531840 + i);
	put_trailer(image, 2003);
	record_end(image, begin);
}

/* PERFILE2 with one event, HOSTNAME and NRCPUS. */
static void make_image(struct image *image, bool is_big)
{
	uint64_t data = 104 + 8 + 128, end;

	*image = (struct image){ .is_big = is_big };
	image->size = data;
	put_maps(image);
	put_others(image);
	put_sample(image);
	end = image->size;
	put8(image, end + 32); /* HOSTNAME */
	put8(image, 4 + 64);
	put8(image, end + 32 + 68); /* NRCPUS */
	put8(image, 8);
	put4(image, 64);
	put_text(image, "s390", 64);
	put4(image, 8);
	put4(image, 6);
	end = image->size;
	image->size = 0;
	put_bytes(image, is_big ? "2ELIFREP" : "PERFILE2", 8);
	put8(image, 104);
	put8(image, 128);
	put8(image, 112); /* attrs */
	put8(image, 128);
	put8(image, data);
	put8(image, end - 8 - 68 - 32 - data);
	put8(image, 0);
	put8(image, 0);
	put8(image, 1ull << 3 | 1ull << 7);
	for (int i = 0; i < 3; i++)
		put8(image, 0);
	put8(image, ID);
	put_attr(image);
	put8(image, 104); /* its ids */
	put8(image, 8);
	assert_int_equal(image->size, data);
	image->size = end;
}

static struct source *image_open(const struct image *image)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct source *source;
	struct error error;

	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	if (perfdata_reader_open(fd, "image", NULL, &source, &error) < 0)
		fail_msg("%s", error.text);
	close(fd); /* its mapping stays */
	return source;
}

static void check_next(struct source *source, enum event_kind kind,
		       uint64_t time, struct event *event)
{
	struct error error;

	assert_int_equal(source_next(source, event, &error), 1);
	assert_int_equal(event->kind, kind);
	assert_int_equal(event->time, time);
}

static void check_side_band(struct source *source)
{
	struct event event;

	check_next(source, EVENT_MMAP, 1000, &event);
	assert_int_equal(event.pid, 70);
	assert_int_equal(event.mmap.start, 0x400000);
	assert_int_equal(event.mmap.length, 0x3000);
	assert_int_equal(event.mmap.page_offset, 0x1000);
	assert_int_equal(event.mmap.major, 8);
	assert_int_equal(event.mmap.inode, 99);
	assert_int_equal(event.mmap.inode_generation, 7);
	assert_int_equal(event.mmap.protection, 5);
	assert_string_equal(event.mmap.path, "/bin/a");
	check_next(source, EVENT_MMAP, 1001, &event);
	assert_int_equal(event.mmap.build_id_size, 20);
	assert_memory_equal(event.mmap.build_id, "build-id of 20 bytes", 20);
	assert_string_equal(event.mmap.path, "/bin/b");
	check_next(source, EVENT_COMM, 2000, &event);
	assert_string_equal(event.comm.comm, "web server");
	assert_int_equal(event.tid, 71);
	check_next(source, EVENT_FORK, 2001, &event);
	assert_int_equal(event.pid, 72);
	assert_int_equal(event.tid, 73);
	assert_int_equal(event.fork.parent_pid, 70);
	check_next(source, EVENT_KSYMBOL, 2002, &event);
	assert_int_equal(event.ksymbol.address, 0xffffffffc0000000);
	assert_int_equal(event.ksymbol.length, 256);
	assert_string_equal(event.ksymbol.name, "bpf_prog");
	check_next(source, EVENT_NAMESPACES, 2003, &event);
	assert_int_equal(event.namespaces.inode[0], 4026531841);
	assert_int_equal(event.namespaces.inode[1], 4026531843);
}

static void check_sample(struct source *source)
{
	struct event event;
	const struct sample *sample = &event.sample;

	check_next(source, EVENT_SAMPLE, 5000, &event);
	assert_int_equal(event.pid, 70);
	assert_int_equal(event.tid, 71);
	assert_int_equal(event.cpu, 3);
	assert_int_equal(sample->ip, 0x401000);
	assert_int_equal(sample->address, 0xabcd);
	assert_int_equal(sample->period, 12345);
	assert_int_equal(sample->n_callchain, 3);
	assert_int_equal(sample->callchain[0], (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(sample->callchain[2], 0x402000);
	assert_int_equal(sample->raw_size, 12);
	assert_memory_equal(sample->raw, "raw is bytes", 12);
	assert_int_equal(sample->n_branches, 1);
	assert_int_equal(sample->branches[0].to, 0x2000);
	assert_int_equal(sample->branches[0].flags, 1 << 1 | 300 << 4);
	assert_int_equal(sample->user_regs.abi, 2);
	assert_int_equal(sample->user_regs.mask, 7);
	assert_int_equal(sample->user_regs.values[2], 0xc);
	assert_int_equal(sample->stack_size, 8);
	assert_memory_equal(sample->stack, "sixteen ", 8);
	assert_int_equal(sample->cgroup, 66);
}

static void check_image(bool is_big)
{
	const struct perf_event_attr *attr;
	struct image image;
	struct source *source;
	struct error error;
	struct event event;

	make_image(&image, is_big);
	source = image_open(&image);
	assert_string_equal(source_info(source)->host, "s390");
	assert_int_equal(source_info(source)->n_cpus, 6);
	attr = &source_info(source)->events[0].attr;
	assert_int_equal(attr->config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(attr->disabled, 1);
	assert_int_equal(attr->exclude_user, 0);
	assert_int_equal(attr->exclude_kernel, 1);
	assert_int_equal(attr->freq, 1);
	assert_int_equal(attr->precise_ip, 1);
	assert_int_equal(attr->sample_id_all, 1);
	assert_int_equal(attr->sample_stack_user, 16);
	assert_int_equal(attr->sample_max_stack, 127);
	check_side_band(source);
	check_sample(source);
	assert_int_equal(source_next(source, &event, &error), 0);
	assert_int_equal(perfdata_reader_counts(source)->unread, 0);
	source_free(source);
}

static void little_endian_file(void **state)
{
	(void)state;
	check_image(false);
}

static void big_endian_file(void **state)
{
	(void)state;
	check_image(true);
}

/* Counts that point past the record's end must not be followed. */
static void hostile_counts_are_refused(void **state)
{
	struct record_format format = {
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER,
	};
	struct {
		struct perf_event_header header;
		uint64_t body[2];
	} record = { { PERF_RECORD_SAMPLE, 0, 24 }, { UINT64_MAX, 0 } };

	(void)state;
	assert_int_equal(perfdata_swap_record(&record.header, &format),
			 -EBADMSG);
	record.body[0] = 0; /* no callchain, but a stack of 2^56 bytes */
	record.body[1] = 1;
	assert_int_equal(perfdata_swap_record(&record.header, &format),
			 -EBADMSG);
	record.header.type = PERF_RECORD_NAMESPACES;
	record.body[1] = UINT64_MAX;
	assert_int_equal(perfdata_swap_record(&record.header, &format),
			 -EBADMSG);
	format.sample_id_all = true;
	format.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			     PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	assert_int_equal(perfdata_swap_record(&record.header, &format),
			 -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_endian_file),
		cmocka_unit_test(big_endian_file),
		cmocka_unit_test(hostile_counts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
