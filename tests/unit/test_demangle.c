#include "symbolize/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct name {
	const char *mangled, *shown;
};

static void assert_names(const struct name *names, size_t count)
{
	struct strings *strings = strings_new();

	for (size_t i = 0; i < count; i++)
		assert_string_equal(demangle_name(strings, names[i].mangled),
				    names[i].shown);
	strings_free(strings);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_plain_names(void **state)
{
	static const struct name names[] = {
		{ "main", "main" },
		{ "", "" },
		{ "_", "_" },
		{ "_start", "_start" },
		{ "__libc_read", "__libc_read" },
		{ "_Zero", "_Zero" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "read@plt", "read" },
		{ "@odd", "@odd" },
		{ "f.cold", "f.cold" },
	};

	(void)state;
	assert_names(names, COUNT(names));
}

static void test_c13_overloads_stay_apart(void **state)
{
	static const struct name names[] = {
		{ "_Z1fi", "f(int)" },
		{ "_Z1fb", "f(bool)" },
		{ "_Z3maxIiET_S0_S0_", "int max<int>(int, int)" },
		{ "_Z1fi.cold", "f(int) [clone .cold]" },
		{ "_Z1fi.constprop.0", "f(int) [clone .constprop.0]" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi@@V1",
		  "std::vector<int, std::allocator<int> >::push_back(int&&)" },
	};

	(void)state;
	assert_names(names, COUNT(names));
}

static void test_c59_rust_and_what_looks_like_it(void **state)
{
	static const struct name names[] = {
		/* v0, with its hash, a back reference, and punycode */
		{ "_RNvCskwGfYPst2Cb_3foo16example_function",
		  "foo::example_function" },
		{ "_RNvMCs9ltgdHTiPiY_4coreNtB2_4Cell3new",
		  "<core::Cell>::new" },
		{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____"
		  "7hkackfecea1cbdathfdh9hlq6y",
		  "utf8_idents::"
		  "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94"
		  "\xe1\x83\x9a\xe1\x83\x90\xe1\x83\x93_"
		  "\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98"
		  "\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_"
		  "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a"
		  "\xe1\x83\x98" },
		/* the compiler's suffix is kept apart */
		{ "_RNvCskwGfYPst2Cb_3foo16example_function.llvm.4711",
		  "foo::example_function [clone .llvm.4711]" },
		/* legacy: only with its hash, 17h and 16 digits */
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
		  "core::fmt::Formatter::pad" },
		{ "_ZN4core3ptr13drop_in_place17hdeadbeefE",
		  "_ZN4core3ptr13drop_in_place17hdeadbeefE" },
		/* C++ that looks like Rust */
		{ "_ZN12_GLOBAL__N_113single_threadE",
		  "(anonymous namespace)::single_thread" },
		/* not Rust after all */
		{ "_RNv", "_RNv" },
		{ "_R", "_R" },
		{ "_RNvB_1a", "_RNvB_1a" },
	};

	(void)state;
	assert_names(names, COUNT(names));
}

static void test_d_names(void **state)
{
	static const struct name names[] = {
		{ "_Dmain", "D main" },
		{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()" },
		{ "_Dnothing", "_Dnothing" },
	};

	(void)state;
	assert_names(names, COUNT(names));
}

/* pair<pair<…>, pair<…>> by substitution: each level doubles the output, and
 * makes two substitutions, S0_, S2_, S4_ … being the pairs. */
static void test_c60_exponential_output_is_cut(void **state)
{
	struct strings *strings = strings_new();
	char name[1024] = "_Z1fSt4pairIiiE";
	const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	(void)state;
	for (int i = 0; i < 17; i++) {
		size_t used = strlen(name);

		snprintf(name + used, sizeof(name) - used, "St4pairIS%c_S%c_E",
			 digits[2 * i], digits[2 * i]);
	}
	assert_string_equal(demangle_name(strings, name), name);
	assert_true(strings_bytes(strings) < 1 << 20);
	strings_free(strings);
}

static void fill(char *name, const char *piece, size_t size)
{
	size_t length = strlen(piece), used = strlen(name);

	for (; used + length < size; used += length)
		memcpy(name + used, piece, length + 1);
}

/* Nothing deep, long or self-referring crashes, hangs or is lost. */
static void test_c60_monsters_stay_whole(void **state)
{
	static const char *const pieces[] = {
		"P",	      "I1AI1A",	  "N1a1bE",	"X1a",	    "cv",
		"NvC1aNvC1b", "SSS_1aT_", "Dp1a1b__Dp", "BaBbBcBd", "QaQbQc",
		"DpDpDTclL",  "__S4a_FM", "RNvB_",	"IIIIIIIII"
	};
	static const char *const heads[] = { "_Z1f", "_ZN", "_R",
					     "_RI",  "_D",  "_RNv" };
	static char name[65536];
	struct strings *strings = strings_new();
	const size_t sizes[] = { 100, 2048, DEMANGLE_INPUT_MAX + 1, 10240,
				 sizeof(name) };

	(void)state;
	for (size_t head = 0; head < COUNT(heads); head++)
		for (size_t i = 0; i < COUNT(pieces); i++)
			for (size_t j = 0; j < COUNT(sizes); j++) {
				const char *shown;

				snprintf(name, sizeof(name), "%s", heads[head]);
				fill(name, pieces[i], sizes[j]);
				shown = demangle_name(strings, name);
				assert_non_null(shown);
				if (strlen(name) > DEMANGLE_INPUT_MAX)
					assert_string_equal(shown, name);
				assert_true(strlen(shown) < sizeof(name));
			}
	strings_free(strings);
}

/* Found by fuzzing: minutes in libiberty. A real binder is demangled. */
static void test_c60_binders_of_a_billion_lifetimes(void **state)
{
	static const struct name names[] = {
		{ "_RMMC1FFGFC1FFGFFF_", "_RMMC1FFGFC1FFGFFF_" },
		{ "_RMMC1FFDGzzzzz_C1F", "_RMMC1FFDGzzzzz_C1F" },
		{ "_RINvC1c1fFG_RL0_hEuE", "c::f::<for<'a> fn(&'a u8)>" },
	};

	(void)state;
	assert_names(names, COUNT(names));
}

/* A name of 2 KB, such as expression templates have, is demangled. */
static void test_c60_long_names_are_demangled(void **state)
{
	struct strings *strings = strings_new();
	char name[2300] = "_Z1f";

	(void)state;
	fill(name, "St4pairIiiE", 2048);
	assert_true(strncmp(demangle_name(strings, name),
			    "f(std::pair<int, int>, ", 23) == 0);
	strings_free(strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_c13_overloads_stay_apart),
		cmocka_unit_test(test_c59_rust_and_what_looks_like_it),
		cmocka_unit_test(test_d_names),
		cmocka_unit_test(test_c60_exponential_output_is_cut),
		cmocka_unit_test(test_c60_monsters_stay_whole),
		cmocka_unit_test(test_c60_binders_of_a_billion_lifetimes),
		cmocka_unit_test(test_c60_long_names_are_demangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
