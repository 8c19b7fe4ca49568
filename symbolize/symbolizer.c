#include "symbolize/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "symbolize/jitdump.h"
#include "symbolize/kallsyms.h"
#include "symbolize/perfmap.h"
#include "symbolize/symbol_server.h"

/* What is known of one binary, by its number. */
struct entry {
	const struct binary *binary; /* NULL: not asked for yet */
	struct symbolizer *owner;
	bool has_tried;		     /* to make the module */
	struct module *module;	     /* NULL: none could be made */
	struct module_opener opener; /* the module's */
	struct perfmap *perfmap;     /* of BINARY_MEMORY; NULL: none */
	struct jitdump **jitdumps;   /* likewise, in the order told */
	size_t n_jitdumps, jitdumps_capacity;
	const char *path, *build_id; /* interned */
};

struct symbolizer {
	struct symbolizer_config config;
	struct entry **entries; /* by the binary's number; NULL: not yet */
	size_t n_entries;
	struct symbol_server *server; /* NULL: not asked */
	struct kallsyms *kallsyms;
	bool has_read_kallsyms;
	uint64_t time; /* of the samples; JITDUMP_ANY_TIME: not told */
	struct module_lookup lookup; /* of the last call */
};

static const char *const default_debug_dirs[] = { "/usr/lib/debug", NULL };

struct symbolizer *symbolizer_new(const struct symbolizer_config *config)
{
	struct symbolizer *symbolizer = mem_calloc(1, sizeof(*symbolizer));

	image_survive_truncation();
	symbolizer->config = *config;
	symbolizer->time = JITDUMP_ANY_TIME;
	if (config->debuginfod_ms)
		symbolizer->server =
			symbol_server_new(config->debuginfod_ms, config->notes);
	if (!config->debug_dirs)
		symbolizer->config.debug_dirs = default_debug_dirs;
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (size_t i = 0; i < symbolizer->n_entries; i++) {
		struct entry *entry = symbolizer->entries[i];

		if (!entry)
			continue;
		module_free(entry->module);
		perfmap_free(entry->perfmap);
		for (size_t j = 0; j < entry->n_jitdumps; j++)
			jitdump_free(entry->jitdumps[j]);
		free(entry->jitdumps);
		free(entry);
	}
	free(symbolizer->entries);
	kallsyms_free(symbolizer->kallsyms);
	symbol_server_free(symbolizer->server);
	free(symbolizer);
}

static int entry_open(void *context, const char *path)
{
	const struct entry *entry = context;
	const struct symbolizer_config *config = &entry->owner->config;

	return config->open(config->context, entry->binary, path);
}

static const char *build_id_text(struct strings *strings, const uint8_t *id,
				 size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * BUILD_ID_MAX];

	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	return strings_intern_n(strings, text, 2 * size);
}

static void entry_module(struct symbolizer *symbolizer, struct entry *entry)
{
	const struct symbolizer_config *config = &symbolizer->config;
	const struct binary *binary = entry->binary;
	bool is_vdso = binary->id.kind == BINARY_VDSO;
	struct module_input input = {
		.fd = binary->fd,
		.path = binary->id.path,
		.build_id_size = binary->id.build_id_size,
		.strings = config->strings,
		.notes = config->notes,
		.opener = config->open ? &entry->opener : NULL,
		.want_inlines = config->want_inlines,
		.server = symbolizer->server,
	};
	struct error error;
	const uint8_t *id;
	uint8_t id_size;

	if (is_vdso ? !config->vdso : binary->state != BINARY_OPEN)
		return;
	entry->has_tried = true;
	if (is_vdso) {
		input.fd = -1;
		input.image = config->vdso;
		input.image_size = config->vdso_size;
	}
	memcpy(input.build_id, binary->id.build_id, sizeof(input.build_id));
	entry->opener = (struct module_opener){
		.open = entry_open,
		.context = entry,
		.debug_dirs = config->debug_dirs,
	};
	if (module_new(&entry->module, &input, &error)) {
		notes_add(config->notes, "%s", error.text);
		return;
	}
	id = module_build_id(entry->module, &id_size);
	if (id_size)
		entry->build_id = build_id_text(config->strings, id, id_size);
}

static struct entry *entry_new(struct symbolizer *symbolizer,
			       const struct binary *binary)
{
	struct strings *strings = symbolizer->config.strings;
	struct entry *entry = mem_calloc(1, sizeof(*entry));

	entry->binary = binary;
	entry->owner = symbolizer;
	entry->path = strings_intern(strings, binary->id.path);
	entry->build_id = build_id_text(strings, binary->id.build_id,
					binary->id.build_id_size);
	entry->has_tried = binary->id.kind != BINARY_FILE &&
			   binary->id.kind != BINARY_VDSO;
	return entry;
}

