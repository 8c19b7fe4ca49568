#include "symbolize/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "symbolize/debug_file.h"
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "symbolize/plt.h"
#include "symbolize/symtab.h"

/* Ids of names count within their kind. */
enum name_kind {
	NAME_SYMBOL, /* symtab_symbol.id */
	NAME_PLT,    /* address of the slot */
};

struct module_name { /* both interned */
	const char *name, *system_name;
};

struct module {
	struct module_input input;
	struct image image;
	struct image debug; /* the separate debug file; elf NULL: none */
	struct image mini;  /* .gnu_debugdata; elf NULL: none */
	uint64_t debug_bias;
	struct symtab symtab;
	struct plt plt;
	bool has_symtab; /* it and plt are made when first asked */

	/* Names already made, by the id of the symbol. */
	struct idmap known;
	struct module_name *names;
	size_t n_names, names_capacity;
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
	idmap_init(&new->known);
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
	symtab_destroy(&module->symtab);
	image_destroy(&module->mini);
	image_destroy(&module->debug);
	image_destroy(&module->image);
	idmap_destroy(&module->known);
	free(module->names);
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

/* Other files are only asked where this one is stripped. */
static void files_open(struct module *module)
{
	struct image_section section;

	if (image_section_of_type(&module->image, SHT_SYMTAB, &section))
		return;
	if (debug_file_open(&module->debug, &module->image, &module->input) ==
	    0)
		module->debug_bias = bias_of(&module->image, &module->debug);
	else
		debug_file_mini(&module->mini, &module->image, &module->input);
}

static const struct symtab *module_symtab(struct module *module)
{
	struct symtab *symtab = &module->symtab;

	if (module->has_symtab)
		return symtab;
	module->has_symtab = true;
	files_open(module);
	symtab_init(symtab, &module->image);
	symtab_add(symtab, &module->image, 0);
	if (module->debug.elf)
		symtab_add(symtab, &module->debug, module->debug_bias);
	if (module->mini.elf)
		symtab_add(symtab, &module->mini, 0);
	symtab_sort(symtab);
	plt_init(&module->plt, &module->image);
	image_forget(&module->image);
	image_forget(&module->debug);
	return symtab;
}

/* The place of a name in module->names; *is_new: the caller fills it. */
static struct module_name *name_at(struct module *module, enum name_kind kind,
				   uint64_t id, bool *is_new)
{
	uint32_t *known = idmap_at(&module->known, kind, id);

	*is_new = *known == IDMAP_NONE;
	if (*is_new) {
		*known = (uint32_t)module->n_names;
		module->names = mem_grow(module->names, module->n_names,
					 &module->names_capacity,
					 sizeof(*module->names));
		module->n_names++;
	}
	return &module->names[*known];
}

static void lookup_set(struct module_lookup *lookup, uint64_t start,
		       const struct module_name *name)
{
	lookup->symbol_start = start;
	lookup->n_lines = 1;
	lookup->lines[0] = (struct module_line){
		.name = name->name,
		.system_name = name->system_name,
	};
}

static bool lookup_symbol(struct module *module, uint64_t vaddr,
			  struct module_lookup *lookup)
{
	struct strings *strings = module->input.strings;
	struct symtab_symbol symbol;
	struct module_name *name;
	bool is_new;

	if (!symtab_find(module_symtab(module), vaddr, &symbol))
		return false;
	name = name_at(module, NAME_SYMBOL, symbol.id, &is_new);
	if (is_new)
		*name = (struct module_name){
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
	return slot->resolver && symtab_find(module_symtab(module),
					     slot->resolver, &symbol)
		       ? symbol.name
		       : NULL;
}

static void plt_names(struct module *module, const struct plt_slot *slot,
		      struct module_name *name)
{
	struct strings *strings = module->input.strings;
	const char *target = plt_target(module, slot);

	name->name = name->system_name = strings_intern(
		strings, slot->resolver ? "PLT slot" : PLT_HEADER_NAME);
	if (!target)
		return;
	name->system_name = plt_name(strings, target);
	name->name = plt_name(strings, demangle_name(strings, target));
}

static bool lookup_plt(struct module *module, uint64_t vaddr,
		       struct module_lookup *lookup)
{
	struct module_name *name;
	struct plt_slot slot;
	bool is_new;

	if (!plt_find(&module->plt, vaddr, &slot))
		return false;
	name = name_at(module, NAME_PLT, slot.start, &is_new);
	if (is_new)
		plt_names(module, &slot, name);
	lookup_set(lookup, slot.start, name);
	return true;
}

void module_symbolize(struct module *module, uint64_t vaddr,
		      struct module_lookup *lookup)
{
	lookup->symbol_start = 0;
	lookup->n_lines = 0;
	if (!lookup_symbol(module, vaddr, lookup))
		lookup_plt(module, vaddr, lookup);
}
