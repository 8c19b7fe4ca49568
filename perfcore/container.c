#include "perfcore/container.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/cgroup.h"
#include "perfcore/container_name.h"
#include "perfcore/container_path.h"
#include "perfcore/container_process.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "perfcore/sys.h"

#define ROOT_TEXT     4096
#define SHORT_ID      12
#define ANCESTORS_MAX 64

/* In by_id: the id is known, but the process has to be asked. */
#define ASK_PROCESS (IDMAP_NONE - 1)

/* When a name is looked for again after a failure, in ms after the first
 * look. Runtimes write their files within milliseconds of the cgroup, a
 * loaded machine may take seconds. */
static const uint16_t retry_ms[] = { 5,	  15,  30,  45,	 60,   80,   100,
				     130, 170, 220, 500, 2000, 10000 };

#define RETRIES (sizeof(retry_ms) / sizeof(retry_ms[0]))

/* A container and what is needed to look for its name again. */
struct entry {
	struct container container;
	struct place *place; /* what the path told; NULL once settled */
	const char *path; /* where it was found: may lie below container.path,
			   * that of the unit or the container */
	uint64_t first_ns;
	uint32_t pid; /* a process in it, for the look-ups in /proc; or 0 */
	size_t n_tries;
	bool is_raw;	  /* without a name the whole path is shown */
	const char *comm; /* shown while there is no name: most samples' */
	uint32_t votes;	  /* for comm, see entry_vote() */
};

struct containers {
	const char *root; /* NULL: nothing of this host is read */
	struct strings *strings;
	struct cgroups *cgroups;
	bool is_hybrid; /* cgroups_is_hybrid() */
	struct entry **entries;
	size_t n_entries, capacity;
	size_t n_pending;     /* entries not settled */
	struct idmap by_path; /* interned path -> number */
	struct idmap by_id;   /* cgroup id -> number, where the id tells */
	struct idmap by_pid;  /* pid -> number, where the id does not */
	struct idmap parents; /* pid -> pid of the parent that forked it */
	struct containers_counts counts;
};

static uint64_t now_ns(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC_COARSE);
}

struct containers *containers_new(const char *root, struct strings *strings,
				  struct notes *notes)
{
	struct containers *containers = mem_calloc(1, sizeof(*containers));

	containers->root = root ? strings_intern(strings, root) : NULL;
	containers->strings = strings;
	containers->cgroups = cgroups_new(root, strings, notes);
	containers->is_hybrid = cgroups_is_hybrid(containers->cgroups);
	idmap_init(&containers->by_path);
	idmap_init(&containers->by_id);
	idmap_init(&containers->by_pid);
	idmap_init(&containers->parents);
	return containers;
}

void containers_free(struct containers *containers)
{
	if (!containers)
		return;
	cgroups_free(containers->cgroups);
	for (size_t i = 0; i < containers->n_entries; i++) {
		free(containers->entries[i]->place);
		free(containers->entries[i]);
	}
	free(containers->entries);
	idmap_destroy(&containers->by_path);
	idmap_destroy(&containers->by_id);
	idmap_destroy(&containers->by_pid);
	idmap_destroy(&containers->parents);
	free(containers);
}

/* Names are shown on terminals: no control characters. */
static const char *intern_clean(struct containers *containers, const char *text)
{
	char clean[NAME_TEXT];
	size_t used = 0;

	for (; *text && used < sizeof(clean) - 1; text++)
		clean[used++] = iscntrl((unsigned char)*text) ? '?' : *text;
	return strings_intern_n(containers->strings, clean, used);
}

/* "[0123456789ab] comm", or the raw path where there is no id either. */
static void name_make_up(struct containers *containers, struct entry *entry)
{
	struct container *container = &entry->container;
	char name[NAME_TEXT];

	if (entry->is_raw || !*container->id) {
		container->name = intern_clean(containers, container->path);
		return;
	}
	snprintf(name, sizeof(name), "[%.*s]%s%s", SHORT_ID, container->id,
		 entry->comm ? " " : "", entry->comm ? entry->comm : "");
	container->name = intern_clean(containers, name);
}

static void entry_take(struct containers *containers, struct entry *entry,
		       const struct name_found *found)
{
	struct container *container = &entry->container;
	struct strings *strings = containers->strings;

	container->kind = CONTAINER_CONTAINER;
	if (found->runtime)
		container->runtime = strings_intern(strings, found->runtime);
	if (found->id[0])
		container->id = intern_clean(containers, found->id);
	if (found->pod[0])
		container->pod = intern_clean(containers, found->pod);
	if (found->scope[0])
		container->scope = intern_clean(containers, found->scope);
	if (found->path_size)
		container->path = strings_intern_n(strings, entry->path,
						   found->path_size);
	entry->is_raw = false;
	container->is_named = found->name[0] != '\0';
	if (container->is_named)
		container->name = intern_clean(containers, found->name);
	else
		name_make_up(containers, entry);
}

