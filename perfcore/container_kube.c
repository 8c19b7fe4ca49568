/* containerd with all that drive it (Kubernetes, nerdctl, ctr), and what the
 * kubelet leaves whatever the runtime. */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/container_path.h"
#include "perfcore/rootfs.h"

/* Where containerd keeps the bundles of running containers, as NS/ID. */
static const char *const state_directories[] = {
	"/run/containerd/io.containerd.runtime.v2.task",
	"/run/containerd/io.containerd.runtime.v1.linux",
	"/run/k3s/containerd/io.containerd.runtime.v2.task",
	"/var/snap/microk8s/common/run/containerd/"
	"io.containerd.runtime.v2.task",
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * config.json of a bundle, shortened:
 * {"annotations":{"io.kubernetes.cri.container-name":"nginx",
 *  "io.kubernetes.cri.sandbox-name":"web-0",
 *  "io.kubernetes.cri.sandbox-namespace":"shop",
 *  "io.kubernetes.cri.container-type":"container"}}
 * A sandbox has no container-name. nerdctl: {"nerdctl/name":"web"}.
 */
static bool annotations_read(const json_t *annotations,
			     struct name_found *found)
{
	const char *pod =
		name_json_text(annotations, "io.kubernetes.cri.sandbox-name");
	const char *container =
		name_json_text(annotations, "io.kubernetes.cri.container-name");
	const char *nerdctl = name_json_text(annotations, "nerdctl/name");

	if (pod && *pod) {
		name_set_pod(
			found,
			name_json_text(annotations,
				       "io.kubernetes.cri.sandbox-namespace"),
			pod, container ? container : "POD");
		found->runtime = "containerd";
		return true;
	}
	if (!nerdctl || !*nerdctl)
		return false;
	found->runtime = "nerdctl";
	snprintf(found->name, NAME_TEXT, "%s", nerdctl);
	return true;
}

/* nerdctl's name-store: the file named names/NS/NAME holds the id. */
static bool name_store_find(const struct name_query *query, const char *store,
			    const char *scope, struct name_found *found)
{
	char directory[ROOTFS_PATH_MAX];
	const char *name;
	DIR *list;

	snprintf(directory, sizeof(directory), "%s/names/%s", store, scope);
	list = rootfs_list(query->root, directory);
	while (list && !found->name[0] && (name = rootfs_next(list))) {
		char *id = name_file(query, NULL, "%s/%s", directory, name);

		if (id && strncmp(id, query->id, strlen(query->id)) == 0) {
			found->runtime = "nerdctl";
			snprintf(found->name, NAME_TEXT, "%s", name);
			snprintf(found->scope, NAME_TEXT, "%s", scope);
		}
		free(id);
	}
	if (list)
		closedir(list);
	return found->name[0] != '\0';
}

static bool name_store_scopes(const struct name_query *query, const char *store,
			      struct name_found *found)
{
	char directory[ROOTFS_PATH_MAX];
	const char *scope;
	DIR *list;

	snprintf(directory, sizeof(directory), "%s/names", store);
	list = rootfs_list(query->root, directory);
	while (list && !found->name[0] && (scope = rootfs_next(list)))
		name_store_find(query, store, scope, found);
	if (list)
		closedir(list);
	return found->name[0] != '\0';
}

/* DATA/ADDRESS-HASH/names/NS/NAME; DATA is /var/lib/nerdctl, or rootless
 * below the user's home. */
static bool nerdctl_find(const struct name_query *query, const char *data,
			 struct name_found *found)
{
	DIR *list = rootfs_list(query->root, data);
	char store[ROOTFS_PATH_MAX / 2];
	const char *hash;

	while (list && !found->name[0] && (hash = rootfs_next(list))) {
		snprintf(store, sizeof(store), "%s/%s", data, hash);
		name_store_scopes(query, store, found);
	}
	if (list)
		closedir(list);
	return found->name[0] != '\0';
}

static bool nerdctl_name(const struct name_query *query,
			 struct name_found *found)
{
	char home[NAME_TEXT], data[NAME_TEXT + 32];

	if (nerdctl_find(query, "/var/lib/nerdctl", found))
		return true;
	if (!name_home(query, home))
		return false;
	snprintf(data, sizeof(data), "%s/.local/share/nerdctl", home);
	return nerdctl_find(query, data, found);
}

/* Returns whether the bundle is there; found->name may stay "". */
static bool bundle_find(const struct name_query *query, const char *directory,
			const char *scope, const char *id,
			struct name_found *found)
{
	json_t *config =
		name_json(query, "%s/%s/%s/config.json", directory, scope, id);

	if (!config)
		return false;
	found->runtime = "containerd";
	snprintf(found->id, NAME_TEXT, "%s", id);
	if (!annotations_read(json_object_get(config, "annotations"), found))
		snprintf(found->scope, NAME_TEXT, "%s", scope);
	json_decref(config);
	return true;
}

static bool bundle_any_scope(const struct name_query *query,
			     const char *directory, struct name_found *found)
{
	DIR *list = rootfs_list(query->root, directory);
	const char *scope;
	bool is_found = false;

	while (list && !is_found && (scope = rootfs_next(list)))
		is_found =
			bundle_find(query, directory, scope, query->id, found);
	if (list)
		closedir(list);
	return is_found;
}

/* ctr: the path is /NS/ID, and the id is the name. */
static bool ctr_find(const struct name_query *query, struct name_found *found)
{
	char scope[256], id[256];
	int used = 0;

	if (sscanf(query->path, "/%255[^/]/%255[^/]%n", scope, id, &used) != 2)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(state_directories); i++) {
		if (!bundle_find(query, state_directories[i], scope, id, found))
			continue;
		found->path_size = (size_t)used;
		if (!found->name[0] && !container_is_id(id, strlen(id)))
			snprintf(found->name, NAME_TEXT, "%s", id);
		return true;
	}
	return false;
}

