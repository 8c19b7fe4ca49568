/* Docker, its forks, and what is built on it (ECS, GitHub's runner,
 * Kubernetes by dockershim or cri-dockerd). */
#include "perfcore/container_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/rootfs.h"

/*
 * containers/ID/config.v2.json, shortened:
 * {"ID":"b43d…","Name":"/web","Config":{"Labels":{"io.kubernetes.pod.name":
 * "web-0","io.kubernetes.pod.namespace":"shop",
 * "io.kubernetes.container.name":"nginx"}}}
 */
static bool config_read(const json_t *config, struct name_found *found)
{
	const json_t *labels =
		json_object_get(json_object_get(config, "Config"), "Labels");
	const char *name = name_json_text(config, "Name");
	const char *pod = name_json_text(labels, "io.kubernetes.pod.name");
	const char *container =
		name_json_text(labels, "io.kubernetes.container.name");

	found->runtime = "docker";
	if (pod && container) {
		name_set_pod(
			found,
			name_json_text(labels, "io.kubernetes.pod.namespace"),
			pod, container);
		return true;
	}
	if (!name)
		return false;
	name += *name == '/';
	if (!name_set_k8s(found, name))
		snprintf(found->name, NAME_TEXT, "%s", name);
	return *name != '\0';
}

static bool config_find(const struct name_query *query, const char *data_root,
			struct name_found *found)
{
	json_t *config = name_json(query, "%s/containers/%s/config.v2.json",
				   data_root, query->id);
	bool is_found = config && config_read(config, found);

	json_decref(config);
	return is_found;
}

/* /etc/docker/daemon.json: {"data-root": "/srv/docker"}; "graph" before
 * Docker 17. */
static bool data_root_find(const struct name_query *query,
			   struct name_found *found)
{
	json_t *daemon = name_json(query, "/etc/docker/daemon.json");
	const char *data_root = name_json_text(daemon, "data-root");
	bool is_found;

	if (!data_root)
		data_root = name_json_text(daemon, "graph");
	is_found = data_root && *data_root == '/' &&
		   config_find(query, data_root, found);
	json_decref(daemon);
	return is_found;
}

/*
 * dockerd --data-root, told by the bundle that it gave to containerd:
 * {"mounts":[{"destination":"/etc/hostname","type":"bind",
 *   "source":"/srv/docker/containers/b43d…/hostname"}]}
 */
static bool bundle_find(const struct name_query *query, const char *state,
			struct name_found *found)
{
	char needle[NAME_TEXT], data_root[NAME_TEXT];
	char *text = name_file(
		query, NULL,
		"%s/io.containerd.runtime.v2.task/moby/%s/config.json", state,
		query->id);
	const char *end, *start;
	bool is_found = false;

	snprintf(needle, sizeof(needle), "/containers/%s/", query->id);
	end = text ? strstr(text, needle) : NULL;
	start = end ? memrchr(text, '"', (size_t)(end - text)) : NULL;
	if (start && start[1] == '/') {
		snprintf(data_root, sizeof(data_root), "%.*s",
			 (int)(end - start - 1), start + 1);
		is_found = config_find(query, data_root, found);
	}
	free(text);
	return is_found;
}

bool docker_name(const struct name_query *query, struct name_found *found)
{
	char home[NAME_TEXT], rootless[NAME_TEXT + 32];

	if (!*query->id)
		return false;
	if (config_find(query, "/var/lib/docker", found) ||
	    data_root_find(query, found) ||
	    bundle_find(query, "/run/containerd", found) ||
	    bundle_find(query, "/run/docker/containerd/daemon", found) ||
	    config_find(query, "/var/snap/docker/common/var-lib-docker", found))
		return true;
	if (!name_home(query, home))
		return false;
	snprintf(rootless, sizeof(rootless), "%s/.local/share/docker", home);
	return config_find(query, rootless, found);
}
