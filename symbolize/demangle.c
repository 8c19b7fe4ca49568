#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* libiberty refuses names that might need more than 2,048 components; at
 * this length it would refuse good ones, and is told not to. */
#define RECURSION_SAFE 1024

/* The D demangler gives no way to stop it: back references ('Q') may double
 * the output with every few letters, so such names must be short. */
#define D_INPUT_MAX   1024
#define D_BACKREF_MAX 96

#define BASE_62 "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct output {
	jmp_buf too_long;
	size_t used;
	char text[DEMANGLE_OUTPUT_MAX];
};

/*
 * Called for every piece of output. Substitutions let a short name grow
 * without end, and libiberty has no way to be told to stop but a jump out of
 * it: it keeps its state on the stack, so nothing is lost by that.
 */
static void output_append(const char *text, size_t length, void *context)
{
	struct output *output = context;

	if (!length) /* text may be NULL then */
		return;
	if (length >= sizeof(output->text) - output->used)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->used, text, length);
	output->used += length;
}

static bool demangle_cxx(struct output *output, const char *mangled,
			 size_t length)
{
	const int options =
		DMGL_PARAMS | DMGL_ANSI |
		(length > RECURSION_SAFE ? DMGL_NO_RECURSE_LIMIT : 0);

	output->used = 0;
	if (setjmp(output->too_long))
		return false;
	return cplus_demangle_v3_callback(mangled, options, output_append,
					  output);
}

/*
 * A v0 binder, FG…_ or DG…_, tells a number of lifetimes in base 62, and
 * libiberty counts through them, in an impl's path without any output: 19
 * letters took it minutes. No code has 3,844 of them; but one crate's hash in
 * some hundred looks like that, and its names stay mangled.
 */
static bool has_huge_binder(const char *mangled)
{
	for (const char *at = strchr(mangled, 'G'); at; at = strchr(at, 'G')) {
		size_t digits = strspn(at + 1, BASE_62);

		if (digits >= 3 && at[1 + digits] == '_' &&
		    (at[-1] == 'F' || at[-1] == 'D'))
			return true;
		at++;
	}
	return false;
}

static bool demangle_rust(struct output *output, const char *mangled)
{
	if (mangled[1] == 'R' && has_huge_binder(mangled))
		return false;
	output->used = 0;
	if (setjmp(output->too_long))
		return false;
	return rust_demangle_callback(mangled, 0, output_append, output);
}

/* "_RNvCs1_3foo.llvm.123": what follows the dot is the compiler's, shown as
 * libiberty shows it for C++. */
static bool demangle_rust_suffixed(struct output *output, const char *mangled,
				   size_t length)
{
	const char *dot = strchr(mangled, '.');
	char plain[DEMANGLE_INPUT_MAX + 1];

	if (!dot || mangled[1] != 'R')
		return demangle_rust(output, mangled);
	memcpy(plain, mangled, (size_t)(dot - mangled));
	plain[dot - mangled] = '\0';
	length -= (size_t)(dot - mangled);
	if (!demangle_rust(output, plain) ||
	    output->used + length + 10 > sizeof(output->text))
		return false;
	output_append(" [clone ", 8, output);
	output_append(dot, length, output);
	output_append("]", 1, output);
	return true;
}

static const char *demangle_d(struct strings *strings, const char *mangled,
			      size_t length)
{
	const char *name;
	char *text;

	if (length > (strchr(mangled, 'Q') ? D_BACKREF_MAX : D_INPUT_MAX))
		return NULL;
	text = dlang_demangle(mangled, DMGL_PARAMS);
	name = text && strlen(text) < DEMANGLE_OUTPUT_MAX
		       ? strings_intern(strings, text)
		       : NULL;
	free(text);
	return name;
}

/* mangled is without its version and not longer than DEMANGLE_INPUT_MAX. */
static const char *demangle_plain(struct strings *strings, const char *mangled,
				  size_t length)
{
	struct output output;

	if (mangled[0] != '_' || !mangled[1])
		return NULL;
	if (mangled[1] == 'D')
		return demangle_d(strings, mangled, length);
	/* Rust first: its legacy names are C++ names with a hash behind. */
	if ((mangled[1] == 'R' || mangled[1] == 'Z' || mangled[1] == '_') &&
	    (demangle_rust_suffixed(&output, mangled, length) ||
	     demangle_cxx(&output, mangled, length)))
		return strings_intern_n(strings, output.text, output.used);
	return NULL;
}

const char *demangle_name(struct strings *strings, const char *mangled)
{
	const char *version = mangled[0] ? strchr(mangled + 1, '@') : NULL;
	size_t length = version ? (size_t)(version - mangled) : strlen(mangled);
	char plain[DEMANGLE_INPUT_MAX + 1];
	const char *name;

	if (length > DEMANGLE_INPUT_MAX)
		return strings_intern(strings, mangled);
	memcpy(plain, mangled, length);
	plain[length] = '\0';
	name = demangle_plain(strings, plain, length);
	return name ? name : strings_intern_n(strings, plain, length);
}
