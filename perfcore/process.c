#include "perfcore/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/last_exit.h"
#include "perfcore/mem.h"
#include "perfcore/process_maps.h"
#include "perfcore/process_proc.h"
#include "perfcore/process_store.h"
#include "perfcore/procfs.h"

/* perf marks FORK records that it made up from /proc (kernel ≥ 4.20 never
 * sets this bit on them itself). */
#define MISC_FORK_EXEC 0x2000
#define NO_ID	       UINT32_MAX /* pid and tid of a task past its exit */

#define RELOAD_NS 1000000000ull /* between looks at /proc after losses */
#define SWEEP_NS  10000000000ull

struct process_table {
	struct process_table_config config;
	struct process_store store;
	struct last_exits exits;
	uint64_t lost_time, sweep_time;
	uint64_t boot_ns; /* UNIX time of the boot; 0: not this host's */
	uint64_t maps_read, maps_failed, maps_denied;
	const char *empty;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct process_table *process_table_new(
	const struct process_table_config *config)
{
	struct process_table *table = mem_calloc(1, sizeof(*table));

	table->config = *config;
	process_store_init(&table->store);
	if (config->root)
		table->boot_ns = process_proc_boot_ns();
	/* Sessions take their time from CLOCK_MONOTONIC. */
	if (!config->wall_offset_ns && config->root && !*config->root)
		table->config.wall_offset_ns =
			(int64_t)(clock_ns(CLOCK_REALTIME) -
				  clock_ns(CLOCK_MONOTONIC));
	table->empty = strings_intern(config->strings, "");
	return table;
}

void process_table_free(struct process_table *table)
{
	if (!table)
		return;
	process_store_destroy(&table->store);
	last_exits_destroy(&table->exits);
	free(table);
}

static struct instance *add_instance(struct process_table *table, uint32_t pid)
{
	return instance_add(&table->store, pid, table->empty, table->empty);
}

/* For a process that has told its name to nobody. */
static const char *stand_in_comm(const struct process_table *table,
				 uint32_t pid)
{
	char comm[16];

	if (pid == 0)
		return strings_intern(table->config.strings, "swapper");
	if (pid == NO_ID)
		return strings_intern(table->config.strings, "[exited]");
	snprintf(comm, sizeof(comm), ":%u", pid);
	return strings_intern(table->config.strings, comm);
}

static void set_comm(struct process_table *table, struct thread_entry *entry,
		     const char *comm)
{
	struct instance *instance = entry->instance;

	entry->thread.comm = strings_intern(table->config.strings, comm);
	entry->thread.tag = PROCESS_NO_TAG;
	if (entry->thread.tid == instance->process.pid) {
		instance->process.comm = entry->thread.comm;
		instance->has_comm = true;
	}
}

/* What no record has told, asked once for each image, when it is first
 * sampled or forks. */
static void describe(struct process_table *table, struct instance *instance)
{
	struct process *process = &instance->process;

	if (instance->is_described)
		return;
	instance->is_described = true;
	if (instance->image_path)
		process->exe = strings_intern(table->config.strings,
					      instance->image_path);
	if (table->config.root && process->pid && process->pid != NO_ID)
		process_proc_read(&table->config, instance, table->boot_ns);
	if (!instance->has_comm)
		process->comm = stand_in_comm(table, process->pid);
}

/* The thread a record or a sample names, of an instance that is there. */
static struct thread_entry *get_entry(struct process_table *table,
				      struct instance *instance, uint32_t tid)
{
	struct thread_entry *entry = entry_find(&table->store, instance, tid);

