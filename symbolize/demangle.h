/*
 * Names as people write them: C++ (Itanium ABI), Rust (legacy and v0) and D,
 * through libiberty, within bounds on the input, the depth and the output
 * (cases C59, C60). What cannot be demangled within them stays as it is.
 */
#ifndef SYMBOLIZE_DEMANGLE_H
#define SYMBOLIZE_DEMANGLE_H

#include "perfcore/strings.h"

/* Longer names stay mangled; so do those whose demangled form is longer than
 * DEMANGLE_OUTPUT_MAX bytes. */
#define DEMANGLE_INPUT_MAX  4096
#define DEMANGLE_OUTPUT_MAX 32768

/*
 * Returns the name to show for a symbol's name, interned: demangled, with
 * suffixes such as ".cold" kept ("f() [clone .cold]") and a symbol version
 * ("@@GLIBC_2.14") cut. Never NULL.
 */
const char *demangle_name(struct strings *strings, const char *mangled);

#endif
