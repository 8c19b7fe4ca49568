#include "symbolize/debug_split.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"

static int image_find(struct image *image, const char *path,
		      const struct module_input *input)
{
	int fd, ret;

	if (!input->opener)
		return -ENOENT;
	fd = input->opener->open(input->opener->context, path);
	if (fd < 0)
		return fd;
	ret = image_open(image, fd, path, NULL);
	close(fd);
	return ret;
}

int debug_package_open(struct debug_package *package, const char *path,
		       const struct module_input *input)
{
	char *full = mem_printf("%s.dwp", path);
	int ret = image_find(&package->image, full, input);

	free(full);
	if (ret)
		return ret;
	ret = debug_sections_read(&package->sections, &package->image, true);
	if (ret)
		image_destroy(&package->image);
	return ret;
}

void debug_package_close(struct debug_package *package)
{
	debug_sections_destroy(&package->sections);
	image_destroy(&package->image);
}

/* Which of our sections a column of a package's index is about; they were
 * renumbered with DWARF 5. */
static enum debug_section column_section(uint32_t version, uint32_t column)
{
	switch (column) {
	case DW_SECT_INFO:
		return DEBUG_INFO;
	case DW_SECT_ABBREV:
		return DEBUG_ABBREV;
	case DW_SECT_STR_OFFSETS:
		return DEBUG_STR_OFFSETS;
	case DW_SECT_RNGLISTS:
		return version >= 5 ? DEBUG_RNGLISTS : DEBUG_SECTIONS_COUNT;
	default:
		return DEBUG_SECTIONS_COUNT;
	}
}

struct package_index {
	uint32_t version, n_columns, n_units, n_slots;
	uint64_t slots, rows, columns, offsets, sizes; /* in the section */
};

/*
 * version, columns, units, slots (u32 each; in DWARF 5 the version is a u16
 * and padding); ids (u64 a slot), row numbers (u32 a slot, 0 = free), then
 * u32s: the columns' sections, offsets (a row for each unit), sizes.
 */
static bool index_read(const struct debug_sections *sections,
		       struct package_index *index)
{
	struct cursor cursor = debug_sections_at(sections, DEBUG_CU_INDEX, 0);

	index->version = cursor_u32(&cursor) & 0xffff;
	index->n_columns = cursor_u32(&cursor);
	index->n_units = cursor_u32(&cursor);
	index->n_slots = cursor_u32(&cursor);
	index->slots = 16;
	index->rows = index->slots + 8ull * index->n_slots;
	index->columns = index->rows + 4ull * index->n_slots;
	index->offsets = index->columns + 4ull * index->n_columns;
	index->sizes = index->offsets +
		       4ull * index->n_columns * (uint64_t)index->n_units;
	return !cursor.has_failed && index->n_columns <= 16;
}

static uint64_t index_word(const struct debug_sections *sections, uint64_t at)
{
	struct cursor cursor = debug_sections_at(sections, DEBUG_CU_INDEX, at);

	return cursor_u32(&cursor);
}

/* The row of a unit, from 1, or 0. The slots are a hash table, but few units
 * are looked up and a package has some thousands. */
static uint32_t index_row(const struct debug_sections *sections,
			  const struct package_index *index, uint64_t id)
{
	struct cursor cursor =
		debug_sections_at(sections, DEBUG_CU_INDEX, index->slots);

	for (uint32_t i = 0; i < index->n_slots && !cursor.has_failed; i++)
		if (cursor_u64(&cursor) == id && !cursor.has_failed)
			return (uint32_t)index_word(sections,
						    index->rows + 4ull * i);
	return 0;
}

/* The parts of a package's sections that belong to one unit. */
static bool package_slice(const struct debug_package *package, uint64_t id,
			  struct debug_sections *slice)
{
	const struct debug_sections *sections = &package->sections;
	struct package_index index;
	uint32_t row;

	if (!index_read(sections, &index) ||
	    !(row = index_row(sections, &index, id)) || row > index.n_units)
		return false;
	*slice = *sections;
	for (size_t i = 0; i < DEBUG_SECTIONS_COUNT; i++)
		slice->of[i].is_owned = false;
	for (uint32_t i = 0; i < index.n_columns; i++) {
		enum debug_section section = column_section(
			index.version,
			(uint32_t)index_word(sections, index.columns + 4 * i));
		uint64_t cell = 4 * ((row - 1) * (uint64_t)index.n_columns + i);
		uint64_t offset = index_word(sections, index.offsets + cell);
		uint64_t size = index_word(sections, index.sizes + cell);

		if (section == DEBUG_SECTIONS_COUNT)
			continue;
		if (offset + size > sections->of[section].size)
			return false;
		slice->of[section].bytes += offset;
		slice->of[section].size = size;
	}
	return true;
}

static bool dwo_open(struct debug_split *split,
		     const struct debug_unit *skeleton,
		     const struct module_input *input)
{
	bool is_absolute = skeleton->dwo_name[0] == '/';
	char path[PATH_MAX];

	if (!is_absolute && !skeleton->comp_dir)
		return false;
	if (snprintf(path, sizeof(path), "%s%s%s",
		     is_absolute ? "" : skeleton->comp_dir,
		     is_absolute ? "" : "/",
		     skeleton->dwo_name) >= (int)sizeof(path))
		return false;
	return image_find(&split->image, path, input) == 0 &&
	       debug_sections_read(&split->file.sections, &split->image,
				   true) == 0;
}

static struct debug_unit *unit_with_id(struct debug_file *file, uint64_t id)
{
	for (size_t i = 0; i < file->n_units; i++)
		if (file->units[i].dwo_id == id &&
		    file->units[i].type != DW_UT_split_type)
			return &file->units[i];
	return NULL;
}

struct debug_split *debug_split_new(const struct debug_unit *skeleton,
				    const struct debug_package *package,
				    const struct module_input *input)
{
	struct debug_split *split = mem_calloc(1, sizeof(*split));
	bool is_found = package ? package_slice(package, skeleton->dwo_id,
						&split->file.sections)
				: dwo_open(split, skeleton, input);

	if (is_found) {
		debug_file_scan(&split->file, NULL, NULL);
		split->unit = unit_with_id(&split->file, skeleton->dwo_id);
	}
	if (!split->unit) {
		debug_split_free(split);
		return NULL;
	}
	split->unit->addresses = skeleton->file;
	split->unit->addr_base = skeleton->addr_base;
	split->unit->low_pc = skeleton->low_pc;
	split->unit->gnu_ranges_base = skeleton->gnu_ranges_base;
	return split;
}

void debug_split_free(struct debug_split *split)
{
	if (!split)
		return;
	debug_file_destroy(&split->file);
	image_destroy(&split->image);
	free(split);
}
