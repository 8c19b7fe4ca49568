/*
 * Frames by where they are: (binary, address) to the profile's frames. Names
 * are looked up once for each frame, in one go at the end of a recording or
 * whenever the caller asks; the files to read them from were opened when the
 * frame was first seen.
 */
#ifndef CLI_FRAME_TABLE_H
#define CLI_FRAME_TABLE_H

#include "cli/profile/profile.h"
#include "perfcore/binary.h"
#include "symbolize/symbolizer.h"

struct frame_table;

/* profile and binaries are borrowed and outlive the table. */
struct frame_table *frame_table_new(struct profile *profile,
				    const struct binary_table *binaries);
void frame_table_free(struct frame_table *table);

/*
 * The frame at an address of a binary (as symbolizer_resolve() takes it, the
 * 1 already subtracted from a return address). is_new tells that it was not
 * known: time to open the binary's file.
 */
uint32_t frame_table_get(struct frame_table *table, const struct binary *binary,
			 uint64_t address, bool *is_new);

/* The time of the sample whose frames come next: code of a JIT compiler gets
 * the name that it had when it was first seen. */
void frame_table_set_time(struct frame_table *table, uint64_t time);

/* The frame for user code that no mapping holds: by address alone. */
uint32_t frame_table_unmapped(struct frame_table *table, uint64_t address);

/* Gives names to all frames that have none yet. */
void frame_table_symbolize(struct frame_table *table,
			   struct symbolizer *symbolizer);

#endif
