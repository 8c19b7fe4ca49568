#include "perfcore/process_maps.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "perfcore/procfs.h"

uint32_t process_namespace_pid(const struct process_table_config *config,
			       struct process *process)
{
	struct procfs_status status;

	if (process->namespace_pid)
		return process->namespace_pid;
	process->namespace_pid = process->pid;
	if (config->root &&
	    procfs_status(config->root, process->pid, &status) == 0)
		process->namespace_pid = status.namespace_pid;
	return process->namespace_pid;
}

/* Code that is in no file: its path is that of the perf map in which a JIT
 * compiler would name it (case C27), as the process sees it. A child that
 * does not exec keeps its parent's. */
static struct binary *memory_of(const struct process_table_config *config,
				struct process *process)
{
	struct binary_identity id = { .kind = BINARY_MEMORY,
				      .owner = process->number };
	char path[64];

	if (process->memory)
		return process->memory;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map",
		 process_namespace_pid(config, process));
	id.path = path;
	process->memory = binary_table_get(config->binaries, &id);
	return process->memory;
}

/*
 * A memfd may hold a program (case C15) or be the heap of a JIT compiler,
 * which maps it twice, once writable. The first bytes tell; where they cannot
 * be read: loaders map programs privately and not writable.
 */
static bool is_memfd_heap(const struct process_table_config *config,
			  const struct process *process,
			  const struct event_mmap *mmap)
{
	char path[512], magic[SELFMAG + 1];

	if (strncmp(mmap->path, "/memfd:", 7) != 0 || mmap->build_id_size)
		return false;
	if (config->root &&
	    procfs_path(path, sizeof(path), config->root,
			"/proc/%u/map_files/%lx-%lx", process->pid, mmap->start,
			mmap->start + mmap->length) &&
	    procfs_read(path, magic, sizeof(magic)) >= 0)
		return memcmp(magic, ELFMAG, SELFMAG) != 0;
	return mmap->protection & PROT_WRITE || mmap->is_shared;
}

static void mapping_of(const struct process_table_config *config,
		       struct process *process, const struct event_mmap *mmap,
		       struct mapping *mapping)
{
	struct binary_identity id = binary_identity_of(mmap);

	mapping->start = mmap->start;
	mapping->end = mmap->start + mmap->length;
	mapping->page_offset = mmap->page_offset;
	if (id.kind == BINARY_MEMORY || is_memfd_heap(config, process, mmap)) {
		mapping->page_offset = mmap->start;
		mapping->binary = memory_of(config, process);
		return;
	}
	/* The vDSO is mapped whole; its offset in records is not one. */
	if (id.kind == BINARY_VDSO)
		mapping->page_offset = 0;
	mapping->binary = binary_table_get(config->binaries, &id);
}

/* Old MMAP records and some tools' files have no protection: it is code. */
static bool is_code(const struct event_mmap *mmap)
{
	return !mmap->is_data &&
	       (!mmap->protection || mmap->protection & PROT_EXEC);
}

struct binary *process_maps_add(const struct process_table_config *config,
				struct process *process,
				const struct event_mmap *mmap)
{
	uint64_t end = mmap->start + mmap->length;
	struct mapping mapping;

	if (end <= mmap->start)
		return NULL;
	if (!is_code(mmap)) {
		maps_remove(&process->maps, mmap->start, end);
		return NULL;
	}
	mapping_of(config, process, mmap, &mapping);
	maps_insert(&process->maps, &mapping);
	return mapping.binary;
}

static struct event_mmap as_record(const struct procfs_mapping *line)
{
	return (struct event_mmap){
		.start = line->start,
		.length = line->end - line->start,
		.page_offset = line->page_offset,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.protection = line->protection,
		.is_shared = line->is_shared,
		.path = line->path,
	};
}

int process_maps_read(const struct process_table_config *config,
		      struct process *process, struct maps **maps)
{
	struct procfs_lines lines;
	char path[512], *text;
	int count = 0, status;

	if (!procfs_path(path, sizeof(path), config->root, "/proc/%u/maps",
			 process->pid))
		return -ENAMETOOLONG;
	status = procfs_lines_open(&lines, path);
	if (status < 0)
		return status;
	while ((status = procfs_lines_next(&lines, &text)) > 0) {
		struct procfs_mapping line;
		struct event_mmap mmap;
		struct mapping mapping;

		if (!procfs_parse_mapping(text, &line) ||
		    !(line.protection & PROT_EXEC))
			continue;
		if (count == PROCESS_MAPS_MAX) {
			status = -E2BIG;
			break;
		}
		mmap = as_record(&line);
		mapping_of(config, process, &mmap, &mapping);
		maps_insert(maps, &mapping);
		count++;
	}
	procfs_lines_close(&lines);
	return status < 0 ? status : count;
}
