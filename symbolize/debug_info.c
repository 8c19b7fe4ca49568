#include "symbolize/debug_info.h"

#include <stdlib.h>

#include "perfcore/mem.h"
#include "symbolize/debug_file.h"
#include "symbolize/debug_lines.h"
#include "symbolize/debug_ranges.h"
#include "symbolize/debug_scopes.h"
#include "symbolize/debug_split.h"
#include "symbolize/demangle.h"
#include "symbolize/names.h"

/* Ranges of all units of a file; the largest programs have some 100,000. */
#define PIECES_MAX (4u << 20)

/* When what was read of the units takes more, all of it is forgotten: a
 * recorder must not grow with the size of what it looks at. */
#define LOADED_MAX (32u << 20)

/* What was read of one unit. */
struct loaded {
	struct debug_lines lines;
	struct debug_scopes scopes;
	struct debug_split *split; /* NULL: the unit is whole */
};

struct debug_info {
	const struct image *image;
	const struct module_input *input;
	const char *path;
	struct debug_file file;
	struct ranges units;	/* value: number of the unit */
	struct loaded **loaded; /* by number; NULL: not yet */
	size_t loaded_bytes;
	struct names names; /* by names_key() and offset of the entry */

	struct image supplement_image; /* dwz's; elf NULL: none */
	struct debug_file supplement;

	struct debug_package package;
	bool has_package, has_tried_package;
};

/* The ranges of all units, told one by one. */
struct unit_pass {
	struct unit_piece {
		uint64_t start, end;
		uint32_t unit;
	} * pieces;
	size_t count, capacity;
	uint32_t unit;
};

static void piece_add(void *context, uint64_t start, uint64_t end)
{
	struct unit_pass *pass = context;

	if (!start || pass->count == PIECES_MAX) /* 0: discarded code */
		return;
	pass->pieces = mem_grow(pass->pieces, pass->count, &pass->capacity,
				sizeof(*pass->pieces));
	pass->pieces[pass->count++] =
		(struct unit_piece){ start, end, pass->unit };
}

static void unit_pieces(struct unit_pass *pass, struct debug_unit *unit)
{
	struct debug_extent extent = { 0 };
	struct debug_walk walk;
	struct debug_value value;
	struct debug_die die;
	uint16_t name;
	bool is_null;

	if (!debug_die_at(unit, unit->first_die, &die, &is_null))
		return;
	for (debug_walk_init(&walk, &die);
	     debug_walk_next(&walk, &die, &name, &value);)
		debug_extent_take(&extent, name, &value);
	debug_extent_walk(&extent, unit, piece_add, pass);
}

static void units_index(struct debug_info *info)
{
	struct unit_pass pass = { 0 };
	struct ranges_maker maker;

	for (size_t i = 0; i < info->file.n_units; i++) {
		pass.unit = (uint32_t)i;
		unit_pieces(&pass, &info->file.units[i]);
	}
	ranges_begin(&maker, pass.count);
	for (size_t i = 0; i < pass.count; i++)
		ranges_edge(&maker, pass.pieces[i].start, pass.pieces[i].end);
	ranges_sort(&maker);
	for (size_t i = 0; i < pass.count; i++)
		ranges_paint(&maker, pass.pieces[i].start, pass.pieces[i].end,
			     pass.pieces[i].unit);
	ranges_end(&maker, &info->units);
	free(pass.pieces);
}

static void supplement_open(struct debug_info *info)
{
	if (debug_file_supplement(&info->supplement_image, info->image,
				  info->path, info->input))
		return;
	if (debug_sections_read(&info->supplement.sections,
				&info->supplement_image, false)) {
		image_destroy(&info->supplement_image);
		return;
	}
	debug_file_scan(&info->supplement, NULL, NULL);
	info->file.supplement = &info->supplement;
}

static void pages_forget(void *context)
{
	const struct debug_info *info = context;

	image_forget(info->image);
}

struct debug_info *debug_info_new(const struct image *image, const char *path,
				  const struct module_input *input)
{
	struct debug_info *info = mem_calloc(1, sizeof(*info));

	info->image = image;
	info->input = input;
	info->path = path;
	names_init(&info->names);
	if (debug_sections_read(&info->file.sections, image, false))
		notes_add(input->notes,
			  "%s: a DWARF section is corrupt or too large", path);
	if (!info->file.sections.of[DEBUG_INFO].bytes) {
		debug_info_free(info);
		return NULL;
	}
	supplement_open(info);
	debug_file_scan(&info->file, pages_forget, info);
	units_index(info);
	pages_forget(info);
	info->loaded = mem_calloc(info->file.n_units, sizeof(*info->loaded));
	return info;
}

static void loaded_free(struct loaded *loaded)
{
	if (!loaded)
		return;
	debug_scopes_destroy(&loaded->scopes);
	debug_lines_destroy(&loaded->lines);
	debug_split_free(loaded->split);
	free(loaded);
}

