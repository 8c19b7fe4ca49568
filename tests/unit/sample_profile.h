/*
 * A small profile with everything that a format may have trouble with: two
 * processes of one pid, a renamed thread, two containers of one name, odd
 * bytes in comms, inlined functions, unknown, kernel, JIT and special frames.
 */
#ifndef TESTS_SAMPLE_PROFILE_H
#define TESTS_SAMPLE_PROFILE_H

#include <string.h>

#include "cli/profile/profile.h"

static inline uint32_t sample_frame(struct profile *profile, uint32_t mapping,
				    uint32_t flags, uint64_t address,
				    const char *name, const char *file,
				    uint32_t line)
{
	struct profile_line lines = { 0, line };
	uint32_t frame = profile_frame_add(
		profile, &(struct profile_frame){ .mapping = mapping,
						  .flags = flags,
						  .address = address });

	if (!name)
		return frame;
	lines.function = profile_function(
		profile,
		&(struct profile_function){
			.name = name, .file = file, .is_named = *name != '[' });
	profile_frame_set_lines(profile, frame, &lines, 1);
	return frame;
}

static inline void sample_inlined(struct profile *profile, uint32_t frame)
{
	struct profile_line lines[2] = {
		{ profile_function(profile,
				   &(struct profile_function){
					   .name = "ns::inner(int)",
					   .system_name = "_ZN2ns5innerEi",
					   .file = "/src/inner.h",
					   .is_named = true }),
		  7 },
		{ profile_function(profile,
				   &(struct profile_function){
					   .name = "ns::outer()",
					   .system_name = "_ZN2ns5outerEv",
					   .file = "/src/outer.cc",
					   .is_named = true }),
		  42 },
	};

	profile_frame_set_lines(profile, frame, lines, 2);
}

static inline uint32_t sample_process(struct profile *profile, uint32_t pid,
				      uint64_t start_ns, const char *comm,
				      uint32_t container, uint64_t cpu_ns)
{
	uint32_t index = profile_process(profile, pid, start_ns);
	struct profile_process *process = &profile->processes[index];

	process->comm = strings_intern(profile->strings, comm);
	process->exe = strings_intern(profile->strings, "/usr/bin/prog");
	process->user = strings_intern(profile->strings, "www-data");
	process->container = container;
	process->has_accounting = cpu_ns > 0;
	process->cpu_ns = cpu_ns;
	process->runqueue_ns = cpu_ns / 7;
	process->blocked_ns = cpu_ns * 3;
	process->n_threads = 2;
	return index;
}

static inline void sample_row(struct profile *profile, uint32_t stack,
			      uint32_t thread, uint32_t container, uint32_t cpu,
			      uint32_t state, uint32_t slice, uint64_t count)
{
	profile_add(profile,
		    &(struct profile_row){
			    .stack = stack,
			    .thread = thread,
			    .container = container,
			    .cpu = cpu,
			    .state = state,
			    .slice = slice,
			    .count = count,
			    .values = { count * 10101010, count * 3 } });
}

static inline void sample_header(struct profile *profile)
{
	struct strings *strings = profile->strings;

	profile->host.name = strings_intern(strings, "web1");
	profile->host.kernel = strings_intern(strings, "6.18.0 \"odd\\\"");
	profile->host.arch = strings_intern(strings, "x86_64");
	profile->host.cpus = 2;
	profile->host.capacity_s = 20;
	profile->host.busy_s = 12.3100000000001;
	profile->host.steal_s = 0;
	profile->event = (struct profile_event){
		strings_intern(strings, "cpu-clock"),
		strings_intern(strings, "cycles:P"),
		99,
		0,
		strings_intern(strings, "no PMU here, so no cycles"),
	};
	profile->health.samples = 1219;
	profile->health.expected = 1219.5;
	profile->health.lost = 0;
	profile->health.own_cpu_s = 0.1 + 0.2;
	profile->start_ns = 1764530585123456789;
	profile->duration_ns = 10000000001;
	profile->slice_ns = 500000000;
	profile->value_types[0] = (struct profile_value_type){
		strings_intern(strings, "cpu"),
		strings_intern(strings, "nanoseconds"),
	};
	profile->value_types[1] = (struct profile_value_type){
		strings_intern(strings, "page-faults"),
		strings_intern(strings, "count"),
	};
	profile->n_value_types = 2;
	notes_add(&profile->notes, "CPU 1 was away for %d s", 3);
	notes_add(&profile->notes, "CPU 1 was away for %d s", 3);
	notes_add(&profile->notes, "a = b; \"quoted\" \\ back");
}

