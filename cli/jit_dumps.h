/*
 * The jitdumps of processes: a JIT compiler that writes one maps it once,
 * executable, as a mark for profilers (jit-PID.dump). Found when code in
 * memory is first sampled and told to the symbolizer.
 */
#ifndef CLI_JIT_DUMPS_H
#define CLI_JIT_DUMPS_H

#include "perfcore/binary_file.h"
#include "perfcore/process.h"
#include "symbolize/symbolizer.h"

struct jit_dumps;

/* Both are borrowed. */
struct jit_dumps *jit_dumps_new(struct binary_files *files,
				struct symbolizer *symbolizer);
void jit_dumps_free(struct jit_dumps *dumps);

/* Looks through the maps of a process whose BINARY_MEMORY was sampled. Cheap
 * enough for every such sample: the mark may be mapped late. */
void jit_dumps_look(struct jit_dumps *dumps, const struct process *process);

#endif
