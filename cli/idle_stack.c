#include "cli/idle_stack.h"

#include <string.h>

#include "perfcore/procfs.h"

#define DEPTH_MAX 64 /* the kernel gives no more */

static uint32_t kernel_mapping(const struct profile *profile)
{
	for (uint32_t i = 1; i < profile->n_mappings; i++)
		if (strcmp(profile->mappings[i].path, "[kernel.kallsyms]") == 0)
			return i;
	return 0;
}

static uint32_t frame_of(struct profile *profile, uint32_t mapping,
			 const char *name)
{
	struct profile_function function = {
		.name = name, .system_name = name, .file = "", .is_named = true
	};
	struct profile_line line = { profile_function(profile, &function), 0 };
	struct profile_frame frame = { .mapping = mapping,
				       .flags = PROFILE_FRAME_KERNEL };

	return profile_frame_get(profile, &frame, &line, 1);
}

/*
 * [<0>] futex_wait_queue+0x60/0x90
 *
 * The line's function, its end cut off in place; NULL where there is none.
 */
static char *function_of(char *line)
{
	char *name = strchr(line, ' ');
	char *end = name ? strchr(name, '+') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	return name + 1;
}

uint32_t idle_stack(struct profile *profile, const char *root, uint32_t pid,
		    uint32_t tid)
{
	uint32_t node = profile_node(
		profile, 0, profile_frame_special(profile, "[never ran]"));
	uint32_t mapping = kernel_mapping(profile), depth = 0;
	char path[512], text[8192], *lines[DEPTH_MAX], *rest = text;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/task/%u/stack",
			 pid, tid) ||
	    procfs_read(path, text, sizeof(text)) <= 0)
		return node;
	while (depth < DEPTH_MAX && (lines[depth] = strsep(&rest, "\n")))
		depth++;
	while (depth > 0) {
		const char *name = function_of(lines[--depth]);

		if (name)
			node = profile_node(profile, node,
					    frame_of(profile, mapping, name));
	}
	return node;
}
