/*
 * hostprof overhead: what sampling costs on this host, by paired runs of a
 * command without and with it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/command.h"
#include "cli/measured_run.h"
#include "cli/message.h"
#include "cli/profile/ratios.h"
#include "cli/terminal.h"
#include "cli/views/number.h"
#include "cli/views/table.h"
#include "perfcore/mem.h"

#define PAIRS_MAX  1000
#define LOAD_STEPS 300000000u /* about a second */

static const uint64_t rates[] = { 99, 999 };

#define N_RATES (sizeof(rates) / sizeof(*rates))

struct overhead_options {
	uint64_t pairs;
	bool is_load;
	int color;
};

static const struct option overhead_options[] = {
	{ "pairs", 0, "N", "runs without and with, of each rate [5]",
	  OPTION_NUMBER, offsetof(struct overhead_options, pairs), 2,
	  PAIRS_MAX },
	{ "load", 0, NULL, "only run the built-in load, once", OPTION_SWITCH,
	  offsetof(struct overhead_options, is_load) },
	{ NULL },
};

static const struct option_group overhead_groups[] = {
	{ "Measuring", overhead_options, 0 },
	{ "Output", color_options, offsetof(struct overhead_options, color) },
	{ NULL },
};

/* Pairs at one rate. */
struct rate_result {
	double *ratios, *bare_s, *sampled_s, *own;
	size_t count;
	double samples;
};

static volatile uint32_t load_sink;

static __attribute__((noinline)) uint32_t load_step(uint32_t value)
{
	value ^= value << 13;
	value ^= value >> 17;
	return value ^ value << 5;
}

/* Fixed work of small functions and a table that does not fit the first
 * cache: what is measured where no COMMAND is given. */
static int load_run(void)
{
	uint32_t *table = mem_calloc(1 << 16, sizeof(*table));
	uint32_t value = 2463534242u;

	for (uint32_t i = 0; i < LOAD_STEPS; i++) {
		value = load_step(value);
		table[value & 0xffff] += i;
	}
	load_sink = table[value & 0xffff];
	free(table);
	return COMMAND_DONE;
}

/* The order of the two changes from pair to pair, so that a drift of the
 * machine does not pass for a cost. */
static int measure_pair(struct rate_result *result, char *const argv[],
			uint64_t rate, size_t pair, struct error *error)
{
	struct measured_run bare, sampled;
	bool bare_first = pair % 2 == 0;
	int failure = bare_first ? measured_run(&bare, argv, 0, error) : 0;

	if (!failure)
		failure = measured_run(&sampled, argv, rate, error);
	if (!failure && !bare_first)
		failure = measured_run(&bare, argv, 0, error);
	if (failure)
		return failure;
	if (!(bare.wall_s > 0))
		return error_set(error, -ERANGE, "%s took no time", argv[0]);
	result->ratios[pair] = sampled.wall_s / bare.wall_s;
	result->bare_s[pair] = bare.wall_s;
	result->sampled_s[pair] = sampled.wall_s;
	result->own[pair] = sampled.own_cpu_s / fmax(1e-9, sampled.window_s);
	result->samples += sampled.samples;
	return 0;
}

static void result_init(struct rate_result *result, size_t count)
{
	result->count = count;
	result->samples = 0;
	result->ratios = mem_calloc(count, sizeof(double));
	result->bare_s = mem_calloc(count, sizeof(double));
	result->sampled_s = mem_calloc(count, sizeof(double));
	result->own = mem_calloc(count, sizeof(double));
}

static void result_destroy(struct rate_result *result)
{
	free(result->ratios);
	free(result->bare_s);
	free(result->sampled_s);
	free(result->own);
}

static void verdict_cell(struct table *table, size_t column,
			 const struct ratios *ratios)
{
	double reach = fmax(ratios->high - 1, 1 - ratios->low) * 100;

	if (ratios->low <= 1 && ratios->high >= 1)
		table_cell(table, column,
			   "cannot be told from noise (±%.1f %%)", reach);
	else
		table_cell(table, column,
			   ratios->median > 1 ? "slower"
					      : "faster, so it is noise");
}

