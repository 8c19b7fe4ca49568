#include "symbolize/cfi_image.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"

/* The largest sections seen are Chromium's, 40 MB. A file that claims more
 * than this is not read. */
#define SECTION_SIZE_MAX (256u << 20)
#define SEGMENTS_MAX	 1024

static void segment_add(struct cfi_image *image, const GElf_Phdr *header)
{
	image->segments[image->n_segments++] = (struct cfi_segment){
		.vaddr = header->p_vaddr,
		.offset = header->p_offset,
		.file_size = header->p_filesz,
		.is_executable = header->p_flags & PF_X,
	};
}

static void segments_read(struct cfi_image *image)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return;
	if (count > SEGMENTS_MAX)
		count = SEGMENTS_MAX;
	image->segments = mem_calloc(count, sizeof(*image->segments));
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(image->elf, (int)i, &header))
			continue;
		if (header.p_type == PT_LOAD)
			segment_add(image, &header);
		if (header.p_type == PT_GNU_EH_FRAME) {
			image->hdr_vaddr = header.p_vaddr;
			image->hdr_offset = header.p_offset;
			image->hdr_size = header.p_filesz;
		}
	}
}

int cfi_image_open(struct cfi_image *image, int fd, const void *memory,
		   uint64_t size, struct error *error)
{
	GElf_Ehdr header;

	*image = (struct cfi_image){ .fd = fd };
	elf_version(EV_CURRENT);
	if (fd >= 0) {
		image->elf = elf_begin(fd, ELF_C_READ, NULL);
	} else {
		/* libelf does not write to it: it is opened for reading. */
		image->memory = memory;
		image->memory_size = size;
		image->elf = elf_memory((char *)(uintptr_t)memory, size);
	}
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
	    !gelf_getehdr(image->elf, &header)) {
		cfi_image_close(image);
		return error_set(error, -ENOEXEC, "not an ELF file");
	}
	image->machine = header.e_machine;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (image->machine != EM_X86_64 && image->machine != EM_AARCH64)) {
		cfi_image_close(image);
		return error_set(error, -ENOEXEC,
				 "machine %u, class %u: cannot be unwound",
				 header.e_machine, header.e_ident[EI_CLASS]);
	}
	segments_read(image);
	return 0;
}

void cfi_image_close(struct cfi_image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	free(image->segments);
	*image = (struct cfi_image){ .fd = -1 };
}

/* Finds a section with bytes in the file by its name. */
static Elf_Scn *section_find(struct cfi_image *image, const char *name,
			     GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names))
		return NULL;
	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		const char *text;

		if (!gelf_getshdr(section, header) ||
		    header->sh_type == SHT_NOBITS)
			continue;
		text = elf_strptr(image->elf, names, header->sh_name);
		if (text && strcmp(text, name) == 0)
			return section;
	}
	return NULL;
}

static bool section_bytes(Elf_Scn *section, const GElf_Shdr *header,
			  struct cfi_bytes *bytes)
{
	Elf_Data *data;

	if (header->sh_size == 0 || header->sh_size > SECTION_SIZE_MAX)
		return false;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return false;
	*bytes = (struct cfi_bytes){ data->d_buf, data->d_size,
				     header->sh_addr };
	return true;
}

static bool raw_bytes(struct cfi_image *image, uint64_t offset, uint64_t size,
		      uint64_t vaddr, struct cfi_bytes *bytes)
{
	Elf_Data *data;

	if (size == 0 || size > SECTION_SIZE_MAX || offset > INT64_MAX)
		return false;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size,
				    ELF_T_BYTE);
	if (!data || !data->d_buf)
		return false;
	*bytes = (struct cfi_bytes){ data->d_buf, data->d_size, vaddr };
	return true;
}

/* Without section headers nothing says where .eh_frame ends: a length of 0
 * in it does, or else the end of its segment. */
static bool frames_by_segment(struct cfi_image *image,
			      const struct cfi_bytes *hdr,
			      struct cfi_bytes *frames)
{
	uint64_t vaddr;

	if (!cfi_hdr_frames(hdr, &vaddr))
		return false;
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct cfi_segment *segment = &image->segments[i];
		uint64_t inside = vaddr - segment->vaddr;

		if (vaddr >= segment->vaddr && inside < segment->file_size)
			return raw_bytes(image, segment->offset + inside,
					 segment->file_size - inside, vaddr,
					 frames);
	}
	return false;
}

bool cfi_image_eh_frame(struct cfi_image *image, struct cfi_bytes *frames,
			struct cfi_bytes *hdr)
{
	GElf_Shdr header;
	Elf_Scn *section;

	*hdr = *frames = (struct cfi_bytes){ 0 };
	raw_bytes(image, image->hdr_offset, image->hdr_size, image->hdr_vaddr,
		  hdr);
	section = section_find(image, ".eh_frame", &header);
	if (section)
		return section_bytes(section, &header, frames);
	return hdr->size != 0 && frames_by_segment(image, hdr, frames);
}

/* Returns false where the section claims to become too large. */
static bool section_decompress(Elf_Scn *section, GElf_Shdr *header)
{
	GElf_Chdr compressed;

	if (!(header->sh_flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(section, &compressed) &&
	       compressed.ch_size <= SECTION_SIZE_MAX &&
	       elf_compress(section, 0, 0) >= 0 &&
	       gelf_getshdr(section, header);
}

bool cfi_image_debug_frame(struct cfi_image *image, struct cfi_bytes *frames)
{
	GElf_Shdr header;
	Elf_Scn *section = section_find(image, ".debug_frame", &header);

	*frames = (struct cfi_bytes){ 0 };
	return section && section_decompress(section, &header) &&
	       section_bytes(section, &header, frames);
}

static size_t image_read(const struct cfi_image *image, uint64_t offset,
			 uint8_t *bytes, size_t size)
{
	ssize_t got;

	if (image->fd >= 0) {
		got = pread(image->fd, bytes, size, (off_t)offset);
		return got < 0 ? 0 : (size_t)got;
	}
	if (offset >= image->memory_size)
		return 0;
	if (size > image->memory_size - offset)
		size = image->memory_size - offset;
	memcpy(bytes, image->memory + offset, size);
	return size;
}

size_t cfi_image_code(const struct cfi_image *image, uint64_t vaddr,
		      uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct cfi_segment *segment = &image->segments[i];
		uint64_t inside = vaddr - segment->vaddr;

		if (!segment->is_executable || vaddr < segment->vaddr ||
		    inside >= segment->file_size)
			continue;
		if (size > segment->file_size - inside)
			size = segment->file_size - inside;
		return image_read(image, segment->offset + inside, bytes, size);
	}
	return 0;
}
