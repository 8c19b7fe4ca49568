/*
 * This program is its own test file: the labels below stand in its symbol
 * table, and are looked up by where they really are.
 */
#include "symbolize/symtab.h"

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

__asm__(".section .text.labels, \"ax\"\n"
	".globl label_first, never_returns\n"
	"label_first: .fill 16, 1, 0x90\n"
	".globl label_second\n"
	"label_second: .fill 16, 1, 0x90\n"
	"label_third: .fill 16, 1, 0x90\n"
	".globl outer_function\n"
	".type outer_function, @function\n"
	"outer_function: .fill 16, 1, 0x90\n"
	"inner_label: .fill 8, 1, 0x90\n"
	".type inner_function, @function\n"
	"inner_function: .fill 8, 1, 0x90\n"
	".size inner_function, 8\n"
	".fill 16, 1, 0x90\n"
	".size outer_function, 48\n"
	".fill 16, 1, 0x90\n"
	".globl alias_plain, __alias_under\n"
	".weak alias_weak\n"
	".type alias_plain, @function\n"
	".type __alias_under, @function\n"
	".type alias_weak, @function\n"
	".type alias_local, @function\n"
	"label_alias: __alias_under: alias_plain: alias_weak: alias_local:\n"
	".fill 16, 1, 0x90\n"
	".size alias_plain, 16\n.size __alias_under, 16\n"
	".size alias_weak, 16\n.size alias_local, 16\n"
	".type never_returns, @function\n"
	"never_returns: .fill 16, 1, 0x90\n"
	".size never_returns, 16\n"
	".globl innocent\n.type innocent, @function\n"
	"innocent: .fill 16, 1, 0x90\n"
	".size innocent, 16\n"
	"last_label: .fill 16, 1, 0x90\n"
	".previous\n");

extern const char label_first[], outer_function[], alias_plain[],
	never_returns[];

struct fixture {
	struct image image;
	struct symtab symtab;
	uint64_t bias;
};

static int base_set(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(image_open(&fixture->image, fd, "self", NULL), 0);
	close(fd);
	symtab_init(&fixture->symtab, &fixture->image);
	symtab_add(&fixture->symtab, &fixture->image, 0);
	symtab_sort(&fixture->symtab);
	dl_iterate_phdr(base_set, &fixture->bias);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	symtab_destroy(&fixture->symtab);
	image_destroy(&fixture->image);
	free(fixture);
	return 0;
}

static void assert_symbol(const struct fixture *fixture, const char *code,
			  const char *name)
{
	struct symtab_symbol symbol;

	if (!symtab_find(&fixture->symtab, (uintptr_t)code - fixture->bias,
			 &symbol))
		fail_msg("no symbol, want %s", name);
	assert_string_equal(symbol.name, name);
	assert_true((uintptr_t)code - fixture->bias >= symbol.start);
	assert_true((uintptr_t)code - fixture->bias < symbol.end);
}

static void assert_none(const struct fixture *fixture, const char *code)
{
	struct symtab_symbol symbol;

	assert_false(symtab_find(&fixture->symtab,
				 (uintptr_t)code - fixture->bias, &symbol));
}

static void test_c01_last_byte_and_the_next_function(void **state)
{
	assert_symbol(*state, never_returns + 15, "never_returns");
	assert_symbol(*state, never_returns + 16, "innocent");
}

static void test_c12_labels_reach_to_the_next_symbol(void **state)
{
	assert_symbol(*state, label_first + 15, "label_first");
	assert_symbol(*state, label_first + 16, "label_second");
	assert_symbol(*state, label_first + 31, "label_second");
	assert_symbol(*state, label_first + 32, "label_third");
	assert_symbol(*state, label_first + 47, "label_third");
}

/* Within the section, but not beyond: other sections follow at once. */
static void test_c12_labels_end_with_their_section(void **state)
{
	struct fixture *fixture = *state;
	struct symtab_symbol symbol;

	assert_symbol(fixture, never_returns + 32, "last_label");
	assert_true(symtab_find(&fixture->symtab,
				(uintptr_t)never_returns + 32 - fixture->bias,
				&symbol));
	assert_true(symbol.end - symbol.start <= 4096);
}

static void test_the_innermost_sized_symbol_wins(void **state)
{
	assert_symbol(*state, outer_function, "outer_function");
	assert_symbol(*state, outer_function + 20, "outer_function");
	assert_symbol(*state, outer_function + 24, "inner_function");
	assert_symbol(*state, outer_function + 31, "inner_function");
	assert_symbol(*state, outer_function + 32, "outer_function");
	assert_symbol(*state, outer_function + 47, "outer_function");
}

static void test_never_the_neighbour_beyond_its_end(void **state)
{
	assert_none(*state, outer_function + 48);
	assert_none(*state, outer_function + 63);
	assert_none(*state, NULL);
	assert_none(*state, (const char *)UINTPTR_MAX);
}

static void test_one_alias_is_preferred(void **state)
{
	assert_symbol(*state, alias_plain, "alias_plain");
	assert_symbol(*state, alias_plain + 15, "alias_plain");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c01_last_byte_and_the_next_function),
		cmocka_unit_test(test_c12_labels_reach_to_the_next_symbol),
		cmocka_unit_test(test_c12_labels_end_with_their_section),
		cmocka_unit_test(test_the_innermost_sized_symbol_wins),
		cmocka_unit_test(test_never_the_neighbour_beyond_its_end),
		cmocka_unit_test(test_one_alias_is_preferred),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
