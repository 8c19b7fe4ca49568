/* process.c: sequences of records by hand, over a fake /proc whose files are
 * changed under the table's feet as a living system does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include "perfcore/process.h"
#include "proc_tree.h"

#define MS 1000000ull
#define S  (1000 * MS)

static struct strings *strings;
static struct notes notes;
static struct binary_table *binaries;
static struct process_table *table;

static void start(const char *root)
{
	struct process_table_config config = { .root = root, .notes = &notes };

	strings = strings_new();
	notes_init(&notes);
	binaries = binary_table_new(strings);
	config.strings = strings;
	config.wall_offset_ns = 1700000000 * S;
	config.binaries = binaries;
	table = process_table_new(&config);
}

static int setup(void **state)
{
	int status = tree_setup(state);

	start(tree_root);
	return status;
}

static int setup_file(void **state)
{
	int status = tree_setup(state);

	start(NULL);
	return status;
}

static int teardown(void **state)
{
	process_table_free(table);
	process_table_free(NULL);
	binary_table_free(binaries);
	strings_free(strings);
	notes_destroy(&notes);
	return tree_teardown(state);
}

static void fork_at(uint64_t time, uint32_t parent, uint32_t parent_tid,
		    uint32_t pid, uint32_t tid)
{
	struct event event = { .kind = EVENT_FORK,
			       .time = time,
			       .pid = pid,
			       .tid = tid,
			       .fork = { parent, parent_tid } };

	process_table_event(table, &event);
}

static void exit_at(uint64_t time, uint32_t pid, uint32_t tid, uint32_t cpu)
{
	struct event event = { .kind = EVENT_EXIT,
			       .time = time,
			       .pid = pid,
			       .tid = tid,
			       .cpu = cpu };

	process_table_event(table, &event);
}

static void comm_at(uint64_t time, uint32_t pid, uint32_t tid, const char *comm,
		    bool is_exec)
{
	struct event event = { .kind = EVENT_COMM,
			       .time = time,
			       .pid = pid,
			       .tid = tid,
			       .comm = { comm, is_exec } };

	process_table_event(table, &event);
}

static void mmap_at(uint64_t time, uint32_t pid, uint64_t address,
		    const char *path, uint32_t protection)
{
	struct event event = {
		.kind = EVENT_MMAP, .time = time, .pid = pid, .tid = pid
	};

	event.mmap.start = address;
	event.mmap.length = 0x1000;
	event.mmap.path = path;
	event.mmap.protection = protection;
	event.mmap.major = 8;
	event.mmap.inode = strlen(path);
	process_table_event(table, &event);
}

static void code_at(uint64_t time, uint32_t pid, uint64_t address,
		    const char *path)
{
	mmap_at(time, pid, address, path, PROT_READ | PROT_EXEC);
}

static struct thread *thread_of(uint32_t pid, uint32_t tid, uint64_t time)
{
	return process_table_thread(table, pid, tid, 0, time);
}

static const char *path_at(struct thread *thread, uint64_t address)
{
	const struct mapping *mapping =
		process_table_find(table, thread->process, address);

	return mapping ? mapping->binary->id.path : "";
}

static struct process_table_counts counts(void)
{
	struct process_table_counts counts;

	process_table_counts(table, &counts);
	return counts;
}

#define SHELL_MAPS                                                             \
	"1000-2000 r-xp 00000000 08:01 11 /bin/sh\n"                           \
	"3000-4000 rw-p 00001000 08:01 11 /bin/sh\n"                           \
	"5000-6000 r-xp 00002000 08:01 12 /lib/libc.so\n"                      \
	"7000-8000 rwxp 00000000 00:00 0 \n"                                   \
	"9000-a000 r-xp 00000000 00:00 0 [vdso]\n"

static void known_from_proc(void **state)
{
	struct thread *thread;
	const struct mapping *mapping;

	(void)state;
	tree_process(10, "a) b", 500, SHELL_MAPS);
	tree_text("proc/10/task/11/comm", "worker\n");
	tree_link("proc/10/exe", "/bin/sh (deleted)");
	tree_link("proc/10/ns/mnt", "mnt:[4026531841]");
	thread = thread_of(10, 11, 1 * S);
	assert_string_equal(thread->comm, "worker");
	assert_string_equal(thread->process->comm, "a) b");
	assert_string_equal(thread->process->exe, "/bin/sh");
	assert_int_equal(thread->process->uid, 1000);
	assert_int_equal(thread->process->namespace_pid, 7);
	assert_int_equal(thread->process->mount_namespace, 4026531841);
	assert_int_equal(thread->process->start_ns, 0);
	assert_true(thread->process->start_wall_ns > 1000000000 * S);
	assert_int_equal(thread->tag, PROCESS_NO_TAG);
	assert_int_equal(counts().maps_read, 0);

	mapping = process_table_find(table, thread->process, 0x5010);
	assert_string_equal(mapping->binary->id.path, "/lib/libc.so");
	assert_int_equal(mapping->page_offset, 0x2000);
	assert_string_equal(path_at(thread, 0x3000), "");
	assert_int_equal(counts().maps_read, 1);

	mapping = process_table_find(table, thread->process, 0x7800);
	assert_int_equal(mapping->binary->id.kind, BINARY_MEMORY);
	assert_int_equal(mapping->page_offset, mapping->start);
	assert_ptr_equal(mapping->binary, thread->process->memory);
	assert_int_equal(mapping->binary->id.owner, thread->process->number);
	assert_string_equal(mapping->binary->id.path, "/tmp/perf-7.map");
	mapping = process_table_find(table, thread->process, 0x9000);
	assert_int_equal(mapping->binary->id.kind, BINARY_VDSO);
	assert_ptr_equal(thread_of(10, 11, 2 * S), thread);
}

static void unknown_and_gone(void **state)
{
	struct thread *thread = thread_of(10, 10, 1 * S);

	(void)state;
	assert_string_equal(thread->comm, ":10");
	assert_string_equal(thread->process->exe, "");
	assert_int_equal(thread->process->uid, PROCESS_NO_TAG);
	assert_string_equal(path_at(thread, 0x1000), "");
	assert_int_equal(counts().maps_failed, 1);
	path_at(thread, 0x1000);
	assert_int_equal(counts().maps_failed, 1);
	/* Nobody could have known its maps: nothing to tell. */
	process_table_report(table);
	assert_int_equal(notes.count, 0);
}

