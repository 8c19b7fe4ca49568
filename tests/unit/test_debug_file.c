#include "symbolize/debug_file.h"

#include <errno.h>
#include <fcntl.h>
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

#define SPLIT                                                                  \
	"objcopy --only-keep-debug whole d && "                                \
	"id=$(readelf -n whole | sed -n 's/.*Build ID: //p') && "              \
	"file=debug/.build-id/$(echo $id | cut -c1-2)/"                        \
	"$(echo $id | cut -c3-).debug && mkdir -p $(dirname $file) .debug && "

static void test_debug_file_by_build_id(void **state)
{
	struct built *built = *state;

	built_run(built, "gcc -O1 -nostdlib -e main p.c -o whole && " SPLIT
			 "mv d $file && strip -o p whole");
	built_open(built, "p");
	built_assert_named(built);
	assert_int_equal(built->notes.count, 0);
}

static void test_debug_file_by_debuglink(void **state)
{
	static const char *const places[] = { "d.debug", ".debug/d.debug",
					      "debug/$PWD/d.debug" };
	struct built *built = *state;

	for (size_t i = 0; i < 3; i++) {
		/* without a build-id, by CRC */
		char *command =
			mem_printf("gcc -O1 -nostdlib -e main "
				   "-Wl,--build-id=none p.c -o whole && "
				   "mkdir -p .debug debug/$PWD && "
				   "objcopy --only-keep-debug whole d.debug && "
				   "strip -o p whole && "
				   "objcopy --add-gnu-debuglink=d.debug p && "
				   "{ [ d.debug = %s ] || mv d.debug %s; }",
				   places[i], places[i]);

		built_run(built, command);
		built_open(built, "p");
		built_assert_named(built);
		built_run(built, "find . -name d.debug -delete");
		free(command);
	}
	assert_int_equal(built->notes.count, 0);
}

/* A library that was moved after its debug file was split off: here, linked
 * again to another address under the same build-id. */
static void test_prelinked_after_the_split(void **state)
{
	struct built *built = *state;

	built_run(built,
		  "link='gcc -O1 -nostdlib -shared -fPIC p.c "
		  "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567' "
		  "&& $link -o whole && " SPLIT
		  "mv d $file && $link -Wl,-Ttext-segment=0x3a000000 -o p && "
		  "strip p && objcopy -R .dynsym -R .dynstr p 2>/dev/null; "
		  "test -f p");
	built_open(built, "p");
	built_assert_named(built);
}

#define OTHER_BUILD                                                            \
	"gcc -O1 -nostdlib -e main p.c -o whole && sed 's/void foo/int z; "    \
	"void foo/' p.c "                                                      \
	">q.c && gcc -O1 -nostdlib -e main -DOTHER q.c -o other && "

static void assert_refused(struct built *built)
{
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "");
	assert_int_equal(built->notes.count, 1);
	assert_non_null(strstr(built->notes.items[0].text, "builds differ"));
}

static void test_c19_wrong_build_id_is_refused(void **state)
{
	built_run(*state,
		  OTHER_BUILD SPLIT "objcopy --only-keep-debug other $file && "
				    "strip -o p whole");
	assert_refused(*state);
}

static void test_c19_wrong_debuglink_is_refused(void **state)
{
	built_run(*state,
		  OTHER_BUILD "objcopy --only-keep-debug whole d.debug && "
			      "strip -o p whole && "
			      "objcopy --add-gnu-debuglink=d.debug p && "
			      "objcopy --only-keep-debug other d.debug");
	assert_refused(*state);
}

static void test_c19_wrong_crc_is_refused(void **state)
{
	built_run(
		*state,
		"gcc -O1 -nostdlib -e main -Wl,--build-id=none p.c -o whole && "
		"objcopy --only-keep-debug whole d.debug && "
		"strip -o p whole && "
		"objcopy --add-gnu-debuglink=d.debug p && "
		"echo >>d.debug");
	assert_refused(*state);
}

/* An id of zeros identifies nothing, and proves nothing. */
static void test_c19_zero_build_id_proves_nothing(void **state)
{
	built_run(*state, "gcc -O1 -nostdlib -e main "
			  "-Wl,--build-id=0x0000000000000000000000000000000000"
			  "000000 p.c -o whole && "
			  "objcopy --only-keep-debug whole d.debug && "
			  "strip -o p whole && "
			  "objcopy --add-gnu-debuglink=d.debug p && "
			  "echo >>d.debug");
	assert_refused(*state);
}

