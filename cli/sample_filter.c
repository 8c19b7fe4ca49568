#include "cli/sample_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/container_match.h"
#include "perfcore/mem.h"

static bool has_pid(const struct sample_filter *filter, uint32_t pid)
{
	for (size_t i = 0; i < filter->n_pids; i++)
		if (filter->pids[i] == pid)
			return true;
	return false;
}

bool sample_filter_thread(const struct sample_filter *filter,
			  const struct thread *thread)
{
	if (filter->n_pids && !has_pid(filter, thread->process->pid))
		return false;
	if (filter->comm && strcmp(filter->comm, thread->comm) != 0 &&
	    strcmp(filter->comm, thread->process->comm) != 0)
		return false;
	return true;
}

bool sample_filter_container(const struct sample_filter *filter,
			     const struct container *container,
			     const char *cgroup_path)
{
	if (filter->cgroup &&
	    !container_path_matches(cgroup_path, filter->cgroup))
		return false;
	return !filter->container ||
	       container_matches(container, filter->container);
}

int sample_filter_parse_pids(const char *text, uint32_t **pids, size_t *count)
{
	do {
		char *end;
		unsigned long pid;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		errno = 0;
		pid = strtoul(text, &end, 10);
		if (errno || pid == 0 || pid > INT32_MAX ||
		    (*end != ',' && *end != '\0'))
			return -EINVAL;
		*pids = mem_realloc(*pids, (*count + 1) * sizeof(**pids));
		(*pids)[(*count)++] = (uint32_t)pid;
		text = *end ? end + 1 : NULL;
	} while (text);
	return 0;
}
