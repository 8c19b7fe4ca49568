/* Every layout of a file; what a file is, built.h tells. */
#include "symbolize/module.h"

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
#include "symbolize/plt.h"

static void assert_builds_named(struct built *built, const char *command)
{
	built_run(built, command);
	built_open(built, "p");
	built_assert_named(built);
}

/* Segments that share a page of the file. */
static void test_c08_lld_without_separate_code(void **state)
{
	assert_builds_named(
		*state,
		"clang -O1 -nostdlib -e main -fuse-ld=lld -no-pie -Wl,-z,"
		"noseparate-code p.c -o p");
	assert_builds_named(
		*state,
		"clang -O1 -nostdlib -e main -fuse-ld=lld -fPIE -pie -Wl,-z,"
		"noseparate-code p.c -o p");
}

static void test_c09_offset_is_not_address(void **state)
{
	assert_builds_named(
		*state,
		"gcc -O1 -nostdlib -e main -Wl,-Ttext-segment=0xab000 -no-pie"
		" p.c -o p");
	assert_builds_named(*state,
			    "gcc -O1 -nostdlib -e main -shared -fPIC p.c -o p "
			    "-Wl,--section-start=.text=0xab000");
}

static void test_c11_program_at_an_unusual_base(void **state)
{
	assert_builds_named(*state, "gcc -O1 -nostdlib -e main -no-pie p.c "
				    "-Wl,-Ttext-segment=0x4000 -o p");
	assert_builds_named(*state, "gcc -O1 -rdynamic -s -no-pie p.c "
				    "-Wl,-Ttext-segment=0x4000 -o p");
}

/* Compares every slot with the label that objdump gives it. */
static void assert_slots(struct built *built, unsigned wanted)
{
	char *path = mem_printf("%s/labels", built->dir);
	char line[256], name[128];
	unsigned long long start;
	unsigned count = 0;
	FILE *labels;

	built_run(built, "objdump -d p.so | grep '@plt>:' | grep -v ABS "
			 ">labels");
	built_open(built, "p.so");
	labels = fopen(path, "r");
	while (fgets(line, sizeof(line), labels)) {
		assert_int_equal(sscanf(line, "%llx <%127[^>]", &start, name),
				 2);
		assert_string_equal(built_name_at(built, start), name);
		assert_string_equal(built_name_at(built, start + 7), name);
		count++;
	}
	fclose(labels);
	free(path);
	assert_int_equal(count, wanted);
}

static void test_c05_plt_slots(void **state)
{
	static const char *const links[] = {
		"gcc -Wl,-z,lazy -fcf-protection=none",
		"gcc -Wl,-z,now -fcf-protection=none",
		"gcc -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt",
		"gcc -Wl,-z,now -fcf-protection -Wl,-z,ibtplt",
		"clang -fuse-ld=lld -Wl,-z,lazy",
		"clang -fuse-ld=lld -Wl,-z,now",
	};

	built_write(
		*state, "p.c",
		"void f0(void); void f1(void); void f2(void); void f3(void);"
		"void all(void) { f0(); f1(); f2(); f3(); f2(); f1(); }\n");
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		char *link = mem_printf("%s -O1 -shared -fPIC -nostdlib p.c "
					"-o p.so",
					links[i]);

		built_run(*state, link);
		assert_slots(*state, 4);
		free(link);
	}
}

static uint64_t section_address(struct built *built, const char *name)
{
	struct image_section section;

	assert_true(image_section(module_image(built->module), name, &section));
	return section.header.sh_addr;
}

static void test_c05_header_and_lazy_slots(void **state)
{
	struct built *built = *state;
	uint64_t plt;

	built_write(built, "p.c",
		    "void f0(void); void f1(void);"
		    "void all(void) { f0(); f1(); f1(); }\n");
	built_run(built, "gcc -O1 -shared -fPIC -nostdlib -Wl,-z,lazy "
			 "-Wl,-z,ibtplt -fcf-protection p.c -o p.so");
	built_open(built, "p.so");
	plt = section_address(built, ".plt");
	assert_string_equal(built_name_at(built, plt), PLT_HEADER_NAME);
	assert_string_equal(built_name_at(built, plt + 15), PLT_HEADER_NAME);
	assert_string_equal(built_name_at(built, plt + 16), "f0@plt");
	assert_string_equal(built_name_at(built, plt + 32), "f1@plt");
}

/* .plt.got: a function that is called and whose address is taken. */
static void test_c05_plt_got(void **state)
{
	struct built *built = *state;

	built_write(built, "p.c",
		    "void f0(void); void *taken;"
		    "void all(void) { f0(); taken = f0; }\n");
	built_run(built, "gcc -O1 -shared -fPIC -nostdlib -Wl,-z,lazy p.c "
			 "-fcf-protection=none -o p.so");
	built_open(built, "p.so");
	assert_string_equal(
		built_name_at(built, section_address(built, ".plt.got")),
		"f0@plt");
}