static void loaded_forget(struct debug_info *info)
{
	for (size_t i = 0; i < info->file.n_units; i++) {
		loaded_free(info->loaded[i]);
		info->loaded[i] = NULL;
	}
	info->loaded_bytes = 0;
}

void debug_info_free(struct debug_info *info)
{
	if (!info)
		return;
	if (info->loaded)
		loaded_forget(info);
	free(info->loaded);
	if (info->has_package)
		debug_package_close(&info->package);
	names_destroy(&info->names);
	ranges_destroy(&info->units);
	debug_file_destroy(&info->file);
	debug_file_destroy(&info->supplement);
	image_destroy(&info->supplement_image);
	free(info);
}

static struct debug_split *split_find(struct debug_info *info,
				      const struct debug_unit *skeleton)
{
	struct debug_split *split =
		debug_split_new(skeleton, NULL, info->input);

	if (split)
		return split;
	if (!info->has_tried_package) {
		info->has_tried_package = true;
		info->has_package =
			debug_package_open(&info->package, info->input->path,
					   info->input) == 0;
	}
	if (info->has_package)
		split = debug_split_new(skeleton, &info->package, info->input);
	if (!split)
		notes_add(info->input->notes,
			  "%s: split DWARF is not to be found (%s), so inlined "
			  "functions are missing",
			  info->path, skeleton->dwo_name);
	return split;
}

static struct loaded *unit_load(struct debug_info *info, uint32_t number)
{
	struct debug_unit *unit = &info->file.units[number];
	struct loaded *loaded = info->loaded[number];

	if (loaded)
		return loaded;
	if (info->loaded_bytes > LOADED_MAX)
		loaded_forget(info);
	loaded = info->loaded[number] = mem_calloc(1, sizeof(*loaded));
	debug_lines_init(&loaded->lines, unit, info->image);
	if (unit->dwo_name)
		loaded->split = split_find(info, unit);
	debug_scopes_init(&loaded->scopes,
			  loaded->split ? loaded->split->unit : unit,
			  info->image);
	info->loaded_bytes += debug_lines_bytes(&loaded->lines) +
			      debug_scopes_bytes(&loaded->scopes);
	return loaded;
}

/* Offsets are unique in a file: this one, or that of a split unit, which may
 * be forgotten and read again. */
static uint64_t names_key(const struct debug_info *info,
			  const struct debug_unit *unit)
{
	return unit->file == &info->file ? 0 : unit->dwo_id | 1;
}

static const struct name *scope_name(struct debug_info *info,
				     const struct debug_scopes *scopes,
				     uint64_t die)
{
	struct strings *strings = info->input->strings;
	struct debug_name found;
	struct name *name;
	bool is_new;

	name = names_at(&info->names, names_key(info, scopes->unit), die,
			&is_new);
	if (!is_new)
		return name;
	debug_scope_name(scopes->unit, die, &found);
	if (found.linkage && found.linkage[0]) {
		name->system = strings_intern(strings, found.linkage);
		name->shown = demangle_name(strings, found.linkage);
	} else if (found.name && found.name[0]) {
		name->system = name->shown =
			strings_intern(strings, found.name);
	}
	return name;
}

/* Fills lines from scope outwards. file and line are those of its code. */
static uint32_t scopes_lines(struct debug_info *info, struct loaded *loaded,
			     uint32_t scope, uint64_t file, uint32_t line,
			     struct module_line *lines, uint32_t max)
{
	struct strings *strings = info->input->strings;
	uint32_t count = 0;

	while (scope != DEBUG_SCOPE_NONE && count < max) {
		const struct debug_scope *at = &loaded->scopes.items[scope];
		const struct name *name =
			scope_name(info, &loaded->scopes, at->die);

		lines[count++] = (struct module_line){
			.name = name->shown,
			.system_name = name->system,
			.file = debug_lines_path(&loaded->lines, file, strings),
			.line = line,
			.is_inlined = at->parent != DEBUG_SCOPE_NONE,
		};
		file = at->call_file;
		line = at->call_line;
		scope = at->parent;
	}
	return count;
}

uint32_t debug_info_find(struct debug_info *info, uint64_t vaddr,
			 struct module_line *lines, uint32_t max)
{
	uint32_t number = ranges_find(&info->units, vaddr);
	uint32_t scope, file = UINT32_MAX, line = 0;
	struct loaded *loaded;
	bool has_line;

	if (number == RANGES_NONE)
		return 0;
	loaded = unit_load(info, number);
	has_line = debug_lines_find(&loaded->lines, vaddr, &file, &line);
	scope = debug_scopes_find(&loaded->scopes, vaddr);
	if (scope != DEBUG_SCOPE_NONE)
		return scopes_lines(info, loaded, scope, file, line, lines,
				    max);
	if (!has_line)
		return 0;
	lines[0] = (struct module_line){
		.file = debug_lines_path(&loaded->lines, file,
					 info->input->strings),
		.line = line,
	};
	return 1;
}
