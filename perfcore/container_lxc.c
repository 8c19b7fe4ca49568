/* LXC, LXD and Incus: the name is in the path; who made it, and the project
 * that LXD and Incus put before the name, are told by their directories. */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <string.h>

#include "perfcore/rootfs.h"

static const struct lxc_home {
	const char *runtime, *directory;
} homes[] = {
	{ "lxc", "/var/lib/lxc" },
	{ "incus", "/var/lib/incus/containers" },
	{ "lxd", "/var/snap/lxd/common/lxd/containers" },
	{ "lxd", "/var/lib/lxd/containers" },
};

/* PROJECT_N: neither a project nor an instance may hold a '_' itself. Where
 * no directory tells that it is LXD's, the name is left whole: LXC allows
 * '_' in names. */
static void project_split(struct name_found *found)
{
	char *separator = strchr(found->name, '_');

	if (!separator || separator == found->name || !separator[1])
		return;
	snprintf(found->scope, NAME_TEXT, "%.*s",
		 (int)(separator - found->name), found->name);
	memmove(found->name, separator + 1, strlen(separator));
}

bool lxc_name(const struct name_query *query, struct name_found *found)
{
	char path[NAME_TEXT + 64];

	if (!*query->name || strcmp(query->runtime, "lxc") != 0)
		return false;
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%.*s", homes[i].directory,
			 NAME_TEXT - 1, query->name);
		if (!rootfs_has(query->root, path))
			continue;
		snprintf(found->name, NAME_TEXT, "%s", query->name);
		found->runtime = homes[i].runtime;
		if (strcmp(found->runtime, "lxc") != 0)
			project_split(found);
		return true;
	}
	return false;
}
