/*
 * The perf.data format as it stands on disk and in pipes: numbers and layouts
 * that the kernel's headers do not have. Source: linux
 * tools/perf/Documentation/perf.data-file-format.txt, util/header.h and
 * lib/perf/include/perf/event.h.
 */
#ifndef PERFCORE_PERFDATA_FORMAT_H
#define PERFCORE_PERFDATA_FORMAT_H

#include <stdint.h>

#define PERFDATA_MAGIC	       "PERFILE2"
#define PERFDATA_MAGIC_SWAPPED "2ELIFREP"
#define PERFDATA_PIPE_HEADER   16

struct perfdata_section {
	uint64_t offset, size; /* in bytes, from the file's start */
};

/* A file of header.size 16 is a pipe's stream: only these two fields. */
struct perfdata_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size; /* of one entry in attrs: an attr and a section */
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types; /* not used since 2013 */
	uint64_t features[4];		     /* 256 bits */
};

/* Bits of features; their sections stand behind the data in this order. */
enum perfdata_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CLOCK_DATA = 29,
	FEATURES_MAX = 256
};

/* Records that perf adds to the kernel's. */
enum perfdata_record {
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
	RECORD_USER_FIRST = 64 /* below it the kernel's own */
};

/* Bits of header.misc that Debian 12's linux/perf_event.h lacks. */
#define MISC_MMAP_BUILD_ID	(1u << 14) /* of MMAP2 */
#define MISC_TABLE_BUILD_ID_LEN (1u << 15) /* of HEADER_BUILD_ID */

#endif
