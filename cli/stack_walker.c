#include "cli/stack_walker.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "symbolize/cfi.h"

struct table { /* what is known of one binary's call frame information */
	struct cfi *cfi;
	bool is_tried;
};

struct stack_walker {
	struct stack_walker_config config;
	struct table *tables; /* by the binary's number */
	size_t n_tables, capacity;
	struct process *process; /* of the walk that is going on */
	struct unwind_frame frames[STACK_WALKER_FRAMES];
	uint64_t ends[UNWIND_ENDS];
};

struct stack_walker *stack_walker_new(const struct stack_walker_config *config)
{
	struct stack_walker *walker = mem_calloc(1, sizeof(*walker));

	walker->config = *config;
	return walker;
}

void stack_walker_free(struct stack_walker *walker)
{
	if (!walker)
		return;
	for (size_t i = 0; i < walker->n_tables; i++)
		cfi_free(walker->tables[i].cfi);
	free(walker->tables);
	free(walker);
}

uint16_t stack_walker_machine(const char *arch)
{
	if (arch && strcmp(arch, "x86_64") == 0)
		return EM_X86_64;
	if (arch && strcmp(arch, "aarch64") == 0)
		return EM_AARCH64;
	return EM_NONE;
}

static struct table *table_of(struct stack_walker *walker,
			      const struct binary *binary)
{
	while (walker->n_tables <= binary->number) {
		walker->tables =
			mem_grow(walker->tables, walker->n_tables,
				 &walker->capacity, sizeof(*walker->tables));
		walker->tables[walker->n_tables++] = (struct table){ 0 };
	}
	return &walker->tables[binary->number];
}

/* A binary that is no ELF file of this machine has no call frame information;
 * what is unwound through it is by frame pointer. */
static void table_read(struct table *table, const struct cfi_input *input,
		       uint16_t machine)
{
	table->is_tried = true;
	if (cfi_new(&table->cfi, input, NULL))
		return;
	if (cfi_machine(table->cfi) == machine)
		return;
	cfi_free(table->cfi);
	table->cfi = NULL;
}

/* .debug_frame may be in the separate debug file, as the process sees it:
 * /usr/lib/debug/.build-id/ab/cdef….debug, if it is that of this build. */
static int debug_file_open(const struct stack_walker *walker,
			   const struct binary *binary)
{
	static const char directory[] = "/usr/lib/debug/.build-id/";
	const uint8_t *id = binary->id.build_id;
	uint8_t found[BUILD_ID_MAX];
	char path[sizeof(directory) + 2 * BUILD_ID_MAX + 8];
	int length, fd, size = binary->id.build_id_size;

	if (size < 2 || !walker->config.files)
		return -1;
	length = snprintf(path, sizeof(path), "%s%02x/", directory, id[0]);
	for (int i = 1; i < size; i++)
		length += snprintf(path + length, sizeof(path) - (size_t)length,
				   "%02x", id[i]);
	snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
	fd = binary_files_open_path(walker->config.files, binary, path);
	if (fd < 0 || (build_id_read(fd, found) == size &&
		       memcmp(found, id, (size_t)size) == 0))
		return fd;
	close(fd);
	return -1;
}

static void table_read_file(struct stack_walker *walker, struct table *table,
			    const struct binary *binary)
{
	struct cfi_input input = { .fd = binary->fd,
				   .debug_fd =
					   debug_file_open(walker, binary) };

	table_read(table, &input, walker->config.machine);
	if (input.debug_fd >= 0)
		close(input.debug_fd);
}

static struct cfi *cfi_of(struct stack_walker *walker,
			  const struct mapping *mapping)
{
	const struct stack_walker_config *config = &walker->config;
	struct cfi_input input = { .fd = -1, .debug_fd = -1 };
	struct binary *binary = binary_resolve(mapping->binary);
	struct table *table = table_of(walker, binary);

	if (table->is_tried)
		return table->cfi;
	switch (binary->id.kind) {
	case BINARY_VDSO:
		input.image = config->vdso;
		input.image_size = config->vdso_size;
		if (config->vdso)
			table_read(table, &input, config->machine);
		return table->cfi;
	case BINARY_FILE:
		if (config->files && binary->state != BINARY_OPEN)
			binary = binary_files_open(config->files,
						   walker->process, mapping);
		if (binary->state != BINARY_OPEN)
			return NULL;
		table = table_of(walker, binary);
		if (!table->is_tried)
			table_read_file(walker, table, binary);
		return table->cfi;
	default:
		return NULL;
	}
}

static bool module_find(void *context, uint64_t ip,
			struct unwind_module *module)
{
	struct stack_walker *walker = context;
	const struct mapping *found = process_table_find(
		walker->config.processes, walker->process, ip);
	struct mapping mapping;
	uint64_t vaddr;

	if (!found)
		return false;
	mapping = *found; /* opening its file may change the maps */
	*module = (struct unwind_module){ .start = mapping.start,
					  .end = mapping.end,
					  .cfi = cfi_of(walker, &mapping) };
	/* By the file offset of the address itself: a mapping's first page
	 * may belong to two segments (case C08). */
	if (module->cfi &&
	    cfi_vaddr(module->cfi, ip - mapping.start + mapping.page_offset,
		      &vaddr))
		module->bias = ip - vaddr;
	else
		module->cfi = NULL;
	return true;
}

/*
 * In the middle of execve the registers are still the old program's, whose
 * stack is gone: there is no user part to unwind. Nothing could be copied
 * then, though a system call had the stack in use a moment ago (where a page
 * fault comes at the stack's new page, the instruction is another).
 */
static bool is_in_exec(struct stack_walker *walker, const struct sample *sample,
		       uint64_t ip)
{
	struct unwind_module module;

	if (sample->mode != CPU_MODE_KERNEL || sample->stack_size)
		return false;
	return !module_find(walker, ip, &module) ||
	       (module.cfi &&
		cfi_follows_syscall(module.cfi, ip - module.bias));
}

bool stack_walker_walk(struct stack_walker *walker, struct process *process,
		       const struct sample *sample, struct walked_stack *walked)
{
	const struct unwind_modules modules = { module_find, walker };
	struct unwind_regs regs;
	struct unwind_stack stack = { sample->stack, sample->stack_size, 0 };

	if (walker->config.machine == EM_NONE ||
	    !unwind_regs_from_sample(&sample->user_regs, walker->config.machine,
				     &regs))
		return false;
	stack.base = unwind_regs_sp(&regs);
	walker->process = process;
	walked->frames = walker->frames;
	walked->count = 0;
	walked->end = UNWIND_COMPLETE;
	if (!is_in_exec(walker, sample, unwind_regs_pc(&regs)))
		walked->end = unwind(&regs, &stack, &modules, walker->frames,
				     STACK_WALKER_FRAMES, &walked->count);
	walker->ends[walked->end]++;
	return true;
}

const uint64_t *stack_walker_ends(const struct stack_walker *walker)
{
	return walker->ends;
}
