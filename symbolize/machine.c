#include "symbolize/machine.h"

#include <elf.h>
#include <string.h>

/* x86-64 user addresses have 47 or 56 bits, and nothing is hidden in them. On
 * AArch64 bits 48 to 54 and 56 to 63 may hold a signature. */
#define AARCH64_ADDRESS_MASK 0x0000ffffffffffffull

struct machine_registers machine_registers(uint16_t machine)
{
	if (machine == EM_AARCH64)
		return (struct machine_registers){
			.sp = 31, .fp = 29, .pc = 32, .link = 30
		};
	return (struct machine_registers){
		.sp = 7, .fp = 6, .pc = 16, .link = 16
	};
}

uint64_t machine_address_mask(uint16_t machine)
{
	return machine == EM_AARCH64 ? AARCH64_ADDRESS_MASK : UINT64_MAX;
}

/* perf: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 … R15. */
static const uint8_t x86_64_perf[] = {
	0,  3,	2,  1,	4, 5, 6,  7,  16, 99, 99, 99,
	99, 99, 99, 99, 8, 9, 10, 11, 12, 13, 14, 15,
};

uint16_t machine_perf_register(uint16_t machine, unsigned perf_register)
{
	if (machine == EM_AARCH64) /* X0 … X29, LR, SP, PC */
		return perf_register < CFI_REGISTERS ? (uint16_t)perf_register
						     : CFI_REGISTERS;
	if (perf_register >= sizeof(x86_64_perf) ||
	    x86_64_perf[perf_register] >= CFI_REGISTERS)
		return CFI_REGISTERS;
	return x86_64_perf[perf_register];
}

struct cfi_rule machine_default_ra(uint16_t machine)
{
	if (machine == EM_AARCH64)
		return (struct cfi_rule){ .kind = CFI_SAME };
	return (struct cfi_rule){ .kind = CFI_OFFSET, .offset = -8 };
}

/* The length of "call through a register or memory" (ff /2) by its ModRM
 * byte and, after it, its SIB byte. Intel SDM volume 2, table 2-2. */
static unsigned call_length(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	unsigned length = 2;

	if (mod != 3 && rm == 4)
		length++;
	if (mod == 1)
		length += 1;
	else if (mod == 2 || (mod == 0 && rm == 5) ||
		 (mod == 0 && rm == 4 && (sib & 7) == 5))
		length += 4;
	return length;
}

static bool x86_64_ends_in_call(const uint8_t *code)
{
	const uint8_t *end = code + MACHINE_CALL_MAX;

	/* Go's goexit is not called but returned to, behind its first byte:
	 * a nop. */
	if (end[-5] == 0xe8 || end[-1] == 0x90)
		return true;
	for (unsigned length = 2; length <= MACHINE_CALL_MAX; length++) {
		const uint8_t *at = end - length;
		uint8_t sib = length > 2 ? at[2] : 0;

		if (at[0] == 0xff && (at[1] & 0x38) == 0x10 &&
		    call_length(at[1], sib) == length)
			return true;
	}
	return false;
}

/* BL, or BLR and its forms that authenticate (BLRAA …). */
static bool aarch64_is_call(uint32_t instruction)
{
	return (instruction & 0xfc000000) == 0x94000000 ||
	       (instruction & 0xfeffe000) == 0xd63f0000;
}

bool machine_ends_in_call(uint16_t machine, const uint8_t *code)
{
	uint32_t instruction;

	if (machine != EM_AARCH64)
		return x86_64_ends_in_call(code);
	memcpy(&instruction, code + MACHINE_CALL_MAX - sizeof(instruction),
	       sizeof(instruction));
	return aarch64_is_call(instruction);
}

bool machine_ends_in_syscall(uint16_t machine, const uint8_t *code)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	static const uint8_t svc[] = { 0x01, 0x00, 0x00, 0xd4 };
	const uint8_t *end = code + MACHINE_CALL_MAX;

	if (machine == EM_AARCH64)
		return memcmp(end - sizeof(svc), svc, sizeof(svc)) == 0;
	return memcmp(end - sizeof(syscall), syscall, sizeof(syscall)) == 0;
}

static bool begins_with(const uint8_t *code, size_t size, const void *bytes,
			size_t n_bytes)
{
	return size >= n_bytes && memcmp(code, bytes, n_bytes) == 0;
}

bool machine_is_sigreturn(uint16_t machine, const uint8_t *code, size_t size)
{
	/* mov $15, %rax (or %eax); syscall */
	static const uint8_t wide[] = { 0x48, 0xc7, 0xc0, 0x0f, 0,
					0,    0,    0x0f, 0x05 };
	static const uint8_t narrow[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* mov x8, #139; svc #0 */
	static const uint8_t aarch64[] = { 0x68, 0x11, 0x80, 0xd2,
					   0x01, 0x00, 0x00, 0xd4 };

	if (machine == EM_AARCH64)
		return begins_with(code, size, aarch64, sizeof(aarch64));
	return begins_with(code, size, wide, sizeof(wide)) ||
	       begins_with(code, size, narrow, sizeof(narrow));
}

/* Offsets from the stack pointer to the registers, in DWARF's order: struct
 * ucontext is at 0, its uc_mcontext.gregs at 40 (asm/sigcontext.h). */
static const uint8_t x86_64_saved[] = {
	144, 136, 152, 128, 112, 104, 120, 160, 40,
	48,  56,  64,  72,  80,	 88,  96,  168,
};

/* struct rt_sigframe: siginfo of 128 bytes, ucontext with uc_mcontext at 176,
 * in it the fault address and then x0 … x30, sp, pc. */
#define AARCH64_SAVED (128 + 176 + 8)

void machine_sigreturn_rules(uint16_t machine, struct cfi_rules *rules)
{
	struct machine_registers special = machine_registers(machine);

	*rules =
		(struct cfi_rules){ .ra = special.pc, .is_signal_frame = true };
	for (uint16_t i = 0; i <= special.pc; i++)
		rules->regs[i] =
			(struct cfi_rule){ CFI_AT_REGISTER, special.sp,
					   machine == EM_AARCH64
						   ? AARCH64_SAVED + 8 * i
						   : x86_64_saved[i] };
	rules->cfa = rules->regs[special.sp];
}
