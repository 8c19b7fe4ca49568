/* runc and crun, used alone: an id chosen by the user, a cgroup path that may
 * be anything. Their state directories hold one directory for each id. */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/container_path.h"
#include "perfcore/rootfs.h"

/* Returns how much of the query's path is the container's: 0 = not its. */
struct state_kind {
	const char *runtime, *file;
	size_t (*path_size)(const struct name_query *query,
			    const json_t *state);
};

/* A container may have made cgroups of its own below its path. */
static size_t path_part(const struct name_query *query, const char *top)
{
	size_t size = top ? strlen(top) : 0;

	if (size < 2 || strncmp(query->path, top, size) != 0 ||
	    (query->path[size] != '/' && query->path[size] != '\0'))
		return 0;
	return size;
}

/* /run/runc/web/state.json, shortened: {"id":"web","cgroup_paths":{
 * "":"/sys/fs/cgroup/unified/web","cpu":"/sys/fs/cgroup/cpu/web"}} */
static size_t runc_path_size(const struct name_query *query,
			     const json_t *state)
{
	json_t *paths = json_object_get(state, "cgroup_paths"), *value;
	size_t size = 0;
	const char *key;

	json_object_foreach(paths, key, value)
	{
		const char *directory = json_string_value(value);

		if (directory && !size)
			size = path_part(
				query,
				cgroups_strip_mount(query->cgroups, directory));
	}
	return size;
}

/* /run/crun/web/status, shortened: {"pid":812,"cgroup-path":"/web",
 * "scope":"","bundle":"/srv/web"} */
static size_t crun_path_size(const struct name_query *query,
			     const json_t *state)
{
	return path_part(query, name_json_text(state, "cgroup-path"));
}

static const struct state_kind runc = { "runc", "state.json", runc_path_size };
static const struct state_kind crun = { "crun", "status", crun_path_size };

/* The first component of the path stands in the state as it is, unless JSON
 * must escape it: most files need not be parsed. */
static bool may_hold(const char *text, size_t size, const char *path)
{
	size_t length = strcspn(path + 1, "/");

	for (size_t i = 1; i <= length; i++)
		if (strchr("\\\"<>&", path[i]) ||
		    (unsigned char)path[i] >= 0x7f)
			return true;
	return memmem(text, size, path + 1, length) != NULL;
}

static size_t state_path_size(const struct name_query *query,
			      const struct state_kind *kind,
			      const char *directory, const char *id)
{
	size_t size, path_size = 0;
	char *text =
		name_file(query, &size, "%s/%s/%s", directory, id, kind->file);
	json_t *state = NULL;

	if (text && may_hold(text, size, query->path)) {
		state = json_loadb(text, size, 0, NULL);
		*query->bad_files += !state;
		path_size = state ? kind->path_size(query, state) : 0;
	}
	json_decref(state);
	free(text);
	return path_size;
}

static void found_set(struct name_found *found, const struct state_kind *kind,
		      const char *id)
{
	found->runtime = kind->runtime;
	snprintf(found->id, NAME_TEXT, "%s", id);
	if (!container_is_id(id, strlen(id)))
		snprintf(found->name, NAME_TEXT, "%s", id);
}

/* Returns whether a container of that kind was found: found->name stays ""
 * where its id is no name. */
static bool directory_find(const struct name_query *query,
			   const struct state_kind *kind, const char *directory,
			   struct name_found *found)
{
	DIR *list = rootfs_list(query->root, directory);
	const char *id;

	while (list && !found->path_size && (id = rootfs_next(list))) {
		found->path_size = state_path_size(query, kind, directory, id);
		if (found->path_size)
			found_set(found, kind, id);
	}
	if (list)
		closedir(list);
	return found->path_size != 0;
}

static bool user_find(const struct name_query *query, struct name_found *found)
{
	DIR *list = rootfs_list(query->root, "/run/user");
	char directory[NAME_TEXT];
	const char *uid;
	bool is_found = false;

	while (list && !is_found && (uid = rootfs_next(list))) {
		snprintf(directory, sizeof(directory), "/run/user/%.32s/runc",
			 uid);
		is_found = directory_find(query, &runc, directory, found);
		if (is_found)
			break;
		snprintf(directory, sizeof(directory), "/run/user/%.32s/crun",
			 uid);
		is_found = directory_find(query, &crun, directory, found);
	}
	if (list)
		closedir(list);
	return is_found;
}

bool oci_name(const struct name_query *query, struct name_found *found)
{
	/* runc-NAME.scope: the id is the name. */
	if (*query->id && *query->runtime && strcmp(query->runtime, "k8s")) {
		snprintf(found->name, NAME_TEXT, "%s", query->id);
		return !container_is_id(query->id, strlen(query->id));
	}
	if (*query->id)
		return false;
	return directory_find(query, &runc, "/run/runc", found) ||
	       directory_find(query, &crun, "/run/crun", found) ||
	       user_find(query, found);
}
