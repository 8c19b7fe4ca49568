#!/bin/sh
# Seeds for fuzz_module: small files in many layouts. usage: seeds_module.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"
cat >s.c <<'C'
int n; void f0(void); __attribute__((cold, noinline)) void rare(void) { n++; }
static inline __attribute__((always_inline)) void inner(int x) { n += x; }
__attribute__((noinline)) int f(int x) { if (x == 3) { rare(); n *= 3; } inner(x); f0(); return n; }
C
lib="-O2 -g -shared -fPIC -nostdlib s.c"
for version in 2 3 4 5; do
	gcc $lib -gdwarf-$version -o gcc$version.so
done
clang $lib -gdwarf-5 -o clang5.so
gcc $lib -gz=zlib -o zlib.so
gcc $lib -gz=zlib-gnu -o zdebug.so
gcc $lib -gsplit-dwarf -o split.so
gcc $lib -fcf-protection -Wl,-z,ibtplt -o ibt.so
llvm-objcopy --strip-sections gcc5.so sectionless.so
gcc -O1 -shared -fPIC -nostdlib -s s.c -o stripped.so
xz -k -f stripped.so && objcopy --add-section .gnu_debugdata=stripped.so.xz stripped.so mini.so
gcc -O2 -g -m32 -shared -nostdlib s.c -o i386.so 2>/dev/null || true
rm -f s.c ./*.dwo ./*.xz
