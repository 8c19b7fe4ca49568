/*
 * Field numbers of pprof's profile.proto (github.com/google/pprof,
 * proto/profile.proto), and what else the writer and the reader
 * agree on.
 */
#ifndef CLI_FORMATS_PPROF_FORMAT_H
#define CLI_FORMATS_PPROF_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum pprof_profile_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

enum pprof_value_type_field {
	PPROF_VALUE_TYPE = 1,
	PPROF_VALUE_UNIT = 2,
};

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION = 1,
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3,
};

enum pprof_label_field {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_TEXT = 2,
	PPROF_LABEL_NUMBER = 3,
	PPROF_LABEL_UNIT = 4,
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILENAMES = 8,
	PPROF_MAPPING_HAS_LINES = 9,
	PPROF_MAPPING_HAS_INLINES = 10,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,
};

enum pprof_line_field {
	PPROF_LINE_FUNCTION = 1,
	PPROF_LINE_NUMBER = 2,
};

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
	PPROF_FUNCTION_FILE = 4,
};

/* Label keys that our writer sets and our reader knows. */
#define PPROF_LABEL_COMM      "comm"
#define PPROF_LABEL_CONTAINER "container"
#define PPROF_LABEL_STATE     "state"
#define PPROF_LABEL_PID	      "pid"
#define PPROF_LABEL_TID	      "tid"
#define PPROF_LABEL_CPU	      "cpu"
#define PPROF_LABEL_USER      "user"
#define PPROF_LABEL_SLICE     "slice"
/* Only where a pid or a container's name stands for several: the id of the
 * process or container line in the comments. */
#define PPROF_LABEL_PROCESS_LINE   "process_line"
#define PPROF_LABEL_CONTAINER_LINE "container_line"

/* What was seen how often: always the first sample type. */
#define PPROF_COUNT_TYPE "samples"
#define PPROF_COUNT_UNIT "count"

/* The only frame of a sample without a stack: go pprof drops samples that
 * have no location, and the totals with them. */
#define PPROF_NO_STACK "[no stack]"

/*
 * What a frame is (enum profile_frame_flag) where no comment tells: by its
 * mapping's path, or without a mapping by address and name.
 */
uint32_t pprof_mapped_flags(const char *path);
uint32_t pprof_bare_flags(uint64_t address, const char *name);

/* Name of a frame without a function: "[libfoo.so]+0x12". */
#define PPROF_UNKNOWN_MAX 256
void pprof_unknown_name(char name[PPROF_UNKNOWN_MAX], const char *path,
			uint64_t address);

/* Functions inlined at one address that are read. */
#define PPROF_LINES_MAX 1024

/* Pyroscope refuses "-" in a sample type: "_" instead. Returns a text for
 * free(). */
char *pprof_type_name(const char *type);

/* false for names made of an address: "[libx.so]+0x12", "0x12". */
bool pprof_is_named(const char *name);

#endif
