#include "symbolize/pclntab.h"

static struct cursor table_at(const struct pclntab *pclntab, uint64_t offset)
{
	struct cursor cursor = pclntab->table;

	if (offset > cursor_left(&cursor))
		cursor.has_failed = true;
	else
		cursor_skip(&cursor, offset);
	return cursor;
}

static uint64_t number_read(struct cursor *cursor, uint8_t size)
{
	return size == 4 ? cursor_u32(cursor) : cursor_u64(cursor);
}

static uint8_t version_of(uint32_t magic)
{
	switch (magic) {
	case 0xfffffffb:
		return 2;
	case 0xfffffffa:
		return 16;
	case 0xfffffff0:
		return 18;
	case 0xfffffff1:
		return 20;
	default:
		return 0;
	}
}

/* The offsets of the parts, as many addresses behind the count as the
 * version has; 1.18 has the text's address among them. */
static void parts_read(struct pclntab *pclntab, struct cursor *cursor)
{
	uint8_t size = pclntab->pointer;

	pclntab->entry = size;
	if (pclntab->version == 2) {
		pclntab->functions = cursor_offset(cursor);
		return;
	}
	cursor_skip(cursor, size); /* number of files */
	if (pclntab->version >= 18) {
		pclntab->entry = 4;
		pclntab->text = number_read(cursor, size);
	}
	pclntab->names = number_read(cursor, size);
	cursor_skip(cursor, 3u * size); /* units, files, values by pc */
	pclntab->functions = number_read(cursor, size);
}

/* In a position-independent program the text's address is only there after
 * relocation: then it is where .text begins. */
static void text_find(struct pclntab *pclntab, const struct image *image)
{
	struct image_section section;

	if (pclntab->version >= 18 && !pclntab->text &&
	    image_section(image, ".text", &section))
		pclntab->text = section.header.sh_addr;
}

void pclntab_init(struct pclntab *pclntab, const struct image *image)
{
	struct image_section section;
	struct cursor cursor;
	const uint8_t *bytes;
	size_t size;

	*pclntab = (struct pclntab){ 0 };
	if (!image_section(image, ".gopclntab", &section) &&
	    !image_section(image, ".data.rel.ro.gopclntab", &section))
		return;
	bytes = image_section_bytes(image, &section, &size);
	if (!bytes)
		return;
	cursor = cursor_at(bytes, size);
	pclntab->version = version_of(cursor_u32(&cursor));
	cursor_skip(&cursor, 3); /* zeros, and the size of an instruction */
	pclntab->pointer = cursor_u8(&cursor);
	if (!pclntab->version ||
	    (pclntab->pointer != 4 && pclntab->pointer != 8))
		return;
	pclntab->count = number_read(&cursor, pclntab->pointer);
	parts_read(pclntab, &cursor);
	text_find(pclntab, image);
	if (!cursor.has_failed && pclntab->count < size)
		pclntab->table = cursor_at(bytes, size);
}

/* Entry number of the function table: where a function begins, and where
 * what is known of it is. One more entry tells where the last one ends. */
static bool entry_at(const struct pclntab *pclntab, uint64_t number,
		     uint64_t *start, uint64_t *offset)
{
	struct cursor cursor = table_at(
		pclntab, pclntab->functions + number * 2 * pclntab->entry);

	*start = pclntab->text + number_read(&cursor, pclntab->entry);
	if (number < pclntab->count)
		*offset = number_read(&cursor, pclntab->entry);
	return !cursor.has_failed;
}

/* The function's record: its start again, then where its name is (u32). */
static const char *name_at(const struct pclntab *pclntab, uint64_t offset)
{
	struct cursor cursor;
	uint32_t name;

	if (pclntab->version > 2)
		offset += pclntab->functions;
	cursor = table_at(pclntab, offset);
	number_read(&cursor, pclntab->entry);
	name = cursor_u32(&cursor);
	if (cursor.has_failed)
		return NULL;
	cursor = table_at(pclntab, pclntab->names + name);
	return cursor.has_failed ? NULL : cursor_text(&cursor);
}

bool pclntab_find(const struct pclntab *pclntab, uint64_t vaddr,
		  struct pclntab_symbol *symbol)
{
	uint64_t low = 0, high = pclntab->count, start, offset = 0;

	if (!pclntab->table.begin)
		return false;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!entry_at(pclntab, middle, &start, &offset))
			return false;
		if (start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !entry_at(pclntab, low, &symbol->end, &offset) ||
	    !entry_at(pclntab, low - 1, &symbol->start, &offset) ||
	    vaddr >= symbol->end)
		return false;
	symbol->name = name_at(pclntab, offset);
	return symbol->name && symbol->name[0];
}