static void born_and_executed_without_proc(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 20, 20);
	comm_at(1 * S + MS, 20, 20, "ls", true);
	code_at(1 * S + 2 * MS, 20, 0x1000, "/bin/ls");
	code_at(1 * S + 2 * MS, 20, 0x4000, "/lib/ld.so");
	/* There is nothing about 20 in /proc: it is gone by now. */
	thread = thread_of(20, 20, 1 * S + 3 * MS);
	assert_string_equal(thread->comm, "ls");
	assert_string_equal(thread->process->exe, "/bin/ls");
	assert_int_equal(thread->process->start_ns, 1 * S);
	assert_in_range(thread->process->start_wall_ns,
			1700000001 * S - 10 * MS, 1700000001 * S);
	assert_string_equal(path_at(thread, 0x1000), "/bin/ls");
	assert_string_equal(path_at(thread, 0x4fff), "/lib/ld.so");
	assert_string_equal(path_at(thread, 0x5000), "");
	assert_int_equal(counts().maps_read + counts().maps_failed, 0);
}

static void fork_without_exec_has_parents_maps(void **state)
{
	struct thread *child;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	tree_link("proc/10/exe", "/bin/sh");
	fork_at(1 * S, 10, 10, 20, 20);
	fork_at(1 * S, 20, 20, 30, 30);
	code_at(1 * S, 30, 0x1000, "/lib/dlopened.so");
	/* Its own file shows a later image; the parent's counts. */
	tree_process(30, "ls", 600, "1000-2000 r-xp 0 08:01 5 /bin/ls\n");
	child = thread_of(30, 30, 1 * S);
	assert_string_equal(child->comm, "sh");
	assert_string_equal(child->process->exe, "/bin/sh");
	assert_string_equal(path_at(child, 0x5000), "/lib/libc.so");
	assert_string_equal(path_at(child, 0x1000), "/lib/dlopened.so");
	/* The parent does not see what its child has mapped. */
	assert_string_equal(path_at(thread_of(10, 10, 1 * S), 0x1000),
			    "/bin/sh");
	assert_int_equal(counts().maps_read, 1);
}

static void fork_of_a_parent_that_has_executed(void **state)
{
	struct thread *child;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 20, 20);
	comm_at(1 * S, 10, 10, "other", true);
	tree_process(20, "sh", 600, "1000-2000 r-xp 0 08:01 5 /bin/sh\n");
	child = thread_of(20, 20, 1 * S);
	assert_string_equal(path_at(child, 0x1000), "/bin/sh");
	assert_string_equal(path_at(child, 0x5000), "");
}

