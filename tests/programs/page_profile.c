/*
 * Profiles for the tests of the page, made up but like real ones.
 * usage: page_profile story|after|hostile|empty|bare|frames|million OUT.pb.gz
 *
 *   story    a minute of a small host: containers, kernel, inlined and JIT
 *            code, cut stacks, waiting beside CPU time, bursts
 *   after    the same later: parse_json takes twice as long, and compress is
 *            gone; the others differ by chance only
 *   hostile  names as an enemy would choose them
 *   bare     no slices, no stacks, no processes
 *   frames   a tree of 120,000 frames
 *   million  1,000,000 samples of 300,000 distinct stacks, each its own row
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/formats/pprof_writer.h"
#include "perfcore/mem.h"

#define SAMPLE_NS 10101010 /* 99 Hz */

static uint64_t random_state = 88172645463325252ull;

static uint32_t random_below(uint32_t limit) /* xorshift64: Marsaglia, 2003 */
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 11) % limit;
}

static const char *text(struct profile *profile, const char *value)
{
	return strings_intern(profile->strings, value);
}

static void head(struct profile *p, double seconds, double busy)
{
	p->host.name = text(p, "web1.example");
	p->host.kernel = text(p, "6.18.0");
	p->host.arch = text(p, "x86_64");
	p->host.cpus = 4;
	p->host.capacity_s = seconds * 4;
	p->host.busy_s = busy;
	p->host.runqueue_s = busy * 0.061;
	p->host.steal_s = 0;
	p->event.name = text(p, "cpu-clock");
	p->event.requested = text(p, "cycles:P");
	p->event.freq_hz = 99;
	p->event.fallback_reason = text(p, "no PMU here, so no cycles");
	p->start_ns = 1796066585000000000ull;
	p->duration_ns = (uint64_t)(seconds * 1e9);
	p->slice_ns = 100000000;
	p->value_types[0] =
		(struct profile_value_type){ text(p, "cpu"),
					     text(p, "nanoseconds") };
	p->n_value_types = 1;
	p->health.lost = 0;
	p->health.throttled = 0;
	p->health.kernel_cpu_s = busy * 1.004;
	p->health.own_cpu_s = seconds * 0.002;
}

/* A frame with one line for each name of "outer|inlined|inlined". */
static uint32_t frame(struct profile *p, const char *module, uint32_t flags,
		      const char *names)
{
	static uint64_t address = 0x1000;
	struct profile_mapping mapping = { .path = text(p, module),
					   .build_id = "" };
	struct profile_line lines[4];
	uint32_t count = 0, made;
	char *copy = mem_strdup(names), *save = NULL;

	for (char *name = strtok_r(copy, "|", &save); name && count < 4;
	     name = strtok_r(NULL, "|", &save)) {
		memmove(lines + 1, lines, count++ * sizeof(*lines));
		lines[0].function = profile_function(
			p, &(struct profile_function){ .name = text(p, name),
						       .system_name = "",
						       .file = "",
						       .is_named = true });
		lines[0].line = 0;
	}
	made = profile_frame_add(
		p, &(struct profile_frame){
			   .mapping = profile_mapping(p, &mapping),
			   .flags = flags,
			   .address = address += 16 });
	profile_frame_set_lines(p, made, lines, count);
	free(copy);
	return made;
}

/*
 * The stack of "module:name;name|inlined;k:name;j:name", root first; a
 * module, "k" for the kernel or "j" for JIT code holds until the next.
 */
static uint32_t stack(struct profile *p, const char *path)
{
	static struct {
		struct profile *profile;
		const char *name, *module;
		uint32_t frame;
	} known[512];
	static size_t n_known;
	char *copy = mem_strdup(path), *save = NULL;
	const char *module = text(p, "/usr/bin/app");
	uint32_t node = 0;

	for (char *at = strtok_r(copy, ";", &save); at;
	     at = strtok_r(NULL, ";", &save)) {
		char *colon = strchr(at, ':');
		uint32_t flags = PROFILE_FRAME_USER;
		const char *name;
		size_t i = 0;

		if (colon && colon[1] != ':') {
			*colon = '\0';
			module = text(p, at);
			at = colon + 1;
		}
		name = text(p, at);
		while (i < n_known &&
		       (known[i].profile != p || known[i].name != name ||
			known[i].module != module))
			i++;
		if (i == n_known && n_known < 512) {
			const char *where = module;

			if (!strcmp(module, "k")) {
				flags = PROFILE_FRAME_KERNEL;
				where = "[kernel.kallsyms]";
			} else if (!strcmp(module, "j")) {
				flags |= PROFILE_FRAME_JIT;
				where = "/tmp/perf-812.map";
			}
			known[n_known].profile = p;
			known[n_known].name = name;
			known[n_known].module = module;
			known[n_known++].frame =
				*name == '[' ? profile_frame_special(p, name)
					     : frame(p, where, flags, name);
		}
		node = profile_node(p, node, known[i].frame);
	}
	free(copy);
	return node;
}

