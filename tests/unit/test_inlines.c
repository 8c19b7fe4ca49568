/*
 * Inlined functions and source lines from DWARF of every version and
 * wrapping. The program below says itself which line each marker is on.
 */
#include "symbolize/debug_info.h"

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

/* The lines of src/i.c are what the tests expect. */
static const char header[] =
	"#define MARK(n) __asm__ volatile(\"jmp 1f; .quad \" #n \"; 1:\")\n"
	"extern int counter;\n"
	"static inline __attribute__((always_inline)) void deepest(int x)\n"
	"{\n"
	"	counter += x;\n"
	"	MARK(0x1122334455667701);\n" /* src/inc/i.h:6 */
	"}\n";
static const char source[] =
	"#include \"inc/i.h\"\n"
	"int counter;\n"
	"__attribute__((cold, noinline)) void rare(void) { counter++; }\n"
	"static inline __attribute__((always_inline)) void middle(int x)\n"
	"{\n"
	"	deepest(x + 1);\n" /* src/i.c:6 */
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	middle(x * 2);\n" /* :10 */
	"	if (x == 3) {\n"
	"		rare();\n"
	"		counter *= 3;\n"
	"		MARK(0x1122334455667702);\n" /* :14, in outer.cold */
	"		rare();\n"
	"	}\n"
	"	return counter;\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	(void)v;\n"
	"	return outer(c);\n"
	"}\n";

static int setup(void **state)
{
	struct built *built;

	built_setup(state);
	built = *state;
	built->want_inlines = true;
	built_run(built, "mkdir -p src/inc");
	built_write(built, "src/i.c", source);
	built_write(built, "src/inc/i.h", header);
	return 0;
}

struct frame {
	const char *name, *file; /* file: below the scratch directory */
	uint32_t line;
	bool is_inlined;
};

static void assert_frames(struct built *built, uint64_t marker,
			  const struct frame *frames, uint32_t count)
{
	static struct module_lookup lookup;
	char path[160];

	module_symbolize(built->module, built_marker_vaddr(built, marker),
			 &lookup);
	assert_int_equal(lookup.n_lines, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct module_line *line = &lookup.lines[i];

		assert_string_equal(line->name, frames[i].name);
		assert_int_equal(line->is_inlined, frames[i].is_inlined);
		assert_int_equal(line->line, frames[i].line);
		snprintf(path, sizeof(path), "%s/%s", built->dir,
			 frames[i].file);
		assert_string_equal(line->file, path);
	}
}

static const struct frame chain[] = {
	{ "deepest", "src/inc/i.h", 6, true },
	{ "middle", "src/i.c", 6, true },
	{ "outer", "src/i.c", 10, false },
};

static void assert_inlines(struct built *built, const char *file)
{
	built_open(built, file);
	assert_frames(built, BUILT_FOO, chain, 3);
	assert_int_equal(built->notes.count, 0);
}

static void assert_command(struct built *built, const char *command)
{
	built_run(built, command);
	assert_inlines(built, "p");
}

#define GCC	"gcc -O2 -g -nostdlib -e main "
#define CLANG	"clang -O2 -g -nostdlib -e main "
#define PROGRAM "$PWD/src/i.c -o p"

/* Versions 4 and 5, by both compilers: test_c25_relative_paths. */
static void test_old_versions_and_64_bit_dwarf(void **state)
{
	assert_command(*state, GCC "-gdwarf-2 " PROGRAM);
	assert_command(*state, GCC "-gdwarf-5 -gdwarf64 " PROGRAM);
}

static void test_c07_cold_part_belongs_to_its_function(void **state)
{
	static const struct frame cold[] = { { "outer", "src/i.c", 14,
					       false } };
	struct built *built = *state;

	built_run(built, GCC PROGRAM " && nm p | grep -q outer.cold");
	built_open(built, "p");
	assert_frames(built, BUILT_BAR, cold, 1);
}

static void test_c23_compressed_sections(void **state)
{
	struct built *built = *state;

	assert_command(built, GCC "-gz=zlib " PROGRAM
				  " && readelf -SW p | grep -q C.*debug_info ||"
				  " readelf -tW p | grep -q ZLIB");
	assert_command(built, GCC "-gz=zlib-gnu " PROGRAM
				  " && readelf -SW p | grep -q zdebug_info");
}

static void test_c23_zstd_sections(void **state)
{
	struct built *built = *state;

	if (system("objcopy --help | grep -q zstd")) {
		printf("skip test_c23_zstd_sections: objcopy has no zstd\n");
		skip();
	}
	assert_command(built, GCC PROGRAM
		       " && objcopy --compress-debug-sections=zstd p");
}

/* Garbage in a compressed section: the symbols are still there. */
static void test_c23_corrupt_section_falls_back_to_symbols(void **state)
{
	struct built *built = *state;
	char *path = mem_printf("%s/p", built->dir);
	struct image_section section;
	FILE *file;

	built_run(built, GCC "-gz=zlib " PROGRAM);
	built_open(built, "p");
	assert_true(image_section(module_image(built->module), ".debug_info",
				  &section));
	file = fopen(path, "r+");
	fseek(file, (long)section.header.sh_offset + 40, SEEK_SET);
	fputs("garbage garbage garbage", file);
	fclose(file);
	free(path);
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "outer");
	assert_int_equal(built->notes.count, 1);
	assert_non_null(strstr(built->notes.items[0].text, "corrupt"));
}