static void fork_shares_known_maps(void **state)
{
	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	path_at(thread_of(10, 10, 1 * S), 0x1000);
	fork_at(1 * S, 10, 10, 20, 20);
	tree_remove("proc/10");
	assert_ptr_equal(thread_of(20, 20, 1 * S)->process->maps,
			 thread_of(10, 10, 1 * S)->process->maps);
	assert_string_equal(path_at(thread_of(20, 20, 1 * S), 0x5000),
			    "/lib/libc.so");
	assert_int_equal(counts().maps_read, 1);
}

static void exec_drops_the_maps(void **state)
{
	struct thread *thread;
	uint32_t number;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	thread = thread_of(10, 10, 1 * S);
	number = thread->process->number;
	path_at(thread, 0x1000);
	comm_at(2 * S, 10, 10, "ls", true);
	code_at(2 * S, 10, 0x1000, "/bin/ls");
	thread = thread_of(10, 10, 2 * S);
	assert_string_equal(thread->comm, "ls");
	assert_string_equal(path_at(thread, 0x1000), "/bin/ls");
	assert_string_equal(path_at(thread, 0x5000), "");
	assert_string_equal(thread->process->exe, "/bin/ls");
	assert_int_equal(thread->process->number, number);
}

static void c45_rename_is_no_exec(void **state)
{
	struct thread *thread;
	const char *before;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	thread = thread_of(10, 10, 1 * S);
	before = thread->comm;
	thread->tag = 5;
	comm_at(2 * S, 10, 10, "renamed", false);
	thread = thread_of(10, 10, 2 * S);
	assert_ptr_not_equal(thread->comm, before);
	assert_string_equal(before, "sh");
	assert_string_equal(thread->comm, "renamed");
	assert_string_equal(thread->process->comm, "renamed");
	assert_int_equal(thread->tag, PROCESS_NO_TAG);
	assert_string_equal(path_at(thread, 0x1000), "/bin/sh");
}

static void c45_threads_have_names_of_their_own(void **state)
{
	(void)state;
	tree_process(10, "main", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 10, 11);
	comm_at(1 * S, 10, 11, "worker", false);
	fork_at(1 * S, 10, 11, 10, 12);
	assert_string_equal(thread_of(10, 11, 1 * S)->comm, "worker");
	assert_string_equal(thread_of(10, 12, 1 * S)->comm, "worker");
	assert_string_equal(thread_of(10, 10, 1 * S)->comm, "main");
	assert_string_equal(thread_of(10, 12, 1 * S)->process->comm, "main");
	assert_int_equal(counts().threads, 3);
	assert_int_equal(counts().processes, 1);
}

static void c45_exec_by_another_thread(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "main", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 10, 11);
	fork_at(1 * S, 10, 10, 10, 12);
	/* 11 calls exec: the others are killed, 11 becomes 10. */
	exit_at(2 * S, 10, 12, 0);
	exit_at(2 * S, 10, 10, 0);
	comm_at(2 * S, 10, 10, "exe", true);
	code_at(2 * S, 10, 0x1000, "/bin/new");
	thread = thread_of(10, 10, 2 * S);
	assert_string_equal(thread->comm, "exe");
	assert_false(thread->process->has_ended);
	assert_int_equal(counts().threads, 1);
	exit_at(3 * S, 10, 10, 0);
	assert_int_equal(counts().processes, 0);
	/* The queue of ended ones holds it once: nothing is freed twice. */
	exit_at(9 * S, 99, 99, 0);
	assert_int_equal(counts().bytes, 0);
}

static void pid_reused_is_another_instance(void **state)
{
	struct thread *thread;
	uint32_t number;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 20, 20);
	comm_at(1 * S, 20, 20, "first", true);
	code_at(1 * S, 20, 0x1000, "/bin/first");
	number = thread_of(20, 20, 1 * S)->process->number;
	exit_at(2 * S, 20, 20, 0);
	fork_at(2 * S + MS, 10, 10, 20, 20);
	thread = thread_of(20, 20, 2 * S + MS);
	assert_int_not_equal(thread->process->number, number);
	assert_string_equal(thread->comm, "sh");
	assert_string_equal(path_at(thread, 0x1000), "/bin/sh");
	/* Reaping the first one must not take the second one's pid. */
	exit_at(9 * S, 99, 99, 0);
	assert_ptr_equal(thread_of(20, 20, 9 * S), thread);
}