static void test_c07_cold_part_keeps_its_name(void **state)
{
	struct built *built = *state;

	built_write(built, "p.c",
		    "int n;"
		    "__attribute__((cold, noinline)) void rare(void) { n++; }\n"
		    "__attribute__((noinline)) int f(int x)\n"
		    "{ if (x == 3) { rare(); n *= 3; __asm__ volatile("
		    "\"jmp 1f; .quad 0x1122334455667701; 1:\"); rare(); }"
		    " return x * n; }\n"
		    "int main(int c, char **v) { (void)v; return f(c); }\n");
	built_run(built, "gcc -O2 -nostdlib -e main p.c -o p");
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "f.cold");
}

static void test_c21_sections_stripped(void **state)
{
	struct built *built = *state;
	uint8_t size;

	built_run(built,
		  "gcc -O1 -nostdlib -e main -shared -fPIC p.c -o whole.so && "
		  "llvm-objcopy --strip-sections whole.so p && "
		  "! readelf -S p | grep -q dynsym");
	built_open(built, "p");
	built_assert_named(built);
	module_build_id(built->module, &size);
	assert_int_equal(size, 20);
	/* the same with the old hash table */
	built_run(built, "gcc -O1 -nostdlib -e main -shared -fPIC "
			 "-Wl,--hash-style=sysv p.c "
			 "-o whole.so && "
			 "llvm-objcopy --strip-sections whole.so p");
	built_open(built, "p");
	built_assert_named(built);
}

static void test_c21_plt_without_sections(void **state)
{
	struct built *built = *state;
	uint64_t slot;

	built_write(built, "p.c",
		    "void f0(void); void f1(void);"
		    "void all(void) { f0(); f1(); f1(); }\n");
	built_run(built, "gcc -O1 -shared -fPIC -nostdlib -Wl,-z,lazy p.c "
			 "-fcf-protection=none -o whole.so && "
			 "llvm-objcopy --strip-sections whole.so p.so");
	built_open(built, "whole.so");
	slot = section_address(built, ".plt") + 32;
	built_open(built, "p.so");
	assert_string_equal(built_name_at(built, slot), "f1@plt");
}

static void test_versioned_and_indirect_functions(void **state)
{
	struct built *built = *state;

	built_write(
		built, "v.c",
		"#define MARK(n) __asm__ volatile("
		"\"jmp 1f; .quad \" #n \"; 1:\")\n"
		"int n; void foo_old(void) { MARK(0x1122334455667701); n++; }"
		"__asm__(\".symver foo_old, foo@@V2\");\n"
		"void bar_impl(void) { n += 2; }\n"
		"void *bar_resolve(void) {"
		" MARK(0x1122334455667702); return bar_impl; }\n"
		"void bar(void) __attribute__((ifunc(\"bar_resolve\")));");
	built_write(built, "v.map", "V2 { global: foo; bar; local: *; };");
	built_run(built, "gcc -O1 -shared -fPIC -nostdlib v.c -o p "
			 "-Wl,--version-script=v.map");
	built_open(built, "p");
	assert_string_equal(built_name_of(built, BUILT_FOO), "foo");
	assert_string_equal(built_name_of(built, BUILT_BAR), "bar");
}

static void test_static_pie(void **state)
{
	assert_builds_named(*state, "gcc -O1 -nostdlib -e main -static-pie p.c "
				    "-o p");
}

static void test_not_elf(void **state)
{
	struct built *built = *state;
	struct module_input input = { .path = "p.c",
				      .strings = built->strings };
	char *path = mem_printf("%s/p.c", built->dir);
	struct module *module;
	struct error error;

	input.fd = open(path, O_RDONLY);
	assert_int_equal(module_new(&module, &input, &error), -ENOEXEC);
	assert_string_equal(error.text, "p.c is not an ELF file");
	close(input.fd);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BUILT_TEST(test_c08_lld_without_separate_code),
		BUILT_TEST(test_c09_offset_is_not_address),
		BUILT_TEST(test_c11_program_at_an_unusual_base),
		BUILT_TEST(test_c05_plt_slots),
		BUILT_TEST(test_c05_header_and_lazy_slots),
		BUILT_TEST(test_c05_plt_got),
		BUILT_TEST(test_c07_cold_part_keeps_its_name),
		BUILT_TEST(test_c21_sections_stripped),
		BUILT_TEST(test_c21_plt_without_sections),
		BUILT_TEST(test_versioned_and_indirect_functions),
		BUILT_TEST(test_static_pie),
		BUILT_TEST(test_not_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