	if (entry)
		return entry;
	return entry_add(&table->store, instance, tid,
			 process_proc_comm(&table->config, instance, tid));
}

/* Where the maps of a child that does not exec come from, as long as the
 * parent's own have not been read. */
static void inherit_maps(struct instance *child, const struct instance *parent)
{
	maps_free(child->process.maps);
	child->process.maps = maps_share(parent->process.maps);
	child->are_maps_known = parent->are_maps_known;
	child->maps_time = parent->maps_time;
	if (parent->are_maps_known)
		return;
	if (parent->from_number) {
		child->from_pid = parent->from_pid;
		child->from_number = parent->from_number;
		child->from_image = parent->from_image;
	} else {
		child->from_pid = parent->process.pid;
		child->from_number = parent->process.number;
		child->from_image = parent->image;
	}
}

/* In ticks after the boot, as /proc tells starts: a process has the same one
 * in the next recording, which meets it there. */
static uint64_t start_wall(const struct process_table *table, uint64_t time)
{
	uint64_t wall = time + (uint64_t)table->config.wall_offset_ns;

	if (!table->config.wall_offset_ns)
		return 0;
	return wall - (wall - table->boot_ns) % process_proc_tick_ns();
}

static void fork_process(struct process_table *table, const struct event *event)
{
	uint32_t parent_pid = event->fork.parent_pid;
	struct instance *parent = instance_find(&table->store, parent_pid);
	struct thread_entry *entry;
	struct instance *child;

	if (!parent)
		parent = add_instance(table, parent_pid);
	describe(table, parent);
	entry = get_entry(table, parent, event->fork.parent_tid);
	child = add_instance(table, event->pid);
	child->process.start_ns = event->time;
	child->process.start_wall_ns = start_wall(table, event->time);
	child->process.uid = parent->process.uid;
	child->process.exe = parent->process.exe;
	child->process.mount_namespace = parent->process.mount_namespace;
	child->is_exe_next = parent->is_exe_next;
	inherit_maps(child, parent);
	if (parent->has_comm) {
		child->process.comm = entry->thread.comm;
		child->has_comm = true;
	}
	entry_add(&table->store, child, event->tid, child->process.comm);
}

static void fork_thread(struct process_table *table, const struct event *event)
{
	struct instance *instance = instance_find(&table->store, event->pid);
	struct thread_entry *creator;

	if (!instance)
		instance = add_instance(table, event->pid);
	describe(table, instance);
	entry_reap(&table->store, instance);
	creator = get_entry(table, instance, event->fork.parent_tid);
	entry_add(&table->store, instance, event->tid, creator->thread.comm);
}

/* FORK records that perf made up from /proc say who is there, not that they
 * were born now; their maps follow. */
static void on_fork(struct process_table *table, const struct event *event)
{
	bool is_made_up = event->misc & MISC_FORK_EXEC || !event->time;
	struct instance *instance;

	if (event->pid == NO_ID || event->tid == NO_ID)
		return;
	if (!is_made_up && event->pid != event->fork.parent_pid) {
		fork_process(table, event);
	} else if (!is_made_up) {
		fork_thread(table, event);
	} else {
		instance = instance_find(&table->store, event->pid);
		if (!instance)
			instance = add_instance(table, event->pid);
		get_entry(table, instance, event->tid);
	}
}

/* A process ends with the last of its threads, which need not be the main
 * one. Threads that nothing has named yet do not count here; a sample of one
 * brings its process back. */
static void on_exit_record(struct process_table *table,
			   const struct event *event)
{
	struct instance *instance = instance_find(&table->store, event->pid);
	struct thread_entry *entry;

	last_exits_set(&table->exits, event->cpu, event->pid, event->tid);
	if (!instance)
		return;
	entry = entry_find(&table->store, instance, event->tid);
	if (entry)
		entry_end(entry, event->time);
	if (event->tid == event->pid)
		instance->has_main_ended = true;
	if (!instance->n_alive && instance->has_main_ended)
		instance_end(&table->store, instance, event->time);
	else
		entry_reap(&table->store, instance);
}

/* A new image: only the calling thread lives on, under the main thread's
 * tid; its MMAP records follow and are all that there is to know. */
static void exec(struct process_table *table, struct instance *instance)
{
	struct process *process = &instance->process;

	for (struct thread_entry *entry = instance->threads; entry;
	     entry = entry->next)
		entry_end(entry, table->store.now);
	instance_revive(instance);
	instance->image++;
	instance->from_number = 0;
	instance->are_maps_known = true;
	instance->maps_time = table->store.now;
	instance->is_described = false;
	instance->is_exe_next = true;
	process->exe = table->empty;
	process->memory = NULL;
	free(instance->image_path);
	instance->image_path = NULL;
	maps_free(process->maps);
	process->maps = maps_new();
	entry_add(&table->store, instance, process->pid, process->comm);
}

static void on_comm(struct process_table *table, const struct event *event)
{
	struct instance *instance = instance_find(&table->store, event->pid);

	if (!instance) {
		/* A living process tells its name itself, once sampled. */
		if (table->config.root && !event->comm.is_exec)
			return;
		instance = add_instance(table, event->pid);
	}
	if (event->comm.is_exec)
		exec(table, instance);
	set_comm(table, get_entry(table, instance, event->tid),
		 event->comm.comm);
}

/* The first code that is mapped after an exec is the program's own. Its path
 * is kept for good only if the process is sampled. */
static void take_image(struct process_table *table, struct instance *instance,
		       const char *path)
{
	instance->is_exe_next = false;
	if (instance->process.exe != table->empty || instance->image_path)
		return;
	if (instance->is_described)
		instance->process.exe =
			strings_intern(table->config.strings, path);
	else
		instance->image_path = mem_strdup(path);
}

static void on_mmap(struct process_table *table, const struct event *event)
{
	struct instance *instance;
	struct binary *binary;

	if (event->mmap.is_kernel || event->pid == NO_ID)
		return;
	instance = instance_find(&table->store, event->pid);
	if (!instance) {
		if (table->config.root)
			return;
		instance = add_instance(table, event->pid);
	}
	binary = process_maps_add(&table->config, &instance->process,
				  &event->mmap);
	if (binary && binary->id.kind == BINARY_FILE &&
	    (instance->is_exe_next || !table->config.root))
		take_image(table, instance, event->mmap.path);
	if (maps_count(instance->process.maps) <= PROCESS_MAPS_MAX)
		return;
	/* No record tells of unmapping: begin again with what is there. */
	maps_free(instance->process.maps);
	instance->process.maps = maps_new();
	instance->are_maps_known = false;
	instance->from_number = 0;
}

static void on_namespaces(struct process_table *table,
			  const struct event *event)
{
	struct instance *instance = instance_find(&table->store, event->pid);
	uint64_t inode = event->namespaces.inode[NAMESPACE_MNT];

	if (instance && inode)
		instance->process.mount_namespace = inode;
}

/* EXIT records may be among the lost: ends what /proc no longer has. */
static void on_lost(struct process_table *table, const struct event *event)
{
	uint64_t now = table->store.now;

	table->lost_time = event->time ? event->time : now;
	if (!table->config.root || now - table->sweep_time < SWEEP_NS)
		return;
	table->sweep_time = now;
	for (size_t i = 0; i < table->store.instances.count; i++) {
		struct instance *instance = table->store.instances.items[i];
		char path[512];

		if (instance && instance->process.pid != NO_ID &&
		    procfs_path(path, sizeof(path), table->config.root,
				"/proc/%u", instance->process.pid) &&
		    access(path, F_OK) != 0)
			instance_end(&table->store, instance, now);
	}
}

static void see_time(struct process_table *table, uint64_t time)
{
	if (time > table->store.now)
		table->store.now = time;
}

void process_table_event(struct process_table *table, const struct event *event)
{
	see_time(table, event->time);
	instance_reap(&table->store);
	switch (event->kind) {
	case EVENT_FORK:
		on_fork(table, event);
		break;
	case EVENT_EXIT:
		on_exit_record(table, event);
		break;
	case EVENT_COMM:
		on_comm(table, event);
		break;
	case EVENT_MMAP:
		on_mmap(table, event);
		break;
	case EVENT_NAMESPACES:
		on_namespaces(table, event);
		break;
	case EVENT_LOST:
		on_lost(table, event);
		break;
	default:
		break;
	}
}

/* A sample of an unknown thread of a process that seemed to have ended: a
 * thread that ran before the recording, or another process whose FORK record
 * was lost. The start tells. */
static struct instance *not_ended(struct process_table *table,
				  struct instance *instance, uint32_t tid)
{
	uint32_t pid = instance->process.pid;
	struct procfs_stat stat;

