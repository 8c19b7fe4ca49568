#include "symbolize/cfi_section.h"

#include <dwarf.h>
#include <stdlib.h>

#include "perfcore/mem.h"

/* The one search table that linkers write: sorted pairs of signed 32-bit
 * numbers (start, FDE), both relative to the header's own address. */
#define TABLE_ENCODING	(DW_EH_PE_datarel | DW_EH_PE_sdata4)
#define TABLE_PAIR_SIZE 8

#define FORMAT_MASK   0x0f
#define RELATIVE_MASK 0x70

static uint64_t read_pointer(struct cursor *cursor, uint8_t encoding,
			     uint64_t field_vaddr, uint64_t data_vaddr)
{
	uint64_t value = 0, base = 0;

	switch (encoding & FORMAT_MASK) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = cursor_u64(cursor);
		break;
	case DW_EH_PE_udata4:
		value = cursor_u32(cursor);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int64_t)(int32_t)cursor_u32(cursor);
		break;
	case DW_EH_PE_udata2:
		value = cursor_u16(cursor);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int64_t)(int16_t)cursor_u16(cursor);
		break;
	case DW_EH_PE_uleb128:
		value = cursor_uleb(cursor);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)cursor_sleb(cursor);
		break;
	default:
		cursor->has_failed = true;
	}
	switch (encoding & RELATIVE_MASK) {
	case 0:
		break;
	case DW_EH_PE_pcrel:
		base = field_vaddr;
		break;
	case DW_EH_PE_datarel:
		base = data_vaddr;
		break;
	default: /* relative to text or function: nobody writes it */
		cursor->has_failed = true;
	}
	return base + value;
}

uint64_t cfi_section_pointer(const struct cfi_section *section,
			     struct cursor *cursor, uint8_t encoding)
{
	uint64_t offset = (uint64_t)(cursor->at - section->frames.bytes);

	return read_pointer(cursor, encoding, section->frames.vaddr + offset,
			    section->hdr_vaddr);
}

/* 01 1b 03 3b: version, encodings of .eh_frame's address, count and table;
 * then these three. */
static bool hdr_read(const struct cfi_bytes *hdr, uint64_t *frames,
		     struct cursor *table, uint64_t *count)
{
	struct cursor cursor = cursor_at(hdr->bytes, hdr->size);
	uint8_t version = cursor_u8(&cursor);
	uint8_t frames_encoding = cursor_u8(&cursor);
	uint8_t count_encoding = cursor_u8(&cursor);
	uint8_t table_encoding = cursor_u8(&cursor);

	if (version != 1 || frames_encoding == DW_EH_PE_omit)
		return false;
	*frames = read_pointer(&cursor, frames_encoding,
			       hdr->vaddr + cursor_offset(&cursor), hdr->vaddr);
	if (cursor.has_failed)
		return false;
	*count = 0;
	if (count_encoding != DW_EH_PE_omit && table_encoding == TABLE_ENCODING)
		*count = read_pointer(&cursor, count_encoding,
				      hdr->vaddr + cursor_offset(&cursor),
				      hdr->vaddr);
	if (cursor.has_failed ||
	    *count > cursor_left(&cursor) / TABLE_PAIR_SIZE)
		*count = 0;
	*table = cursor;
	return true;
}

bool cfi_hdr_frames(const struct cfi_bytes *hdr, uint64_t *vaddr)
{
	struct cursor table;
	uint64_t count;

	return hdr_read(hdr, vaddr, &table, &count);
}

void cfi_section_init(struct cfi_section *section,
		      const struct cfi_bytes *frames, bool is_debug_frame,
		      const struct cfi_bytes *hdr)
{
	struct cursor table;
	uint64_t count, vaddr;

	*section = (struct cfi_section){ .frames = *frames,
					 .is_debug_frame = is_debug_frame };
	if (!hdr || !hdr_read(hdr, &vaddr, &table, &count))
		return;
	section->hdr_vaddr = hdr->vaddr;
	if (vaddr != frames->vaddr)
		return;
	section->table = table.at;
	section->n_table = count;
}

