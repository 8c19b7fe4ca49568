/*
 * Go's function table in every version, assembled here around two functions.
 * A real Go program is in tests/live/names.sh.
 */
#include "symbolize/pclntab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "built.h"
#include "perfcore/mem.h"

/* What stands before and behind the table in all versions. */
#define HEAD                                                                   \
	".text\nbegin:\n.globl _start\n_start: nop\n"                          \
	"foo: .fill 16, 1, 0x90\n.quad 0x1122334455667701\n"                   \
	"bar: .fill 16, 1, 0x90\n.quad 0x1122334455667702\n"                   \
	"end: .fill 64, 1, 0x90\n.quad 0x1122334455667703\n"                   \
	".section .gopclntab, \"a\"\ntab:\n"
#define NAMES "names: .asciz \"main.foo\"\nn2: .asciz \"main.(*T).bar\"\n"

static const char version_20[] =
	".long 0xfffffff1\n.byte 0, 0, 1, 8\n.quad 2, 0\n"
	".quad %s, names - tab, 0, 0, 0, functions - tab\n" NAMES
	"functions: .long foo - begin, f1 - functions\n"
	".long bar - begin, f2 - functions, end - begin\n"
	"f1: .long foo - begin, 0\n"
	"f2: .long bar - begin, n2 - names\n";

static const char version_16[] =
	".long 0xfffffffa\n.byte 0, 0, 1, 8\n.quad 2, 0\n"
	".quad names - tab, 0, 0, 0, functions - tab\n" NAMES
	"functions: .quad foo, f1 - functions\n"
	".quad bar, f2 - functions, end\n"
	"f1: .quad foo\n.long 0\n"
	"f2: .quad bar\n.long n2 - names\n";

static const char version_2[] = ".long 0xfffffffb\n.byte 0, 0, 1, 8\n.quad 2\n"
				"functions: .quad foo, f1 - tab\n"
				".quad bar, f2 - tab, end\n"
				"f1: .quad foo\n.long names - tab\n"
				"f2: .quad bar\n.long n2 - tab\n" NAMES;

#define BEHIND 0x1122334455667703

static void assert_go(struct built *built, const char *table)
{
	char *source = mem_printf("%s%s", HEAD, table);

	built_write(built, "go.s", source);
	free(source);
	built_run(built, "gcc -nostdlib -no-pie -s go.s -o p");
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "main.foo");
	assert_string_equal(built_name_of(built, BUILT_BAR), "main.(*T).bar");
	/* C41: beyond the table there is no name */
	assert_string_equal(built_name_of(built, BEHIND), "");
}

static void test_c41_versions(void **state)
{
	char text[1024];

	assert_go(*state, version_2);
	assert_go(*state, version_16);
	snprintf(text, sizeof(text), version_20, "begin");
	assert_go(*state, text);
	text[strlen(".long 0xfffffff")] = '0'; /* 1.18 has the same layout */
	assert_go(*state, text);
}

/* Position-independent: the text's address in the file is 0. */
static void test_c41_text_before_relocation(void **state)
{
	char text[1024];

	snprintf(text, sizeof(text), version_20, "0");
	assert_go(*state, text);
}

static void test_hostile_tables(void **state)
{
	static const char *const tables[] = {
		".long 0xfffffff1\n",
		".long 0xfffffff1\n.byte 0, 0, 1, 8\n.quad -1, -1\n",
		".long 0xfffffff1\n.byte 0, 0, 1, 8\n.quad 2, 0, 0, -1, -1, "
		"-1, -1, -1\n",
		".long 0xfffffff1\n.byte 0, 0, 1, 9\n.quad 2, 0\n",
		".long 0xfffffffb\n.byte 0, 0, 1, 8\n.quad 40\n.quad foo, -1\n",
		".long 0xfffffffa\n.byte 0, 0, 1, 4\n.fill 64, 1, 0xff\n",
	};
	struct built *built = *state;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		char *source = mem_printf("%s%s", HEAD, tables[i]);

		built_write(built, "go.s", source);
		free(source);
		built_run(built, "gcc -nostdlib -no-pie -s go.s -o p");
		built_open(built, "p");
		assert_string_equal(built_name_of(built, BUILT_FOO), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUILT_TEST(test_c41_versions),
		BUILT_TEST(test_c41_text_before_relocation),
		BUILT_TEST(test_hostile_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
