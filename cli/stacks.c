#include "cli/stacks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

#define KERNEL_START	   (1ull << 63)
#define CONTEXT_MAX	   ((uint64_t)-4095)
#define CONTEXT_USER_DEFER ((uint64_t)-640) /* Linux 6.19 */

/* What an incomplete stack stands on: it must never stand beside real roots.
 * A report can tell from them why stacks are incomplete, and whose. */
static const char *const root_names[UNWIND_ENDS] = {
	[UNWIND_TRUNCATED] = "[truncated]",
	[UNWIND_TOO_DEEP] = "[truncated]",
	[UNWIND_NO_INFO] = "[no unwind information]",
	[UNWIND_BAD_DATA] = "[broken stack]",
};

/* The last stack of a process: the next one shares most of it, from the root
 * on. nodes[i] is the node of frames[0] to frames[i], root first. */
struct recent {
	uint32_t root;
	uint32_t *frames, *nodes;
	size_t count, frames_capacity, nodes_capacity;
};

#define RECENTS 64 /* processes, by the low bits of their numbers */

struct stacks {
	struct stacks_config config;
	struct maps *kernel; /* the kernel and what KSYMBOL put over it */
	struct binary *kernel_binary;
	uint32_t guest;		     /* special frames: */
	uint32_t roots[UNWIND_ENDS]; /* of stacks that ended so */
	uint32_t *found;	     /* frames of this sample, leaf first */
	size_t n_found, capacity;
	struct mapping last; /* of this sample's last user frame, a copy: maps
			      * may change; end 0: none yet */
	struct recent recents[RECENTS];
	uint64_t *addresses, context; /* of this sample, if wanted */
	size_t n_addresses, addresses_capacity;
};

struct stacks *stacks_new(const struct stacks_config *config)
{
	struct stacks *stacks = mem_calloc(1, sizeof(*stacks));
	struct binary_identity identity = { .kind = BINARY_KERNEL,
					    .path = "[kernel.kallsyms]" };
	struct mapping whole = { KERNEL_START, UINT64_MAX, KERNEL_START, NULL };

	identity.build_id_size = config->kernel_build_id_size;
	memcpy(identity.build_id, config->kernel_build_id, BUILD_ID_MAX);
	stacks->config = *config;
	stacks->kernel = maps_new();
	stacks->kernel_binary = binary_table_get(config->binaries, &identity);
	whole.binary = stacks->kernel_binary;
	maps_insert(&stacks->kernel, &whole);
	stacks->roots[UNWIND_COMPLETE] = PROFILE_NONE;
	for (int i = UNWIND_COMPLETE + 1; i < UNWIND_ENDS; i++)
		stacks->roots[i] =
			profile_frame_special(config->profile, root_names[i]);
	stacks->guest = profile_frame_special(config->profile, "[guest]");
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	maps_free(stacks->kernel);
	for (size_t i = 0; i < RECENTS; i++) {
		free(stacks->recents[i].frames);
		free(stacks->recents[i].nodes);
	}
	free(stacks->found);
	free(stacks->addresses);
	free(stacks);
}

void stacks_ksymbol(struct stacks *stacks, const struct event_ksymbol *event)
{
	struct binary_identity identity = { .kind = BINARY_KSYMBOL,
					    .path = event->name };
	struct mapping mapping = {
		.start = event->address,
		.end = event->address + event->length,
		.page_offset = event->address,
		.binary = stacks->kernel_binary,
	};

	if (event->address < KERNEL_START || mapping.end < mapping.start)
		return;
	if (!event->is_unregister)
		mapping.binary =
			binary_table_get(stacks->config.binaries, &identity);
	maps_insert(&stacks->kernel, &mapping);
}

static void found_add(struct stacks *stacks, uint32_t frame)
{
	stacks->found = mem_grow(stacks->found, stacks->n_found,
				 &stacks->capacity, sizeof(*stacks->found));
	stacks->found[stacks->n_found++] = frame;
}