static void pid_reused_after_a_lost_exit(void **state)
{
	uint32_t number;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 20, 20);
	number = thread_of(20, 20, 1 * S)->process->number;
	fork_at(2 * S, 10, 10, 20, 20);
	assert_int_not_equal(thread_of(20, 20, 2 * S)->process->number, number);
	assert_int_equal(counts().processes, 2);
}

static void exit_of_a_thread_is_not_the_processs(void **state)
{
	(void)state;
	tree_process(10, "main", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 10, 11);
	exit_at(2 * S, 10, 10, 0); /* the main thread, by pthread_exit */
	assert_false(thread_of(10, 11, 2 * S)->process->has_ended);
	exit_at(3 * S, 10, 11, 0);
	assert_true(thread_of(10, 11, 3 * S)->process->has_ended);
	assert_int_equal(thread_of(10, 11, 3 * S)->process->end_ns, 3 * S);
	assert_int_equal(counts().threads, 0);
}

static void unknown_thread_brings_its_process_back(void **state)
{
	uint32_t number;

	(void)state;
	tree_process(10, "main", 500, SHELL_MAPS);
	tree_text("proc/10/task/12/comm", "late\n");
	number = thread_of(10, 10, 1 * S)->process->number;
	exit_at(2 * S, 10, 10, 0);
	assert_int_equal(counts().processes, 0);
	assert_string_equal(thread_of(10, 12, 2 * S)->comm, "late");
	assert_int_equal(thread_of(10, 12, 2 * S)->process->number, number);
	assert_int_equal(counts().processes, 1);
	exit_at(9 * S, 99, 99, 0);
	assert_int_equal(counts().processes, 1);
}

static void unknown_thread_of_a_reused_pid(void **state)
{
	uint32_t number;

	(void)state;
	tree_process(10, "main", 500, SHELL_MAPS);
	number = thread_of(10, 10, 1 * S)->process->number;
	exit_at(2 * S, 10, 10, 0);
	tree_process(10, "other", 900, SHELL_MAPS);
	assert_int_not_equal(thread_of(10, 12, 2 * S)->process->number, number);
}

static void samples_after_the_exit(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	fork_at(1 * S, 10, 10, 20, 20);
	fork_at(1 * S, 20, 20, 20, 21);
	comm_at(1 * S, 20, 21, "worker", false);
	exit_at(2 * S, 20, 21, 1);
	/* The kernel has taken the tid, then the pid as well. */
	thread = process_table_thread(table, 20, UINT32_MAX, 1, 2 * S);
	assert_string_equal(thread->comm, "worker");
	exit_at(2 * S, 20, 20, 0);
	thread = process_table_thread(table, UINT32_MAX, UINT32_MAX, 0, 2 * S);
	assert_int_equal(thread->process->pid, 20);
	assert_int_equal(thread->tid, 20);
	thread = process_table_thread(table, UINT32_MAX, UINT32_MAX, 1, 2 * S);
	assert_string_equal(thread->comm, "worker");
	/* Nothing has ended on this one. */
	thread = process_table_thread(table, UINT32_MAX, UINT32_MAX, 7, 2 * S);
	assert_string_equal(thread->comm, "[exited]");
	thread = process_table_thread(table, UINT32_MAX, UINT32_MAX, 0, 2 * S);
	assert_int_equal(thread->process->pid, 20);
	assert_true(process_table_find(table, thread->process, 0x1000));
}

static void idle_is_swapper(void **state)
{
	struct thread *thread = thread_of(0, 0, 1 * S);

	(void)state;
	assert_string_equal(thread->comm, "swapper");
	assert_string_equal(path_at(thread, 0x1000), "");
}

static void newer_mapping_wins(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	thread = thread_of(10, 10, 1 * S);
	assert_string_equal(path_at(thread, 0x1000), "/bin/sh");
	code_at(2 * S, 10, 0x1000, "/lib/new.so");
	thread = thread_of(10, 10, 1 * S);
	assert_string_equal(path_at(thread, 0x1000), "/lib/new.so");
	mmap_at(2 * S, 10, 0x1000, "/lib/data", PROT_READ);
	assert_string_equal(path_at(thread, 0x1000), "");
}

static void kernel_mappings_are_not_the_processs(void **state)
{
	struct event event = { .kind = EVENT_MMAP, .time = 1 * S };

	(void)state;
	event.pid = event.tid = UINT32_MAX;
	event.mmap.start = 0xffffffff81000000;
	event.mmap.length = 0x1000000;
	event.mmap.is_kernel = true;
	event.mmap.path = "[kernel.kallsyms]_text";
	process_table_event(table, &event);
	assert_int_equal(counts().processes, 0);
	assert_int_equal(binary_table_count(binaries), 0);
}

