#include "symbolize/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"

struct module_name { /* both interned */
	const char *name, *system_name;
};

struct module {
	struct module_input input;
	struct image image;
	struct symtab symtab;
	bool has_symtab; /* it is made when first asked */

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

static const struct symtab *module_symtab(struct module *module)
{
	if (module->has_symtab)
		return &module->symtab;
	module->has_symtab = true;
	symtab_init(&module->symtab, &module->image);
	symtab_add(&module->symtab, &module->image, 0);
	symtab_sort(&module->symtab);
	image_forget(&module->image);
	return &module->symtab;
}

static const struct module_name *name_get(struct module *module,
					  const struct symtab_symbol *symbol)
{
	struct strings *strings = module->input.strings;
	uint32_t *known = idmap_at(&module->known, 0, symbol->id);

	if (*known != IDMAP_NONE)
		return &module->names[*known];
	*known = (uint32_t)module->n_names;
	module->names =
		mem_grow(module->names, module->n_names,
			 &module->names_capacity, sizeof(*module->names));
	module->names[module->n_names] = (struct module_name){
		.name = demangle_name(strings, symbol->name),
		.system_name = strings_intern(strings, symbol->name),
	};
	return &module->names[module->n_names++];
}

void module_symbolize(struct module *module, uint64_t vaddr,
		      struct module_lookup *lookup)
{
	const struct module_name *name;
	struct symtab_symbol symbol;

	lookup->symbol_start = 0;
	lookup->n_lines = 0;
	if (!symtab_find(module_symtab(module), vaddr, &symbol))
		return;
	name = name_get(module, &symbol);
	lookup->symbol_start = symbol.start;
	lookup->n_lines = 1;
	lookup->lines[0] = (struct module_line){
		.name = name->name,
		.system_name = name->system_name,
	};
}