/*
 * binary->number has no gaps, so a plain array serves as the table. A binary
 * may be opened after it was first asked for.
 */
static struct entry *entry_get(struct symbolizer *symbolizer,
			       const struct binary *binary)
{
	size_t number = binary->number, count = symbolizer->n_entries;

	if (number >= count) {
		size_t wanted = number + number / 2 + 64;

		symbolizer->entries =
			mem_realloc(symbolizer->entries,
				    wanted * sizeof(*symbolizer->entries));
		memset(symbolizer->entries + count, 0,
		       (wanted - count) * sizeof(*symbolizer->entries));
		symbolizer->n_entries = wanted;
	}
	if (!symbolizer->entries[number])
		symbolizer->entries[number] = entry_new(symbolizer, binary);
	if (!symbolizer->entries[number]->has_tried)
		entry_module(symbolizer, symbolizer->entries[number]);
	return symbolizer->entries[number];
}

struct module *symbolizer_module(struct symbolizer *symbolizer,
				 const struct binary *binary)
{
	return entry_get(symbolizer, binary)->module;
}

static void resolve_module(struct symbolizer *symbolizer, struct entry *entry,
			   struct symbol *symbol)
{
	const struct module_segment *segments;
	struct module_lookup *lookup = &symbolizer->lookup;
	uint32_t count;

	if (!module_vaddr(entry->module, symbol->address, &symbol->address))
		return;
	segments = module_segments(entry->module, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (symbol->address - segments[i].vaddr >=
		    segments[i].memory_size)
			continue;
		symbol->segment_start = segments[i].vaddr;
		symbol->segment_limit =
			segments[i].vaddr + segments[i].memory_size;
		symbol->segment_offset = segments[i].file_offset;
		break;
	}
	module_symbolize(entry->module, symbol->address, lookup);
	symbol->symbol_start = lookup->symbol_start;
	symbol->n_lines = lookup->n_lines;
}

void symbolizer_add_jitdump(struct symbolizer *symbolizer,
			    const struct binary *memory, int fd)
{
	struct entry *entry = entry_get(symbolizer, memory);

	entry->jitdumps =
		mem_grow(entry->jitdumps, entry->n_jitdumps,
			 &entry->jitdumps_capacity, sizeof(struct jitdump *));
	entry->jitdumps[entry->n_jitdumps++] =
		jitdump_new(fd, symbolizer->config.strings);
}

void symbolizer_set_time(struct symbolizer *symbolizer, uint64_t time)
{
	symbolizer->time = time ? time : JITDUMP_ANY_TIME;
}

/* One line for code that a JIT compiler told of. */
static void resolve_jit(struct symbolizer *symbolizer, const char *name,
			uint64_t start, struct symbol *symbol)
{
	struct strings *strings = symbolizer->config.strings;

	symbol->symbol_start = start;
	symbol->n_lines = 1;
	/* An @ is no version in the names of other languages. */
	symbolizer->lookup.lines[0] = (struct module_line){
		.name = name[0] == '_' ? demangle_name(strings, name) : name,
		.system_name = name,
	};
}

static bool resolve_jitdump(struct symbolizer *symbolizer,
			    const struct entry *entry, struct symbol *symbol)
{
	struct module_line *line = &symbolizer->lookup.lines[0];
	struct jitdump_symbol found;

	for (size_t i = entry->n_jitdumps; i-- > 0;) {
		if (!jitdump_find(entry->jitdumps[i], symbol->address,
				  symbolizer->time, &found))
			continue;
		resolve_jit(symbolizer, found.name, found.start, symbol);
		line->file = found.file;
		line->line = found.line;
		return true;
	}
	return false;
}

static void resolve_memory(struct symbolizer *symbolizer, struct entry *entry,
			   struct symbol *symbol)
{
	struct perfmap_symbol found;

	symbol->varies = entry->n_jitdumps > 0;
	if (resolve_jitdump(symbolizer, entry, symbol))
		return;
	if (!entry->perfmap && entry->binary->state == BINARY_OPEN)
		entry->perfmap = perfmap_new(entry->binary->fd,
					     symbolizer->config.strings);
	if (entry->perfmap &&
	    perfmap_find(entry->perfmap, symbol->address, &found))
		resolve_jit(symbolizer, found.name, found.start, symbol);
}