	if (!table->config.root || entry_find(&table->store, instance, tid) ||
	    procfs_stat(table->config.root, pid, pid, &stat))
		return instance;
	if (instance->start_ticks && instance->start_ticks != stat.start_ticks)
		return add_instance(table, pid);
	if (stat.state != 'Z' || stat.n_threads > 1)
		instance_revive(instance);
	return instance;
}

static struct thread_entry *find_slowly(struct process_table *table,
					uint32_t pid, uint32_t tid,
					uint32_t cpu)
{
	struct thread_entry *entry;
	struct instance *instance;

	last_exits_restore(&table->exits, cpu, &pid, &tid);
	instance = instance_find(&table->store, pid);
	if (!instance)
		instance = add_instance(table, pid);
	else if (instance->process.has_ended)
		instance = not_ended(table, instance, tid);
	describe(table, instance);
	entry = get_entry(table, instance, tid);
	if (instance->process.has_ended)
		entry_end(entry, instance->process.end_ns);
	return entry;
}

struct thread *process_table_thread(struct process_table *table, uint32_t pid,
				    uint32_t tid, uint32_t cpu, uint64_t time)
{
	struct thread_entry *entry = entry_at(&table->store, tid);

	see_time(table, time);
	if (!entry || tid == NO_ID || entry->thread.process->pid != pid ||
	    !entry->instance->is_described)
		entry = find_slowly(table, pid, tid, cpu);
	return &entry->thread;
}

/* Reads the maps anew; what records have told stays where nothing can be
 * read any more. */
static void read_maps(struct process_table *table, struct instance *instance)
{
	struct maps *maps = maps_new();
	int count =
		process_maps_read(&table->config, &instance->process, &maps);

	instance->are_maps_known = true;
	instance->maps_time = table->store.now;
	table->maps_read += count >= 0;
	table->maps_failed += count < 0;
	table->maps_denied += count == -EACCES || count == -EPERM;
	if (maps_count(maps)) {
		maps_free(instance->process.maps);
		instance->process.maps = maps;
	} else {
		maps_free(maps);
	}
}

/* A child that has not called exec has its parent's maps and what it has
 * mapped since; its own /proc file may be that of a later image. */
static bool take_parents_maps(struct process_table *table,
			      struct instance *instance)
{
	struct instance *parent =
		instance_find(&table->store, instance->from_pid);
	struct maps *own = instance->process.maps, *maps;