static void address_push(struct stacks *stacks, uint64_t address)
{
	stacks->addresses = mem_grow(stacks->addresses, stacks->n_addresses,
				     &stacks->addresses_capacity,
				     sizeof(*stacks->addresses));
	stacks->addresses[stacks->n_addresses++] = address;
}

static void address_add(struct stacks *stacks, uint64_t context, uint64_t ip)
{
	if (!stacks->config.want_addresses)
		return;
	if (stacks->context != context)
		address_push(stacks, context);
	stacks->context = context;
	address_push(stacks, ip);
}

const uint64_t *stacks_addresses(const struct stacks *stacks, size_t *count)
{
	*count = stacks->n_addresses;
	return stacks->addresses;
}

static void add_kernel(struct stacks *stacks, uint64_t ip, bool is_exact)
{
	uint64_t address = ip - !is_exact;
	const struct mapping *mapping = maps_find(stacks->kernel, address);
	bool is_new;

	if (!mapping)
		return; /* below the kernel: no code of it */
	address_add(stacks, (uint64_t)PERF_CONTEXT_KERNEL, ip);
	found_add(stacks, frame_table_get(stacks->config.frames,
					  mapping->binary, address, &is_new));
}

/* Returns false where nothing is mapped at ip: the chain ran off. */
static bool add_user(struct stacks *stacks, struct process *process,
		     uint64_t ip, bool is_exact)
{
	struct stacks_config *config = &stacks->config;
	uint64_t address = ip - !is_exact;
	const struct mapping *mapping = &stacks->last;
	struct binary *binary;
	bool is_new;

	if (address < mapping->start || address >= mapping->end) {
		mapping =
			process_table_find(config->processes, process, address);
		if (!mapping) {
			if (is_exact)
				found_add(stacks,
					  frame_table_unmapped(config->frames,
							       address));
			return false;
		}
		stacks->last = *mapping;
		mapping = &stacks->last;
	}
	binary = binary_resolve(mapping->binary);
	found_add(stacks, frame_table_get(config->frames, binary,
					  address - mapping->start +
						  mapping->page_offset,
					  &is_new));
	if (config->files && binary->state != BINARY_OPEN &&
	    (is_new || binary->id.kind == BINARY_MEMORY))
		binary_files_open(config->files, process, mapping);
	if (config->jit_dumps && binary->id.kind == BINARY_MEMORY)
		jit_dumps_look(config->jit_dumps, process);
	return true;
}

static bool is_user_context(uint64_t context)
{
	return context == (uint64_t)PERF_CONTEXT_USER ||
	       context == CONTEXT_USER_DEFER;
}

/* The first address after a marker is where the CPU was; the others are
 * return addresses. */
static enum unwind_end add_callchain(struct stacks *stacks,
				     struct process *process,
				     const struct sample *sample,
				     bool is_unwound)
{
	uint64_t context = sample->mode == CPU_MODE_KERNEL
				   ? (uint64_t)PERF_CONTEXT_KERNEL
				   : (uint64_t)PERF_CONTEXT_USER;
	enum unwind_end end = UNWIND_COMPLETE;
	uint32_t n_frames = 0;
	bool is_exact = true;

	for (uint64_t i = 0; i < sample->n_callchain; i++) {
		uint64_t ip = sample->callchain[i];

		if (ip >= CONTEXT_MAX) {
			context = ip;
			is_exact = true;
			continue;
		}
		if (is_unwound && is_user_context(context))
			continue;
		n_frames++;
		if (is_user_context(context)) {
			address_add(stacks, (uint64_t)PERF_CONTEXT_USER, ip);
			if (!add_user(stacks, process, ip, is_exact)) {
				end = UNWIND_BAD_DATA;
				break;
			}
		} else if (context == (uint64_t)PERF_CONTEXT_KERNEL) {
			add_kernel(stacks, ip, is_exact);
		} else {
			found_add(stacks, stacks->guest);
		}
		is_exact = false;
	}
	if (stacks->config.max_callchain &&
	    n_frames >= stacks->config.max_callchain)
		end = UNWIND_TRUNCATED;
	return end;
}