static void kallsyms_read(struct symbolizer *symbolizer)
{
	const struct symbolizer_config *config = &symbolizer->config;
	struct error error;
	uint64_t bad_lines;

	symbolizer->has_read_kallsyms = true;
	if (config->kallsyms_fd < 0)
		return;
	if (kallsyms_new(&symbolizer->kallsyms, config->kallsyms_fd, &error)) {
		notes_add(config->notes, "%s", error.text);
		return;
	}
	if (kallsyms_is_hidden(symbolizer->kallsyms))
		notes_add(config->notes,
			  "the kernel hides its addresses, so its functions "
			  "have no names: sysctl kernel.kptr_restrict=0, or "
			  "run as root");
	bad_lines = kallsyms_bad_lines(symbolizer->kallsyms);
	if (bad_lines)
		notes_add(config->notes, "%llu lines of kallsyms make no sense",
			  (unsigned long long)bad_lines);
}

/* One line whose name is known as it is. */
static void resolve_as(struct symbolizer *symbolizer, const char *name,
		       struct symbol *symbol)
{
	struct strings *strings = symbolizer->config.strings;

	symbolizer->lookup.lines[0] = (struct module_line){
		.name = demangle_name(strings, name),
		.system_name = strings_intern(strings, name),
	};
	symbol->n_lines = 1;
}

/* What is between _stext and _etext is the kernel's own segment; modules and
 * BPF programs are outside. */
static void kernel_segment(const struct kallsyms *kallsyms,
			   struct symbol *symbol)
{
	uint64_t start, end;

	if (!kallsyms_text(kallsyms, &start, &end) || symbol->address < start ||
	    symbol->address >= end)
		return;
	symbol->segment_start = start;
	symbol->segment_limit = end;
}

static void resolve_kernel(struct symbolizer *symbolizer, struct symbol *symbol)
{
	struct kallsyms_symbol found;

	if (!symbolizer->has_read_kallsyms)
		kallsyms_read(symbolizer);
	if (!symbolizer->kallsyms)
		return;
	kernel_segment(symbolizer->kallsyms, symbol);
	if (!kallsyms_find(symbolizer->kallsyms, symbol->address, &found))
		return;
	symbol->symbol_start = found.start;
	if (found.module)
		symbol->path = strings_intern(symbolizer->config.strings,
					      found.module);
	resolve_as(symbolizer, found.name, symbol);
}

/* As kallsyms has it for programs that were there before: all in "[bpf]". */
static void resolve_ksymbol(struct symbolizer *symbolizer,
			    const struct entry *entry, struct symbol *symbol)
{
	resolve_as(symbolizer, entry->path, symbol);
	symbol->path = strings_intern(symbolizer->config.strings, "[bpf]");
}

void symbolizer_resolve(struct symbolizer *symbolizer,
			const struct binary *binary, uint64_t address,
			struct symbol *symbol)
{
	struct entry *entry = entry_get(symbolizer, binary);

	*symbol = (struct symbol){
		.address = address,
		.path = entry->path,
		.build_id = entry->build_id,
		.lines = symbolizer->lookup.lines,
	};
	if (entry->module)
		resolve_module(symbolizer, entry, symbol);
	else if (binary->id.kind == BINARY_KERNEL)
		resolve_kernel(symbolizer, symbol);
	else if (binary->id.kind == BINARY_MEMORY)
		resolve_memory(symbolizer, entry, symbol);
	else if (binary->id.kind == BINARY_KSYMBOL)
		resolve_ksymbol(symbolizer, entry, symbol);
	symbol->has_name = symbol->n_lines > 0;
}

static void perfmap_report(const struct symbolizer *symbolizer,
			   const struct entry *entry)
{
	uint64_t bad_lines = perfmap_bad_lines(entry->perfmap);
	uint64_t reused = perfmap_reused(entry->perfmap);

	if (bad_lines)
		notes_add(symbolizer->config.notes,
			  "%llu lines of the perf map of %s make no sense",
			  (unsigned long long)bad_lines, entry->path);
	if (reused)
		notes_add(
			symbolizer->config.notes,
			"%llu pieces of code in the perf map of %s were "
			"replaced by others: their samples have the last name",
			(unsigned long long)reused, entry->path);
}

static void jitdump_report(const struct symbolizer *symbolizer,
			   const struct entry *entry,
			   const struct jitdump *jitdump)
{
	if (jitdump_is_broken(jitdump))
		notes_add(symbolizer->config.notes,
			  "a jitdump of %s makes no sense after %u records",
			  entry->path, jitdump_count(jitdump));
	if (jitdump_is_timeless(jitdump))
		notes_add(symbolizer->config.notes,
			  "the times in a jitdump of %s are of another clock "
			  "than the samples', and were ignored",
			  entry->path);
}

void symbolizer_report(struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->n_entries; i++) {
		const struct entry *entry = symbolizer->entries[i];

		if (!entry)
			continue;
		if (entry->perfmap)
			perfmap_report(symbolizer, entry);
		for (size_t j = 0; j < entry->n_jitdumps; j++)
			jitdump_report(symbolizer, entry, entry->jitdumps[j]);
	}
}
