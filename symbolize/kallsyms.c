#include "symbolize/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"
#include "symbolize/address_index.h"
#include "symbolize/hex.h"
#include "symbolize/lines.h"

#define NAMES_MAX  (256u << 20) /* bytes; a hostile file is cut there */
#define WINDOW_LOW (1ull << 31) /* modules lie up to 2 GB below the kernel */

/* kallsyms has no sizes; what is farther behind a symbol is not its code. */
#define FUNCTION_MAX (512u << 10)

struct run { /* symbols of one module, which follow each other in the file */
	uint32_t first_name; /* offset into names */
	char *module;
};

struct kallsyms {
	struct address_index index; /* value: offset into names */
	char *names;		    /* type letter, name, NUL, … */
	size_t names_used, names_capacity;
	struct run *runs;
	size_t n_runs, runs_capacity;
	uint64_t bad_lines, n_zero;
	uint64_t text_start, text_end; /* _stext, _etext; 0: not seen */
	bool has_base;
};

static uint32_t names_add(struct kallsyms *kallsyms, char type,
			  const char *name, size_t length)
{
	size_t at = kallsyms->names_used;

	while (kallsyms->names_capacity - at < length + 2)
		kallsyms->names =
			mem_grow(kallsyms->names, kallsyms->names_capacity,
				 &kallsyms->names_capacity, 1);
	kallsyms->names[at] = type;
	memcpy(kallsyms->names + at + 1, name, length);
	kallsyms->names[at + 1 + length] = '\0';
	kallsyms->names_used += length + 2;
	return (uint32_t)at;
}

/* module is "[ext4]", not ended by NUL; length 0: the kernel itself. */
static void run_set(struct kallsyms *kallsyms, const char *module,
		    size_t length)
{
	struct run *last =
		kallsyms->n_runs ? &kallsyms->runs[kallsyms->n_runs - 1] : NULL;

	if (last ? strlen(last->module) == length &&
			    memcmp(last->module, module, length) == 0
		 : length == 0)
		return;
	kallsyms->runs =
		mem_grow(kallsyms->runs, kallsyms->n_runs,
			 &kallsyms->runs_capacity, sizeof(*kallsyms->runs));
	kallsyms->runs[kallsyms->n_runs++] =
		(struct run){ (uint32_t)kallsyms->names_used,
			      mem_strndup(module, length) };
}

static void symbol_add(struct kallsyms *kallsyms, uint64_t address, char type,
		       const char *name, const char *end)
{
	const char *tab = memchr(name, '\t', (size_t)(end - name));
	const char *name_end = tab ? tab : end;

	if (!kallsyms->has_base) {
		address_index_init(&kallsyms->index,
				   address > WINDOW_LOW ? address - WINDOW_LOW
							: 0);
		kallsyms->has_base = true;
	}
	if (name == name_end ||
	    kallsyms->names_used + (size_t)(end - name) > NAMES_MAX) {
		kallsyms->bad_lines++;
		return;
	}
	run_set(kallsyms, tab ? tab + 1 : "",
		tab ? (size_t)(end - tab - 1) : 0);
	address_index_add(
		&kallsyms->index, address,
		names_add(kallsyms, type, name, (size_t)(name_end - name)));
}

/* "__pfx_read" names the padding before read, which is never executed; a
 * third of all symbols (CONFIG_CALL_PADDING). */
static bool is_padding(const char *name, const char *end)
{
	return end - name > 6 && memcmp(name, "__pfx_", 6) == 0;
}

static bool is_name(const char *name, const char *end, const char *wanted)
{
	size_t length = strlen(wanted);

	return (size_t)(end - name) == length &&
	       memcmp(name, wanted, length) == 0;
}

/*
 * One line, without its newline:
 *   ffffffffc03a5010 t ext4_has_free_clusters	[ext4]
 */
static void line_read(struct kallsyms *kallsyms, const char *line,
		      const char *end)
{
	uint64_t address = 0;
	const char *at = line;
	char type;

	if (!hex_read(&at, end, &address) || end - at < 4 || at[0] != ' ' ||
	    at[2] != ' ') {
		kallsyms->bad_lines++;
		return;
	}
	type = at[1];
	if (((type | 0x20) != 't' && (type | 0x20) != 'w') ||
	    is_padding(at + 3, end))
		return;
	if (address == 0) {
		kallsyms->n_zero++;
		return;
	}
	if (is_name(at + 3, end, "_stext"))
		kallsyms->text_start = address;
	else if (is_name(at + 3, end, "_etext"))
		kallsyms->text_end = address;
	symbol_add(kallsyms, address, type, at + 3, end);
}

