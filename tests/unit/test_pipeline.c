/* pipeline.c and stacks.c on events by hand: a file from elsewhere, so
 * nothing of this host is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <string.h>

#include "cli/pipeline.h"

#define KERNEL_CONTEXT ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER_CONTEXT   ((uint64_t)PERF_CONTEXT_USER)
#define MS	       1000000ull

struct list_source {
	struct source source;
	struct source_info info;
	struct source_event event;
	const struct event *events;
	size_t count, at;
};

static int list_next(struct source *source, struct event *event,
		     struct error *error)
{
	struct list_source *list = (struct list_source *)source;

	(void)error;
	if (list->at == list->count)
		return 0;
	*event = list->events[list->at++];
	return 1;
}

static const struct source_info *list_info(const struct source *source)
{
	return &((const struct list_source *)source)->info;
}

static void list_free(struct source *source)
{
	(void)source;
}

static const struct source_ops list_ops = { list_next, list_info, list_free };

static struct pipeline *pipeline;

static struct profile *run(const struct event *events, size_t count,
			   const struct pipeline_config *config)
{
	static struct list_source list;
	struct error error;

	list = (struct list_source){
		.source = { &list_ops },
		.event = { .name = "cpu-clock",
			   .is_clock = true,
			   .is_sampling = true },
		.events = events,
		.count = count,
	};
	list.info = (struct source_info){ .host = "test",
					  .clock_start_ns = 1000 * MS,
					  .events = &list.event,
					  .n_events = 1 };
	pipeline = pipeline_new(config, &list.info);
	assert_int_equal(pipeline_drain(pipeline, &list.source, &error), 0);
	pipeline_finish(pipeline);
	return pipeline_profile(pipeline);
}

#define RUN(events, ...)                                                       \
	run(events, sizeof(events) / sizeof((events)[0]),                      \
	    &(struct pipeline_config){ .slice_ns = 100 * MS, __VA_ARGS__ })

static struct event comm(uint32_t pid, const char *name)
{
	return (struct event){ .kind = EVENT_COMM,
			       .time = 1000 * MS,
			       .pid = pid,
			       .tid = pid,
			       .comm = { name, true } };
}

static struct event map(uint32_t pid, uint64_t start, const char *path)
{
	return (struct event){ .kind = EVENT_MMAP,
			       .time = 1000 * MS,
			       .pid = pid,
			       .tid = pid,
			       .mmap = { .start = start,
					 .length = 0x10000,
					 .page_offset = 0x1000,
					 .inode = start,
					 .minor = 1,
					 .protection = 5,
					 .path = path } };
}

static struct event sample(uint32_t pid, uint64_t ms, const uint64_t *chain,
			   size_t count)
{
	return (struct event){
		.kind = EVENT_SAMPLE,
		.time = ms * MS,
		.pid = pid,
		.tid = pid,
		.cpu = 1,
		.sample = { .ip = chain[1],
			    .period = 10 * MS,
			    .mode = chain[0] == KERNEL_CONTEXT ? CPU_MODE_KERNEL
							       : CPU_MODE_USER,
			    .callchain = chain,
			    .n_callchain = count },
	};
}

/* Names from the leaf to the root, with " < " between them. */
static const char *stack_text(const struct profile *profile, uint32_t node)
{
	static char text[1024];

	text[0] = '\0';
	for (; node; node = profile->nodes[node].parent) {
		const struct profile_frame *frame =
			&profile->frames[profile->nodes[node].frame];
		uint32_t function = profile->lines[frame->first_line].function;

		strncat(text, profile->functions[function].name, 200);
		if (profile->nodes[node].parent)
			strncat(text, " < ", 4);
	}
	return text;
}