void cfi_section_destroy(struct cfi_section *section)
{
	if (!section)
		return;
	free(section->index);
	*section = (struct cfi_section){ 0 };
}

/* An entry's frame: a cursor over its content, and the number that tells
 * what it is. */
struct entry {
	struct cursor content;
	uint64_t id;
	uint64_t id_offset; /* where id stands: what .eh_frame counts from */
	uint64_t next;	    /* offset of the next entry; 0: there is none */
	bool is_cie;
	bool is_64;
};

static bool entry_at(const struct cfi_section *section, uint64_t offset,
		     struct entry *entry)
{
	struct cursor cursor =
		cursor_at(section->frames.bytes, section->frames.size);
	uint64_t length;

	if (offset > section->frames.size)
		return false;
	cursor_skip(&cursor, offset);
	length = cursor_u32(&cursor);
	entry->is_64 = length == UINT32_MAX;
	if (entry->is_64)
		length = cursor_u64(&cursor);
	/* Length 0 ends .eh_frame. */
	if (cursor.has_failed || length == 0 || length > cursor_left(&cursor))
		return false;
	cursor.end = cursor.at + length;
	entry->next = (uint64_t)(cursor.end - cursor.begin);
	entry->id_offset = cursor_offset(&cursor);
	if (section->is_debug_frame) {
		entry->id = entry->is_64 ? cursor_u64(&cursor)
					 : cursor_u32(&cursor);
		entry->is_cie =
			entry->id == (entry->is_64 ? UINT64_MAX : UINT32_MAX);
	} else {
		entry->id = cursor_u32(&cursor);
		entry->is_cie = entry->id == 0;
	}
	entry->content = cursor;
	return true;
}

/* "zPLR": 'z' says that the data's size precedes them, and must be first. */
static bool cie_augmentation(const struct cfi_section *section,
			     const char *text, struct cursor *cursor,
			     struct cfi_cie *cie)
{
	struct cursor data;
	uint64_t size;

	if (*text == '\0')
		return true;
	if (*text++ != 'z')
		return false;
	cie->has_augmentation_size = true;
	size = cursor_uleb(cursor);
	data = *cursor;
	cursor_skip(cursor, size);
	if (cursor->has_failed)
		return false;
	data.end = cursor->at;
	for (; *text; text++) {
		switch (*text) {
		case 'R':
			cie->pointer_encoding = cursor_u8(&data);
			break;
		case 'P': {
			uint8_t encoding = cursor_u8(&data);

			cfi_section_pointer(section, &data, encoding);
			break;
		}
		case 'L':
			cursor_u8(&data);
			break;
		case 'S':
			cie->is_signal_frame = true;
			break;
		case 'B': /* AArch64: which key signs, tagged memory: the */
		case 'G': /* signature is masked whatever key made it */
			break;
		default: /* the size tells where the unknown ends */
			return !data.has_failed;
		}
	}
	return !data.has_failed;
}

static bool cie_at(const struct cfi_section *section, uint64_t offset,
		   struct cfi_cie *cie)
{
	struct entry entry;
	struct cursor *cursor = &entry.content;
	const char *augmentation;
	uint8_t version;

	if (!entry_at(section, offset, &entry) || !entry.is_cie)
		return false;
	*cie = (struct cfi_cie){ .pointer_encoding = DW_EH_PE_absptr };
	version = cursor_u8(cursor);
	if (version != 1 && version != 3 && version != 4)
		return false;
	augmentation = cursor_text(cursor);
	if (!augmentation)
		return false;
	if (version == 4) {
		uint8_t address_size = cursor_u8(cursor);

		if (address_size != 8 || cursor_u8(cursor) != 0)
			return false;
	}
	cie->code_align = cursor_uleb(cursor);
	cie->data_align = cursor_sleb(cursor);
	cie->ra = version == 1 ? cursor_u8(cursor) : cursor_uleb(cursor);
	if (!cie_augmentation(section, augmentation, cursor, cie))
		return false;
	cie->program = *cursor;
	return !cursor->has_failed;
}

