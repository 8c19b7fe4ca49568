/* Podman and CRI-O: both keep containers in containers/storage and watch each
 * of them with a conmon process. */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/container_process.h"
#include "perfcore/rootfs.h"

#define ANCESTORS_MAX 64

/*
 * overlay-containers/containers.json, shortened:
 * [{"id":"c16b…","names":["web"],"image":"","layer":"baab…",
 *   "flags":{"Volatile":true}}]
 */
static bool entry_read(const json_t *entry, const char *id,
		       struct name_found *found)
{
	const char *entry_id = name_json_text(entry, "id");
	const char *name = json_string_value(
		json_array_get(json_object_get(entry, "names"), 0));

	if (!entry_id || strcmp(entry_id, id) != 0 || !name || !*name)
		return false;
	found->runtime = "podman";
	if (name_set_k8s(found, name))
		found->runtime = "cri-o";
	else
		snprintf(found->name, NAME_TEXT, "%s", name);
	return true;
}

/* Reads only the entry where it stands in the form that containers/storage
 * writes: the file may hold thousands of others. */
static json_t *entry_load(const char *text, size_t size, const char *id)
{
	char start[NAME_TEXT];
	int length = snprintf(start, sizeof(start), "{\"id\":\"%s\"", id);
	const char *at = memmem(text, size, start, (size_t)length);

	return at ? json_loadb(at, size - (size_t)(at - text),
			       JSON_DISABLE_EOF_CHECK, NULL)
		  : NULL;
}

static bool entries_read(const char *text, size_t size, const char *id,
			 struct name_found *found)
{
	json_t *entry = entry_load(text, size, id), *entries, *item;
	bool is_found = entry && entry_read(entry, id, found);
	size_t i;

	json_decref(entry);
	if (is_found || !memmem(text, size, id, strlen(id)))
		return is_found;
	entries = json_loadb(text, size, 0, NULL);
	json_array_foreach(entries, i, item)
	{
		is_found = entry_read(item, id, found);
		if (is_found)
			break;
	}
	json_decref(entries);
	return is_found;
}

/* STORAGE/DRIVER-containers/{,volatile-}containers.json: volatile ones are
 * those of "podman run --rm" since containers/storage 1.45, and with a
 * transient store they are below /run. */
static bool driver_find(const struct name_query *query, const char *storage,
			const char *directory, struct name_found *found)
{
	static const char *const files[] = { "containers.json",
					     "volatile-containers.json" };
	bool is_found = false;

	for (size_t i = 0; i < 2 && !is_found; i++) {
		size_t size;
		char *text = name_file(query, &size, "%s/%s/%s", storage,
				       directory, files[i]);

		is_found = text && entries_read(text, size, query->id, found);
		free(text);
	}
	return is_found;
}

static bool storage_find(const struct name_query *query, const char *storage,
			 struct name_found *found)
{
	static const char suffix[] = "-containers";
	DIR *list = rootfs_list(query->root, storage);
	const char *name;
	bool is_found = false;

	while (list && !is_found && (name = rootfs_next(list))) {
		size_t size = strlen(name);

		if (size > sizeof(suffix) - 1 &&
		    strcmp(name + size - (sizeof(suffix) - 1), suffix) == 0)
			is_found = driver_find(query, storage, name, found);
	}
	if (list)
		closedir(list);
	return is_found;
}

/* A line of /etc/containers/storage.conf: graphroot = "/srv/containers" */
static bool configured_find(const struct name_query *query,
			    struct name_found *found)
{
	char *text = name_file(query, NULL, "/etc/containers/storage.conf");
	char *rest = text, *line;
	char storage[NAME_TEXT];
	bool is_found = false;

	while (!is_found && (line = strsep(&rest, "\n")))
		if (sscanf(line, " graphroot = \"%511[^\"]", storage) == 1 &&
		    storage[0] == '/')
			is_found = storage_find(query, storage, found);
	free(text);
	return is_found;
}

static bool rootless_find(const struct name_query *query,
			  struct name_found *found)
{
	char home[NAME_TEXT], storage[NAME_TEXT + 40];

	if (!name_home(query, home))
		return false;
	snprintf(storage, sizeof(storage), "%s/.local/share/containers/storage",
		 home);
	return storage_find(query, storage, found);
}

/* The value behind an option among NUL-separated arguments, or NULL. */
static const char *argument(const char *text, size_t size, const char *option)
{
	const char *at = text, *end = text + size;

	while (at < end) {
		bool is_option = strcmp(at, option) == 0;

		at += strlen(at) + 1;
		if (is_option)
			return at < end ? at : NULL;
	}
	return NULL;
}

/*
 * The arguments of a process that watches a container:
 * /usr/bin/conmon --api-version 1 -c c16b… -u c16b… -r /usr/bin/runc … -n web
 */
static bool conmon_read(const struct name_query *query, uint32_t pid,
			struct name_found *found)
{
	size_t size;
	char *text =
		rootfs_read_at(query->proc, &size, "/proc/%u/cmdline", pid);
	const char *id, *name;
	bool is_found = false;

	if (text && strstr(text, "conmon")) {
		id = argument(text, size, "-c");
		name = argument(text, size, "-n");
		is_found = id && name && *name && strcmp(id, query->id) == 0;
	}
	if (is_found && name_set_k8s(found, name)) {
		found->runtime = "cri-o";
	} else if (is_found) {
		found->runtime = "podman";
		snprintf(found->name, NAME_TEXT, "%s", name);
	}
	free(text);
	return is_found;
}

/* conmon is the parent of the container's first process. */
static bool conmon_find(const struct name_query *query,
			struct name_found *found)
{
	uint32_t pid = query->pid;

	for (int i = 0; pid > 1 && i < ANCESTORS_MAX; i++) {
		if (conmon_read(query, pid, found))
			return true;
		pid = container_process_parent(query->proc, pid);
	}
	return false;
}

bool podman_name(const struct name_query *query, struct name_found *found)
{
	if (!*query->id)
		return false;
	return storage_find(query, "/var/lib/containers/storage", found) ||
	       storage_find(query, "/run/containers/storage", found) ||
	       conmon_find(query, found) || rootless_find(query, found) ||
	       configured_find(query, found);
}

/*
 * CRI-O's bundle, config.json, shortened:
 * {"annotations":{"io.kubernetes.container.name":"nginx",
 *  "io.kubernetes.pod.name":"web-0","io.kubernetes.pod.namespace":"shop"}}
 */
bool crio_name(const struct name_query *query, struct name_found *found)
{
	json_t *config;
	const json_t *annotations;
	const char *pod, *container;

	if (!*query->id)
		return false;
	config = name_json(query,
			   "/run/containers/storage/overlay-containers/%s/"
			   "userdata/config.json",
			   query->id);
	annotations = json_object_get(config, "annotations");
	pod = name_json_text(annotations, "io.kubernetes.pod.name");
	container = name_json_text(annotations, "io.kubernetes.container.name");
	if (pod && container) {
		found->runtime = "cri-o";
		name_set_pod(found,
			     name_json_text(annotations,
					    "io.kubernetes.pod.namespace"),
			     pod, container);
	}
	json_decref(config);
	if (found->name[0])
		return true;
	return strcmp(query->runtime, "cri-o") == 0 &&
	       podman_name(query, found);
}