static void a_stack_of_kernel_and_user(void **state)
{
	static const uint64_t chain[] = {
		KERNEL_CONTEXT, 0xffffffff81000010, 0xffffffff81000020,
		USER_CONTEXT,	0x400010,	    0x500020
	};
	struct event events[] = { comm(7, "prog"),
				  map(7, 0x400000, "/bin/prog"),
				  map(7, 0x500000, "/lib/libx.so"),
				  sample(7, 1250, chain, 6) };
	struct profile *profile = RUN(events, .root = NULL);

	(void)state;
	assert_int_equal(profile->n_rows, 1);
	/* The first of each part is where the CPU was, others return there. */
	assert_string_equal(stack_text(profile, profile->rows[0].stack),
			    "[kernel.kallsyms]+0xffffffff81000010 < "
			    "[kernel.kallsyms]+0xffffffff8100001f < "
			    "[prog]+0x1010 < [libx.so]+0x101f");
	assert_int_equal(profile->rows[0].slice, 2);
	assert_int_equal(profile->rows[0].cpu, 1);
	assert_int_equal(profile->rows[0].values[0], 10 * MS);
	assert_string_equal(profile->threads[profile->rows[0].thread].comm,
			    "prog");
	assert_int_equal(pipeline_counts(pipeline)->stacks_complete, 1);
	pipeline_free(pipeline);
}

static void a_chain_that_runs_off_ends_there(void **state)
{
	static const uint64_t chain[] = { USER_CONTEXT, 0x400010, 0x400020,
					  0x123, 0x400030 };
	struct event events[] = { comm(7, "prog"),
				  map(7, 0x400000, "/bin/prog"),
				  sample(7, 1000, chain, 5) };
	struct profile *profile = RUN(events, .root = NULL);

	(void)state;
	assert_string_equal(stack_text(profile, profile->rows[0].stack),
			    "[prog]+0x1010 < [prog]+0x101f < [broken stack]");
	assert_int_equal(pipeline_counts(pipeline)->stacks_failed, 1);
	pipeline_free(pipeline);
}

/* What the last stack of a process had is not looked up again: other leaves,
 * shorter and longer stacks, another process in between. */
