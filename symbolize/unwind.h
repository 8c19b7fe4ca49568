/*
 * Unwinding: from the registers and the copied stack of one sample to the
 * frames of its callers, and how the walk ended. A pure function: it asks
 * nothing of the kernel, allocates nothing and keeps nothing. Frames are found
 * by call frame information, where there is none by the frame pointer, and
 * otherwise not at all: what the copy does not hold is never invented.
 */
#ifndef SYMBOLIZE_UNWIND_H
#define SYMBOLIZE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/event.h"
#include "symbolize/cfi.h"

struct unwind_regs {
	uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
	uint64_t known;	  /* a bit for each register that has a value */
	uint64_t values[CFI_REGISTERS]; /* by machine.h's numbers */
};

struct unwind_stack {
	const uint8_t *bytes; /* borrowed */
	uint64_t size;	      /* bytes that were really copied */
	uint64_t base;	      /* address of the first: the stack pointer */
};

/* What is mapped at an address, executable. */
struct unwind_module {
	uint64_t start, end; /* the mapping: start <= ip < end */
	uint64_t bias;	     /* ip - bias is the ELF virtual address */
	struct cfi *cfi;     /* NULL: no file or none that can be read */
	const void *owner;   /* the caller's own; handed on to the frame */
};

struct unwind_modules {
	/* Returns false where nothing executable is mapped at ip. */
	bool (*find)(void *context, uint64_t ip, struct unwind_module *module);
	void *context;
};

struct unwind_frame {
	uint64_t ip;
	const void *owner;	/* of the module; NULL where none was found */
	bool is_return_address; /* ip is behind a call */
	bool is_signal_frame;	/* a signal trampoline */
	bool is_by_fp;		/* its caller was found by frame pointer */
};

enum unwind_end {
	UNWIND_COMPLETE,  /* start of the process, thread or coroutine */
	UNWIND_TRUNCATED, /* the copy ends before the stack does */
	UNWIND_NO_INFO,	  /* code without CFI and no frame pointer chain */
	UNWIND_BAD_DATA,  /* CFI or stack contradict themselves */
	UNWIND_TOO_DEEP,  /* more frames than the caller has room for */
	UNWIND_ENDS
};

/*
 * Fills frames, leaf first, and *count, at most max. The leaf is always there
 * (max is at least 1); a frame that is not the last of a complete stack says
 * nothing of what comes after it.
 */
enum unwind_end unwind(const struct unwind_regs *regs,
		       const struct unwind_stack *stack,
		       const struct unwind_modules *modules,
		       struct unwind_frame *frames, size_t max, size_t *count);

/*
 * The registers of a sample. Returns false where the sample has none, or has
 * neither program counter nor stack pointer, or is of 32-bit code.
 */
bool unwind_regs_from_sample(const struct sample_regs *sample, uint16_t machine,
			     struct unwind_regs *regs);

/* The address to name a frame by: inside the call for a return address (case
 * C01), but a signal trampoline is not called: its first byte is. */
static inline uint64_t unwind_frame_lookup(const struct unwind_frame *frame)
{
	return frame->ip -
	       (frame->is_return_address && !frame->is_signal_frame);
}

/* The stack pointer: the address that the stack's copy begins at. */
uint64_t unwind_regs_sp(const struct unwind_regs *regs);
uint64_t unwind_regs_pc(const struct unwind_regs *regs);

#endif