/* A process of the container around entry's: an ancestor of one inside (a
 * shim, a conmon). 0 where there is none. */
static uint32_t outer_process(struct containers *containers,
			      const struct entry *entry)
{
	const char *outer = entry->container.parent->path;
	size_t size = strlen(outer);
	struct place places[PLACES_MAX];
	uint32_t pid = entry->pid;

	for (int i = 0; pid > 1 && i < ANCESTORS_MAX; i++) {
		const char *path = container_process_path(
			containers->root, containers->strings, pid);

		if (path && strncmp(path, outer, size) == 0 &&
		    places[container_path_read(path, places) - 1].path_size ==
			    size)
			return pid;
		pid = container_process_parent(containers->root, pid);
	}
	return 0;
}

/* The files of a nested container's runtime are in the container around it,
 * unless it got the host's directories. */
static bool entry_find(struct containers *containers, const struct entry *entry,
		       struct name_query *query, struct name_found *found)
{
	uint32_t outer =
		entry->container.parent ? outer_process(containers, entry) : 0;
	char root[ROOT_TEXT];

	if (outer) {
		snprintf(root, sizeof(root), "%s/proc/%u/root",
			 containers->root, outer);
		query->root = root;
		if (container_name_find(query, found))
			return true;
		query->root = containers->root;
	}
	return container_name_find(query, found);
}

static void entry_settle(struct containers *containers, struct entry *entry)
{
	free(entry->place);
	entry->place = NULL;
	containers->n_pending--;
}

/* Looks for the name; the last of the tries settles the entry. */
static void entry_look(struct containers *containers, struct entry *entry)
{
	const struct place *place = entry->place;
	struct name_query query = {
		.root = containers->root,
		.proc = containers->root,
		.cgroups = containers->cgroups,
		.path = entry->path,
		.id = place->id,
		.name = place->name,
		.runtime = place->runtime,
		.pod = place->pod,
		.bad_files = &containers->counts.bad_files,
	};
	struct name_found found;

	if (!entry->pid)
		entry->pid = cgroups_member(containers->cgroups, entry->path);
	query.pid = entry->pid;
	containers->counts.lookups++;
	entry->n_tries++;
	if (entry_find(containers, entry, &query, &found)) {
		entry_take(containers, entry, &found);
		entry_settle(containers, entry);
	} else if (entry->n_tries > RETRIES ||
		   (place->kind == CONTAINER_CONTAINER && place->name[0])) {
		entry_settle(containers, entry);
	}
}

/* When the next look for its name is due. */
static uint64_t entry_due_ns(const struct entry *entry)
{
	if (entry->n_tries == 0)
		return 0;
	return entry->first_ns + retry_ms[entry->n_tries - 1] * 1000000ull;
}

static bool entry_is_due(const struct entry *entry, uint64_t now)
{
	return entry_due_ns(entry) <= now;
}

/* What has a name from its path alone is looked up only where the path may
 * not be the whole truth. */
static bool place_needs_look(const struct place *place)
{
	if (place->kind == CONTAINER_CONTAINER)
		return !place->name[0] || strcmp(place->runtime, "lxc") == 0;
	return place->is_uncertain;
}

static struct entry *entry_add(struct containers *containers)
{
	struct entry *entry = mem_calloc(1, sizeof(*entry));

	entry->container.number = (uint32_t)containers->n_entries;
	containers->entries =
		mem_grow(containers->entries, containers->n_entries,
			 &containers->capacity, sizeof(*containers->entries));
	containers->entries[containers->n_entries++] = entry;
	return entry;
}

static struct entry *entry_new(struct containers *containers, const char *path,
			       const struct place *place,
			       const struct container *parent, uint32_t pid)
{
	struct entry *entry = entry_add(containers);
	struct container *container = &entry->container;
	struct strings *strings = containers->strings;

	entry->is_raw = place->is_raw;
	entry->path = path;
	entry->first_ns = now_ns();
	entry->pid = pid;
	container->kind = place->kind;
	container->runtime = strings_intern(strings, place->runtime);
	container->id = intern_clean(containers, place->id);
	container->pod = intern_clean(containers, place->pod);
	container->scope = strings_intern(strings, "");
	container->path = strings_intern_n(strings, path, place->path_size);
	container->parent = parent;
	container->is_named = place->name[0] || place->kind == CONTAINER_ROOT;
	if (place->name[0])
		container->name = intern_clean(containers, place->name);
	else
		name_make_up(containers, entry);
	if (containers->root && place_needs_look(place)) {
		entry->place = mem_dup(place, sizeof(*place));
		containers->n_pending++;
	}
	return entry;
}