static void stacks_that_share_frames_stay_apart(void **state)
{
	static const uint64_t one[] = { USER_CONTEXT, 0x400010, 0x400020,
					0x400030 };
	static const uint64_t other[] = { USER_CONTEXT, 0x400018, 0x400020,
					  0x400030 };
	static const uint64_t inner[] = { USER_CONTEXT, 0x40002f };
	static const uint64_t off[] = { USER_CONTEXT, 0x400010, 0x400020, 0x9 };
	struct event events[] = {
		comm(7, "prog"),	   map(7, 0x400000, "/bin/prog"),
		comm(71, "prog"),	   map(71, 0x400000, "/bin/prog"),
		sample(7, 1000, one, 4),   sample(7, 1000, other, 4),
		sample(7, 1000, inner, 2), sample(71, 1000, off, 4),
		sample(7, 1000, one, 4),
	};
	static const char *const texts[] = {
		"[prog]+0x1010 < [prog]+0x101f < [prog]+0x102f",
		"[prog]+0x1018 < [prog]+0x101f < [prog]+0x102f",
		"[prog]+0x102f",
		"[prog]+0x1010 < [prog]+0x101f < [broken stack]",
	};
	struct profile *profile = RUN(events, .root = NULL);

	(void)state;
	assert_int_equal(profile->n_rows, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(stack_text(profile, profile->rows[i].stack),
				    texts[i]);
	assert_int_equal(profile->rows[0].count, 2);
	pipeline_free(pipeline);
}

static void a_full_callchain_is_truncated_c35(void **state)
{
	uint64_t chain[128] = { USER_CONTEXT };
	struct event events[] = { comm(7, "prog"),
				  map(7, 0x400000, "/bin/prog"),
				  sample(7, 1000, chain, 128),
				  sample(7, 1000, chain, 127) };
	struct profile *profile;
	uint32_t node;

	(void)state;
	for (size_t i = 1; i < 128; i++)
		chain[i] = 0x400000 + i;
	profile = RUN(events, .root = NULL, .max_callchain = 127);
	node = profile->rows[0].stack;
	while (profile->nodes[node].parent)
		node = profile->nodes[node].parent;
	assert_string_equal(stack_text(profile, node), "[truncated]");
	assert_int_equal(pipeline_counts(pipeline)->stacks_truncated, 1);
	assert_int_equal(pipeline_counts(pipeline)->stacks_complete, 1);
	pipeline_free(pipeline);
}

static void idle_and_filtered_samples_are_counted(void **state)
{
	static const uint64_t chain[] = { USER_CONTEXT, 0x400010 };
	static const uint32_t pids[] = { 8 };
	struct event events[] = {
		comm(7, "prog"),
		comm(8, "other"),
		map(7, 0x400000, "/bin/p"),
		map(8, 0x400000, "/bin/p"),
		sample(0, 1000, chain, 2),
		sample(7, 1001, chain, 2),
		sample(8, 1002, chain, 2),
		sample(8, 1003, chain, 2),
	};
	struct profile *profile = RUN(events, .root = NULL,
				      .filter = { .pids = pids, .n_pids = 1 });

	(void)state;
	assert_int_equal(pipeline_counts(pipeline)->idle, 1);
	assert_int_equal(pipeline_counts(pipeline)->filtered, 1);
	assert_int_equal(pipeline_counts(pipeline)->samples, 2);
	assert_int_equal(profile->n_rows, 1);
	assert_int_equal(profile->rows[0].count, 2);
	pipeline_free(pipeline);
	RUN(events, .root = NULL, .filter = { .comm = "prog" });
	assert_int_equal(pipeline_counts(pipeline)->samples, 1);
	pipeline_free(pipeline);
}

static void bpf_programs_are_named_in_their_time_c52(void **state)
{
	static const uint64_t chain[] = { KERNEL_CONTEXT, 0xffffffffc0001010 };
	struct event loaded = { .kind = EVENT_KSYMBOL,
				.time = 1001 * MS,
				.ksymbol = { .address = 0xffffffffc0001000,
					     .length = 0x100,
					     .type = 1,
					     .name = "bpf_prog_first" } };
	struct event unloaded = loaded, second = loaded;
	struct profile *profile;

	(void)state;
	unloaded.ksymbol.is_unregister = true;
	second.ksymbol.name = "bpf_prog_second";
	{
		struct event events[] = {
			comm(7, "prog"), sample(7, 1000, chain, 2),
			loaded,		 sample(7, 1001, chain, 2),
			unloaded,	 sample(7, 1002, chain, 2),
			second,		 sample(7, 1003, chain, 2),
		};

		profile = RUN(events, .root = NULL);
	}
	assert_int_equal(profile->n_rows, 3);
	assert_string_equal(stack_text(profile, profile->rows[0].stack),
			    "[kernel.kallsyms]+0xffffffffc0001010");
	assert_int_equal(profile->rows[0].count, 2);
	assert_string_equal(stack_text(profile, profile->rows[1].stack),
			    "bpf_prog_first");
	assert_string_equal(stack_text(profile, profile->rows[2].stack),
			    "bpf_prog_second");
	pipeline_free(pipeline);
}

static void a_rename_starts_another_thread_entry_c45(void **state)
{
	static const uint64_t chain[] = { USER_CONTEXT, 0x400010 };
	struct event renamed = comm(7, "after");
	struct profile *profile;

	(void)state;
	renamed.comm.is_exec = false;
	{
		struct event events[] = { comm(7, "before"),
					  map(7, 0x400000, "/bin/p"),
					  sample(7, 1000, chain, 2), renamed,
					  sample(7, 1001, chain, 2) };

		profile = RUN(events, .root = NULL);
	}
	assert_int_equal(profile->n_rows, 2);
	assert_string_equal(profile->threads[profile->rows[0].thread].comm,
			    "before");
	assert_string_equal(profile->threads[profile->rows[1].thread].comm,
			    "after");
	assert_int_equal(profile->n_processes, 1);
	assert_string_equal(profile->processes[0].comm, "after");
	pipeline_free(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_of_kernel_and_user),
		cmocka_unit_test(a_chain_that_runs_off_ends_there),
		cmocka_unit_test(stacks_that_share_frames_stay_apart),
		cmocka_unit_test(a_full_callchain_is_truncated_c35),
		cmocka_unit_test(idle_and_filtered_samples_are_counted),
		cmocka_unit_test(bpf_programs_are_named_in_their_time_c52),
		cmocka_unit_test(a_rename_starts_another_thread_entry_c45),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
