/*
 * Files of other machines, of 32 bits and of the other byte order: their
 * symbols, PLT and DWARF are read like our own's.
 */
#include "symbolize/module.h"

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
#include "symbolize/image.h"
#include "symbolize/plt.h"

static const char source[] =
	"int counter; void ext(int);\n"
	"static inline __attribute__((always_inline)) void inl(int x)\n"
	"{ counter += x; ext(x); }\n"
	"__attribute__((noinline)) void foo(int a)\n"
	"{ inl(a); inl(a * 3); ext(counter); }\n";

static void build(struct built *built, const char *target)
{
	char *command = mem_printf("clang --target=%s -O2 -g -shared -fPIC "
				   "-nostdlib -fuse-ld=lld p.c -o p && "
				   "llvm-nm p | grep ' foo$' >foo",
				   target);

	built->want_inlines = true;
	built_write(built, "p.c", source);
	built_run(built, command);
	built_open(built, "p");
	free(command);
}

/* Where llvm-nm says that foo is. */
static uint64_t foo_address(const struct built *built)
{
	char path[128], line[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/foo", built->dir);
	file = fopen(path, "r");
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	return strtoull(line, NULL, 16);
}

static void assert_foo(struct built *built)
{
	static struct module_lookup lookup;
	const struct module_line *outer;
	unsigned inlined = 0;

	for (uint64_t offset = 0; offset < 64; offset += 2) {
		module_symbolize(built->module, foo_address(built) + offset,
				 &lookup);
		outer = &lookup.lines[lookup.n_lines - 1];
		if (offset >= 24 &&
		    (!lookup.n_lines || strcmp(outer->name, "foo") != 0))
			break; /* behind its end */
		assert_true(lookup.n_lines > 0);
		assert_string_equal(outer->name, "foo");
		assert_non_null(strstr(outer->file, "/p.c"));
		if (lookup.n_lines == 1)
			continue;
		inlined++;
		assert_string_equal(lookup.lines[0].name, "inl");
		assert_true(lookup.lines[0].is_inlined);
		assert_true(lookup.lines[0].line == 3 ||
			    lookup.lines[0].line == 0); /* shared code */
		assert_int_equal(outer->line, 5);
	}
	assert_true(inlined > 0);
}

static void test_names_and_lines_of_other_machines(void **state)
{
	static const char *const targets[] = {
		"aarch64-linux-gnu",
		"armv7-linux-gnueabihf",
		"armv7-linux-gnueabihf -mthumb",
		"i386-linux-gnu",
		"riscv64-linux-gnu",
		"mips-linux-gnu",
		"powerpc-linux-gnu",
	};

	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		build(*state, targets[i]);
		assert_foo(*state);
	}
}

static uint64_t plt_address(const struct built *built)
{
	struct image_section section;

	assert_true(
		image_section(module_image(built->module), ".plt", &section));
	return section.header.sh_addr;
}

static void test_c05_plt_of_aarch64(void **state)
{
	struct built *built = *state;
	uint64_t plt;

	build(built, "aarch64-linux-gnu");
	plt = plt_address(built);
	assert_string_equal(built_name_at(built, plt), PLT_HEADER_NAME);
	assert_string_equal(built_name_at(built, plt + 28), PLT_HEADER_NAME);
	assert_string_equal(built_name_at(built, plt + 32), "ext@plt");
	assert_string_equal(built_name_at(built, plt + 44), "ext@plt");
}

static void test_c05_plt_of_i386(void **state)
{
	struct built *built = *state;
	uint64_t plt;

	build(built, "i386-linux-gnu");
	plt = plt_address(built);
	assert_string_equal(built_name_at(built, plt), PLT_HEADER_NAME);
	assert_string_equal(built_name_at(built, plt + 16), "ext@plt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUILT_TEST(test_names_and_lines_of_other_machines),
		BUILT_TEST(test_c05_plt_of_aarch64),
		BUILT_TEST(test_c05_plt_of_i386),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
