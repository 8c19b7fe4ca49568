/*
 * libFuzzer target of unwinding: a file whose .eh_frame (at 0x2000) and code
 * (at 0x1000) are the input's, hostile registers and a hostile stack. What
 * comes out must be within bounds, and the walk must end.
 *
 *   2 bytes: size of .eh_frame, then it; 32 bytes of code; 17 registers as
 *   16-bit offsets from the stack or the code; the rest is the stack, words
 *   of which the top bits choose what they point to.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define CODE	   0x1000
#define FRAMES	   0x2000
#define IMAGE_SIZE 0x4000
#define BIAS	   0x550000000000ull
#define STACK	   0x7ffc00000000ull
#define MAX	   600

static const char names[] = "\0.eh_frame\0.shstrtab";

static void image_make(uint8_t *image, const uint8_t *frames, uint64_t n_frames,
		       const uint8_t *code)
{
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = 64,
		.e_shoff = 0x200,
		.e_ehsize = 64,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Phdr segment = { PT_LOAD, PF_R | PF_X, 0,		 0,
			       0,	IMAGE_SIZE,  IMAGE_SIZE, 4096 };
	Elf64_Shdr sections[3] = {
		[1] = { 1, SHT_PROGBITS, SHF_ALLOC, FRAMES, FRAMES, n_frames },
		[2] = { 11, SHT_STRTAB, 0, 0, 0x400, sizeof(names) },
	};

	memset(image, 0xcc, IMAGE_SIZE);
	memcpy(image, &header, sizeof(header));
	memcpy(image + 64, &segment, sizeof(segment));
	memcpy(image + 0x200, sections, sizeof(sections));
	memcpy(image + 0x400, names, sizeof(names));
	memcpy(image + CODE, code, 32);
	memcpy(image + FRAMES, frames, n_frames);
}

static bool find(void *context, uint64_t ip, struct unwind_module *module)
{
	if (ip >= BIAS && ip < BIAS + IMAGE_SIZE) {
		*module = (struct unwind_module){ BIAS, BIAS + IMAGE_SIZE, BIAS,
						  context, context };
		return true;
	}
	*module = (struct unwind_module){ 0x10000, 0x20000, 0, NULL, NULL };
	return ip >= 0x10000 && ip < 0x20000; /* JIT code */
}

/* A 16-bit number into an address of one of the places that matter. */
static uint64_t place(uint16_t number)
{
	uint64_t offset = number & 0x3fff;

	switch (number >> 14) {
	case 0:
		return offset;
	case 1:
		return BIAS + CODE + offset % 64;
	case 2:
		return STACK + offset;
	default:
		return 0x10000 + offset;
	}
}

static void walk(struct cfi *cfi, struct cursor *cursor)
{
	struct unwind_regs regs = { .machine = EM_X86_64 };
	struct unwind_modules modules = { find, cfi };
	struct unwind_frame frames[MAX];
	struct unwind_stack stack = { .base = STACK };
	uint8_t *copy;
	size_t count, i, words;
	enum unwind_end end;

	for (i = 0; i < 17; i++) {
		regs.values[i] = place(cursor_u16(cursor));
		regs.known |= 1ull << i;
	}
	words = cursor_left(cursor) / 2;
	copy = calloc(words + 1, 8);
	for (i = 0; i < words; i++) {
		uint64_t word = place(cursor_u16(cursor));

		memcpy(copy + 8 * i, &word, 8);
	}
	stack.size = words * 8 + 3;
	stack.bytes = malloc(stack.size); /* exact: ASan sees its end */
	memcpy((void *)(uintptr_t)stack.bytes, copy, stack.size);
	end = unwind(&regs, &stack, &modules, frames, MAX, &count);
	if (count < 1 || count > MAX || end >= UNWIND_ENDS ||
	    frames[0].ip != regs.values[16] ||
	    (end == UNWIND_TOO_DEEP && count != MAX))
		abort();
	free((void *)(uintptr_t)stack.bytes);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct cursor cursor = cursor_at(bytes, size);
	static uint8_t image[IMAGE_SIZE];
	struct cfi_input input = { -1, image, IMAGE_SIZE, -1 };
	uint16_t n_frames = cursor_u16(&cursor);
	const uint8_t *frames, *code;
	struct cfi *cfi;

	if (n_frames > IMAGE_SIZE - FRAMES)
		return 0;
	frames = cursor_bytes(&cursor, n_frames);
	code = cursor_bytes(&cursor, 32);
	if (!frames || !code)
		return 0;
	image_make(image, frames, n_frames, code);
	if (cfi_new(&cfi, &input, NULL))
		abort();
	walk(cfi, &cursor);
	cfi_free(cfi);
	return 0;
}
