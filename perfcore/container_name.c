#include "perfcore/container_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/procfs.h"
#include "perfcore/rootfs.h"

/* In the order in which they are asked when the runtime is not known. */
static const struct family {
	const char *runtimes; /* "" = any */
	bool (*find)(const struct name_query *query, struct name_found *found);
} families[] = {
	{ "docker", docker_name }, { "cri-o", crio_name },
	{ "podman", podman_name }, { "containerd nerdctl", containerd_name },
	{ "", kubelet_name },	   { "lxc", lxc_name },
	{ "runc crun", oci_name },
};

bool container_name_find(const struct name_query *query,
			 struct name_found *found)
{
	bool is_known = *query->runtime && strcmp(query->runtime, "k8s") != 0 &&
			strcmp(query->runtime, "systemd") != 0;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		const struct family *family = &families[i];

		if (is_known && *family->runtimes &&
		    !strstr(family->runtimes, query->runtime))
			continue;
		*found = (struct name_found){ 0 };
		if (family->find(query, found))
			return true;
	}
	return false;
}

static char *file_read(const struct name_query *query, size_t *size,
		       const char *format, va_list args)
{
	size_t limit = query->root == query->proc ? ROOTFS_FILE_MAX
						  : ROOTFS_FOREIGN_FILE_MAX;
	char path[ROOTFS_PATH_MAX];
	int length = vsnprintf(path, sizeof(path), format, args);

	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	return rootfs_read(query->root, path, limit, size);
}

char *name_file(const struct name_query *query, size_t *size,
		const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = file_read(query, size, format, args);
	va_end(args);
	return text;
}

json_t *name_json(const struct name_query *query, const char *format, ...)
{
	json_t *json = NULL;
	va_list args;
	size_t size;
	char *text;

	va_start(args, format);
	text = file_read(query, &size, format, args);
	va_end(args);
	if (!text)
		return NULL;
	json = json_loadb(text, size, 0, NULL);
	if (!json)
		++*query->bad_files;
	free(text);
	return json;
}

const char *name_json_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

void name_set_pod(struct name_found *found, const char *scope, const char *pod,
		  const char *container)
{
	snprintf(found->scope, NAME_TEXT, "%s", scope ? scope : "");
	snprintf(found->pod, NAME_TEXT, "%s", pod);
	snprintf(found->name, NAME_TEXT, "%s/%s", pod, container);
}

bool name_set_k8s(struct name_found *found, const char *name)
{
	char parts[3][NAME_TEXT / 2 - 1];

	/* No part can hold a '_'. */
	if (sscanf(name, "k8s_%254[^_]_%254[^_]_%254[^_]_", parts[0], parts[1],
		   parts[2]) != 3)
		return false;
	name_set_pod(found, parts[2], parts[1], parts[0]);
	return true;
}

static bool query_uid(const struct name_query *query, unsigned int *uid)
{
	const char *slice = strstr(query->path, "/user-");
	struct procfs_status status;

	if (slice && sscanf(slice, "/user-%u.slice", uid) == 1)
		return true;
	if (!query->pid || procfs_status(query->proc, query->pid, &status) != 0)
		return false;
	*uid = status.uid;
	return *uid != 0;
}

/* One line of /etc/passwd: ada:x:1000:1000:Ada,,,:/home/ada:/bin/bash */
static bool passwd_line(char *line, unsigned int uid, char home[NAME_TEXT])
{
	const char *fields[6];

	for (size_t i = 0; i < 6; i++) {
		fields[i] = strsep(&line, ":");
		if (!line)
			return false;
	}
	if (strtoul(fields[2], NULL, 10) != uid || fields[5][0] != '/')
		return false;
	snprintf(home, NAME_TEXT, "%s", fields[5]);
	return true;
}

bool name_home(const struct name_query *query, char home[NAME_TEXT])
{
	char *text, *rest, *line;
	bool is_found = false;
	unsigned int uid;

	if (!query_uid(query, &uid))
		return false;
	text = name_file(query, NULL, "/etc/passwd");
	rest = text;
	while (!is_found && (line = strsep(&rest, "\n")))
		is_found = passwd_line(line, uid, home);
	free(text);
	return is_found;
}