static int text_read(struct kallsyms *kallsyms, int fd)
{
	struct lines lines;
	const char *line;
	size_t length;
	int ret;

	lines_init(&lines, fd, 0);
	while ((ret = lines_next(&lines, &line, &length)) > 0)
		line_read(kallsyms, line, line + length);
	kallsyms->bad_lines += lines.too_long;
	lines_destroy(&lines);
	return ret;
}

int kallsyms_new(struct kallsyms **kallsyms, int fd, struct error *error)
{
	struct kallsyms *new = mem_calloc(1, sizeof(*new));
	int ret = text_read(new, fd);

	if (ret) {
		kallsyms_free(new);
		return error_set(error, ret, "cannot read kallsyms: %s",
				 strerror(-ret));
	}
	new->names = mem_realloc(new->names, new->names_used);
	new->names_capacity = new->names_used;
	address_index_sort(&new->index);
	*kallsyms = new;
	return 0;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	for (size_t i = 0; i < kallsyms->n_runs; i++)
		free(kallsyms->runs[i].module);
	free(kallsyms->runs);
	free(kallsyms->names);
	address_index_destroy(&kallsyms->index);
	free(kallsyms);
}

bool kallsyms_is_hidden(const struct kallsyms *kallsyms)
{
	return kallsyms->n_zero > 0 && kallsyms->index.count == 0;
}

uint32_t kallsyms_count(const struct kallsyms *kallsyms)
{
	return (uint32_t)kallsyms->index.count;
}

uint64_t kallsyms_bad_lines(const struct kallsyms *kallsyms)
{
	return kallsyms->bad_lines + kallsyms->index.refused;
}

uint64_t kallsyms_bytes(const struct kallsyms *kallsyms)
{
	return sizeof(*kallsyms) + kallsyms->names_capacity +
	       kallsyms->index.capacity * sizeof(struct address_entry) +
	       kallsyms->runs_capacity * sizeof(struct run);
}

static const char *module_find(const struct kallsyms *kallsyms, uint32_t name)
{
	size_t low = 0, high = kallsyms->n_runs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kallsyms->runs[middle].first_name <= name)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !kallsyms->runs[low - 1].module[0])
		return NULL;
	return kallsyms->runs[low - 1].module;
}

/* The same preference as symtab.h documents; a and b begin with the type. */
static bool is_better(const char *a, const char *b)
{
	size_t a_size = strspn(a + 1, "_"), b_size = strspn(b + 1, "_");

	if (a_size != b_size)
		return a_size < b_size;
	if (a[0] != b[0]) /* in ASCII: T, W, t, w */
		return a[0] < b[0];
	a_size = strlen(a);
	b_size = strlen(b);
	if (a_size != b_size)
		return a_size < b_size;
	return strcmp(a, b) < 0;
}

/* Symbols that only mark where text ends. */
static bool is_end_mark(const char *name)
{
	return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0;
}

bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
		   struct kallsyms_symbol *symbol)
{
	const struct address_index *index = &kallsyms->index;
	uint32_t nearest = address_index_find(index, address);
	const char *best, *other;

	if (nearest == ADDRESS_INDEX_NONE)
		return false;
	symbol->start = address_index_address(index, nearest);
	if (address - symbol->start >= FUNCTION_MAX)
		return false;
	best = kallsyms->names + index->entries[nearest].value;
	for (uint32_t i = nearest;
	     i-- > 0 &&
	     index->entries[i].offset == index->entries[nearest].offset;) {
		other = kallsyms->names + index->entries[i].value;
		if (is_better(other, best))
			best = other;
	}
	symbol->name = best + 1;
	symbol->module =
		module_find(kallsyms, (uint32_t)(best - kallsyms->names));
	return !is_end_mark(symbol->name);
}

bool kallsyms_text(const struct kallsyms *kallsyms, uint64_t *start,
		   uint64_t *end)
{
	*start = kallsyms->text_start;
	*end = kallsyms->text_end;
	return *start != 0 && *start < *end;
}
