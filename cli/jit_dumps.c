#include "cli/jit_dumps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/idmap.h"
#include "perfcore/mem.h"

struct jit_dumps {
	struct binary_files *files;
	struct symbolizer *symbolizer;
	struct idmap told; /* (process number, number of the dump's binary) */
};

struct jit_dumps *jit_dumps_new(struct binary_files *files,
				struct symbolizer *symbolizer)
{
	struct jit_dumps *dumps = mem_calloc(1, sizeof(*dumps));

	dumps->files = files;
	dumps->symbolizer = symbolizer;
	idmap_init(&dumps->told);
	return dumps;
}

void jit_dumps_free(struct jit_dumps *dumps)
{
	if (!dumps)
		return;
	idmap_destroy(&dumps->told);
	free(dumps);
}

/* /home/u/.debug/jit/x/jit-4711.dump */
static bool is_jit_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strncmp(name, "jit-", 4) != 0 || !isdigit((unsigned char)name[4]))
		return false;
	for (name += 4; isdigit((unsigned char)*name); name++)
		;
	return strcmp(name, ".dump") == 0;
}

static void dump_tell(struct jit_dumps *dumps, const struct process *process,
		      const struct mapping *mapping, struct binary *binary)
{
	uint32_t *told =
		idmap_at(&dumps->told, process->number, binary->number);

	if (*told != IDMAP_NONE)
		return;
	*told = 1;
	if (binary->state == BINARY_UNOPENED)
		binary = binary_files_open(dumps->files, process, mapping);
	if (binary->state == BINARY_OPEN)
		symbolizer_add_jitdump(dumps->symbolizer, process->memory,
				       binary->fd);
}

void jit_dumps_look(struct jit_dumps *dumps, const struct process *process)
{
	for (size_t i = 0; process->memory && i < maps_count(process->maps);
	     i++) {
		const struct mapping *mapping = maps_at(process->maps, i);
		struct binary *binary = binary_resolve(mapping->binary);

		if (binary->id.kind == BINARY_FILE &&
		    is_jit_dump(binary->id.path))
			dump_tell(dumps, process, mapping, binary);
	}
}
