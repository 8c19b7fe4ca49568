/*
 * A small profile for tests, whose sums can be done by hand: see the comment
 * at known_profile_new.
 */
#ifndef TESTS_KNOWN_PROFILE_H
#define TESTS_KNOWN_PROFILE_H

#include "cli/profile/profile.h"

static inline uint32_t known_frame(struct profile *profile, uint32_t mapping,
				   const char *function, const char *file,
				   uint32_t line)
{
	struct profile_line lines = { 0, line };
	uint32_t frame;

	lines.function = profile_function(
		profile, &(struct profile_function){ .name = function,
						     .system_name = function,
						     .file = file,
						     .is_named = true });
	frame = profile_frame_add(
		profile, &(struct profile_frame){ .mapping = mapping,
						  .flags = PROFILE_FRAME_USER,
						  .address = 0x1000 + line });
	profile_frame_set_lines(profile, frame, &lines, 1);
	return frame;
}

static inline uint32_t known_stack(struct profile *profile,
				   const uint32_t *frames, size_t count)
{
	uint32_t node = 0;

	for (size_t i = 0; i < count; i++)
		node = profile_node(profile, node, frames[i]);
	return node;
}

/* Adds count samples of 10 ms each. */
static inline void known_add(struct profile *profile, uint32_t stack,
			     uint32_t thread, uint32_t container, uint32_t cpu,
			     uint32_t slice, uint64_t count)
{
	profile_add(profile,
		    &(struct profile_row){ .stack = stack,
					   .thread = thread,
					   .container = container,
					   .cpu = cpu,
					   .slice = slice,
					   .count = count,
					   .values = { count * 10000000 } });
}

/*
 * 1 s in 10 slices on 2 CPUs, 100 samples of 10 ms. In each slice:
 *   web (pid 10, thread 10, container "web", CPU 0):
 *     4  main > work > inner (inlined into work)      work.c:5, inner.h:3
 *     2  main > rec > rec > rec                       recursion
 *   db (pid 20, container "db", CPU 1):
 *     3  main > work (of another binary)
 *     1  main > [unnamed address 0x2000 in /lib/libx.so]
 * by function: inner self 40; work of web total 40, self 0; rec 20 and 20;
 * main of web total 60; of db self 0, total 40.
 */
static inline struct profile *known_profile_new(void)
{
	struct profile *profile = profile_new();
	uint32_t web = profile_mapping(
		profile, &(struct profile_mapping){ .path = "/bin/web" });
	uint32_t db = profile_mapping(
		profile, &(struct profile_mapping){ .path = "/bin/db" });
	uint32_t lib = profile_mapping(
		profile, &(struct profile_mapping){ .path = "/lib/libx.so" });
	uint32_t main_web = known_frame(profile, web, "main", "main.c", 1);
	uint32_t main_db = known_frame(profile, db, "main", "db.c", 1);
	uint32_t work_db = known_frame(profile, db, "work", "db.c", 9);
	uint32_t rec = known_frame(profile, web, "rec", "rec.c", 2);
	uint32_t unnamed = profile_frame_add(
		profile,
		&(struct profile_frame){ .mapping = lib, .address = 0x2000 });
	uint32_t work = profile_frame_add(
		profile, &(struct profile_frame){ .mapping = web,
						  .flags = PROFILE_FRAME_USER,
						  .address = 0x3000 });
	struct profile_line lines[2] = {
		{ profile_function(
			  profile,
			  &(struct profile_function){ .name = "inner",
						      .system_name = "inner",
						      .file = "inner.h",
						      .is_named = true }),
		  3 },
		{ profile_function(
			  profile,
			  &(struct profile_function){ .name = "work",
						      .system_name = "work",
						      .file = "work.c",
						      .is_named = true }),
		  5 },
	};
	uint32_t in_web = profile_container(
		profile,
		&(struct profile_container){ "web", "aa", "runc", "/web" });
	uint32_t in_db = profile_container(
		profile,
		&(struct profile_container){ "db", "bb", "runc", "/db" });
	uint32_t p_web = profile_process(profile, 10, 1000);
	uint32_t p_db = profile_process(profile, 20, 2000);
	uint32_t t_web = profile_thread(profile, p_web, 10, "web");
	uint32_t t_db = profile_thread(profile, p_db, 20, "db");
	uint32_t stacks[4];

	profile_frame_set_lines(profile, work, lines, 2);
	stacks[0] = known_stack(profile, (uint32_t[]){ main_web, work }, 2);
	stacks[1] = known_stack(profile,
				(uint32_t[]){ main_web, rec, rec, rec }, 4);
	stacks[2] = known_stack(profile, (uint32_t[]){ main_db, work_db }, 2);
	stacks[3] = known_stack(profile, (uint32_t[]){ main_db, unnamed }, 2);
	profile_state(profile, "user");
	profile->processes[p_web].comm =
		strings_intern(profile->strings, "web");
	profile->processes[p_web].container = in_web;
	profile->processes[p_db].comm = strings_intern(profile->strings, "db");
	profile->processes[p_db].container = in_db;
	for (uint32_t slice = 0; slice < 10; slice++) {
		known_add(profile, stacks[0], t_web, in_web, 0, slice, 4);
		known_add(profile, stacks[1], t_web, in_web, 0, slice, 2);
		known_add(profile, stacks[2], t_db, in_db, 1, slice, 3);
		known_add(profile, stacks[3], t_db, in_db, 1, slice, 1);
	}
	profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	profile->n_value_types = 1;
	profile->start_ns = 1796066585000000000ull; /* 2026-11-30T19:23:05Z */
	profile->duration_ns = 1000000000;
	profile->slice_ns = 100000000;
	profile->host.cpus = 2;
	return profile;
}

#endif