static enum unwind_end add_leaf(struct stacks *stacks, struct process *process,
				const struct sample *sample)
{
	switch (sample->mode) {
	case CPU_MODE_USER:
		address_add(stacks, (uint64_t)PERF_CONTEXT_USER, sample->ip);
		return add_user(stacks, process, sample->ip, true)
			       ? UNWIND_COMPLETE
			       : UNWIND_BAD_DATA;
	case CPU_MODE_GUEST_KERNEL:
	case CPU_MODE_GUEST_USER:
		found_add(stacks, stacks->guest);
		return UNWIND_COMPLETE;
	default:
		add_kernel(stacks, sample->ip, true);
		return UNWIND_COMPLETE;
	}
}

/* The user part by unwinding. Where there is nothing to unwind, the stack is
 * what the callchain said. */
static enum unwind_end add_unwound(struct stacks *stacks,
				   struct process *process,
				   const struct sample *sample)
{
	struct walked_stack walked;

	if (!stack_walker_walk(stacks->config.walker, process, sample, &walked))
		return sample->mode == CPU_MODE_USER
			       ? add_leaf(stacks, process, sample)
			       : UNWIND_COMPLETE;
	for (size_t i = 0; i < walked.count; i++) {
		address_add(stacks, (uint64_t)PERF_CONTEXT_USER,
			    walked.frames[i].ip);
		add_user(stacks, process,
			 unwind_frame_lookup(&walked.frames[i]), true);
	}
	return walked.end;
}

static enum unwind_end add_all(struct stacks *stacks, struct process *process,
			       const struct sample *sample)
{
	bool is_unwound = stacks->config.walker && sample->has_stack;
	enum unwind_end end = UNWIND_COMPLETE;

	if (sample->n_callchain)
		end = add_callchain(stacks, process, sample, is_unwound);
	else if (!is_unwound || sample->mode != CPU_MODE_USER)
		end = add_leaf(stacks, process, sample);
	if (is_unwound && end == UNWIND_COMPLETE)
		end = add_unwound(stacks, process, sample);
	return end;
}

/* The node of the frames found, on root; as far as the last stack of this
 * process was the same, its nodes are taken. */
static uint32_t node_of(struct stacks *stacks, const struct process *process,
			uint32_t root)
{
	struct recent *recent = &stacks->recents[process->number % RECENTS];
	size_t n = stacks->n_found, same = 0;
	const uint32_t *leaf = stacks->found;
	uint32_t node = 0;

	if (recent->root == root)
		while (same < n && same < recent->count &&
		       recent->frames[same] == leaf[n - 1 - same])
			same++;
	if (same)
		node = recent->nodes[same - 1];
	else if (root != PROFILE_NONE)
		node = profile_node(stacks->config.profile, 0, root);
	recent->root = root;
	for (recent->count = same; recent->count < n; recent->count++) {
		size_t i = recent->count;

		node = profile_node(stacks->config.profile, node,
				    leaf[n - 1 - i]);
		recent->frames =
			mem_grow(recent->frames, i, &recent->frames_capacity,
				 sizeof(*recent->frames));
		recent->nodes =
			mem_grow(recent->nodes, i, &recent->nodes_capacity,
				 sizeof(*recent->nodes));
		recent->frames[i] = leaf[n - 1 - i];
		recent->nodes[i] = node;
	}
	return node;
}

uint32_t stacks_of(struct stacks *stacks, struct process *process,
		   const struct sample *sample, enum stack_end *end)
{
	static const enum stack_end ends[UNWIND_ENDS] = {
		[UNWIND_COMPLETE] = STACK_COMPLETE,
		[UNWIND_TRUNCATED] = STACK_TRUNCATED,
		[UNWIND_TOO_DEEP] = STACK_TRUNCATED,
		[UNWIND_NO_INFO] = STACK_FAILED,
		[UNWIND_BAD_DATA] = STACK_FAILED,
	};
	enum unwind_end why;

	stacks->n_found = 0;
	stacks->n_addresses = 0;
	stacks->context = 0;
	stacks->last = (struct mapping){ 0 };
	why = add_all(stacks, process, sample);
	*end = ends[why];
	return node_of(stacks, process, stacks->roots[why]);
}
