#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/group.h"
#include "perfcore/mem.h"
#include "perfcore/nearest.h"

static int key_of(const char *name, struct error *error)
{
	struct nearest nearest = { name };

	for (int key = 0; key < LABEL_KEYS; key++) {
		if (strcmp(label_key_names[key], name) == 0)
			return key;
		nearest_offer(&nearest, label_key_names[key]);
	}
	if (nearest.count)
		return error_set(error, -EINVAL,
				 "nothing is grouped by '%s'; did you mean "
				 "'%s'?",
				 name, nearest.items[0]);
	return error_set(error, -EINVAL, "nothing is grouped by '%s'", name);
}

static int key_add(struct group_request *request, const char *name,
		   struct error *error)
{
	int key = key_of(name, error);

	if (key < 0)
		return key;
	for (uint32_t i = 0; i < request->n_keys; i++)
		if (request->keys[i] == (enum label_key)key)
			return error_set(error, -EINVAL, "'%s' twice", name);
	if (request->n_keys == GROUP_LEVELS_MAX)
		return error_set(error, -EINVAL, "at most %d keys",
				 GROUP_LEVELS_MAX);
	request->keys[request->n_keys++] = (enum label_key)key;
	return 0;
}

int group_keys_parse(struct group_request *request, const char *text,
		     struct error *error)
{
	char *copy = mem_strdup(text), *rest = copy;
	int code = 0;

	request->n_keys = 0;
	while (rest && code == 0)
		code = key_add(request, strsep(&rest, ","), error);
	free(copy);
	return code;
}
