#include "cli/profile/tally.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

#define RUNS_MIN    3  /* fewer profiles tell nothing of what is between them */
#define HASH_LENGTH 19 /* "::h" and 16 hexadecimal digits */

/* Whether the batches of a side are its profiles; else its time slices. */
static bool has_runs(const struct window *window)
{
	return window->n_window_batches >= RUNS_MIN;
}

/* Seconds in each batch of time slices; the last slice may be short. */
static void slice_seconds(struct tally_base *base,
			  const struct compare_side *side)
{
	const struct window *window = &side->window;
	double slice = (double)side->profile->slice_ns / 1e9;
	double left = (double)side->profile->duration_ns / 1e9;

	if (window->n_slices == 0) {
		base->whole[0] = left;
		return;
	}
	for (uint32_t i = 0; i < window->n_slices; i++) {
		double length = left < slice ? left : slice;

		base->whole[(size_t)i * window->n_batches / window->n_slices] +=
			length;
		left -= length;
	}
}

/* For each profile its seconds, or its part of the operations: those are taken
 * as equally many in each, as when a benchmark is run again and again. */
static void run_amounts(struct tally_base *base,
			const struct compare_side *side, enum compare_unit unit)
{
	const struct window *window = &side->window;
	size_t n = window->n_windows;

	for (size_t i = 0; i < n; i++)
		base->whole[i * window->n_window_batches / n] +=
			unit == COMPARE_PER_OP
				? side->ops / (double)n
				: (double)window->windows[i].duration_ns / 1e9;
}

/* For each batch of slices its seconds, or as large a part of operations. */
static void slice_amounts(struct tally_base *base,
			  const struct compare_side *side,
			  enum compare_unit unit)
{
	slice_seconds(base, side);
	if (unit != COMPARE_PER_OP || !(base->seconds > 0))
		return;
	for (size_t i = 0; i < base->n_batches; i++)
		base->whole[i] *= side->ops / base->seconds;
}

static void base_of(struct tally_base *base, const struct compare_side *side,
		    enum compare_unit unit)
{
	const struct window *window = &side->window;
	size_t offset = has_runs(window) ? INTERVAL_BATCHES : 0;

