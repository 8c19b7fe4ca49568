#include "symbolize/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"
#include "symbolize/debug_file.h"
#include "symbolize/debug_info.h"
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "symbolize/names.h"
#include "symbolize/pclntab.h"
#include "symbolize/plt.h"
#include "symbolize/symtab.h"

/* Ids of names count within their kind. */
enum name_kind {
	NAME_SYMBOL, /* symtab_symbol.id */
	NAME_PLT,    /* address of the slot */
	NAME_GO,     /* address of the function */
};

struct module {
	struct module_input input;
	struct image image;
	struct image debug; /* the separate debug file; elf NULL: none */
	struct image mini;  /* .gnu_debugdata; elf NULL: none */
	const char *debug_path;
	uint64_t debug_bias;
	struct symtab symtab;
	struct plt plt;
	struct pclntab pclntab;
	struct debug_info *debug_info; /* NULL: none, or not wanted */
	bool has_symbols; /* all of these are made when first asked */

	struct names names; /* by enum name_kind and id */
};

/* The kernel pads the build-ids it reports with zeros to 20 bytes. */
static bool is_expected(const struct module *module)
{
	const struct image *image = &module->image;
	const struct module_input *input = &module->input;
	uint8_t size = input->build_id_size < image->build_id_size
			       ? input->build_id_size
			       : image->build_id_size;

	return !image->is_gnu_build_id ||
	       memcmp(input->build_id, image->build_id, size) == 0;
}

int module_new(struct module **module, const struct module_input *input,
	       struct error *error)
{
	struct module *new = mem_calloc(1, sizeof(*new));
	int ret;

	new->input = *input;
	new->input.path = strings_intern(input->strings, input->path);
	names_init(&new->names);
	if (input->image)
		ret = image_memory(&new->image, input->image, input->image_size,
				   input->path, error);
	else
		ret = image_open(&new->image, input->fd, input->path, error);
	if (!ret && !is_expected(new))
		ret = error_set(
			error, -ESTALE,
			"%s is another file by now: its build-id differs",
			input->path);
	if (ret) {
		module_free(new);
		return ret;
	}
	*module = new;
	return 0;
}

void module_free(struct module *module)
{
	if (!module)
		return;
	debug_info_free(module->debug_info);
	symtab_destroy(&module->symtab);
	image_destroy(&module->mini);
	image_destroy(&module->debug);
	image_destroy(&module->image);
	names_destroy(&module->names);
	free(module);
}

const struct image *module_image(const struct module *module)
{
	return &module->image;
}

const uint8_t *module_build_id(const struct module *module, uint8_t *size)
{
	*size = module->image.build_id_size;
	return module->image.build_id;
}

const struct module_segment *module_segments(const struct module *module,
					     uint32_t *count)
{
	*count = module->image.n_segments;
	return module->image.segments;
}

bool module_vaddr(const struct module *module, uint64_t file_offset,
		  uint64_t *vaddr)
{
	return image_vaddr(&module->image, file_offset, vaddr);
}

/*
 * What is added to an address of the debug file to make the module's: not 0
 * where the module was prelinked after its debug file was split off.
 */
static uint64_t bias_of(const struct image *image, const struct image *debug)
{
	if (!image->n_segments || !debug->n_segments)
		return 0;
	return image->segments[0].vaddr - debug->segments[0].vaddr;
}

static bool has_section(const struct image *image, const char *name)
{
	struct image_section section;

	return image_section(image, name, &section);
}

/* Other files are only asked for what this one lacks. */
static void files_open(struct module *module)
{
	const struct module_input *input = &module->input;
	const struct image *image = &module->image;
	bool has_symbols = has_section(image, ".symtab");
	bool has_lines = has_section(image, ".debug_info") ||
			 has_section(image, ".zdebug_info");

	if ((!has_symbols || (input->want_inlines && !has_lines)) &&
	    debug_file_open(&module->debug, image, input,
			    &module->debug_path) == 0)
		module->debug_bias = bias_of(image, &module->debug);
	else if (!has_symbols)
		debug_file_mini(&module->mini, image, input);
	if (input->want_inlines && has_lines)
		module->debug_info = debug_info_new(image, input->path, input);
	else if (input->want_inlines && module->debug.elf)
		module->debug_info = debug_info_new(&module->debug,
						    module->debug_path, input);
}

static void symbols_load(struct module *module)
{
	struct symtab *symtab = &module->symtab;

	if (module->has_symbols)
		return;
	module->has_symbols = true;
	files_open(module);
	symtab_init(symtab, &module->image);
	symtab_add(symtab, &module->image, 0);
	if (module->debug.elf)
		symtab_add(symtab, &module->debug, module->debug_bias);
	if (module->mini.elf)
		symtab_add(symtab, &module->mini, 0);
	symtab_sort(symtab);
	plt_init(&module->plt, &module->image);
	pclntab_init(&module->pclntab, &module->image);
	image_forget(&module->image);
	image_forget(&module->debug);
}

