#include "cli/profile/require.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/nearest.h"

/* 100 * part / whole; NAN where one is not known or the whole is nothing. */
static double percent(double part, double whole)
{
	return part < 0 || !(whole > 0) ? NAN : part / whole * 100;
}

static double lost(const struct profile *profile)
{
	const struct profile_health *health = &profile->health;
	double whole = health->expected > 0 ? health->expected
					    : health->samples + health->lost;

	return percent(health->lost, whole);
}

static double throttled(const struct profile *profile)
{
	return percent(profile->health.throttled_s,
		       (double)profile->duration_ns / 1e9);
}

static double samples(const struct profile *profile)
{
	return profile->health.samples < 0 ? NAN : profile->health.samples;
}

static double stacks(const struct profile *profile)
{
	const struct profile_health *health = &profile->health;

	return percent(health->stacks_complete,
		       health->stacks_complete +
			       fmax(0, health->stacks_truncated) +
			       fmax(0, health->stacks_failed));
}

static double names(const struct profile *profile)
{
	const struct profile_health *health = &profile->health;

	return percent(health->frames_named,
		       health->frames_named + fmax(0, health->frames_unnamed));
}

static double apart(const struct profile *profile)
{
	const struct profile_health *health = &profile->health;

	if (health->sampled_cpu_s < 0)
		return NAN;
	return percent(fabs(health->sampled_cpu_s - health->kernel_cpu_s),
		       health->kernel_cpu_s);
}

static double own(const struct profile *profile)
{
	return percent(profile->health.own_cpu_s, profile->host.capacity_s);
}

static const struct {
	const char *name;
	double (*measure)(const struct profile *profile);
} measures[] = {
	{ "lost", lost },	{ "throttled", throttled },
	{ "stacks", stacks },	{ "names", names },
	{ "apart", apart },	{ "own", own },
	{ "samples", samples },
};

#define N_MEASURES (sizeof(measures) / sizeof(*measures))

static int unknown_name(const char *name, struct error *error)
{
	struct nearest nearest = { name };

	for (size_t i = 0; i < N_MEASURES; i++)
		nearest_offer(&nearest, measures[i].name);
	if (nearest.count)
		return error_set(error, -EINVAL,
				 "nothing is called '%s'; did you mean '%s'?",
				 name, nearest.items[0]);
	return error_set(error, -EINVAL,
			 "nothing is called '%s'; conditions are on lost, "
			 "throttled, stacks, names, apart, own and samples",
			 name);
}

/* One condition, of which operators is the place of the < or >. */
static int condition_check(const struct profile *profile, char *condition,
			   char *operators, struct error *error)
{
	bool is_less = *operators == '<';
	bool is_equal_enough = operators[1] == '=';
	char *number = operators + 1 + is_equal_enough, *end;
	double limit = strtod(number, &end), value;
	char text[128];
	size_t i = 0;

	end += *end == '%';
	if (end == number || *end || !isfinite(limit))
		return error_set(error, -EINVAL, "'%s' is no number", number);
	snprintf(text, sizeof(text), "%s", condition);
	*operators = '\0';
	while (i < N_MEASURES && strcmp(measures[i].name, condition) != 0)
		i++;
	if (i == N_MEASURES)
		return unknown_name(condition, error);
	value = measures[i].measure(profile);
	if (isnan(value))
		return error_set(error, 1, "%s is required, but not known",
				 text);
	if (is_less ? value < limit : value > limit)
		return 0;
	if (is_equal_enough && fabs(value - limit) <= 1e-9 * fabs(limit))
		return 0;
	return error_set(error, 1, "%s is required, but it is %.4g", text,
			 value);
}

int require_check(const struct profile *profile, const char *conditions,
		  struct error *error)
{
	int result = 0;

	while (*conditions && result == 0) {
		size_t length = strcspn(conditions, ",");
		char condition[128];
		char *operators;

		if (length >= sizeof(condition))
			return error_set(error, -EINVAL,
					 "a condition is too long");
		memcpy(condition, conditions, length);
		condition[length] = '\0';
		operators = strpbrk(condition, "<>");
		if (!operators)
			return error_set(error, -EINVAL, "'%s' has no < or >",
					 condition);
		result = condition_check(profile, condition, operators, error);
		conditions += length + (conditions[length] == ',');
	}
	return result;
}
