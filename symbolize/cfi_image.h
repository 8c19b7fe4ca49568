/*
 * The parts of an ELF file that unwinding needs: call frame sections and the
 * code itself. From an open file or an image in memory (the vDSO), with
 * section headers or without. Sections are read, not mapped: a file that is
 * cut short while it runs must not take the profiler down with SIGBUS.
 */
#ifndef SYMBOLIZE_CFI_IMAGE_H
#define SYMBOLIZE_CFI_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "perfcore/error.h"
#include "symbolize/cfi_section.h"

struct cfi_segment { /* a PT_LOAD */
	uint64_t vaddr, offset, file_size;
	bool is_executable;
};

struct cfi_image {
	Elf *elf;
	int fd;		       /* borrowed; -1 for an image in memory */
	const uint8_t *memory; /* borrowed; NULL for a file */
	uint64_t memory_size;
	uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
	struct cfi_segment *segments;
	size_t n_segments;
	uint64_t hdr_vaddr, hdr_offset, hdr_size; /* PT_GNU_EH_FRAME; 0: none */
};

/* fd, or memory of that size where fd is -1; both must stay until
 * cfi_image_close. Returns 0, or -ENOEXEC with error filled for anything but
 * a 64-bit little-endian ELF file of a machine we know. */
int cfi_image_open(struct cfi_image *image, int fd, const void *memory,
		   uint64_t size, struct error *error);
void cfi_image_close(struct cfi_image *image);

/* .eh_frame and .eh_frame_hdr (size 0: there is none), by the section
 * headers or else by the program headers. Returns false where there is no
 * .eh_frame. The bytes live as long as the image. */
bool cfi_image_eh_frame(struct cfi_image *image, struct cfi_bytes *frames,
			struct cfi_bytes *hdr);

/* .debug_frame, decompressed. Returns false where there is none. */
bool cfi_image_debug_frame(struct cfi_image *image, struct cfi_bytes *frames);

/* Reads up to size bytes of executable code at vaddr; returns how many. */
size_t cfi_image_code(const struct cfi_image *image, uint64_t vaddr,
		      uint8_t *bytes, size_t size);

#endif