static void row_add(struct table *table, uint64_t rate,
		    struct rate_result *result)
{
	struct ratios ratios = ratios_of(result->ratios, result->count);

	table_row_add(table, false);
	table_cell(table, 0, "%llu Hz", (unsigned long long)rate);
	table_cell(table, 1, "%.3f",
		   ratios_of(result->bare_s, result->count).median);
	table_cell(table, 2, "%.3f",
		   ratios_of(result->sampled_s, result->count).median);
	table_cell(table, 3, "%+.1f %% (%+.1f to %+.1f)",
		   (ratios.median - 1) * 100, (ratios.low - 1) * 100,
		   (ratios.high - 1) * 100);
	table_cell(table, 4, "%.2f %%",
		   ratios_of(result->own, result->count).median * 100);
	table_cell(table, 5, "%s", number_count(result->samples).text);
	verdict_cell(table, 6, &ratios);
}

static void results_print(const struct overhead_options *options,
			  struct rate_result *results, char *const argv[],
			  bool is_built_in)
{
	static const struct table_column columns[] = {
		{ "RATE" },	     { "without s" },	 { "with s" },
		{ "change", true },  { "own of a CPU" }, { "samples" },
		{ "verdict", true },
	};
	struct terminal terminal = terminal_of(stdout, options->color);
	struct utsname system;
	struct table table;

	uname(&system);
	printf("%s: medians of %llu pairs of runs, without and with sampling, "
	       "of %s\n\n",
	       system.nodename, (unsigned long long)options->pairs,
	       is_built_in ? "the built-in load" : argv[0]);
	table_init(&table);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column_add(&table, columns[i]);
	for (size_t i = 0; i < N_RATES; i++)
		row_add(&table, rates[i], &results[i]);
	table_print(&table, stdout, &terminal);
	table_destroy(&table);
}

/* Pairs of all rates in turn: what changes on the host meets each of them. */
static int measure(const struct overhead_options *options,
		   struct rate_result *results, char *const argv[],
		   struct error *error)
{
	int failure = 0;

	for (size_t pair = 0; pair < options->pairs && !failure; pair++) {
		message_progress("pair %zu of %llu", pair + 1,
				 (unsigned long long)options->pairs);
		for (size_t i = 0; i < N_RATES && !failure; i++)
			failure = measure_pair(&results[i], argv, rates[i],
					       pair, error);
	}
	message_progress(NULL);
	return failure;
}

static int overhead(const struct overhead_options *options,
		    struct operands *operands)
{
	static char *const load[] = { "/proc/self/exe", "overhead", "--load",
				      NULL };
	char *const *argv = operands->count ? operands->items : load;
	struct rate_result results[N_RATES];
	struct measured_run warm_up;
	struct error error;
	int failure;

	for (size_t i = 0; i < N_RATES; i++)
		result_init(&results[i], options->pairs);
	/* files are cached and the clock frequency is up from here on */
	failure = measured_run(&warm_up, argv, 0, &error);
	if (!failure)
		failure = measure(options, results, argv, &error);
	if (!failure)
		results_print(options, results, argv, argv == load);
	else
		message_error("%s", error.text);
	for (size_t i = 0; i < N_RATES; i++)
		result_destroy(&results[i]);
	return failure ? command_failure(failure) : COMMAND_DONE;
}

static int overhead_run(int argc, char **argv)
{
	struct overhead_options options = { .pairs = 5 };
	struct operands operands;
	int exit_code;

	if (!command_parse(&overhead_command, argc, argv, &options, &operands,
			   &exit_code))
		return exit_code;
	return options.is_load ? load_run() : overhead(&options, &operands);
}

const struct command overhead_command = {
	.name = "overhead",
	.operands = "[-- COMMAND…]",
	.help = "what sampling costs on this host",
	.text = "Runs COMMAND, or a built-in load of about a second, without "
		"and with\nsampling in turn and compares how long it takes. "
		"Its standard output is\nthrown away.",
	.groups = overhead_groups,
	.style = OPTIONS_FIRST,
	.run = overhead_run,
};