/* Offset of the CIE that an FDE belongs to; false where it is outside. */
static bool entry_cie_offset(const struct cfi_section *section,
			     const struct entry *entry, uint64_t *offset)
{
	if (section->is_debug_frame) {
		*offset = entry->id;
		return true;
	}
	*offset = entry->id_offset - entry->id;
	return entry->id <= entry->id_offset;
}

static bool fde_read(const struct cfi_section *section,
		     const struct entry *entry, struct cfi_fde *fde)
{
	struct cursor cursor = entry->content;
	uint8_t encoding = fde->cie.pointer_encoding;
	uint64_t size;

	fde->start = cfi_section_pointer(section, &cursor, encoding);
	size = cfi_section_pointer(section, &cursor, encoding & FORMAT_MASK);
	fde->end = fde->start + size;
	if (fde->cie.has_augmentation_size)
		cursor_skip(&cursor, cursor_uleb(&cursor));
	fde->program = cursor;
	return !cursor.has_failed && fde->end >= fde->start;
}

static bool fde_at(const struct cfi_section *section, uint64_t offset,
		   struct cfi_fde *fde)
{
	struct entry entry;
	uint64_t cie_offset;

	return entry_at(section, offset, &entry) && !entry.is_cie &&
	       entry_cie_offset(section, &entry, &cie_offset) &&
	       cie_at(section, cie_offset, &fde->cie) &&
	       fde_read(section, &entry, fde);
}

static int index_entry_compare(const void *a, const void *b)
{
	const struct cfi_index_entry *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

/* Reads the whole section once. Entries that are damaged are left out. */
static void section_index(struct cfi_section *section)
{
	size_t capacity = 0;
	uint64_t cie_offset, last_cie = UINT64_MAX;
	bool is_cie_good = false;
	struct cfi_fde fde;
	struct entry entry;

	section->is_indexed = true;
	for (uint64_t at = 0; entry_at(section, at, &entry); at = entry.next) {
		if (entry.is_cie ||
		    !entry_cie_offset(section, &entry, &cie_offset))
			continue;
		if (cie_offset != last_cie)
			is_cie_good = cie_at(section, cie_offset, &fde.cie);
		last_cie = cie_offset;
		if (!is_cie_good || !fde_read(section, &entry, &fde) ||
		    fde.start == fde.end)
			continue;
		section->index = mem_grow(section->index, section->n_index,
					  &capacity, sizeof(*section->index));
		section->index[section->n_index++] =
			(struct cfi_index_entry){ fde.start, at };
	}
	if (section->n_index)
		qsort(section->index, section->n_index, sizeof(*section->index),
		      index_entry_compare);
}

/* Offset of the last FDE that starts at or below vaddr. */
static bool index_find(struct cfi_section *section, uint64_t vaddr,
		       uint64_t *offset)
{
	size_t low = 0, high;

	if (!section->is_indexed)
		section_index(section);
	high = section->n_index;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (section->index[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*offset = section->index[low - 1].offset;
	return true;
}

static uint64_t table_number(const struct cfi_section *section, size_t at)
{
	int32_t value;

	memcpy(&value, section->table + at, sizeof(value));
	return section->hdr_vaddr + (uint64_t)(int64_t)value;
}

static bool table_find(const struct cfi_section *section, uint64_t vaddr,
		       uint64_t *offset)
{
	size_t low = 0, high = section->n_table;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table_number(section, middle * TABLE_PAIR_SIZE) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*offset = table_number(section, (low - 1) * TABLE_PAIR_SIZE + 4) -
		  section->frames.vaddr;
	return true;
}

bool cfi_section_find(struct cfi_section *section, uint64_t vaddr,
		      struct cfi_fde *fde)
{
	uint64_t offset;
	bool found;

	if (section->frames.size == 0)
		return false;
	found = section->n_table ? table_find(section, vaddr, &offset)
				 : index_find(section, vaddr, &offset);
	return found && fde_at(section, offset, fde) && vaddr >= fde->start &&
	       vaddr < fde->end;
}
