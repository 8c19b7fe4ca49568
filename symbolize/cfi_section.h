/*
 * A section of call frame information: the bytes of .eh_frame or .debug_frame,
 * and from an address to its entry (FDE). The bytes are hostile.
 * Formats: DWARF 5 section 6.4.1; Linux Standard Base Core, "Exception
 * Frames" (.eh_frame, .eh_frame_hdr).
 */
#ifndef SYMBOLIZE_CFI_SECTION_H
#define SYMBOLIZE_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"

struct cfi_bytes { /* part of a file, and where it is in memory */
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;
};

struct cfi_index_entry {
	uint64_t start;
	uint64_t offset; /* of the FDE */
};

struct cfi_section {
	struct cfi_bytes frames; /* size 0: there is no such section */
	bool is_debug_frame;

	/* The search table of .eh_frame_hdr, where there is one we can use:
	 * pairs of 32-bit numbers relative to hdr_vaddr, sorted. */
	const uint8_t *table;
	size_t n_table;
	uint64_t hdr_vaddr;

	/* Else our own, made at the first look-up. */
	bool is_indexed;
	struct cfi_index_entry *index;
	size_t n_index;
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra; /* register of the return address */
	uint8_t pointer_encoding;
	bool has_augmentation_size;
	bool is_signal_frame;
	struct cursor program; /* the first instructions of every FDE */
};

struct cfi_fde {
	uint64_t start, end; /* covers start <= vaddr < end */
	struct cfi_cie cie;
	struct cursor program;
};

/* hdr is the .eh_frame_hdr, or NULL. Both are borrowed. */
void cfi_section_init(struct cfi_section *section,
		      const struct cfi_bytes *frames, bool is_debug_frame,
		      const struct cfi_bytes *hdr);
void cfi_section_destroy(struct cfi_section *section);

/* Where a .eh_frame_hdr says that .eh_frame begins. Returns false where it
 * does not say, or is damaged. */
bool cfi_hdr_frames(const struct cfi_bytes *hdr, uint64_t *vaddr);

/* Finds the entry that covers vaddr. Returns false where none does, or where
 * it is damaged: then this one is lost, and no other. */
bool cfi_section_find(struct cfi_section *section, uint64_t vaddr,
		      struct cfi_fde *fde);

/* Reads the pointer of the given encoding (DW_EH_PE_*) at the cursor, which
 * must be one into the section's frames. Fails the cursor where the encoding
 * is none of those that a file can answer. */
uint64_t cfi_section_pointer(const struct cfi_section *section,
			     struct cursor *cursor, uint8_t encoding);

#endif
