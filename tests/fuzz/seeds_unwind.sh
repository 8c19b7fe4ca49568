#!/bin/sh
# seeds_unwind.sh FOLDER: the tables of a few functions, linked to where
# fuzz_unwind puts them, then code, registers and a stack.
folder=$1
mkdir -p "$folder"
cat >"$folder/seed.s" <<'S'
	.text
	.globl _start
_start:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	push %rbx
	.cfi_offset rbx, -24
	call _start
	pop %rbx
	pop %rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
two:	.cfi_startproc
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6
	.cfi_escape 0x10, 6, 2, 0x76, 0
	call two
	.cfi_endproc
three:	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1
	.cfi_def_cfa rbx, 16
	nop
	.cfi_endproc
S
as "$folder/seed.s" -o "$folder/seed.o" &&
	ld -Ttext=0x1000 --section-start=.eh_frame=0x2000 "$folder/seed.o" -o "$folder/seed" 2>/dev/null &&
	objcopy -O binary -j .eh_frame "$folder/seed" "$folder/frames" &&
	objcopy -O binary -j .text "$folder/seed" "$folder/code" || exit 0
{
	size=$(stat -c %s "$folder/frames")
	printf "\\$(printf %03o $((size % 256)))\\$(printf %03o $((size / 256)))"
	cat "$folder/frames"
	head -c 32 "$folder/code"
	for i in 1 2 3 4 5 6; do printf '\020\200'; done # registers into the stack
	printf '\040\200\000\200'			 # rbp, rsp
	for i in 1 2 3 4 5 6 7 8; do printf '\000\000'; done
	printf '\010\100' # pc in the code
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf '\012\100\060\200\000\000\001\300'; done
} >"$folder/walk"
rm -f "$folder/seed.s" "$folder/seed.o" "$folder/seed" "$folder/frames" "$folder/code"
exit 0
