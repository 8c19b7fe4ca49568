/*
 * What differs between the machines that can be unwound: which registers are
 * the special ones, what a call and the return from a signal look like.
 * Machines are numbered as in ELF: EM_X86_64, EM_AARCH64; registers as in
 * DWARF, the program counter after the last of them.
 */
#ifndef SYMBOLIZE_MACHINE_H
#define SYMBOLIZE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/cfi_rules.h"

struct machine_registers {
	uint16_t sp, fp, pc; /* pc is never above CFI_REGISTERS - 1 */
	uint16_t link; /* holds a leaf's return address; = pc: no such one */
};

/* What the machine does to a return address that has been signed: an address
 * & mask is the address. */
uint64_t machine_address_mask(uint16_t machine);

struct machine_registers machine_registers(uint16_t machine);

/* The DWARF number of a register by perf's number (asm/perf_regs.h), or
 * CFI_REGISTERS for one that is of no use here. */
uint16_t machine_perf_register(uint16_t machine, unsigned perf_register);

/* Where the return address is when a row does not say. */
struct cfi_rule machine_default_ra(uint16_t machine);

/* True if the MACHINE_CALL_MAX bytes of code end in a call instruction, or in
 * what a goroutine's first function returns behind. */
#define MACHINE_CALL_MAX 7
bool machine_ends_in_call(uint16_t machine, const uint8_t *code);

/* True if the MACHINE_CALL_MAX bytes of code end in a system call. */
bool machine_ends_in_syscall(uint16_t machine, const uint8_t *code);

/* True if the code is what a signal handler returns to: the system call
 * rt_sigreturn. MACHINE_SIGRETURN_MAX bytes are enough to tell. */
#define MACHINE_SIGRETURN_MAX 9
bool machine_is_sigreturn(uint16_t machine, const uint8_t *code, size_t size);

/* The rules that hold there: all registers are in the kernel's signal frame
 * (struct rt_sigframe) above the stack pointer. */
void machine_sigreturn_rules(uint16_t machine, struct cfi_rules *rules);

#endif