static uint32_t *path_slot(struct containers *containers, const char *path)
{
	return idmap_at(&containers->by_path, (uintptr_t)path, 0);
}

/* The container of a plain, interned path: the chain of those around it is
 * made on the way. What may turn out to be another's is kept for its whole
 * path, the rest for the path of the container or the unit. */
static struct entry *entry_of_path(struct containers *containers,
				   const char *path, uint32_t pid)
{
	struct place places[PLACES_MAX];
	size_t count = container_path_read(path, places);
	struct entry *entry = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *key =
			places[i].is_uncertain
				? path
				: strings_intern_n(containers->strings, path,
						   places[i].path_size);
		uint32_t number = *path_slot(containers, key);

		if (number != IDMAP_NONE)
			entry = containers->entries[number];
		else
			entry = entry_new(containers, key, &places[i],
					  entry ? &entry->container : NULL,
					  i + 1 == count ? pid : 0);
		*path_slot(containers, key) = entry->container.number;
	}
	return entry;
}

/* Of the commands in a container without a name the one of most samples is
 * shown, by Boyer and Moore's vote: its first is often runc or a shell. */
static void entry_vote(struct containers *containers, struct entry *entry,
		       const char *comm)
{
	comm = strings_intern(containers->strings, comm);
	if (comm == entry->comm) {
		entry->votes++;
	} else if (entry->votes) {
		entry->votes--;
	} else {
		entry->comm = comm;
		entry->votes = 1;
		name_make_up(containers, entry);
	}
}

/* Keeps a pid and a comm for the look-ups to come, and does one if it is
 * time for it. */
static const struct container *entry_touch(struct containers *containers,
					   struct entry *entry, uint32_t pid,
					   const char *comm)
{
	if (!entry->container.is_named && comm)
		entry_vote(containers, entry, comm);
	if (!entry->place)
		return &entry->container;
	if (pid)
		entry->pid = pid;
	if (entry_is_due(entry, now_ns()))
		entry_look(containers, entry);
	return &entry->container;
}

/* A path that is made again may be another container's (case C62): what stood
 * there before keeps what was found for it, and gets no name any more. */
static void path_release(struct containers *containers, const char *path)
{
	uint32_t number = idmap_get(&containers->by_path, (uintptr_t)path, 0);

	if (number == IDMAP_NONE)
		return;
	idmap_remove(&containers->by_path, (uintptr_t)path, 0);
	if (containers->entries[number]->place)
		entry_settle(containers, containers->entries[number]);
}

/* Whether a path is enough, or the process has to be asked for more. */
static bool path_tells(const struct containers *containers, const char *path)
{
	int rank = container_path_rank(path);

	if (rank == CONTAINER_UNIT)
		return !containers->is_hybrid;
	return rank >= CONTAINER_GROUP;
}

/* A cgroup made now gets its entry at once, so that the samples of the one
 * before it at that path, which are still to come, keep theirs. */
void containers_event_cgroup(struct containers *containers,
			     const struct event_cgroup *event, bool just_made)
{
	const char *path = cgroup_path_plain(containers->strings, event->path);
	struct entry *entry;

	if (cgroups_known(containers->cgroups, event->id) != path) {
		cgroups_add(containers->cgroups, event->id, path);
		idmap_remove(&containers->by_id, event->id, 0);
		if (just_made)
			path_release(containers, path);
	}
	if (!just_made || !path_tells(containers, path))
		return;
	entry = entry_of_path(containers, path, 0);
	*idmap_at(&containers->by_id, event->id, 0) = entry->container.number;
	entry_touch(containers, entry, 0, NULL);
}

uint64_t containers_retry(struct containers *containers)
{
	uint64_t now, next = UINT64_MAX;

	if (containers->n_pending == 0)
		return UINT64_MAX;
	now = now_ns();
	for (size_t i = 0; i < containers->n_entries; i++) {
		struct entry *entry = containers->entries[i];

		if (entry->place && entry_is_due(entry, now))
			entry_look(containers, entry);
		if (entry->place && entry_due_ns(entry) < next)
			next = entry_due_ns(entry);
	}
	if (next == UINT64_MAX)
		return next;
	return next > now ? next - now : 0;
}

static void pid_forget(struct containers *containers, uint32_t pid)
{
	idmap_remove(&containers->by_pid, pid, 0);
}

