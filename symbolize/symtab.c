#include "symbolize/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* An id is the number of a source and the number of a symbol in it. */
#define NUMBER_BITS 30
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)

/* Chromium with all of its symbols has two million. */
#define SYMBOLS_MAX (16u << 20)

/* A hostile table may hold any number of symbols that end before the address
 * asked for; a real one holds a handful of nested ones. */
#define WALK_MAX 4096

void symtab_init(struct symtab *symtab, const struct image *image)
{
	uint64_t base = UINT64_MAX;

	*symtab = (struct symtab){ .image = image };
	for (uint32_t i = 0; i < image->n_segments; i++)
		if (image->segments[i].is_executable &&
		    image->segments[i].vaddr < base)
			base = image->segments[i].vaddr;
	address_index_init(&symtab->index, base);
}

void symtab_destroy(struct symtab *symtab)
{
	if (!symtab)
		return;
	address_index_destroy(&symtab->index);
	free(symtab->reaches);
	symtab->reaches = NULL;
	symtab->n_sources = 0;
}

bool symtab_source_at(const struct symtab_source *source, uint32_t number,
		      GElf_Sym *symbol, const char **name)
{
	if (number >= source->count ||
	    !gelf_getsym(source->symbols, (int)number, symbol) ||
	    symbol->st_name >= source->strings_size)
		return false;
	*name = source->strings + symbol->st_name;
	return true;
}

/* The table must end with a NUL, so that every name in it ends too. */
static bool source_set(struct symtab_source *source, const struct image *image,
		       Elf_Data *symbols, const char *strings,
		       size_t strings_size)
{
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count;

	while (strings_size && strings[strings_size - 1] != '\0')
		strings_size--;
	if (!symbols || !symbols->d_buf || !strings_size || !entry)
		return false;
	count = symbols->d_size / entry;
	if (count > SYMBOLS_MAX)
		count = SYMBOLS_MAX;
	*source = (struct symtab_source){
		.image = image,
		.symbols = symbols,
		.strings = strings,
		.strings_size = strings_size,
		.count = (uint32_t)count,
	};
	return count > 1;
}

static bool source_section(struct symtab_source *source,
			   const struct image *image, uint32_t type)
{
	struct image_section section, strings = { 0 };
	const uint8_t *bytes;
	size_t size;

	if (!image_section_of_type(image, type, &section))
		return false;
	strings.scn = elf_getscn(image->elf, section.header.sh_link);
	if (!strings.scn || !gelf_getshdr(strings.scn, &strings.header))
		return false;
	bytes = image_section_bytes(image, &strings, &size);
	return bytes &&
	       source_set(source, image, elf_getdata(section.scn, NULL),
			  (const char *)bytes, size);
}