	if (!instance->from_number || !parent ||
	    parent->process.number != instance->from_number ||
	    parent->image != instance->from_image)
		return false;
	if (!parent->are_maps_known)
		read_maps(table, parent);
	if (!maps_count(parent->process.maps))
		return false;
	maps = maps_share(parent->process.maps);
	for (size_t i = 0; i < maps_count(own); i++)
		maps_insert(&maps, maps_at(own, i));
	maps_free(own);
	instance->process.maps = maps;
	instance->are_maps_known = true;
	instance->maps_time = table->store.now;
	return true;
}

static void know_maps(struct process_table *table, struct instance *instance)
{
	if (!table->config.root)
		instance->are_maps_known = true;
	else if (!take_parents_maps(table, instance))
		read_maps(table, instance);
}

/* After losses a mapping may be missing that /proc has. */
static bool may_have_missed(const struct process_table *table,
			    const struct instance *instance)
{
	return table->config.root && !instance->process.has_ended &&
	       table->lost_time > instance->maps_time &&
	       table->store.now - instance->maps_time > RELOAD_NS;
}

const struct mapping *process_table_find(struct process_table *table,
					 struct process *process,
					 uint64_t address)
{
	struct instance *instance = (struct instance *)process;
	const struct mapping *mapping;

	if (!instance->are_maps_known)
		know_maps(table, instance);
	mapping = maps_find(process->maps, address);
	if (!mapping && may_have_missed(table, instance)) {
		read_maps(table, instance);
		mapping = maps_find(process->maps, address);
	}
	if (mapping && mapping->binary->alias)
		maps_set_binary(process->maps, mapping,
				binary_resolve(mapping->binary));
	return mapping;
}

void process_table_counts(const struct process_table *table,
			  struct process_table_counts *counts)
{
	*counts = (struct process_table_counts){
		.maps_read = table->maps_read,
		.maps_failed = table->maps_failed,
		.maps_denied = table->maps_denied,
	};
	for (size_t i = 0; i < table->store.instances.count; i++) {
		const struct instance *instance =
			table->store.instances.items[i];

		if (!instance)
			continue;
		counts->processes += !instance->process.has_ended;
		counts->threads += instance->n_alive;
		counts->bytes +=
			sizeof(*instance) + maps_count(instance->process.maps) *
						    sizeof(struct mapping);
		for (const struct thread_entry *entry = instance->threads;
		     entry; entry = entry->next)
			counts->bytes += sizeof(*entry);
	}
}

void process_table_report(const struct process_table *table)
{
	if (table->maps_denied)
		notes_add(table->config.notes,
			  "the mappings of %" PRIu64
			  " processes were not to be "
			  "read: permission denied (CAP_SYS_PTRACE)",
			  table->maps_denied);
}