static inline struct profile *sample_profile(void)
{
	struct profile *p = profile_new();
	uint32_t user, kernel, web1, web2, unit, prog, kmap, lib, jit;
	uint32_t main_frame, hot, inlined, unknown, syscall, jitted, cut;
	uint32_t process, older, odd, node, top;

	sample_header(p);
	user = profile_state(p, "user");
	kernel = profile_state(p, "kernel");
	web1 = profile_container(p, &(struct profile_container){
					    "web", "aaaa", "docker", "/d/a" });
	web2 = profile_container(p, &(struct profile_container){
					    "web", "bbbb", "docker", "/d/b" });
	unit = profile_container(p, &(struct profile_container){
					    "nginx.service", "", "systemd",
					    "/system.slice/nginx.service" });
	profile_container(
		p, &(struct profile_container){ "unused", "", "", "/unused" });
	prog = profile_mapping(p, &(struct profile_mapping){
					  "/usr/bin/prog", "0123abcd", 0x401000,
					  0x403000, 0x1000, true });
	lib = profile_mapping(
		p, &(struct profile_mapping){ "/usr/lib/libfoo.so.1", "",
					      0x1000, 0x9000, 0x1000, false });
	kmap = profile_mapping(
		p, &(struct profile_mapping){ "[kernel.kallsyms]", "beef",
					      0xffffffff81000000,
					      0xffffffff82000000, 0, false });
	jit = profile_mapping(p,
			      &(struct profile_mapping){ "/tmp/perf-77.map", "",
							 0, 0, 0, false });
	main_frame = sample_frame(p, prog, PROFILE_FRAME_USER, 0x401100, "main",
				  "/src/main.c", 12);
	hot = sample_frame(p, prog, PROFILE_FRAME_USER, 0x401200, "hot", "", 0);
	inlined = sample_frame(p, prog, PROFILE_FRAME_USER, 0x401300, NULL, "",
			       0);
	sample_inlined(p, inlined);
	unknown = sample_frame(p, lib, PROFILE_FRAME_USER, 0x1234,
			       "[libfoo.so.1]+0x1234", "", 0);
	syscall = sample_frame(p, kmap, PROFILE_FRAME_KERNEL,
			       0xffffffff81000123, "do_syscall_64", "", 0);
	jitted = sample_frame(p, jit, PROFILE_FRAME_USER | PROFILE_FRAME_JIT,
			      0x7f0000001000, "LazyCompile:~f x.js:1", "", 0);
	cut = profile_frame_special(p, "[truncated]");
	process = sample_process(p, 77, 5000000000, "prog", web1, 4000000000);
	older = sample_process(p, 77, 4000000000, "prog", web2, 1000000000);
	odd = sample_process(p, 4000000000u, 1, "a b) S\n1 ;x\xff", unit, 0);
	sample_process(p, 1, 10, "init", PROFILE_NONE, 12345);
	sample_process(p, 2, 10, "gone", PROFILE_NONE, 0);

	top = profile_node(p, 0, main_frame);
	node = profile_node(p, top, hot);
	sample_row(p, node, profile_thread(p, process, 77, "prog"), web1, 0,
		   user, 0, 5);
	sample_row(p, node, profile_thread(p, process, 77, "renamed"), web1, 1,
		   user, 3, 2);
	sample_row(p, node, profile_thread(p, older, 77, "prog"), web2, 1, user,
		   0, 4);
	node = profile_node(p, node, inlined);
	sample_row(p, node, profile_thread(p, process, 78, "worker"), web1, 0,
		   user, 19, 7);
	sample_row(p, profile_node(p, node, syscall),
		   profile_thread(p, process, 78, "worker"), web1, 0, kernel, 1,
		   1);
	node = profile_node(p, profile_node(p, 0, cut), unknown);
	sample_row(p, profile_node(p, node, jitted),
		   profile_thread(p, odd, 4000000000u, "a b) S\n1 ;x\xff"),
		   unit, 1, user, 2, 3);
	sample_row(p, 0, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE, kernel, 0,
		   1);
	return p;
}

#endif