/* A section that declares to be far larger than it can be. */
static void test_c23_declared_size_is_bounded(void **state)
{
	static const uint8_t huge[8] = { 0, 0, 0, 0, 0xff, 0, 0, 0 };
	struct built *built = *state;
	char *path = mem_printf("%s/p", built->dir);
	struct image_section section;
	FILE *file;

	built_run(built, GCC "-gz=zlib " PROGRAM);
	built_open(built, "p");
	assert_true(image_section(module_image(built->module), ".debug_info",
				  &section));
	file = fopen(path, "r+");
	fseek(file, (long)section.header.sh_offset + 8, SEEK_SET);
	fwrite(huge, 1, sizeof(huge), file);
	fclose(file);
	free(path);
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "outer");
	assert_int_equal(built->notes.count, 1);
}

static void test_c24_split_dwarf_in_place(void **state)
{
	assert_command(*state, GCC "-gsplit-dwarf -gdwarf-4 " PROGRAM);
	assert_command(*state, GCC "-gsplit-dwarf -gdwarf-5 " PROGRAM);
	assert_command(*state, CLANG "-gsplit-dwarf -gdwarf-5 -c $PWD/src/i.c "
				     "-o i.o && " CLANG "i.o -o p");
}

/* Without its .dwo the outer function and the line remain, and a note. */
static void test_c24_split_dwarf_moved_away(void **state)
{
	static const struct frame outer[] = { { "outer", "src/inc/i.h", 6,
						false } };
	struct built *built = *state;

	for (int version = 4; version <= 5; version++) {
		char *command = mem_printf(GCC "-gsplit-dwarf -gdwarf-%d "
					       "" PROGRAM " && rm *.dwo",
					   version);

		built_run(built, command);
		built_open(built, "p");
		assert_frames(built, BUILT_FOO, outer, 1);
		assert_int_equal(built->notes.count, 1);
		assert_non_null(strstr(built->notes.items[0].text, ".dwo"));
		free(command);
	}
}

static void test_c24_split_dwarf_packed(void **state)
{
	struct built *built = *state;

	assert_command(built, GCC "-gsplit-dwarf -gdwarf-4 " PROGRAM
				  " && dwp -e p -o p.dwp && rm *.dwo");
	assert_command(built, CLANG
		       "-gsplit-dwarf -gdwarf-5 -c $PWD/src/i.c -o i.o && "
		       "" CLANG "i.o -o p && llvm-dwp i.dwo -o p.dwp && "
		       "rm *.dwo");
}

static void test_c25_relative_paths(void **state)
{
	assert_command(*state, GCC "-gdwarf-4 src/i.c -o p");
	assert_command(*state, GCC "-gdwarf-5 src/i.c -o p");
	assert_command(*state, CLANG "-gdwarf-4 src/i.c -o p");
	assert_command(*state, CLANG "-gdwarf-5 src/i.c -o p");
}

static void test_separate_debug_file(void **state)
{
	struct built *built = *state;

	assert_command(built, GCC PROGRAM
		       " && mkdir -p .debug && objcopy "
		       "--only-keep-debug p .debug/p.debug && "
		       "strip p && "
		       "objcopy --add-gnu-debuglink=.debug/p.debug p");
}

static void test_dwz_supplementary_file(void **state)
{
	struct built *built = *state;

	if (system("command -v dwz >/dev/null")) {
		printf("skip test_dwz_supplementary_file: no dwz\n");
		skip();
	}
	assert_command(built, GCC PROGRAM " && cp p q && dwz -m shared p q && "
					  "readelf -SW p | grep -q altlink");
}

static void test_gc_sections_leave_no_ghosts(void **state)
{
	assert_command(*state, GCC "-ffunction-sections -Wl,--gc-sections "
				   "" PROGRAM);
	assert_command(*state, CLANG "-fuse-ld=lld -ffunction-sections "
				     "-Wl,--gc-sections " PROGRAM);
}

static unsigned n_opened;

static int count_open(void *context, const char *path)
{
	int (*next)(void *, const char *) = context;

	n_opened++;
	return next(NULL, path);
}

/* However many addresses are asked for, each unit is read once. */
static void test_c61_each_unit_is_read_once(void **state)
{
	struct built *built = *state;
	unsigned first;

	built_run(built, GCC "-gsplit-dwarf " PROGRAM);
	n_opened = 0;
	built->opener.context = (void *)built->opener.open;
	built->opener.open = count_open;
	assert_inlines(built, "p");
	first = n_opened;
	assert_true(first > 0);
	for (unsigned i = 0; i < 2000; i++)
		assert_frames(built, BUILT_FOO, chain, 3);
	assert_int_equal(n_opened, first);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, built_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_old_versions_and_64_bit_dwarf),
		TEST(test_c07_cold_part_belongs_to_its_function),
		TEST(test_c23_compressed_sections),
		TEST(test_c23_zstd_sections),
		TEST(test_c23_corrupt_section_falls_back_to_symbols),
		TEST(test_c23_declared_size_is_bounded),
		TEST(test_c24_split_dwarf_in_place),
		TEST(test_c24_split_dwarf_moved_away),
		TEST(test_c24_split_dwarf_packed),
		TEST(test_c25_relative_paths),
		TEST(test_separate_debug_file),
		TEST(test_dwz_supplementary_file),
		TEST(test_c61_each_unit_is_read_once),
		TEST(test_gc_sections_leave_no_ghosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
