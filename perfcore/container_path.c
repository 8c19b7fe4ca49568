#include "perfcore/container_path.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ID_SIZE 64

/* One component of the path, and what the ones before it said. */
struct walk {
	const char *path;
	const char *name; /* of the component; not ended */
	size_t size;
	char before[2][PLACE_TEXT]; /* the two components before, last first */
	char pod[PLACE_TEXT];
	size_t depth;
	bool is_in_pods;
};

/* Components of the form PREFIX + id, with ".scope" behind under systemd. */
static const struct prefix_rule {
	const char *prefix, *runtime;
	bool is_monitor;
	bool is_any_name; /* what follows is any name, not only 64 digits */
} prefix_rules[] = {
	{ "docker-", "docker" },
	{ "libpod-conmon-", "podman", .is_monitor = true },
	{ "libpod-payload-", "podman" },
	{ "libpod-", "podman" },
	{ "crio-conmon-", "cri-o", .is_monitor = true },
	{ "crio-", "cri-o" },
	{ "cri-containerd-", "containerd" },
	{ "nerdctl-", "nerdctl" },
	{ "runc-", "runc", .is_any_name = true },
	{ "crun-", "crun", .is_any_name = true },
};

/* Parents that tell the runtime of a bare id below them. */
static const struct parent_rule {
	const char *parent, *runtime;
	bool is_raw;
	unsigned int above; /* 0: directly below, 1: one level between */
} parent_rules[] = {
	{ "docker", "docker" },
	{ "actions_job", "docker", .is_raw = true },
	{ "k8s.io", "containerd", .is_raw = true },
	{ "ecs", "docker", .is_raw = true, .above = 1 },
	{ "ecs", "docker", .is_raw = true },
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static void text_set(char out[PLACE_TEXT], const char *text, size_t size)
{
	if (size >= PLACE_TEXT)
		size = PLACE_TEXT - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

/* systemd.unit(5): bytes that a unit's name cannot hold stand as \x2d. */
static void text_set_unescaped(char out[PLACE_TEXT], const char *text,
			       size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < size && used < PLACE_TEXT - 1; used++) {
		unsigned int byte;

		if (size - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
		    isxdigit((unsigned char)text[i + 2]) &&
		    isxdigit((unsigned char)text[i + 3])) {
			char digits[3] = { text[i + 2], text[i + 3] };

			sscanf(digits, "%2x", &byte);
			out[used] = (char)(byte ? byte : '?');
			i += 4;
		} else {
			out[used] = text[i++];
		}
	}
	out[used] = '\0';
}

bool container_is_id(const char *text, size_t size)
{
	if (size != ID_SIZE)
		return false;
	for (size_t i = 0; i < size; i++)
		if (!isdigit((unsigned char)text[i]) &&
		    (text[i] < 'a' || text[i] > 'f'))
			return false;
	return true;
}

/* Cuts a prefix off; returns whether it was there and something is left. */
static bool cut_prefix(const char **text, size_t *size, const char *prefix)
{
	size_t length = strlen(prefix);

	if (*size <= length || memcmp(*text, prefix, length) != 0)
		return false;
	*text += length;
	*size -= length;
	return true;
}

static bool cut_suffix(const char *text, size_t *size, const char *suffix)
{
	size_t length = strlen(suffix);

	if (*size <= length ||
	    memcmp(text + *size - length, suffix, length) != 0)
		return false;
	*size -= length;
	return true;
}

static bool component_is(const struct walk *walk, const char *text)
{
	return walk->size == strlen(text) &&
	       memcmp(walk->name, text, walk->size) == 0;
}

static void place_container(struct place *place, const char *runtime,
			    const char *id, size_t size)
{
	place->kind = CONTAINER_CONTAINER;
	place->runtime = runtime;
	text_set_unescaped(place->id, id, size);
}

static void place_named(struct place *place, const char *runtime,
			const char *name, size_t size)
{
	place->kind = CONTAINER_CONTAINER;
	place->runtime = runtime;
	text_set_unescaped(place->name, name, size);
}

/* Shown as the component without its long id: "libpod-conmon-0123456789ab". */
static void place_monitor(struct place *place, const char *runtime,
			  const char *prefix, const char *rest, size_t size)
{
	char name[PLACE_TEXT];

	place->kind = CONTAINER_UNIT;
	place->runtime = runtime;
	text_set_unescaped(name, rest, size);
	if (container_is_id(rest, size))
		name[12] = '\0';
	snprintf(place->name, sizeof(place->name), "%s%.200s", prefix, name);
}

/* docker-ID.scope, libpod-ID, libpod-conmon-ID.scope, runc-NAME.scope */
static bool read_prefixed(const struct walk *walk, struct place *place)
{
	const char *text = walk->name;
	size_t size = walk->size;
	bool is_scope = cut_suffix(text, &size, ".scope");

	for (size_t i = 0; i < ARRAY_SIZE(prefix_rules); i++) {
		const struct prefix_rule *rule = &prefix_rules[i];
		const char *rest = text;
		size_t left = size;

		if (!cut_prefix(&rest, &left, rule->prefix))
			continue;
		if (rule->is_monitor)
			place_monitor(place, rule->runtime, rule->prefix, rest,
				      left);
		else if (container_is_id(rest, left) ||
			 (rule->is_any_name && is_scope))
			place_container(place, rule->runtime, rest, left);
		else
			continue;
		return true;
	}
	return false;
}

/* SLICE:PREFIX:ID, where a runtime gave the systemd form of a path to a
 * cgroupfs driver: kubepods-burstable-podUID.slice:cri-containerd:ID */
static bool read_colons(const struct walk *walk, struct place *place)
{
	const char *end = walk->name + walk->size;
	const char *first = memchr(walk->name, ':', walk->size);
	const char *second =
		first ? memchr(first + 1, ':', (size_t)(end - first - 1))
		      : NULL;
	char joined[2 * PLACE_TEXT];
	struct walk inner = *walk;

	if (!second || second + 1 == end)
		return false;
	inner.size = (size_t)snprintf(joined, sizeof(joined), "%.*s-%.*s",
				      (int)(second - first - 1), first + 1,
				      (int)(end - second - 1), second + 1);
	inner.name = joined;
	if (read_prefixed(&inner, place))
		return true;
	place_container(place, "", second + 1, (size_t)(end - second - 1));
	return true;
}

/* A bare id: who made it, the components before it tell, or nobody. */
static bool read_bare_id(const struct walk *walk, struct place *place)
{
	if (strcmp(walk->before[0], "buildkit") == 0) {
		place_container(place, "buildkit", walk->name, walk->size);
		return true;
	}
	if (!container_is_id(walk->name, walk->size))
		return false;
	place_container(place, "", walk->name, walk->size);
	for (size_t i = 0; i < ARRAY_SIZE(parent_rules); i++) {
		const struct parent_rule *rule = &parent_rules[i];

		if (strcmp(walk->before[rule->above], rule->parent) != 0)
			continue;
		place->runtime = rule->runtime;
		place->is_raw = rule->is_raw;
		break;
	}
	return true;
}

/* lxc.payload.N and lxc.monitor.N (LXC 4), lxc.payload/N (3), lxc/N (2). */
static bool read_lxc(const struct walk *walk, struct place *place)
{
	const char *name = walk->name;
	size_t size = walk->size;

	if (cut_prefix(&name, &size, "lxc.monitor.") ||
	    strcmp(walk->before[0], "lxc.monitor") == 0) {
		place_monitor(place, "lxc", "lxc.monitor.", name, size);
		return true;
	}
	if (!cut_prefix(&name, &size, "lxc.payload.") &&
	    strcmp(walk->before[0], "lxc.payload") != 0 &&
	    strcmp(walk->before[0], "lxc") != 0)
		return false;
	place_named(place, "lxc", name, size);
	return true;
}

/* machine-N.scope is systemd-machined's, for nspawn and for libvirt, whose N
 * is qemu-NUMBER-NAME (or lxc-NUMBER-NAME). */
static bool read_machine(const struct walk *walk, struct place *place)
{
	const char *name = walk->name;
	size_t size = walk->size;
	unsigned int number;
	char driver[5];
	int used = 0;

	if (cut_prefix(&name, &size, "systemd-nspawn@") &&
	    cut_suffix(name, &size, ".service")) {
		place_named(place, "nspawn", name, size);
		return true;
	}
	name = walk->name;
	size = walk->size;
	if (!cut_suffix(name, &size, ".scope") ||
	    !cut_prefix(&name, &size, "machine-"))
		return false;
	place_named(place, "machine", name, size);
	if (sscanf(place->name, "%4[a-z]-%u-%n", driver, &number, &used) == 2 &&
	    place->name[used] &&
	    (strcmp(driver, "qemu") == 0 || strcmp(driver, "lxc") == 0)) {
		place->runtime = "libvirt";
		memmove(place->name, place->name + used,
			strlen(place->name + used) + 1);
	}
	return true;
}

/* app-flatpak-org.mozilla.firefox-2381.scope */
static bool read_flatpak(const struct walk *walk, struct place *place)
{
	const char *name = walk->name;
	size_t size = walk->size;

	if (!cut_suffix(name, &size, ".scope") ||
	    !cut_prefix(&name, &size, "app-flatpak-"))
		return false;
	for (size_t i = size; i-- > 1;) {
		if (name[i] == '-') {
			size = i;
			break;
		}
		if (!isdigit((unsigned char)name[i]))
			break;
	}
	place_named(place, "flatpak", name, size);
	return true;
}

static bool is_uuid(const char *text, size_t size)
{
	if (size != 36)
		return false;
	for (size_t i = 0; i < size; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23
			    ? text[i] != '-'
			    : !isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* snap.SNAP.APP.service; snap.SNAP.APP-UUID.scope, or .UUID.scope */
static bool read_snap(const struct walk *walk, struct place *place)
{
	const char *name = walk->name;
	size_t size = walk->size;
	bool is_scope;

	if (!cut_prefix(&name, &size, "snap."))
		return false;
	is_scope = cut_suffix(name, &size, ".scope");
	if (!is_scope && !cut_suffix(name, &size, ".service"))
		return false;
	if (is_scope && size > 37 && is_uuid(name + size - 36, 36))
		size -= 37;
	place_named(place, "snap", name, size);
	return true;
}

/* pod6a4ce4a0-…-0cc47ac5979e, kubepods-burstable-pod6a4ce4a0_….slice:
 * remembered for the container below. Returns whether it is a pod's. */
static bool read_pod(struct walk *walk)
{
	const char *name = walk->name, *end = walk->name + walk->size;
	size_t size = walk->size;

	if (cut_suffix(name, &size, ".slice")) {
		const char *dash = memrchr(name, '-', size);

		if (!dash)
			return false;
		end = name + size;
		name = dash + 1;
		size = (size_t)(end - name);
	}
	if (!walk->is_in_pods || !cut_prefix(&name, &size, "pod"))
		return false;
	text_set(walk->pod, name, size);
	for (char *at = walk->pod; *at; at++)
		if (*at == '_')
			*at = '-';
	return true;
}

/* systemd-nspawn@N.service/supervisor holds nspawn itself, not the container
 * that the component before it seemed to be. */
static bool read_supervisor(const struct walk *walk, struct place *before)
{
	char name[PLACE_TEXT];

	if (!component_is(walk, "supervisor") ||
	    strcmp(before->runtime, "nspawn") != 0)
		return false;
	memcpy(name, before->name, sizeof(name));
	before->kind = CONTAINER_UNIT;
	before->path_size = (size_t)(walk->name + walk->size - walk->path);
	snprintf(before->name, sizeof(before->name),
		 "systemd-nspawn@%.200s.service", name);
	return true;
}

static bool read_container(const struct walk *walk, struct place *place)
{
	return read_prefixed(walk, place) || read_colons(walk, place) ||
	       read_bare_id(walk, place) || read_lxc(walk, place) ||
	       read_machine(walk, place) || read_flatpak(walk, place) ||
	       read_snap(walk, place);
}

static bool read_unit(const struct walk *walk, struct place *place)
{
	static const char *const suffixes[] = {
		".service", ".scope", ".mount", ".socket", ".swap", ".slice"
	};
	size_t size = walk->size;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t left = size;

		if (!cut_suffix(walk->name, &left, suffixes[i]))
			continue;
		place->kind = i + 1 == ARRAY_SIZE(suffixes) ? CONTAINER_SLICE
							    : CONTAINER_UNIT;
		place->runtime = "systemd";
		place->is_uncertain = strcmp(suffixes[i], ".scope") == 0;
		text_set_unescaped(place->name, walk->name, size);
		return true;
	}
	return false;
}

/* A service manager's own scope tells less than the manager's unit. */
static bool is_init_scope(const struct walk *walk)
{
	return component_is(walk, "init.scope");
}

static void places_add(struct place places[PLACES_MAX], size_t *count,
		       const struct place *place)
{
	if (*count == PLACES_MAX) {
		memmove(places, places + 1,
			(PLACES_MAX - 1) * sizeof(places[0]));
		--*count;
	}
	places[(*count)++] = *place;
}

static bool walk_next(struct walk *walk)
{
	const char *end;

	if (walk->name) {
		memcpy(walk->before[1], walk->before[0], PLACE_TEXT);
		text_set(walk->before[0], walk->name, walk->size);
		walk->name += walk->size;
		if (strstr(walk->before[0], "kubepods"))
			walk->is_in_pods = true;
	} else {
		walk->name = walk->path;
	}
	if (walk->name[0] == '\0' || walk->name[1] == '\0')
		return false;
	walk->name++;
	end = strchrnul(walk->name, '/');
	walk->size = (size_t)(end - walk->name);
	walk->depth++;
	return true;
}

/* What stands where no container does: the deepest unit, else slice, else
 * the path itself. */
struct fallback {
	struct place unit, slice;
	bool is_tail_known; /* the last component was a unit's or a slice's */
};

static void fallback_read(struct fallback *fallback, const struct walk *walk)
{
	struct place place = { .path_size = (size_t)(walk->name + walk->size -
						     walk->path) };

	fallback->is_tail_known = read_unit(walk, &place);
	if (!fallback->is_tail_known)
		return;
	if (place.kind == CONTAINER_SLICE)
		fallback->slice = place;
	else if (!is_init_scope(walk) || !fallback->unit.path_size)
		fallback->unit = place;
}

/* Whether systemd made the topmost cgroup: else what looks like a unit may
 * be one of a systemd inside of a container. */
static bool is_below_systemd(const char *path)
{
	size_t size = strcspn(path + 1, "/");

	return cut_suffix(path + 1, &size, ".slice") ||
	       cut_suffix(path + 1, &size, ".scope") ||
	       cut_suffix(path + 1, &size, ".service");
}

static struct place fallback_place(const struct fallback *fallback,
				   const struct walk *walk)
{
	struct place place = { .kind = CONTAINER_GROUP, .runtime = "" };

	if (fallback->unit.path_size) {
		place = fallback->unit;
	} else if (fallback->slice.path_size && fallback->is_tail_known) {
		place = fallback->slice;
	} else {
		place.kind = walk->depth ? CONTAINER_GROUP : CONTAINER_ROOT;
		place.path_size = strlen(walk->path);
		place.is_raw = true;
	}
	if (place.kind != CONTAINER_ROOT &&
	    (!fallback->is_tail_known || !is_below_systemd(walk->path)))
		place.is_uncertain = true;
	return place;
}

/* A cgroup of a pod that is none of its containers': the pod's own. */
static void place_pod(struct place *place, const struct walk *walk)
{
	place_container(place, "k8s", walk->pod, strlen(walk->pod));
	text_set(place->pod, walk->pod, strlen(walk->pod));
	place->path_size = strlen(walk->path);
}

size_t container_path_read(const char *path, struct place places[PLACES_MAX])
{
	struct walk walk = { .path = path };
	struct fallback fallback = { 0 };
	size_t count = 0;

	if (*path != '/') {
		places[0] = (struct place){ .kind = CONTAINER_UNKNOWN,
					    .runtime = "",
					    .path_size = strlen(path),
					    .is_raw = true };
		return 1;
	}
	while (walk_next(&walk)) {
		struct place place = { .runtime = "" };

		if (read_pod(&walk) ||
		    (count > 0 && read_supervisor(&walk, &places[count - 1])))
			continue;
		if (read_container(&walk, &place)) {
			place.path_size =
				(size_t)(walk.name + walk.size - path);
			text_set(place.pod, walk.pod, strlen(walk.pod));
			walk.pod[0] = '\0';
			walk.is_in_pods = false;
			places_add(places, &count, &place);
		} else if (count == 0) {
			fallback_read(&fallback, &walk);
		}
	}
	if (walk.pod[0]) {
		struct place place = { .runtime = "" };

		place_pod(&place, &walk);
		places_add(places, &count, &place);
	}
	if (count == 0)
		places[count++] = fallback_place(&fallback, &walk);
	return count;
}

int container_path_rank(const char *path)
{
	struct place places[PLACES_MAX];
	size_t count = container_path_read(path, places);
	const struct place *place = &places[count - 1];

	if (place->kind == CONTAINER_UNIT &&
	    strcmp(place->name, "init.scope") == 0)
		return CONTAINER_SLICE;
	return (int)place->kind;
}
