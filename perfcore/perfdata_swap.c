#include "perfcore/perfdata_swap.h"

#include <errno.h>
#include <string.h>

#include "perfcore/perfdata_format.h"

/* What is left of the record under the swap; failed once a field was cut. */
struct span {
	uint8_t *at, *end;
	bool has_failed;
};

static uint8_t *span_take(struct span *span, uint64_t size)
{
	uint8_t *bytes = span->at;

	if (size > (uint64_t)(span->end - span->at)) {
		span->has_failed = true;
		span->at = span->end;
		return NULL;
	}
	span->at += size;
	return bytes;
}

static void swap_u16(struct span *span)
{
	uint8_t *bytes = span_take(span, 2);
	uint16_t value;

	if (!bytes)
		return;
	memcpy(&value, bytes, 2);
	value = __builtin_bswap16(value);
	memcpy(bytes, &value, 2);
}

static uint32_t swap_u32(struct span *span)
{
	uint8_t *bytes = span_take(span, 4);
	uint32_t value;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, 4);
	value = __builtin_bswap32(value);
	memcpy(bytes, &value, 4);
	return value;
}

static uint64_t swap_u64(struct span *span)
{
	uint8_t *bytes = span_take(span, 8);
	uint64_t value;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, 8);
	value = __builtin_bswap64(value);
	memcpy(bytes, &value, 8);
	return value;
}

static void swap_u64s(struct span *span, uint64_t count)
{
	if (count > (uint64_t)(span->end - span->at) / 8) {
		span->has_failed = true;
		return;
	}
	while (count--)
		swap_u64(span);
}

/*
 * A layout names the fields from the start: 2, 4 and 8 are numbers of that
 * many bytes, b is a byte that stays, f 8 bytes of bitfields, and s the text
 * (or bytes) up to the end.
 */
static void swap_layout(struct span *span, const char *layout)
{
	for (; *layout; layout++) {
		if (*layout == 's')
			return;
		if (span->at == span->end)
			return;
		if (*layout == '2')
			swap_u16(span);
		else if (*layout == '4')
			swap_u32(span);
		else if (*layout == '8')
			swap_u64(span);
		else
			span_take(span, *layout == 'f' ? 8 : 1);
	}
}

static uint8_t reverse_bits(uint8_t byte)
{
	byte = (uint8_t)(byte >> 4 | byte << 4);
	byte = (uint8_t)((byte & 0xcc) >> 2 | (byte & 0x33) << 2);
	return (uint8_t)((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
}

void perfdata_swap_attr(void *attr, size_t size)
{
	enum {
		FLAGS = offsetof(struct perf_event_attr, read_format) + 8,
	};
	static const char layout[] = "448888f448888448422448";
	struct span span = { attr, (uint8_t *)attr + size, false };
	uint8_t *flags = (uint8_t *)attr + FLAGS;
	uint64_t bits;

	swap_layout(&span, layout);
	if (size < FLAGS + 8)
		return;
	for (int i = 0; i < 8; i++)
		flags[i] = reverse_bits(flags[i]);
	/* precise_ip, bits 15 and 16, is the one number among the bits: it
	 * has been turned around with them. */
	memcpy(&bits, flags, 8);
	bits = (bits & ~(3ull << 15)) | (bits >> 15 & 1) << 16 |
	       (bits >> 16 & 1) << 15;
	memcpy(flags, &bits, 8);
}

static void swap_read(struct span *span, uint64_t read_format)
{
	uint64_t fields = 1, values = 1;

	fields += !!(read_format & PERF_FORMAT_ID);
	fields += !!(read_format & 1u << 4); /* PERF_FORMAT_LOST */
	if (read_format & PERF_FORMAT_GROUP)
		values = swap_u64(span);
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		swap_u64(span);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		swap_u64(span);
	if (values > (uint64_t)(span->end - span->at) / 8)
		span->has_failed = true;
	else
		swap_u64s(span, values * fields);
}

/* mispred, predicted, in_tx and abort of 1 bit, cycles of 16, type of 4, spec
 * of 2 bits, new_type of 4, priv of 3: from the top down on a big-endian
 * machine, from the bottom up on ours. */
static uint64_t branch_flags_swapped(uint64_t top_down)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	uint64_t flags = 0;
	unsigned int at = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t field = top_down >> (64 - at - widths[i]) &
				 ((1ull << widths[i]) - 1);

		flags |= field << at;
		at += widths[i];
	}
	return flags;
}

static void swap_branches(struct span *span, uint64_t branch_sample_type)
{
	uint64_t count = swap_u64(span);

	if (branch_sample_type & 1u << 17) /* PERF_SAMPLE_BRANCH_HW_INDEX */
		swap_u64(span);
	if (count > (uint64_t)(span->end - span->at) / 24) {
		span->has_failed = true;
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t flags;

		swap_u64s(span, 2);
		flags = branch_flags_swapped(swap_u64(span));
		memcpy(span->at - 8, &flags, 8);
	}
	if (branch_sample_type & 1u << 19) /* PERF_SAMPLE_BRANCH_COUNTERS */
		swap_u64s(span, count);
}

static void swap_regs(struct span *span, uint64_t mask)
{
	if (swap_u64(span))
		swap_u64s(span, (uint64_t)__builtin_popcountll(mask));
}

static void swap_stack(struct span *span)
{
	uint64_t size = swap_u64(span);

	span_take(span, size);
	if (size)
		swap_u64(span);
}