	*base = (struct tally_base){
		.seconds = (double)side->profile->duration_ns / 1e9,
		.n_batches =
			offset ? window->n_window_batches : window->n_batches,
	};
	if (window->effective > 0)
		base->per_sample = (double)window->total / window->effective;
	if (unit == COMPARE_SHARE) {
		memcpy(base->whole, window->whole + offset,
		       base->n_batches * sizeof(*base->whole));
		return;
	}
	if (offset)
		run_amounts(base, side, unit);
	else
		slice_amounts(base, side, unit);
	/* weights are nanoseconds, values are seconds */
	for (size_t i = 0; i < base->n_batches; i++)
		base->whole[i] *= 1e9;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_hash(const char *text)
{
	if (strncmp(text, "::h", 3) != 0)
		return false;
	for (size_t i = 3; i < HASH_LENGTH; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* The name without what changes from build to build: Rust's hash, LLVM's and
 * GCC's numbers of symbols made global. */
static const char *stable_name(struct strings *strings, const char *name)
{
	static const char *const marks[] = { ".llvm.", ".lto_priv." };
	size_t length = strlen(name);

	for (size_t i = 0; i < 2; i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark && mark > name && (size_t)(mark - name) < length)
			length = (size_t)(mark - name);
	}
	if (length > HASH_LENGTH && is_hash(name + length - HASH_LENGTH))
		length -= HASH_LENGTH;
	return strings_intern_n(strings, name, length);
}

static struct tally *tally_at(struct tallies *tallies, enum label_key kind,
			      const char *name, const char *module)
{
	uint32_t *at = idmap_at(&tallies->index,
				(uint64_t)kind << 56 | (uintptr_t)name,
				(uintptr_t)module);

	if (*at == IDMAP_NONE) {
		tallies->items =
			mem_grow(tallies->items, tallies->count,
				 &tallies->capacity, sizeof(*tallies->items));
		*at = (uint32_t)tallies->count;
		tallies->items[tallies->count++] =
			(struct tally){ kind, name, module, { { 0 } } };
	}
	return &tallies->items[*at];
}

static void tally_add(struct tallies *tallies, int side, size_t offset,
		      const struct grouping *grouping, size_t number)
{
	const struct group *group = &grouping->groups[number];
	const struct group_batches *batches = &grouping->batches[number];
	const struct label *label = grouping_label(grouping, group);
	bool is_function = label->key == LABEL_FUNCTION;
	struct tally *tally = tally_at(
		tallies, label->key,
		is_function ? stable_name(tallies->strings, label->name)
			    : strings_intern(tallies->strings, label->name),
		strings_intern(tallies->strings,
			       is_function ? base_name(label->module) : ""));

	for (size_t i = 0; i < tallies->bases[side].n_batches; i++) {
		tally->self[side][i] += batches->self[offset + i];
		tally->total[side][i] += batches->total[offset + i];
	}
	tally->samples[side] += (double)group->total_samples;
}

static void tally_side(struct tallies *tallies, int side,
		       const struct compare_side *from, enum label_key kind)
{
	struct group_request request = { { kind }, 1, .keeps_batches = true };
	struct grouping grouping;

	group_profile(&grouping, from->profile, &from->window, &request);
	for (size_t i = 0; i < grouping.n_groups; i++)
		tally_add(tallies, side,
			  has_runs(&from->window) ? INTERVAL_BATCHES : 0,
			  &grouping, i);
	grouping_destroy(&grouping);
}

#define SEVERAL (IDMAP_NONE - 1)

/* Notes who has a name on that side alone; SEVERAL where it is not one. */
static void lone_add(struct idmap *lone, const struct tallies *tallies,
		     uint32_t number, int side)
{
	const struct tally *tally = &tallies->items[number];
	uint32_t *at = idmap_at(lone, (uintptr_t)tally->name, (uint64_t)side);

	*at = *at == IDMAP_NONE ? number : SEVERAL;
}

static void tally_move(struct tally *to, struct tally *from, int side)
{
	memcpy(to->self[side], from->self[side], sizeof(to->self[side]));
	memcpy(to->total[side], from->total[side], sizeof(to->total[side]));
	to->samples[side] = from->samples[side];
	from->samples[side] = 0;
}

/* A function that moved to a file of another name, as a new build may. */
static void moved_join(struct tallies *tallies)
{
	struct idmap lone;
	size_t kept = 0;

	idmap_init(&lone);
	for (uint32_t i = 0; i < tallies->count; i++) {
		const struct tally *tally = &tallies->items[i];

		if (tally->kind == LABEL_FUNCTION && !tally->samples[1])
			lone_add(&lone, tallies, i, 0);
		else if (tally->kind == LABEL_FUNCTION && !tally->samples[0])
			lone_add(&lone, tallies, i, 1);
	}
	for (uint32_t i = 0; i < tallies->count; i++) {
		struct tally *tally = &tallies->items[i];
		uint64_t name = (uintptr_t)tally->name;
		uint32_t after = idmap_get(&lone, name, 1);

		if (tally->kind == LABEL_FUNCTION && after < SEVERAL &&
		    idmap_get(&lone, name, 0) == i)
			tally_move(tally, &tallies->items[after], 1);
	}
	for (size_t i = 0; i < tallies->count; i++)
		if (tallies->items[i].samples[0] ||
		    tallies->items[i].samples[1])
			tallies->items[kept++] = tallies->items[i];
	tallies->count = kept;
	idmap_destroy(&lone);
}

void tallies_init(struct tallies *tallies, struct strings *strings,
		  const struct compare_side sides[2],
		  const struct compare_options *options)
{
	static const enum label_key kinds[] = { LABEL_FUNCTION, LABEL_PROCESS,
						LABEL_CONTAINER };

	*tallies = (struct tallies){ .strings = strings };
	idmap_init(&tallies->index);
	for (int side = 0; side < 2; side++) {
		base_of(&tallies->bases[side], &sides[side], options->unit);
		for (size_t i = 0; i < 3; i++)
			tally_side(tallies, side, &sides[side], kinds[i]);
	}
	moved_join(tallies);
}

void tallies_destroy(struct tallies *tallies)
{
	idmap_destroy(&tallies->index);
	free(tallies->items);
}