static void lookup_set(struct module_lookup *lookup, uint64_t start,
		       const struct name *name)
{
	lookup->symbol_start = start;
	lookup->n_lines = 1;
	lookup->lines[0] = (struct module_line){
		.name = name->shown,
		.system_name = name->system,
	};
}

static bool lookup_symbol(struct module *module, uint64_t vaddr,
			  struct module_lookup *lookup)
{
	struct strings *strings = module->input.strings;
	struct symtab_symbol symbol;
	struct name *name;
	bool is_new;

	if (!symtab_find(&module->symtab, vaddr, &symbol))
		return false;
	name = names_at(&module->names, NAME_SYMBOL, symbol.id, &is_new);
	if (is_new)
		*name = (struct name){
			demangle_name(strings, symbol.name),
			strings_intern(strings, symbol.name),
		};
	lookup_set(lookup, symbol.start, name);
	return true;
}

static const char *plt_name(struct strings *strings, const char *of)
{
	char *text = mem_printf("%s@plt", of);
	const char *name = strings_intern(strings, text);

	free(text);
	return name;
}

/* What a slot leads to, as in the file; NULL: unknown. */
static const char *plt_target(struct module *module,
			      const struct plt_slot *slot)
{
	struct symtab_symbol symbol;

	if (slot->name)
		return slot->name;
	return slot->resolver && symtab_find(&module->symtab, slot->resolver,
					     &symbol)
		       ? symbol.name
		       : NULL;
}

static void plt_names(struct module *module, const struct plt_slot *slot,
		      struct name *name)
{
	struct strings *strings = module->input.strings;
	const char *target = plt_target(module, slot);

	name->shown = name->system = strings_intern(
		strings, slot->resolver ? "PLT slot" : PLT_HEADER_NAME);
	if (!target)
		return;
	name->system = plt_name(strings, target);
	name->shown = plt_name(strings, demangle_name(strings, target));
}

static bool lookup_plt(struct module *module, uint64_t vaddr,
		       struct module_lookup *lookup)
{
	struct name *name;
	struct plt_slot slot;
	bool is_new;

	if (!plt_find(&module->plt, vaddr, &slot))
		return false;
	name = names_at(&module->names, NAME_PLT, slot.start, &is_new);
	if (is_new)
		plt_names(module, &slot, name);
	lookup_set(lookup, slot.start, name);
	return true;
}

/* Go's names are written as they are read. */
static bool lookup_go(struct module *module, uint64_t vaddr,
		      struct module_lookup *lookup)
{
	struct pclntab_symbol symbol;
	struct name *name;
	bool is_new;

	if (!pclntab_find(&module->pclntab, vaddr, &symbol))
		return false;
	name = names_at(&module->names, NAME_GO, symbol.start, &is_new);
	if (is_new)
		name->shown = name->system =
			strings_intern(module->input.strings, symbol.name);
	lookup_set(lookup, symbol.start, name);
	return true;
}

/* ".cold" parts have symbols of their own, but are parts of a function. */
static bool is_part(const char *symbol)
{
	return strstr(symbol, ".cold") != NULL;
}

/*
 * Puts the DWARF's lines in place of the symbol's one. The outermost function
 * keeps the symbol's name, which tells clones apart (".constprop.0") and is
 * the same where there is no DWARF, but for parts of functions (case C07).
 */
static void lookup_lines(struct module *module, uint64_t vaddr,
			 struct module_lookup *lookup)
{
	struct module_line symbol = lookup->lines[0];
	struct module_line *outer;
	uint32_t count;

	count = debug_info_find(module->debug_info, vaddr - module->debug_bias,
				lookup->lines, MODULE_LINES_MAX);
	if (!count) {
		lookup->lines[0] = symbol;
		return;
	}
	outer = &lookup->lines[count - 1];
	if (lookup->n_lines && !outer->is_inlined &&
	    (!outer->name || !is_part(symbol.system_name))) {
		outer->name = symbol.name;
		outer->system_name = symbol.system_name;
	}
	lookup->n_lines = outer->name ? count : 0;
}

void module_symbolize(struct module *module, uint64_t vaddr,
		      struct module_lookup *lookup)
{
	symbols_load(module);
	lookup->symbol_start = 0;
	lookup->n_lines = 0;
	if (!lookup_symbol(module, vaddr, lookup) &&
	    !lookup_plt(module, vaddr, lookup))
		lookup_go(module, vaddr, lookup);
	if (module->debug_info)
		lookup_lines(module, vaddr, lookup);
}