static uint32_t container(struct profile *p, const char *name,
			  const char *runtime)
{
	char path[256];

	snprintf(path, sizeof(path), "/%s/%s", runtime, name);
	return profile_container(p, &(struct profile_container){
					    text(p, name), "", text(p, runtime),
					    text(p, path) });
}

static uint32_t thread(struct profile *p, uint32_t pid, uint32_t tid,
		       const char *comm, uint32_t in)
{
	uint32_t process = profile_process(p, pid, pid * 1000ull);
	struct profile_process *made = &p->processes[process];

	if (!*made->comm || pid == tid) {
		made->comm = text(p, comm);
		made->exe = text(p, "/usr/bin/app");
		made->user = text(p, "www-data");
		made->container = in;
	}
	return profile_thread(p, process, tid, text(p, comm));
}

struct part {
	const char *path;
	uint32_t pid, tid;
	const char *comm, *container, *runtime;
	double cores, wait; /* on average */
	int from, to;	    /* seconds; 0, 0: always */
};

#define MAIN "/usr/bin/api:_start;__libc_start_main;main;serve(int, char**)"
#define HANDLE                                                                 \
	MAIN ";http::Server::handle<http::Request const&>(http::Connection&)"

static const struct part parts[] = {
	{ HANDLE ";api::parse_json(std::string_view)|json::next_token()", 812,
	  814, "api-worker", "web", "docker", 0.52, 0, 0, 0 },
	{ HANDLE ";api::parse_json(std::string_view);json::string(json::"
		 "Reader&)|utf8::validate(char const*, unsigned long)",
	  812, 815, "api-worker", "web", "docker", 0.31, 0, 0, 0 },
	{ HANDLE ";api::render(Template const&);std::vector<Node, "
		 "std::allocator<Node> >::emplace_back<Node>(Node&&)",
	  812, 814, "api-worker", "web", "docker", 0.24, 0, 0, 0 },
	{ HANDLE ";api::render(Template const&);/usr/lib/libc.so.6:malloc;"
		 "_int_malloc",
	  812, 815, "api-worker", "web", "docker", 0.11, 0, 0, 0 },
	{ HANDLE ";/usr/lib/libz.so.1:compress;deflate_slow|longest_match", 812,
	  814, "api-worker", "web", "docker", 0.22, 0, 0, 0 },
	{ HANDLE ";/usr/lib/libc.so.6:write;k:entry_SYSCALL_64;do_syscall_64;"
		 "ksys_write;vfs_write;tcp_sendmsg;tcp_write_xmit;"
		 "__tcp_transmit_skb",
	  812, 814, "api-worker", "web", "docker", 0.14, 0, 0, 0 },
	{ HANDLE ";/usr/lib/libc.so.6:pthread_mutex_lock;k:entry_SYSCALL_64;"
		 "do_syscall_64;do_futex;futex_wait",
	  812, 815, "api-worker", "web", "docker", 0.01, 2.4, 0, 0 },
	{ "/usr/bin/node:node::Start;v8::Function::Call;j:LazyCompile:~route "
	  "app.js:88;RegExp ^/item/([0-9]+)",
	  900, 900, "node", "front", "docker", 0.17, 0, 0, 0 },
	{ "/usr/bin/node:node::Start;v8::Function::Call;j:LazyCompile:~render "
	  "page.js:12",
	  900, 900, "node", "front", "docker", 0.21, 0, 0, 0 },
	{ "/usr/lib/postgresql:main;PostmasterMain;BackendRun;exec_simple_query"
	  ";ExecutorRun;ExecScan;heap_getnext",
	  1201, 1201, "postgres", "db", "podman", 0.27, 0, 0, 0 },
	{ "/usr/lib/postgresql:main;PostmasterMain;BackendRun;exec_simple_query"
	  ";ExecutorRun;ExecSort;tuplesort_performsort;qsort_tuple;"
	  "comparetup_heap",
	  1201, 1201, "postgres", "db", "podman", 0.36, 0, 20, 34 },
	{ "/usr/lib/postgresql:main;PostmasterMain;BackendRun;exec_simple_query"
	  ";/usr/lib/libc.so.6:pread64;k:entry_SYSCALL_64;do_syscall_64;"
	  "vfs_read;ext4_file_read_iter;filemap_read;copy_page_to_iter",
	  1201, 1201, "postgres", "db", "podman", 0.09, 0.7, 0, 0 },
	{ "/usr/bin/backup:main;backup_tree;backup_tree;backup_tree;"
	  "backup_file;sha256_block",
	  2044, 2044, "backup", "backup.service", "systemd", 1.1, 0, 40, 47 },
	{ "[truncated];/usr/lib/libruby.so:vm_exec_core", 2100, 2100, "ruby",
	  "cron.service", "systemd", 0.05, 0, 0, 0 },
	{ "k:ret_from_fork;kthread;worker_thread;process_one_work;"
	  "blk_mq_run_work_fn",
	  31, 31, "kworker/1:2", NULL, NULL, 0.06, 0, 0, 0 },
};

