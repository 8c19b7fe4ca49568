/*
 * What /proc tells of a process and its threads besides its maps: names,
 * owner, start, executable, namespaces. Internal to process.c.
 */
#ifndef PERFCORE_PROCESS_PROC_H
#define PERFCORE_PROCESS_PROC_H

#include "perfcore/process_store.h"

/* UNIX time of the boot, from which /proc counts starts in ticks. Rounded to
 * a millisecond, so that it is the same in every recording. */
uint64_t process_proc_boot_ns(void);
uint64_t process_proc_tick_ns(void);

/* Fills in what is not known yet, and the start, which is exact there. Where
 * the process is gone, nothing. */
void process_proc_read(const struct process_table_config *config,
		       struct instance *instance, uint64_t boot_ns);

/* The name of a thread that no record has told, the process's where it is
 * gone; interned. */
const char *process_proc_comm(const struct process_table_config *config,
			      const struct instance *instance, uint32_t tid);

#endif