bool containerd_name(const struct name_query *query, struct name_found *found)
{
	bool is_bundle = false;

	if (!*query->id)
		return ctr_find(query, found);
	for (size_t i = 0; i < ARRAY_SIZE(state_directories) && !is_bundle; i++)
		is_bundle =
			bundle_any_scope(query, state_directories[i], found);
	return found->name[0] || nerdctl_name(query, found);
}

/* A link's name in /var/log/containers: POD_NAMESPACE_CONTAINER-ID.log */
static bool log_link_read(const char *link, const char *id,
			  struct name_found *found)
{
	char pod[256], scope[256], rest[256], *end;

	if (sscanf(link, "%255[^_]_%255[^_]_%255s", pod, scope, rest) != 3)
		return false;
	end = strstr(rest, id);
	if (!end || end == rest || end[-1] != '-' ||
	    strcmp(end + strlen(id), ".log") != 0)
		return false;
	end[-1] = '\0';
	name_set_pod(found, scope, pod, rest);
	return true;
}

/* A directory in /var/log/pods: NAMESPACE_POD_UID */
static bool log_directory_read(const char *directory, const char *uid,
			       struct name_found *found)
{
	char scope[256], pod[256], rest[256];

	if (sscanf(directory, "%255[^_]_%255[^_]_%255s", scope, pod, rest) !=
		    3 ||
	    strcmp(rest, uid) != 0)
		return false;
	name_set_pod(found, scope, pod, "POD");
	return true;
}

/* The container's link, else its pod's directory (then all that is known of
 * the container is its pod). */
bool kubelet_name(const struct name_query *query, struct name_found *found)
{
	bool is_pod = strcmp(query->runtime, "k8s") == 0;
	const char *path = is_pod ? "/var/log/pods" : "/var/log/containers";
	DIR *list = *query->id ? rootfs_list(query->root, path) : NULL;
	const char *name;
	bool is_found = false;

	while (list && !is_found && (name = rootfs_next(list)))
		is_found = is_pod ? log_directory_read(name, query->pod, found)
				  : log_link_read(name, query->id, found);
	if (list)
		closedir(list);
	return is_found;
}
