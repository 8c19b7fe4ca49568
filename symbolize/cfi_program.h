/*
 * The program of call frame instructions: run from the start of a function to
 * an address, it leaves the rules that hold there. DWARF 5 section 6.4.2.
 */
#ifndef SYMBOLIZE_CFI_PROGRAM_H
#define SYMBOLIZE_CFI_PROGRAM_H

#include <stdint.h>

#include "symbolize/cfi_rules.h"
#include "symbolize/cfi_section.h"

/*
 * Runs fde's program (of that section) up to vaddr, which fde covers. Returns
 * 0, or -EBADMSG where the program is damaged or asks for what no compiler
 * writes (more than 16 remembered states, offsets beyond 2 GB).
 */
int cfi_program_run(const struct cfi_section *section,
		    const struct cfi_fde *fde, uint64_t vaddr,
		    struct cfi_rules *rules);

#endif
