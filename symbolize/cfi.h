/*
 * Call frame information of one ELF file: from an address to the row that
 * tells how to find the caller's frame. A row is parsed once (.eh_frame, else
 * .debug_frame of the file, else that of its separate debug file), compiled
 * to 28 bytes and found again by a hash of the address.
 *
 * Equal rows are kept once: a library of 100,000 functions has a few hundred
 * different ones, so the cache costs 8 to 16 bytes for each address that was
 * ever asked for. It grows up to CFI_CACHE_MAX addresses; then it is emptied
 * and begins anew, which struct cfi_statistics tells.
 *
 * Nothing is global; one cfi is used by one thread at a time.
 */
#ifndef SYMBOLIZE_CFI_H
#define SYMBOLIZE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "perfcore/error.h"
#include "symbolize/cfi_rules.h"

#define CFI_CACHE_MAX (1u << 19)

struct cfi;

struct cfi_input {
	int fd;		   /* ELF file; or -1 and an image in memory */
	const void *image; /* the vDSO */
	uint64_t image_size;
	int debug_fd; /* separate debug file; -1: none */
};

/* What the hot path needs of the rules at one address. Expressions of the
 * form "register plus constant" have become CFI_REGISTER or CFI_AT_REGISTER. */
struct cfi_row {
	struct cfi_rule cfa;	/* CFI_UNSPECIFIED: no information here */
	struct cfi_rule ra, fp; /* return address; rbp or x29 */
	bool is_signal_frame;
	bool is_debug_frame; /* which section expressions are in */
	bool is_simple;	   /* CFA of sp or fp; return address saved at the CFA;
			    * fp the same or saved there; no signal frame */
	bool follows_call; /* only without information: the bytes before
			    * vaddr + 1 are a call instruction */
};

struct cfi_statistics {
	uint64_t parsed;  /* look-ups that the cache could not answer */
	uint64_t emptied; /* times that the cache was full */
	uint64_t bytes;	  /* of the cache, now */
};

/*
 * File and image are borrowed until cfi_free; debug_fd may be closed at once.
 * Returns 0, or -ENOEXEC with
 * error filled where the input is no 64-bit ELF file of x86-64 or AArch64. A
 * file without call frame information is no error: its rows say so.
 */
int cfi_new(struct cfi **cfi, const struct cfi_input *input,
	    struct error *error);
void cfi_free(struct cfi *cfi);

/* EM_X86_64 or EM_AARCH64. */
uint16_t cfi_machine(const struct cfi *cfi);

/* The ELF virtual address of an offset into the file that is executed; false
 * where no executable segment has it. */
bool cfi_vaddr(const struct cfi *cfi, uint64_t file_offset, uint64_t *vaddr);

/* The row at vaddr; for a return address the caller has subtracted 1. Never
 * NULL; valid until the next call with this cfi. */
const struct cfi_row *cfi_find(struct cfi *cfi, uint64_t vaddr);

/* The rules of all registers at vaddr, not cached. Returns false where there
 * are none. *is_debug_frame tells which section expressions are in. */
bool cfi_rules_find(struct cfi *cfi, uint64_t vaddr, struct cfi_rules *rules,
		    bool *is_debug_frame);

/* The operations of an expression that a rule of this cfi refers to. */
struct cursor cfi_expression(const struct cfi *cfi, const struct cfi_rule *rule,
			     bool is_debug_frame);

/* True if the code before vaddr is a call (vaddr may be a return address), or
 * a system call. Not cached. */
bool cfi_follows_call(const struct cfi *cfi, uint64_t vaddr);
bool cfi_follows_syscall(const struct cfi *cfi, uint64_t vaddr);

struct cfi_statistics cfi_statistics(const struct cfi *cfi);

#endif