static void test_c22_mini_debug_info(void **state)
{
	struct built *built = *state;

	built_run(built, "gcc -O1 -nostdlib -e main p.c -o whole && "
			 "objcopy -S --remove-section .gnu_debugdata "
			 "--keep-symbol=foo --keep-symbol=bar whole mini && "
			 "xz mini && strip -o p whole && "
			 "objcopy --add-section .gnu_debugdata=mini.xz p");
	built_open(built, "p");
	built_assert_named(built);
	assert_int_equal(built->notes.count, 0);
}

static void test_c22_corrupt_xz_is_a_note(void **state)
{
	struct built *built = *state;

	built_run(built, "gcc -O1 -nostdlib -e main -rdynamic p.c -o whole && "
			 "xz -c whole | head -c 900 >mini.xz && "
			 "strip -o p whole && "
			 "objcopy --add-section .gnu_debugdata=mini.xz p");
	built_open(built, "p");
	built_assert_named(built); /* by .dynsym */
	assert_int_equal(built->notes.count, 1);
	assert_non_null(strstr(built->notes.items[0].text, "corrupt"));
}

/* A bomb: 80 MB of zeros in 12 KB. The fixture is made by
 * head -c 80000000 /dev/zero | xz -9e --check=none */
static void test_c22_xz_that_unpacks_to_too_much(void **state)
{
	struct built *built = *state;

	built_run(built, "gcc -O1 -nostdlib -e main -rdynamic -s p.c -o p && "
			 "objcopy --add-section .gnu_debugdata="
			 "$OLDPWD/tests/fixtures/zeroes.xz p");
	built_open(built, "p");
	built_assert_named(built);
	assert_int_equal(built->notes.count, 1);
}

/* A file that is cut while it is mapped must not take the reader along. */
static void test_file_truncated_while_mapped(void **state)
{
	struct built *built = *state;

	image_survive_truncation();
	built_run(built, "gcc -O1 -nostdlib -e main p.c -o p");
	built_open(built, "p");
	built_run(built, "truncate -s 0 p");
	assert_string_equal(built_name_at(built, 0x1000), "");
	assert_string_equal(built_name_at(built, 0x1100), "");
}

/* A sparse file costs nothing, and may declare a thousand million sections. */
static void test_sparse_file_that_declares_too_much(void **state)
{
	static const uint8_t none[2] = { 0, 0 }, many[8] = { 0, 0, 0, 0x40 };
	struct built *built = *state;
	char *path = mem_printf("%s/p", built->dir);
	struct module_input input = { .path = path, .strings = built->strings };
	struct module *module;
	struct error error;
	uint64_t table;
	FILE *file;

	built_run(built, "gcc -O1 -nostdlib -e main p.c -o p && "
			 "truncate -s 200G p");
	file = fopen(path, "r+");
	fseek(file, offsetof(Elf64_Ehdr, e_shoff), SEEK_SET);
	assert_int_equal(fread(&table, sizeof(table), 1, file), 1);
	fseek(file, offsetof(Elf64_Ehdr, e_shnum), SEEK_SET);
	fwrite(none, sizeof(none), 1, file);
	fseek(file, (long)(table + offsetof(Elf64_Shdr, sh_size)), SEEK_SET);
	fwrite(many, sizeof(many), 1, file);
	fclose(file);
	input.fd = open(path, O_RDONLY);
	assert_int_equal(module_new(&module, &input, &error), -ENOEXEC);
	assert_non_null(strstr(error.text, "too many sections"));
	close(input.fd);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUILT_TEST(test_debug_file_by_build_id),
		BUILT_TEST(test_debug_file_by_debuglink),
		BUILT_TEST(test_prelinked_after_the_split),
		BUILT_TEST(test_file_truncated_while_mapped),
		BUILT_TEST(test_sparse_file_that_declares_too_much),
		BUILT_TEST(test_c19_wrong_build_id_is_refused),
		BUILT_TEST(test_c19_wrong_debuglink_is_refused),
		BUILT_TEST(test_c19_wrong_crc_is_refused),
		BUILT_TEST(test_c19_zero_build_id_proves_nothing),
		BUILT_TEST(test_c22_mini_debug_info),
		BUILT_TEST(test_c22_corrupt_xz_is_a_note),
		BUILT_TEST(test_c22_xz_that_unpacks_to_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
