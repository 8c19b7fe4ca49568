#include "cli/raw_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/version.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "perfcore/perfdata_writer.h"

/* Keys of what was told already, beside a process's or thread's number. */
enum told { TOLD_COMM, TOLD_MAPS };

struct raw_recording {
	struct perfdata_writer *writer;
	struct idmap told;
};

struct cpu_texts {
	char model[256], id[256];
};

/* "model name	: Intel(R) Xeon(R) Processor": the value of one line. */
static bool cpuinfo_value(const char *line, const char *key, char *value,
			  size_t size)
{
	const char *colon = strchr(line, ':');

	if (strncmp(line, key, strlen(key)) != 0 || !colon || value[0])
		return false;
	snprintf(value, size, "%s", colon + 1 + (colon[1] == ' '));
	value[strcspn(value, "\n")] = '\0';
	return true;
}

/* As perf tells them: the model's name, and "GenuineIntel,6,167,8". */
static void read_cpuinfo(struct cpu_texts *texts)
{
	char vendor[64] = "", family[16] = "", model[16] = "",
	     stepping[16] = "";
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	*texts = (struct cpu_texts){ 0 };
	while (file && fgets(line, sizeof(line), file)) {
		cpuinfo_value(line, "model name", texts->model,
			      sizeof(texts->model));
		cpuinfo_value(line, "vendor_id", vendor, sizeof(vendor));
		cpuinfo_value(line, "cpu family", family, sizeof(family));
		cpuinfo_value(line, "model\t", model, sizeof(model));
		cpuinfo_value(line, "stepping", stepping, sizeof(stepping));
	}
	if (file)
		fclose(file);
	if (vendor[0])
		snprintf(texts->id, sizeof(texts->id), "%s,%s,%s,%s", vendor,
			 family, model, stepping);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Where the kernel's text begins; 0 where kallsyms does not tell. */
static uint64_t kernel_start(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address = 0;
	char line[512], name[64] = "";

	while (file && strcmp(name, "_stext") != 0 &&
	       fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %63s", &address, name) != 2)
			name[0] = '\0';
	if (file)
		fclose(file);
	return strcmp(name, "_stext") == 0 ? address : 0;
}

int raw_recording_new(struct raw_recording **result, int fd, const char *name,
		      const struct source_info *info, bool has_cgroups,
		      struct error *error)
{
	struct raw_recording *raw = mem_calloc(1, sizeof(*raw));
	uint64_t kernel = kernel_start();
	struct cpu_texts texts;
	struct perfdata_writer_info how = {
		.facts = {
			.host = info->host,
			.kernel = info->kernel,
			.arch = info->arch,
			.perf_version = "hostprof " HOSTPROF_VERSION,
			.command = "hostprof record --raw",
			.cpu_model = texts.model,
			.cpu_id = texts.id,
			.n_cpus = info->n_cpus,
			.n_cpus_present =
				(uint32_t)sysconf(_SC_NPROCESSORS_CONF),
			.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				  (uint64_t)sysconf(_SC_PAGESIZE),
			.has_clock = true,
			.wall_ns = clock_ns(CLOCK_REALTIME),
			.clock_ns = clock_ns(CLOCK_MONOTONIC),
			.clock_id = CLOCK_MONOTONIC,
		},
		.events = info->events,
		.n_events = info->n_events,
		.has_cpus = true,
		.has_cgroups = has_cgroups,
	};
	int code;

	read_cpuinfo(&texts);
	code = perfdata_writer_open(fd, name, &how, &raw->writer, error);
	if (code) {
		raw_recording_free(raw);
		return code;
	}
	if (kernel)
		perfdata_writer_kernel(raw->writer, "_stext", kernel,
				       UINT64_MAX, NULL, 0);
	*result = raw;
	return 0;
}

void raw_recording_free(struct raw_recording *raw)
{
	if (!raw)
		return;
	perfdata_writer_free(raw->writer);
	idmap_destroy(&raw->told);
	free(raw);
}

void raw_recording_event(struct raw_recording *raw, const struct event *event)
{
	perfdata_writer_event(raw->writer, event);
}

static bool is_news(struct raw_recording *raw, uint64_t number, uint64_t what)
{
	uint32_t *told = idmap_at(&raw->told, number, what);

	if (*told != IDMAP_NONE)
		return false;
	*told = 0;
	return true;
}

static void tell_comm(struct raw_recording *raw, const struct event *sample,
		      const struct thread *thread)
{
	struct event event = {
		.kind = EVENT_COMM,
		.event = sample->event,
		.time = sample->time,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.cpu = sample->cpu,
		.comm = { .comm = thread->comm },
	};

	perfdata_writer_event(raw->writer, &event);
}

static void tell_mapping(struct raw_recording *raw, const struct event *sample,
			 uint32_t pid, const struct mapping *mapping)
{
	const struct binary *binary = binary_resolve(mapping->binary);
	struct event event = {
		.kind = EVENT_MMAP,
		.event = sample->event,
		.time = sample->time,
		.pid = pid,
		.tid = pid,
		.cpu = sample->cpu,
		.mmap = {
			.start = mapping->start,
			.length = mapping->end - mapping->start,
			.page_offset = mapping->page_offset,
			.major = binary->id.major,
			.minor = binary->id.minor,
			.inode = binary->id.inode,
			.inode_generation = binary->id.inode_generation,
			.build_id_size = binary->id.build_id_size,
			.protection = 5, /* readable, executable */
			.path = binary->id.path,
		},
	};

	memcpy(event.mmap.build_id, binary->id.build_id, BUILD_ID_MAX);
	if (binary->id.kind == BINARY_MEMORY) {
		event.mmap.page_offset = 0;
		event.mmap.path = "//anon";
	}
	perfdata_writer_event(raw->writer, &event);
}

/* Maps of a process are read when it is first sampled in user code: until
 * then there is nothing to tell. */
static void tell_maps(struct raw_recording *raw, const struct event *sample,
		      const struct process *process)
{
	size_t count = process->maps ? maps_count(process->maps) : 0;

	if (!count || !is_news(raw, process->number, TOLD_MAPS))
		return;
	for (size_t i = 0; i < count; i++)
		tell_mapping(raw, sample, process->pid,
			     maps_at(process->maps, i));
}

void raw_recording_sample(struct raw_recording *raw, const struct event *event,
			  const struct thread *thread, const uint64_t *chain,
			  size_t n_chain)
{
	const struct process *process = thread->process;
	uint64_t number = (uint64_t)process->number << 32 | thread->tid;
	struct event written = *event;

	if (is_news(raw, number, TOLD_COMM))
		tell_comm(raw, event, thread);
	tell_maps(raw, event, process);
	written.sample.callchain = chain;
	written.sample.n_callchain = n_chain;
	perfdata_writer_event(raw->writer, &written);
}

int raw_recording_flush(struct raw_recording *raw, struct error *error)
{
	return perfdata_writer_flush(raw->writer, error);
}

int raw_recording_finish(struct raw_recording *raw, struct error *error)
{
	return perfdata_writer_finish(raw->writer, error);
}