static double factor(const struct part *part, bool is_after)
{
	if (!is_after)
		return 1;
	if (strstr(part->path, "next_token"))
		return 2;
	return strstr(part->path, "compress") ? 0 : 1;
}

static void story_row(struct profile *p, const struct part *part,
		      uint32_t slice, uint64_t samples, uint64_t wait)
{
	uint32_t in = part->container
			      ? container(p, part->container, part->runtime)
			      : PROFILE_NONE;
	bool is_kernel = strstr(part->path, "k:") != NULL;

	profile_add(p, &(struct profile_row){
			       .stack = stack(p, part->path),
			       .thread = thread(p, part->pid, part->tid,
						part->comm, in),
			       .container = in,
			       .cpu = random_below(4),
			       .state = profile_state(p, is_kernel ? "kernel"
								   : "user"),
			       .slice = slice,
			       .count = samples,
			       .values = { samples * SAMPLE_NS, wait } });
	p->health.samples += (double)samples;
}

static void story(struct profile *p, bool is_after)
{
	const double seconds = is_after ? 48 : 60;

	head(p, seconds, 0);
	p->value_types[1] =
		(struct profile_value_type){ text(p, "wait"),
					     text(p, "nanoseconds") };
	p->n_value_types = 2;
	p->health.samples = 0;
	for (uint32_t slice = 0; slice < seconds * 10; slice++) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			const struct part *part = &parts[i];
			double cores = part->cores * factor(part, is_after);
			uint64_t n = 0;

			if (part->to && (slice < part->from * 10u ||
					 slice >= part->to * 10u))
				continue;
			for (int tick = 0; tick < 10; tick++)
				n += random_below(1000) < cores * 990;
			if (n || part->wait > 0)
				story_row(p, part, slice, n,
					  (uint64_t)(part->wait * 1e8));
		}
	}
	p->health.expected = p->health.samples;
	p->health.sampled_cpu_s = p->health.samples * SAMPLE_NS / 1e9;
	p->health.kernel_cpu_s = p->health.sampled_cpu_s * 1.004;
	p->host.busy_s = p->health.kernel_cpu_s;
	p->host.runqueue_s = p->host.busy_s * 0.061;
	p->health.stacks_complete = p->health.samples * 0.984;
	p->health.stacks_truncated = p->health.samples * 0.016;
	p->health.stacks_failed = 0;
	p->health.frames_named = p->health.samples * 11;
	p->health.frames_unnamed = p->health.samples * 0.02;
	notes_add(&p->notes, "no PMU here: cpu-clock instead of cycles");
}

static void hostile(struct profile *p)
{
	static const char *const names[] = {
		"</script><script>window.hacked=1</script>",
		"<img src=x onerror=window.hacked=1>",
		"\"'`${window.hacked=1}`'\"",
		"tab\there\nand a line\x01\x7f",
		"right\u202eto left\u202d and \u2066isolated\u2069",
		"zero\u200bwidth\ufeff",
		"bytes \xff\xfe that are no UTF-8",
		"-->]]><![CDATA[",
		"__proto__",
		"constructor",
		"\u05d0\u05d1\u05d2 \u0627\u0644\u0639",
		"=HYPERLINK(\"http://example.com\")",
	};
	char *longest = mem_calloc(10241, 1);
	uint32_t in = container(p, names[0], "docker");
	uint32_t node = 0;

	head(p, 1, 1);
	p->host.name = text(p, names[1]);
	notes_add(&p->notes, "%s", names[0]);
	memset(longest, 'x', 10240);
	for (size_t i = 0; i <= sizeof(names) / sizeof(*names); i++) {
		const char *name =
			i < sizeof(names) / sizeof(*names) ? names[i] : longest;
		uint32_t made =
			frame(p, name, PROFILE_FRAME_USER, "placeholder");

		p->functions[p->lines[p->frames[made].first_line].function]
			.name = text(p, name);
		node = profile_node(p, node, made);
		profile_add(p, &(struct profile_row){
				       .stack = node,
				       .thread = thread(p, 100 + (uint32_t)i,
							100 + (uint32_t)i, name,
							in),
				       .container = in,
				       .state = profile_state(p, name),
				       .slice = (uint32_t)i % 10,
				       .count = 5,
				       .values = { 5 * SAMPLE_NS } });
	}
	free(longest);
}