static uint32_t word_at(const struct image *image, uint64_t vaddr)
{
	size_t left;
	const uint8_t *bytes = image_at(image, vaddr, &left);
	uint32_t word;

	if (!bytes || left < sizeof(word))
		return 0;
	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * The number of symbols in a GNU hash table: the end of the chain that starts
 * at the highest bucket. Layout: u32 nbuckets, symoffset, bloom_size,
 * bloom_shift; address-sized bloom words; u32 buckets; u32 chain, whose last
 * entries have bit 0 set.
 */
static uint64_t gnu_hash_count(const struct image *image, uint64_t table)
{
	uint32_t n_buckets = word_at(image, table);
	uint32_t first = word_at(image, table + 4);
	uint64_t word = gelf_getclass(image->elf) == ELFCLASS32 ? 4 : 8;
	uint64_t buckets = table + 16 + word * word_at(image, table + 8);
	uint64_t chain = buckets + 4ull * n_buckets;
	uint64_t last = 0;
	size_t left;

	if (n_buckets > SYMBOLS_MAX || !image_at(image, chain, &left))
		return 0;
	for (uint32_t i = 0; i < n_buckets; i++) {
		uint32_t start = word_at(image, buckets + 4ull * i);

		last = start > last ? start : last;
	}
	if (last < first)
		return first;
	while (last - first < SYMBOLS_MAX &&
	       image_at(image, chain + 4 * (last - first), &left) &&
	       !(word_at(image, chain + 4 * (last - first)) & 1))
		last++;
	return last + 1;
}

/* The number of dynamic symbols, which only the hash tables tell. */
static uint64_t dynamic_count(const struct image *image)
{
	uint64_t table;

	if (image_dynamic(image, DT_HASH, &table))
		return word_at(image, table + 4);
	return image_dynamic(image, DT_GNU_HASH, &table)
		       ? gnu_hash_count(image, table)
		       : 0;
}

static bool source_segment(struct symtab_source *source,
			   const struct image *image)
{
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	uint64_t count = dynamic_count(image);
	uint64_t symbols, strings, size, offset;
	const uint8_t *bytes;
	size_t left;

	if (!entry || !image_dynamic(image, DT_SYMTAB, &symbols) ||
	    !image_dynamic(image, DT_STRTAB, &strings) ||
	    !image_dynamic(image, DT_STRSZ, &size) ||
	    !image_offset(image, symbols, &offset) || offset >= image->size)
		return false;
	bytes = image_at(image, strings, &left);
	if (!bytes)
		return false;
	if (count > (image->size - offset) / entry)
		count = (image->size - offset) / entry;
	return source_set(source, image,
			  elf_getdata_rawchunk(image->elf, (int64_t)offset,
					       count * entry, ELF_T_SYM),
			  (const char *)bytes, size < left ? size : left);
}

bool symtab_source_dynamic(struct symtab_source *source,
			   const struct image *image)
{
	return source_section(source, image, SHT_DYNSYM) ||
	       (!image->has_sections && source_segment(source, image));
}

/* $x, $a, $d, $t and the like only mark where data begin in the text. */
static bool is_mapping_symbol(const struct symtab_source *source,
			      const GElf_Sym *symbol, const char *name)
{
	uint16_t machine = source->image->machine;

	return name[0] == '$' && GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE &&
	       (machine == EM_ARM || machine == EM_AARCH64 ||
		machine == EM_RISCV);
}

/* Reads a symbol and makes its address the module's; false where it is no
 * code. */
static bool code_at(const struct symtab_source *source, uint32_t number,
		    GElf_Sym *symbol, const char **name)
{
	unsigned type;

	if (!symtab_source_at(source, number, symbol, name) ||
	    symbol->st_shndx == SHN_UNDEF)
		return false;
	type = GELF_ST_TYPE(symbol->st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (source->image->machine == EM_ARM && type == STT_FUNC)
		symbol->st_value &= ~1ull; /* set for Thumb */
	symbol->st_value += source->bias;
	return true;
}

static void source_index(struct symtab *symtab, uint32_t number)
{
	const struct symtab_source *source = &symtab->sources[number];
	const struct module_segment *segment = NULL;
	GElf_Sym symbol;
	const char *name;

	for (uint32_t i = 1; i < source->count; i++) {
		if (!code_at(source, i, &symbol, &name))
			continue;
		if (!segment || symbol.st_value < segment->vaddr ||
		    symbol.st_value - segment->vaddr >= segment->memory_size)
			segment = image_segment(symtab->image, symbol.st_value);
		if (!segment || !segment->is_executable)
			continue;
		if (symbol.st_size == 0 &&
		    (name[0] == '\0' ||
		     is_mapping_symbol(source, &symbol, name)))
			continue;
		if (symbol.st_size > symtab->longest)
			symtab->longest = symbol.st_size;
		address_index_add(&symtab->index, symbol.st_value,
				  number << NUMBER_BITS | i);
	}
}

static void source_add(struct symtab *symtab,
		       const struct symtab_source *source, uint64_t bias)
{
	if (symtab->n_sources == SYMTAB_SOURCES_MAX)
		return;
	symtab->sources[symtab->n_sources] = *source;
	symtab->sources[symtab->n_sources].bias = bias;
	source_index(symtab, symtab->n_sources++);
}

void symtab_add(struct symtab *symtab, const struct image *image, uint64_t bias)
{
	struct symtab_source source;

	if (source_section(&source, image, SHT_SYMTAB))
		source_add(symtab, &source, bias);
	if (symtab_source_dynamic(&source, image))
		source_add(symtab, &source, bias);
}

struct candidate {
	uint32_t id;
	GElf_Sym symbol;
	const char *name;
};

static bool candidate_at(const struct symtab *symtab, uint32_t entry,
			 struct candidate *candidate)
{
	uint32_t id = symtab->index.entries[entry].value;

	candidate->id = id;
	return code_at(&symtab->sources[id >> NUMBER_BITS], id & NUMBER_MASK,
		       &candidate->symbol, &candidate->name);
}

/* Most addresses that no symbol covers lie far behind all symbols before
 * them: one look tells, instead of a walk. */
static void reaches_make(struct symtab *symtab)
{
	uint32_t count = (uint32_t)symtab->index.count;
	struct candidate candidate;
	uint64_t furthest = 0;

	symtab->reaches =
		mem_calloc(count / SYMTAB_BLOCK + 1, sizeof(*symtab->reaches));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t end;

		candidate.symbol.st_value = candidate.symbol.st_size = 0;
		candidate_at(symtab, i, &candidate);
		end = candidate.symbol.st_value + candidate.symbol.st_size;
		if (end < candidate.symbol.st_value)
			end = UINT64_MAX;
		if (end > furthest)
			furthest = end;
		symtab->reaches[i / SYMTAB_BLOCK] = furthest;
	}
}

void symtab_sort(struct symtab *symtab)
{
	address_index_sort(&symtab->index);
	free(symtab->reaches);
	reaches_make(symtab);
}

static int binding_rank(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/* The preference that the header documents. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	bool is_label_a = GELF_ST_TYPE(a->symbol.st_info) == STT_NOTYPE;
	bool is_label_b = GELF_ST_TYPE(b->symbol.st_info) == STT_NOTYPE;
	size_t a_size = strspn(a->name, "_"), b_size = strspn(b->name, "_");
	int a_rank = binding_rank(&a->symbol),
	    b_rank = binding_rank(&b->symbol);

	if (is_label_a != is_label_b)
		return is_label_b;
	if (a_size != b_size)
		return a_size < b_size;
	if (a_rank != b_rank)
		return a_rank < b_rank;
	a_size = strlen(a->name);
	b_size = strlen(b->name);
	if (a_size != b_size)
		return a_size < b_size;
	return strcmp(a->name, b->name) < 0;
}

static void symbol_set(struct symtab_symbol *symbol,
		       const struct candidate *from, uint64_t end)
{
	*symbol = (struct symtab_symbol){
		.id = from->id,
		.start = from->symbol.st_value,
		.end = end,
		.name = from->name,
	};
}

/* Of the symbols with the same start as entry, the last one of them: the
 * best of those that cover vaddr by their size. */
static bool covering_find(const struct symtab *symtab, uint32_t entry,
			  uint64_t vaddr, struct symtab_symbol *symbol)
{
	uint32_t offset = symtab->index.entries[entry].offset;
	struct candidate best = { 0 }, other;

	for (uint32_t i = entry + 1;
	     i-- > 0 && symtab->index.entries[i].offset == offset;)
		if (candidate_at(symtab, i, &other) &&
		    vaddr - other.symbol.st_value < other.symbol.st_size &&
		    (!best.name || is_better(&other, &best)))
			best = other;
	if (!best.name)
		return false;
	symbol_set(symbol, &best, best.symbol.st_value + best.symbol.st_size);
	return true;
}

static uint64_t section_end(const struct symtab *symtab,
			    const struct candidate *candidate)
{
	const struct symtab_source *source =
		&symtab->sources[candidate->id >> NUMBER_BITS];
	const struct module_segment *segment;
	GElf_Shdr header;
	Elf_Scn *scn =
		elf_getscn(source->image->elf, candidate->symbol.st_shndx);

	if (source->image->has_sections && scn && gelf_getshdr(scn, &header))
		return header.sh_addr + source->bias + header.sh_size;
	segment = image_segment(symtab->image, candidate->symbol.st_value);
	return segment ? segment->vaddr + segment->memory_size : 0;
}

/* The symbols nearest before vaddr, if none of them has a size: each reaches
 * to the next symbol, or the end of its section. */
static bool label_find(const struct symtab *symtab, uint32_t entry,
		       uint64_t vaddr, struct symtab_symbol *symbol)
{
	const struct address_index *index = &symtab->index;
	uint32_t offset = index->entries[entry].offset;
	struct candidate best = { 0 }, other;
	uint64_t end;

	for (uint32_t i = entry + 1;
	     i-- > 0 && index->entries[i].offset == offset;) {
		if (!candidate_at(symtab, i, &other))
			continue;
		if (other.symbol.st_size)
			return false;
		if (!best.name || is_better(&other, &best))
			best = other;
	}
	if (!best.name)
		return false;
	end = section_end(symtab, &best);
	if (entry + 1 < index->count &&
	    address_index_address(index, entry + 1) < end)
		end = address_index_address(index, entry + 1);
	if (vaddr >= end)
		return false;
	symbol_set(symbol, &best, end);
	return true;
}

bool symtab_find(const struct symtab *symtab, uint64_t vaddr,
		 struct symtab_symbol *symbol)
{
	const struct address_index *index = &symtab->index;
	uint32_t nearest = address_index_find(index, vaddr);
	uint32_t steps = 0;

	if (nearest == ADDRESS_INDEX_NONE)
		return false;
	for (uint32_t i = nearest; steps < WALK_MAX; steps++, i--) {
		if (vaddr - address_index_address(index, i) >=
			    symtab->longest ||
		    vaddr >= symtab->reaches[i / SYMTAB_BLOCK])
			break;
		if ((i == nearest || index->entries[i].offset !=
					     index->entries[i + 1].offset) &&
		    covering_find(symtab, i, vaddr, symbol))
			return true;
		if (i == 0)
			break;
	}
	return label_find(symtab, nearest, vaddr, symbol);
}