static void c15_memfd_program_or_heap(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "jit", 500,
		     "1000-2000 r-xp 0 00:01 21 /memfd:prog (deleted)\n"
		     "3000-4000 r-xs 0 00:01 22 /memfd:heap (deleted)\n"
		     "5000-6000 r-xp 0 00:01 23 /memfd:gone (deleted)\n"
		     "7000-8000 r-xs 0 00:01 24 /memfd:doublemapper (deleted)\n"
		     "9000-a000 rwxp 0 00:01 25 /memfd:rwx (deleted)\n");
	tree_text("proc/10/map_files/1000-2000", "\177ELF…");
	tree_text("proc/10/map_files/3000-4000", "\xc3\xc3");
	thread = thread_of(10, 10, 1 * S);
	assert_string_equal(path_at(thread, 0x1000), "/memfd:prog");
	assert_string_equal(path_at(thread, 0x3000), "/tmp/perf-7.map");
	assert_string_equal(path_at(thread, 0x5000), "/memfd:gone");
	assert_string_equal(path_at(thread, 0x7000), "/tmp/perf-7.map");
	assert_string_equal(path_at(thread, 0x9000), "/tmp/perf-7.map");
}

static void namespaces_are_kept(void **state)
{
	struct event event = { .kind = EVENT_NAMESPACES, .time = 1 * S };

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	thread_of(10, 10, 1 * S);
	event.pid = event.tid = 10;
	event.namespaces.inode[NAMESPACE_MNT] = 4026532999;
	process_table_event(table, &event);
	fork_at(2 * S, 10, 10, 20, 20);
	assert_int_equal(thread_of(20, 20, 2 * S)->process->mount_namespace,
			 4026532999);
}

static void lost_records_are_made_good(void **state)
{
	struct event lost = { .kind = EVENT_LOST, .time = 20 * S };
	struct thread *thread;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	tree_process(20, "gone", 500, SHELL_MAPS);
	thread_of(20, 20, 1 * S);
	path_at(thread_of(10, 10, 1 * S), 0x1000);
	tree_process(10, "sh", 500, "b000-c000 r-xp 0 08:01 5 /lib/late.so\n");
	tree_remove("proc/20");
	assert_string_equal(path_at(thread_of(10, 10, 2 * S), 0xb000), "");
	assert_int_equal(counts().maps_read, 1);
	assert_int_equal(counts().processes, 2);
	process_table_event(table, &lost);
	thread = thread_of(10, 10, 21 * S);
	assert_string_equal(path_at(thread, 0xb000), "/lib/late.so");
	assert_string_equal(path_at(thread, 0xd000), "");
	assert_int_equal(counts().maps_read, 2);
	assert_int_equal(counts().processes, 1);
}

static void memory_stays_flat(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	for (uint32_t i = 0; i < 4000; i++) {
		uint64_t now = 1 * S + i * 10 * MS;
		uint32_t pid = 1000 + i % 3000;

		fork_at(now, 10, 10, pid, pid);
		comm_at(now, pid, pid, "short", true);
		code_at(now, pid, 0x1000, "/tmp/short");
		thread_of(pid, pid, now);
		fork_at(now, pid, pid, pid, 100000 + i);
		exit_at(now + 5 * MS, pid, 100000 + i, 0);
		exit_at(now + 5 * MS, pid, pid, 0);
		if (i == 1000)
			bytes = counts().bytes;
	}
	assert_int_equal(counts().bytes, bytes);
	assert_int_equal(counts().processes, 1);
}

static void paths_of_unsampled_processes_go(void **state)
{
	size_t bytes = 0;
	char path[64];

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	for (uint32_t i = 0; i < 1000; i++) {
		struct event event = { .kind = EVENT_MMAP,
				       .time = i * 10 * MS };

		fork_at(i * 10 * MS + 1, 10, 10, 1000 + i, 1000 + i);
		comm_at(i * 10 * MS + 1, 1000 + i, 1000 + i, "short", true);
		snprintf(path, sizeof(path), "/tmp/copy%u", i);
		event.pid = event.tid = 1000 + i;
		event.mmap.length = 0x1000;
		event.mmap.path = path;
		event.mmap.build_id_size = 20;
		process_table_event(table, &event);
		exit_at(i * 10 * MS + 2, 1000 + i, 1000 + i, 0);
		if (i == 500)
			bytes = strings_bytes(strings);
	}
	assert_int_equal(strings_bytes(strings), bytes);
	assert_string_equal(thread_of(1999, 1999, 10 * S)->process->exe,
			    "/tmp/copy999");
}