/* Fields of one size up to the first of changing length. */
static void swap_sample_head(struct span *span, uint64_t type)
{
	static const struct {
		uint64_t field;
		const char *layout;
	} head[] = {
		{ PERF_SAMPLE_IDENTIFIER, "8" }, { PERF_SAMPLE_IP, "8" },
		{ PERF_SAMPLE_TID, "44" },	 { PERF_SAMPLE_TIME, "8" },
		{ PERF_SAMPLE_ADDR, "8" },	 { PERF_SAMPLE_ID, "8" },
		{ PERF_SAMPLE_STREAM_ID, "8" },	 { PERF_SAMPLE_CPU, "44" },
		{ PERF_SAMPLE_PERIOD, "8" },
	};

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++) {
		if (type & head[i].field)
			swap_layout(span, head[i].layout);
	}
}

static void swap_sample(struct span *span, const struct record_format *format)
{
	uint64_t type = format->sample_type;

	swap_sample_head(span, type);
	if (type & PERF_SAMPLE_READ)
		swap_read(span, format->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap_u64s(span, swap_u64(span));
	if (type & PERF_SAMPLE_RAW)
		span_take(span, swap_u32(span));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(span, format->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		swap_regs(span, format->user_regs_mask);
	if (type & PERF_SAMPLE_STACK_USER)
		swap_stack(span);
	swap_u64s(span, !!(type & PERF_SAMPLE_WEIGHT_TYPE) +
				!!(type & PERF_SAMPLE_DATA_SRC) +
				!!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_regs(span, format->intr_regs_mask);
	swap_u64s(span, !!(type & PERF_SAMPLE_PHYS_ADDR) +
				!!(type & PERF_SAMPLE_CGROUP) +
				!!(type & PERF_SAMPLE_DATA_PAGE_SIZE) +
				!!(type & PERF_SAMPLE_CODE_PAGE_SIZE));
	if (type & PERF_SAMPLE_AUX)
		swap_u64(span); /* then bytes, and they are the last */
}

static const char *record_layout(const struct perf_event_header *header,
				 const struct record_format *format)
{
	static const char *const layouts[] = {
		[PERF_RECORD_MMAP] = "44888s",
		[PERF_RECORD_LOST] = "88",
		[PERF_RECORD_COMM] = "44s",
		[PERF_RECORD_EXIT] = "44448",
		[PERF_RECORD_THROTTLE] = "888",
		[PERF_RECORD_UNTHROTTLE] = "888",
		[PERF_RECORD_FORK] = "44448",
		[PERF_RECORD_READ] = "44",
		[PERF_RECORD_MMAP2] = "44888448844s",
		[PERF_RECORD_AUX] = "888",
		[PERF_RECORD_ITRACE_START] = "44",
		[PERF_RECORD_LOST_SAMPLES] = "8",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "44",
		[PERF_RECORD_NAMESPACES] = "44",
		[PERF_RECORD_KSYMBOL] = "8422s",
		[PERF_RECORD_BPF_EVENT] = "224s",
		[PERF_RECORD_CGROUP] = "8s",
		[PERF_RECORD_TEXT_POKE] = "822s",
		[21] = "8", /* PERF_RECORD_AUX_OUTPUT_HW_ID */
		[22] = "8", /* PERF_RECORD_CALLCHAIN_DEFERRED */
	};

	if (header->type == PERF_RECORD_MMAP2 &&
	    record_has_build_id(header, format))
		return "44888"
		       "bbbbbbbbbbbbbbbbbbbbbbbb"
		       "44s";
	if (header->type >= sizeof(layouts) / sizeof(layouts[0]) ||
	    !layouts[header->type])
		return "s";
	return layouts[header->type];
}

static void swap_trailer(struct span *span, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		swap_layout(span, "44");
	if (type & PERF_SAMPLE_TIME)
		swap_u64(span);
	if (type & PERF_SAMPLE_ID)
		swap_u64(span);
	if (type & PERF_SAMPLE_STREAM_ID)
		swap_u64(span);
	if (type & PERF_SAMPLE_CPU)
		swap_layout(span, "44");
	if (type & PERF_SAMPLE_IDENTIFIER)
		swap_u64(span);
}

static size_t trailer_size(const struct record_format *format)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	if (!format->sample_id_all)
		return 0;
	return 8 * (size_t)__builtin_popcountll(format->sample_type & fields);
}

int perfdata_swap_record(struct perf_event_header *header,
			 const struct record_format *format)
{
	uint8_t *begin = (uint8_t *)header, *end = begin + header->size;
	struct span span = { begin + sizeof(*header), end, false };
	size_t trailer = trailer_size(format);

	if (header->type == PERF_RECORD_SAMPLE) {
		swap_sample(&span, format);
		return span.has_failed ? -EBADMSG : 0;
	}
	if (trailer > header->size - sizeof(*header))
		return -EBADMSG;
	span.end = end - trailer;
	swap_layout(&span, record_layout(header, format));
	if (header->type == PERF_RECORD_READ)
		swap_read(&span, format->read_format);
	if (header->type == PERF_RECORD_NAMESPACES)
		swap_u64s(&span, 2 * (swap_u64(&span) & UINT32_MAX));
	if (header->type == 22)
		swap_u64s(&span, swap_u64(&span));
	if (span.has_failed)
		return -EBADMSG;
	span.at = end - trailer;
	span.end = end;
	swap_trailer(&span, format->sample_type);
	return 0;
}
