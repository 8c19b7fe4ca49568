#include "perfcore/last_exit.h"

#include <stdlib.h>

#include "perfcore/mem.h"

#define CPUS_MAX 65536
#define NO_ID	 LAST_EXIT_NO_ID

void last_exits_destroy(struct last_exits *exits)
{
	free(exits->items);
	*exits = (struct last_exits){ 0 };
}

void last_exits_set(struct last_exits *exits, uint32_t cpu, uint32_t pid,
		    uint32_t tid)
{
	if (cpu >= CPUS_MAX)
		return;
	if (cpu >= exits->count) {
		size_t count = (size_t)cpu + 1;

		exits->items = mem_realloc(exits->items,
					   count * sizeof(*exits->items));
		while (exits->count < count)
			exits->items[exits->count++] =
				(struct last_exit){ NO_ID, NO_ID };
	}
	exits->items[cpu] = (struct last_exit){ pid, tid };
}

void last_exits_restore(const struct last_exits *exits, uint32_t cpu,
			uint32_t *pid, uint32_t *tid)
{
	struct last_exit last = { NO_ID, NO_ID };

	if (*pid != NO_ID && *tid != NO_ID)
		return;
	if (cpu < exits->count)
		last = exits->items[cpu];
	if (*pid == NO_ID || last.pid == *pid) {
		*pid = last.pid;
		*tid = last.tid;
	} else {
		*tid = *pid;
	}
}