static uint32_t *many_frames(struct profile *p, uint32_t count)
{
	uint32_t *frames = mem_calloc(count, sizeof(*frames));
	char name[128], module[64];

	for (uint32_t i = 0; i < count; i++) {
		bool is_kernel = i % 11 == 0;

		snprintf(name, sizeof(name),
			 is_kernel ? "kernel_function_%u"
				   : "project::module%u::Class<std::string>::"
				     "method_%u(int, char const*)",
			 i % 211, i);
		snprintf(module, sizeof(module),
			 is_kernel ? "[kernel.kallsyms]" : "/usr/lib/lib%u.so",
			 i % 37);
		frames[i] = frame(p, module,
				  is_kernel ? PROFILE_FRAME_KERNEL
					    : PROFILE_FRAME_USER,
				  name);
	}
	return frames;
}

/* A function calls eight others, some of them far more often than others. */
static uint32_t callee(uint32_t caller, uint32_t n_frames)
{
	uint32_t a = random_below(9), b = random_below(9);
	uint32_t which = a < b ? a : b;

	return (uint32_t)((caller * 7919ull + which * 104729ull + 12345) %
			  n_frames);
}

static uint32_t random_stack(struct profile *p, const uint32_t *frames,
			     uint32_t n_frames)
{
	uint32_t depth = 8 + random_below(24), node = 0;
	uint32_t at = random_below(3);

	for (uint32_t i = 0; i < depth; i++) {
		node = profile_node(p, node, frames[at]);
		at = callee(at, n_frames);
	}
	return node;
}

static void frames_kind(struct profile *p)
{
	uint32_t *frames = many_frames(p, 20000);

	head(p, 60, 100);
	while (p->n_nodes < 120001)
		profile_add(p, &(struct profile_row){
				       .stack = random_stack(p, frames, 20000),
				       .thread = PROFILE_NONE,
				       .container = PROFILE_NONE,
				       .state = profile_state(p, "user"),
				       .slice = random_below(600),
				       .count = 1,
				       .values = { SAMPLE_NS } });
	free(frames);
}

static void million(struct profile *p)
{
	uint32_t *frames = many_frames(p, 40000);
	uint32_t *stacks = mem_calloc(300000, sizeof(*stacks));
	uint32_t in[4], n_stacks = 0;
	bool *seen = mem_calloc(20000000, 1);

	head(p, 3600, 10000);
	for (uint32_t i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "service-%u", i);
		in[i] = container(p, name, "docker");
	}
	while (n_stacks < 300000) {
		uint32_t node = random_stack(p, frames, 40000);

		if (node < 20000000 && !seen[node]) {
			seen[node] = true;
			stacks[n_stacks++] = node;
		}
	}
	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t pid = random_below(40), c = pid % 4;
		uint32_t a = random_below(300000), b = random_below(300000);

		profile_add(p, &(struct profile_row){
				       .stack = stacks[i < 300000 ? i
						       : a < b	  ? a
								  : b],
				       .thread = thread(p, 1000 + pid,
							1000 + pid +
								random_below(8),
							"worker", in[c]),
				       .container = in[c],
				       .state = profile_state(p, "user"),
				       .cpu = i, /* no two the same */
				       .slice = random_below(36000),
				       .count = 1,
				       .values = { SAMPLE_NS } });
	}
	free(frames);
	free(stacks);
	free(seen);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	struct profile *profile = profile_new();
	struct error error;
	int fd;

	if (!strcmp(kind, "story") || !strcmp(kind, "after")) {
		story(profile, *kind == 'a');
	} else if (!strcmp(kind, "hostile")) {
		hostile(profile);
	} else if (!strcmp(kind, "frames")) {
		frames_kind(profile);
	} else if (!strcmp(kind, "million")) {
		million(profile);
	} else if (!strcmp(kind, "empty")) {
		head(profile, 10, 0);
	} else if (!strcmp(kind, "bare")) {
		profile->value_types[0] =
			(struct profile_value_type){ "samples", "count" };
		profile->n_value_types = 1;
		profile_add(profile,
			    &(struct profile_row){ .thread = PROFILE_NONE,
						   .container = PROFILE_NONE,
						   .cpu = PROFILE_NONE,
						   .count = 3,
						   .values = { 3 } });
	} else {
		fputs("usage: page_profile KIND OUT.pb.gz\n", stderr);
		return 2;
	}
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || pprof_write(profile, fd, &error) != 0) {
		fprintf(stderr, "cannot write %s\n", argv[2]);
		return 1;
	}
	close(fd);
	profile_free(profile);
	return 0;
}
