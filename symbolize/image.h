/*
 * One ELF file, mapped read-only or borrowed from memory, behind bounds
 * checks: its program headers, sections and notes. Nothing of a file without
 * section headers is lost that the loader itself can find (case C21).
 *
 * Pages are only touched where something is looked up, so a mapped file
 * costs little memory.
 */
#ifndef SYMBOLIZE_IMAGE_H
#define SYMBOLIZE_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/error.h"
#include "symbolize/module.h"

struct image {
	Elf *elf; /* for libdw; lives until image_destroy */
	const uint8_t *bytes;
	size_t size;
	bool is_mapped; /* bytes are ours to unmap */
	bool is_owned;	/* bytes are ours to free */
	uint16_t machine, type;
	bool has_sections;
	struct module_segment *segments; /* the PT_LOADs, in file order */
	uint32_t n_segments;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: none */
	bool is_gnu_build_id;  /* false: Go's */
};

struct image_section {
	Elf_Scn *scn;
	GElf_Shdr header;
};

/* fd is borrowed for the call only. path is for messages. Returns 0 or
 * -errno with error filled: -ENOEXEC where the bytes are no ELF file. */
int image_open(struct image *image, int fd, const char *path,
	       struct error *error);

/* bytes are borrowed until image_destroy. */
int image_memory(struct image *image, const void *bytes, size_t size,
		 const char *path, struct error *error);

/* bytes were allocated, and are freed by image_destroy, or on failure. */
int image_adopt(struct image *image, void *bytes, size_t size, const char *path,
		struct error *error);

/*
 * From now on a mapped file that somebody truncates reads as zeros beyond its
 * new end, where touching it would kill the process (SIGBUS). For the whole
 * process; calling it again changes nothing.
 */
void image_survive_truncation(void);

void image_destroy(struct image *image);

/* The file is of the other byte order than this machine. */
bool image_is_swapped(const struct image *image);

/* Finds a section by name, or the first one of a type (SHT_*). */
bool image_section(const struct image *image, const char *name,
		   struct image_section *section);
bool image_section_of_type(const struct image *image, uint32_t type,
			   struct image_section *section);

/* The bytes of a section as they are in the file; NULL where it has none or
 * they are not within the file. Valid until image_destroy. */
const uint8_t *image_section_bytes(const struct image *image,
				   const struct image_section *section,
				   size_t *size);

/* The first program header of a type (PT_*). */
bool image_header(const struct image *image, uint32_t type, GElf_Phdr *header);

/* The value of the first entry of PT_DYNAMIC with that tag (DT_*). */
bool image_dynamic(const struct image *image, int64_t tag, uint64_t *value);

/* The segment that holds an ELF virtual address, or NULL. */
const struct module_segment *image_segment(const struct image *image,
					   uint64_t vaddr);

/* File offset to ELF virtual address, by the PT_LOAD that holds the offset. */
bool image_vaddr(const struct image *image, uint64_t file_offset,
		 uint64_t *vaddr);

/* ELF virtual address to file offset, where the file holds that address. */
bool image_offset(const struct image *image, uint64_t vaddr,
		  uint64_t *file_offset);

/* Up to size bytes at an ELF virtual address: *left is how many are there. */
const uint8_t *image_at(const struct image *image, uint64_t vaddr,
			size_t *left);

/* Tells the kernel that a mapped file's pages are not needed for now. */
void image_forget(const struct image *image);

#endif
