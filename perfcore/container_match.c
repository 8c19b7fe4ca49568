#include "perfcore/container_match.h"

#include <string.h>

static bool id_matches(const char *id, const char *text)
{
	size_t size = strlen(text);

	if (size < 4 || strncmp(id, text, size) != 0)
		return false;
	return strspn(text, "0123456789abcdef-") == size;
}

bool container_matches(const struct container *container, const char *text)
{
	for (; container; container = container->parent) {
		const char *short_name = strchr(container->name, '/');
		size_t scope = strlen(container->scope);

		if (strcmp(container->name, text) == 0 ||
		    id_matches(container->id, text))
			return true;
		if (!*container->pod || !short_name)
			continue;
		if (strcmp(short_name + 1, text) == 0 ||
		    (strncmp(text, container->scope, scope) == 0 &&
		     text[scope] == '/' &&
		     strcmp(text + scope + 1, container->name) == 0))
			return true;
	}
	return false;
}

bool container_path_matches(const char *path, const char *prefix)
{
	size_t size;

	path += *path == '/';
	prefix += *prefix == '/';
	size = strlen(prefix);
	while (size && prefix[size - 1] == '/')
		size--;
	return strncmp(path, prefix, size) == 0 &&
	       (size == 0 || path[size] == '/' || path[size] == '\0');
}
