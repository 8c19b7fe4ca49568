/* runc and crun, used alone: an id chosen by the user, a cgroup path that may
 * be anything. Their state directories hold one directory for each id. */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/container_path.h"
#include "perfcore/rootfs.h"

struct state_kind {
	const char *runtime, *file;
	bool (*has_path)(const struct name_query *query, const json_t *state);
};

static bool path_is(const struct name_query *query, const char *directory)
{
	return directory && strcmp(directory, query->path) == 0;
}

/* /run/runc/web/state.json, shortened: {"id":"web","cgroup_paths":{
 * "":"/sys/fs/cgroup/unified/web","cpu":"/sys/fs/cgroup/cpu/web"}} */
static bool runc_has_path(const struct name_query *query, const json_t *state)
{
	json_t *paths = json_object_get(state, "cgroup_paths"), *value;
	const char *key;

	json_object_foreach(paths, key, value)
	{
		const char *directory = json_string_value(value);

		if (directory &&
		    path_is(query,
			    cgroups_strip_mount(query->cgroups, directory)))
			return true;
	}
	return false;
}

/* /run/crun/web/status, shortened: {"pid":812,"cgroup-path":"/web",
 * "scope":"","bundle":"/srv/web"} */
static bool crun_has_path(const struct name_query *query, const json_t *state)
{
	return path_is(query, name_json_text(state, "cgroup-path"));
}

static const struct state_kind runc = { "runc", "state.json", runc_has_path };
static const struct state_kind crun = { "crun", "status", crun_has_path };

/* A state file holds the path's last component as it is, unless JSON must
 * escape it: most files need not be parsed. */
static bool may_hold(const char *text, size_t size, const char *path)
{
	const char *last = strrchr(path, '/') + 1;

	for (const char *at = last; *at; at++)
		if (strchr("\\\"<>&", *at) || (unsigned char)*at >= 0x7f ||
		    (unsigned char)*at < ' ')
			return true;
	return memmem(text, size, last, strlen(last)) != NULL;
}

static bool state_has_path(const struct name_query *query,
			   const struct state_kind *kind, const char *directory,
			   const char *id)
{
	size_t size;
	char *text = rootfs_read_at(query->root, &size, "%s/%s/%s", directory,
				    id, kind->file);
	json_t *state = NULL;
	bool is_it = false;

	if (text && may_hold(text, size, query->path)) {
		state = json_loadb(text, size, 0, NULL);
		*query->bad_files += !state;
		is_it = state && kind->has_path(query, state);
	}
	json_decref(state);
	free(text);
	return is_it;
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
	bool is_found = false;

	while (list && !is_found && (id = rootfs_next(list))) {
		is_found = state_has_path(query, kind, directory, id);
		if (is_found)
			found_set(found, kind, id);
	}
	if (list)
		closedir(list);
	return is_found;
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
