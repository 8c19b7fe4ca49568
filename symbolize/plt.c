#include "symbolize/plt.h"

#include <string.h>

#include "symbolize/symtab.h"

#define STUB_MAX 32

/* The largest programs have some 100,000. */
#define RELOCATIONS_MAX (4 << 20)

static uint32_t little_u32(const uint8_t *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

void plt_init(struct plt *plt, const struct image *image)
{
	static const char *const names[PLT_SECTIONS_MAX] = {
		".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"
	};

	*plt = (struct plt){ .image = image };
	for (size_t i = 0; i < PLT_SECTIONS_MAX; i++)
		if (image_section(image, names[i],
				  &plt->sections[plt->n_sections]))
			plt->n_sections++;
}

/* ENDBR64/32 and the BND prefix may stand before the jump. */
static const uint8_t *skip_prefixes(const uint8_t *at, const uint8_t *end)
{
	if (end - at >= 4 && at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e)
		at += 4;
	if (at < end && at[0] == 0xf2)
		at++;
	return at;
}

/*
 * x86:    ff 25 disp32   jmp *disp(%rip), on i386 jmp *disp
 *         ff a3 disp32   jmp *disp(%ebx), %ebx being the GOT's address
 * Sets *pointer to the ELF address of the pointer jumped through.
 */
static bool decode_x86(const struct image *image, uint64_t vaddr,
		       const uint8_t *stub, size_t size, uint64_t *pointer)
{
	const uint8_t *at = skip_prefixes(stub, stub + size);
	struct image_section got;
	uint32_t displacement;

	if (stub + size - at < 6 || at[0] != 0xff)
		return false;
	displacement = little_u32(at + 2);
	if (at[1] == 0x25 && image->machine == EM_X86_64)
		*pointer = vaddr + (uint64_t)(at + 6 - stub) +
			   (uint64_t)(int64_t)(int32_t)displacement;
	else if (at[1] == 0x25)
		*pointer = displacement;
	else if (at[1] == 0xa3 && (image_section(image, ".got.plt", &got) ||
				   image_section(image, ".got", &got)))
		*pointer = (uint32_t)(got.header.sh_addr + displacement);
	else
		return false;
	return true;
}

/*
 * AArch64: adrp x16, page; ldr x17, [x16, #offset]; add x16, …; br x17, with
 * bti c before it in some.
 */
static bool decode_aarch64(uint64_t vaddr, const uint8_t *stub, size_t size,
			   uint64_t *pointer)
{
	for (size_t at = 0; at + 8 <= size && at <= 4; at += 4) {
		uint32_t adrp = little_u32(stub + at);
		uint32_t ldr = little_u32(stub + at + 4);
		int64_t page = (int64_t)((adrp >> 5 & 0x7ffff) << 2 |
					 (adrp >> 29 & 3));

		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (page ^ 0x100000) - 0x100000; /* 21 bits, signed */
		*pointer = ((vaddr + at) & ~0xfffull) + ((uint64_t)page << 12) +
			   (ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}

static bool decode(const struct image *image, uint64_t vaddr, uint32_t size,
		   uint64_t *pointer)
{
	size_t left;
	const uint8_t *stub = image_at(image, vaddr, &left);

	if (!stub || left < size)
		return false;
	if (image->machine == EM_AARCH64)
		return decode_aarch64(vaddr, stub, size, pointer);
	if (image->machine == EM_X86_64 || image->machine == EM_386)
		return decode_x86(image, vaddr, stub, size, pointer);
	return false;
}

/* Relocations of the dynamic linker: a table and its kind. */
struct relocations {
	Elf_Data *data;
	bool has_addends;
	uint32_t count;
};

static bool relocations_section(const struct image *image, const char *name,
				const char *name_rel,
				struct relocations *relocations)
{
	struct image_section section;

	if (!image_section(image, name, &section) &&
	    !image_section(image, name_rel, &section))
		return false;
	relocations->data = elf_getdata(section.scn, NULL);
	relocations->has_addends = section.header.sh_type == SHT_RELA;
	return relocations->data != NULL;
}

/* Without sections: DT_JMPREL and DT_PLTRELSZ, or DT_RELA and DT_RELASZ. */
static bool relocations_dynamic(const struct image *image, int64_t tag,
				int64_t size_tag,
				struct relocations *relocations)
{
	uint64_t vaddr, size, offset, kind = DT_RELA;

	image_dynamic(image, DT_PLTREL, &kind);
	if (!image_dynamic(image, tag, &vaddr) ||
	    !image_dynamic(image, size_tag, &size) ||
	    !image_offset(image, vaddr, &offset))
		return false;
	relocations->has_addends = kind == DT_RELA;
	relocations->data = elf_getdata_rawchunk(
		image->elf, (int64_t)offset, size,
		relocations->has_addends ? ELF_T_RELA : ELF_T_REL);
	return relocations->data != NULL;
}

static bool relocation_at(const struct relocations *relocations, int number,
			  GElf_Rela *relocation)
{
	GElf_Rel rel;

	if (relocations->has_addends)
		return gelf_getrela(relocations->data, number, relocation);
	if (!gelf_getrel(relocations->data, number, &rel))
		return false;
	*relocation = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
	return true;
}

/* R_X86_64_IRELATIVE, R_386_IRELATIVE, R_AARCH64_IRELATIVE */
static bool is_irelative(const struct image *image, uint64_t type)
{
	return type == (image->machine == EM_X86_64    ? R_X86_64_IRELATIVE
			: image->machine == EM_AARCH64 ? R_AARCH64_IRELATIVE
						       : R_386_IRELATIVE);
}

static bool slot_set(const struct image *image, const GElf_Rela *relocation,
		     struct plt_slot *slot)
{
	uint64_t number = GELF_R_SYM(relocation->r_info);
	struct symtab_source symbols;
	GElf_Sym symbol;

	if (number)
		return symtab_source_dynamic(&symbols, image) &&
		       symtab_source_at(&symbols, (uint32_t)number, &symbol,
					&slot->name);
	if (!is_irelative(image, GELF_R_TYPE(relocation->r_info)))
		return false;
	slot->resolver = (uint64_t)relocation->r_addend;
	return true;
}

static bool slot_search(const struct image *image,
			const struct relocations *relocations, uint64_t pointer,
			struct plt_slot *slot)
{
	GElf_Rela relocation;

	for (int i = 0;
	     i < RELOCATIONS_MAX && relocation_at(relocations, i, &relocation);
	     i++)
		if (relocation.r_offset == pointer)
			return slot_set(image, &relocation, slot);
	return false;
}

/* .rela.plt holds nearly all of them; .plt.got's are among the others. */
static bool slot_by_pointer(const struct image *image, uint64_t pointer,
			    struct plt_slot *slot)
{
	struct relocations table;

	return (relocations_section(image, ".rela.plt", ".rel.plt", &table) &&
		slot_search(image, &table, pointer, slot)) ||
	       (relocations_section(image, ".rela.dyn", ".rel.dyn", &table) &&
		slot_search(image, &table, pointer, slot)) ||
	       (!image->has_sections &&
		relocations_dynamic(image, DT_JMPREL, DT_PLTRELSZ, &table) &&
		slot_search(image, &table, pointer, slot)) ||
	       (!image->has_sections &&
		relocations_dynamic(image, DT_RELA, DT_RELASZ, &table) &&
		slot_search(image, &table, pointer, slot));
}

/*
 * With .plt.sec, a slot of .plt only does the lazy binding:
 *   endbr64; push $n; bnd jmp header      where n numbers .rela.plt
 */
static bool slot_by_push(const struct image *image, struct plt_slot *slot)
{
	size_t left;
	const uint8_t *stub = image_at(image, slot->start, &left);
	struct relocations table;
	GElf_Rela relocation;
	const uint8_t *at;

	if (!stub || left < slot->size ||
	    (image->machine != EM_X86_64 && image->machine != EM_386))
		return false;
	at = skip_prefixes(stub, stub + slot->size);
	return stub + slot->size - at >= 5 && at[0] == 0x68 &&
	       (relocations_section(image, ".rela.plt", ".rel.plt", &table) ||
		relocations_dynamic(image, DT_JMPREL, DT_PLTRELSZ, &table)) &&
	       relocation_at(&table, (int)(little_u32(at + 1) & INT32_MAX),
			     &relocation) &&
	       slot_set(image, &relocation, slot);
}

static bool slot_read(const struct image *image, uint64_t start, uint32_t size,
		      struct plt_slot *slot)
{
	uint64_t pointer;

	*slot = (struct plt_slot){ .start = start, .size = size };
	return (decode(image, start, size, &pointer) &&
		slot_by_pointer(image, pointer, slot)) ||
	       slot_by_push(image, slot);
}

/* The size of a slot: sh_entsize, where the linker set it right. */
static uint32_t slot_size(const struct image *image,
			  const struct image_section *section)
{
	uint64_t size = section->header.sh_entsize;

	return size >= 8 && size <= STUB_MAX && size % 8 == 0 ? (uint32_t)size
	       : image->machine == EM_X86_64 || image->machine == EM_386 ? 16
									 : 0;
}

/* AArch64's header is 32 bytes before slots of 16 or 24. */
static uint64_t header_size(const struct image *image,
			    const struct image_section *section)
{
	size_t names = 0;
	const char *name;

	elf_getshdrstrndx(image->elf, &names);
	name = elf_strptr(image->elf, names, section->header.sh_name);
	if (!name || strcmp(name, ".plt") != 0)
		return 0;
	return image->machine == EM_AARCH64 ? 32 : 16;
}

static bool slot_in_section(const struct image *image,
			    const struct image_section *section, uint64_t vaddr,
			    struct plt_slot *slot)
{
	uint64_t first = section->header.sh_addr;
	uint64_t header = header_size(image, section);
	uint32_t size = slot_size(image, section);
	uint64_t start;

	if (!size)
		size = 16;
	/* A table without a header (static programs) has a slot there. */
	if (vaddr - first < header &&
	    !slot_read(image, first + (vaddr - first) / size * size, size,
		       slot)) {
		*slot = (struct plt_slot){ .start = first,
					   .size = (uint32_t)header };
		return true;
	}
	if (image->machine == EM_AARCH64 && vaddr - first >= header)
		first += header;
	start = first + (vaddr - first) / size * size;
	return slot_read(image, start, size, slot);
}

bool plt_find(const struct plt *plt, uint64_t vaddr, struct plt_slot *slot)
{
	for (uint32_t i = 0; i < plt->n_sections; i++) {
		const struct image_section *section = &plt->sections[i];

		if (vaddr - section->header.sh_addr < section->header.sh_size)
			return slot_in_section(plt->image, section, vaddr,
					       slot);
	}
	return !plt->image->has_sections &&
	       slot_read(plt->image, vaddr & ~15ull, 16, slot);
}