static void threads_of_a_living_process_go(void **state)
{
	(void)state;
	tree_process(10, "pool", 500, SHELL_MAPS);
	for (uint32_t i = 0; i < 3000; i++) {
		uint64_t now = 1 * S + i * 10 * MS;

		fork_at(now, 10, 10, 10, 100 + i);
		exit_at(now + MS, 10, 100 + i, 0);
	}
	assert_int_equal(counts().threads, 1);
	assert_in_range(counts().bytes, 1, 100000);
}

static void file_with_made_up_records(void **state)
{
	struct event event = { .kind = EVENT_FORK, .misc = 0x2000 };
	struct thread *thread;

	(void)state;
	/* perf's own: a COMM and the MMAPs of each, then a FORK that is none */
	comm_at(0, 10, 10, "parent", false);
	code_at(0, 10, 0x1000, "/bin/parent");
	comm_at(0, 20, 20, "child", false);
	code_at(0, 20, 0x5000, "/bin/child");
	event.pid = event.tid = 20;
	event.fork.parent_pid = event.fork.parent_tid = 10;
	process_table_event(table, &event);
	thread = thread_of(20, 20, 1 * S);
	assert_string_equal(thread->comm, "child");
	assert_string_equal(thread->process->exe, "/bin/child");
	assert_string_equal(path_at(thread, 0x5000), "/bin/child");
	assert_string_equal(path_at(thread, 0x1000), "");
	/* A real one later. */
	fork_at(2 * S, 10, 10, 20, 20);
	thread = thread_of(20, 20, 2 * S);
	assert_string_equal(thread->comm, "parent");
	assert_string_equal(path_at(thread, 0x1000), "/bin/parent");
	assert_string_equal(path_at(thread, 0x5000), "");
}

static void fork_chain_is_no_recursion(void **state)
{
	(void)state;
	tree_process(1, "init", 1, SHELL_MAPS);
	for (uint32_t pid = 1; pid < 20000; pid++)
		fork_at(1 * S, pid, pid, pid + 1, pid + 1);
	assert_string_equal(path_at(thread_of(20000, 20000, 1 * S), 0x1000),
			    "/bin/sh");
	assert_int_equal(counts().maps_read, 1);
}

static void too_many_mappings_start_again(void **state)
{
	struct thread *thread;

	(void)state;
	tree_process(10, "sh", 500, SHELL_MAPS);
	path_at(thread_of(10, 10, 1 * S), 0x1000);
	for (uint64_t i = 0; i < 140000; i++)
		code_at(1 * S, 10, 0x100000 + i * 0x2000, "//anon");
	thread = thread_of(10, 10, 1 * S);
	assert_string_equal(path_at(thread, 0x1000), "/bin/sh");
	assert_in_range(counts().bytes, 1, 10000);
}

#define LIVE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define FILE_ONLY(test)                                                        \
	cmocka_unit_test_setup_teardown(test, setup_file, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(known_from_proc),
		LIVE(unknown_and_gone),
		LIVE(born_and_executed_without_proc),
		LIVE(fork_without_exec_has_parents_maps),
		LIVE(fork_of_a_parent_that_has_executed),
		LIVE(fork_shares_known_maps),
		LIVE(exec_drops_the_maps),
		LIVE(c45_rename_is_no_exec),
		LIVE(c45_threads_have_names_of_their_own),
		LIVE(c45_exec_by_another_thread),
		LIVE(pid_reused_is_another_instance),
		LIVE(pid_reused_after_a_lost_exit),
		LIVE(exit_of_a_thread_is_not_the_processs),
		LIVE(unknown_thread_brings_its_process_back),
		LIVE(unknown_thread_of_a_reused_pid),
		LIVE(samples_after_the_exit),
		LIVE(idle_is_swapper),
		LIVE(newer_mapping_wins),
		LIVE(kernel_mappings_are_not_the_processs),
		LIVE(c15_memfd_program_or_heap),
		LIVE(namespaces_are_kept),
		LIVE(lost_records_are_made_good),
		LIVE(memory_stays_flat),
		LIVE(paths_of_unsampled_processes_go),
		LIVE(threads_of_a_living_process_go),
		FILE_ONLY(file_with_made_up_records),
		LIVE(fork_chain_is_no_recursion),
		LIVE(too_many_mappings_start_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
