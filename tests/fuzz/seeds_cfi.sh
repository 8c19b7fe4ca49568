#!/bin/sh
# seeds_cfi.sh FOLDER: call frame information of system libraries, the first
# 8 KB of a section each, and small whole files.
folder=$1
mkdir -p "$folder"
section() { # NAME FILE SECTION KIND
	objcopy -O binary -j "$3" --set-section-flags "$3=alloc" "$2" "$folder/whole" 2>/dev/null || return
	[ -s "$folder/whole" ] && { printf "$4"; head -c 8000 "$folder/whole"; } >"$folder/$1"
	rm -f "$folder/whole"
}
for file in /lib/x86_64-linux-gnu/lib[cm].so.6 /lib/x86_64-linux-gnu/libgcrypt.so.* \
	/lib/x86_64-linux-gnu/libcrypto.so.* /lib/aarch64-linux-gnu/libc.so.6 /usr/aarch64-linux-gnu/lib/libc.so.6; do
	[ -f "$file" ] && section "eh-$(basename "$file")" "$file" .eh_frame '\000'
done
# The rest of libc's, where its assembly and trampolines are.
objcopy -O binary -j .eh_frame /lib/x86_64-linux-gnu/libc.so.6 "$folder/whole" 2>/dev/null &&
	{ printf '\000'; tail -c 6000 "$folder/whole"; } >"$folder/eh-tail"
rm -f "$folder/whole"
cat >"$folder/seed.c" <<'C'
int f(int n) { char room[n]; __asm__ volatile("" : : "r"(room) : "rbx", "memory"); return room[n / 2]; }
int main(int argc, char **argv) { return argv[f(argc)] != 0; }
C
for flags in '-O2' '-O0 -fno-pie -no-pie' '-O2 -g -fno-asynchronous-unwind-tables' '-O2 -Wl,--no-eh-frame-hdr'; do
	gcc $flags -nostartfiles -nostdlib -Wl,-e,main -Wl,-z,noseparate-code -w "$folder/seed.c" -o "$folder/whole" 2>/dev/null || continue
	section "debug-$(echo "$flags" | cksum | cut -d' ' -f1)" "$folder/whole" .debug_frame '\001'
	gcc $flags -nostartfiles -nostdlib -Wl,-e,main -Wl,-z,noseparate-code -w "$folder/seed.c" -o "$folder/whole" 2>/dev/null
	{ printf '\002'; cat "$folder/whole"; } >"$folder/file-$(echo "$flags" | cksum | cut -d' ' -f1)"
done
rm -f "$folder/whole" "$folder/seed.c"
exit 0