void containers_event(struct containers *containers, const struct event *event)
{
	switch (event->kind) {
	case EVENT_FORK:
		if (event->pid == event->fork.parent_pid)
			return; /* a thread */
		pid_forget(containers, event->pid);
		*idmap_at(&containers->parents, event->pid, 0) =
			event->fork.parent_pid & INT32_MAX;
		return;
	case EVENT_EXIT:
		if (event->pid != event->tid)
			return;
		pid_forget(containers, event->pid);
		idmap_remove(&containers->parents, event->pid, 0);
		return;
	case EVENT_COMM:
		if (event->comm.is_exec)
			pid_forget(containers, event->pid);
		return;
	default:
		return;
	}
}

/* What /proc says of the process, else of the one that forked it: a process
 * starts in its parent's cgroup. */
static const char *path_of_pid(struct containers *containers, uint32_t pid)
{
	const char *path = NULL;

	for (int i = 0; !path && i < ANCESTORS_MAX; i++) {
		if (!containers->root || !pid || pid > INT32_MAX)
			return NULL;
		path = container_process_path(containers->root,
					      containers->strings, pid);
		pid = idmap_get(&containers->parents, pid, 0);
	}
	return path;
}

/* The path to believe: the id's, unless the process tells more. */
static const char *path_find(struct containers *containers, const char *by_id,
			     uint32_t pid)
{
	const char *by_pid = path_of_pid(containers, pid);

	if (!by_id)
		return by_pid;
	return by_pid && container_path_rank(by_pid) >
				       container_path_rank(by_id)
		       ? by_pid
		       : by_id;
}

/* Stands for the path of a cgroup that nobody knows: "" without an id. */
static const char *path_unknown(struct containers *containers, uint64_t id)
{
	char text[40] = "";

	if (id)
		snprintf(text, sizeof(text), "[cgroup %" PRIu64 "]", id);
	return strings_intern(containers->strings, text);
}

static struct entry *entry_by_pid(struct containers *containers, uint64_t id,
				  const char *path, uint32_t pid)
{
	uint32_t number =
		pid ? idmap_get(&containers->by_pid, pid, 0) : IDMAP_NONE;
	struct entry *entry;

	if (number != IDMAP_NONE)
		return containers->entries[number];
	path = path_find(containers, path, pid);
	if (!path)
		path = path_unknown(containers, id);
	entry = entry_of_path(containers, path, pid);
	if (pid)
		*idmap_at(&containers->by_pid, pid, 0) =
			entry->container.number;
	return entry;
}

/* The entry of an id that is new here; it is kept where its path tells. */
static struct entry *entry_by_id(struct containers *containers, uint64_t id,
				 uint32_t pid)
{
	const char *path = cgroups_path(containers->cgroups, id);
	struct entry *entry;

	containers->counts.unknown_ids += !path;
	if (!path)
		return entry_by_pid(containers, id, NULL, pid);
	if (!path_tells(containers, path)) {
		*idmap_at(&containers->by_id, id, 0) = ASK_PROCESS;
		return entry_by_pid(containers, id, path, pid);
	}
	entry = entry_of_path(containers, path, pid);
	*idmap_at(&containers->by_id, id, 0) = entry->container.number;
	return entry;
}

const struct container *containers_of(struct containers *containers,
				      uint64_t cgroup_id, uint32_t pid,
				      const char *comm)
{
	uint32_t number = idmap_get(&containers->by_id, cgroup_id, 0);
	struct entry *entry;

	if (number == ASK_PROCESS)
		entry = entry_by_pid(
			containers, cgroup_id,
			cgroups_path(containers->cgroups, cgroup_id), pid);
	else if (number != IDMAP_NONE)
		entry = containers->entries[number];
	else if (cgroup_id)
		entry = entry_by_id(containers, cgroup_id, pid);
	else
		entry = entry_by_pid(containers, 0, NULL, pid);
	return entry_touch(containers, entry, pid, comm);
}

const char *containers_path(struct containers *containers, uint64_t cgroup_id,
			    uint32_t pid)
{
	const char *path =
		cgroup_id ? cgroups_path(containers->cgroups, cgroup_id) : NULL;

	if (path && path_tells(containers, path))
		return path;
	path = path_find(containers, path, pid);
	return path ? path : "";
}

uint32_t containers_count(const struct containers *containers)
{
	return (uint32_t)containers->n_entries;
}

const struct container *containers_at(const struct containers *containers,
				      uint32_t number)
{
	return &containers->entries[number]->container;
}

struct containers_counts containers_counts(const struct containers *containers)
{
	struct containers_counts counts = containers->counts;

	for (size_t i = 0; i < containers->n_entries; i++)
		counts.unnamed += !containers->entries[i]->container.is_named;
	return counts;
}
