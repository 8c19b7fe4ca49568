/* maps.c: every insertion is compared with a byte map of the same address
 * space, so that cutting and splitting have an independent answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "perfcore/maps.h"

static struct binary binaries[4];

static void put(struct maps **maps, uint64_t start, uint64_t end,
		uint64_t page_offset, struct binary *binary)
{
	struct mapping mapping = { start, end, page_offset, binary };

	maps_insert(maps, &mapping);
}

static void maps_split_by_newer(void **state)
{
	struct maps *maps = maps_new();
	const struct mapping *mapping;

	(void)state;
	put(&maps, 0x1000, 0x9000, 0x100, &binaries[0]);
	put(&maps, 0x3000, 0x4000, 0, &binaries[1]);
	assert_int_equal(maps_count(maps), 3);
	mapping = maps_find(maps, 0x2fff);
	assert_ptr_equal(mapping->binary, &binaries[0]);
	assert_int_equal(mapping->end, 0x3000);
	mapping = maps_find(maps, 0x3000);
	assert_ptr_equal(mapping->binary, &binaries[1]);
	mapping = maps_find(maps, 0x4000);
	assert_ptr_equal(mapping->binary, &binaries[0]);
	assert_int_equal(mapping->start, 0x4000);
	assert_int_equal(mapping->page_offset, 0x3100);
	assert_null(maps_find(maps, 0xfff));
	assert_null(maps_find(maps, 0x9000));
	maps_free(maps);
}

static void maps_empty_ranges_are_ignored(void **state)
{
	struct maps *maps = maps_new();

	(void)state;
	put(&maps, 0x2000, 0x2000, 0, &binaries[0]);
	put(&maps, 0x2000, 0x1000, 0, &binaries[0]);
	maps_remove(&maps, 0, UINT64_MAX);
	assert_int_equal(maps_count(maps), 0);
	assert_null(maps_find(maps, 0x2000));
	maps_free(maps);
}

static void maps_top_of_address_space(void **state)
{
	struct maps *maps = maps_new();

	(void)state;
	put(&maps, UINT64_MAX - 0xfff, UINT64_MAX, 0, &binaries[0]);
	put(&maps, 0, 0x1000, 0, &binaries[1]);
	assert_ptr_equal(maps_find(maps, UINT64_MAX - 1)->binary, &binaries[0]);
	assert_null(maps_find(maps, UINT64_MAX));
	assert_ptr_equal(maps_find(maps, 0)->binary, &binaries[1]);
	maps_free(maps);
}

static void maps_copied_when_shared(void **state)
{
	struct maps *parent = maps_new(), *child;

	(void)state;
	put(&parent, 0x1000, 0x2000, 0, &binaries[0]);
	child = maps_share(parent);
	put(&child, 0x1000, 0x2000, 0, &binaries[1]);
	assert_ptr_not_equal(parent, child);
	assert_ptr_equal(maps_find(parent, 0x1000)->binary, &binaries[0]);
	assert_ptr_equal(maps_find(child, 0x1000)->binary, &binaries[1]);
	maps_free(parent);
	assert_ptr_equal(maps_find(child, 0x1fff)->binary, &binaries[1]);
	maps_free(child);
	maps_free(NULL);
}

static void maps_alias_replaced_for_all(void **state)
{
	struct maps *parent = maps_new(), *child;

	(void)state;
	put(&parent, 0x1000, 0x2000, 0, &binaries[0]);
	child = maps_share(parent);
	maps_set_binary(child, maps_find(child, 0x1000), &binaries[2]);
	assert_ptr_equal(maps_find(parent, 0x1000)->binary, &binaries[2]);
	maps_free(parent);
	maps_free(child);
}

#define SPACE 64

/* What the byte map says of each address: which binary, and which offset. */
struct byte {
	struct binary *binary;
	uint64_t offset;
};

static void check_against(const struct maps *maps, const struct byte *bytes)
{
	for (uint64_t at = 0; at < SPACE; at++) {
		const struct mapping *mapping = maps_find(maps, at);

		assert_ptr_equal(mapping ? mapping->binary : NULL,
				 bytes[at].binary);
		if (mapping)
			assert_int_equal(mapping->page_offset + at -
						 mapping->start,
					 bytes[at].offset);
	}
	for (size_t i = 1; i < maps_count(maps); i++)
		assert_true(maps_at(maps, i - 1)->end <=
			    maps_at(maps, i)->start);
}

static void maps_random_against_bytes(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct byte bytes[SPACE] = { 0 };
		struct maps *maps = maps_new();

		for (int step = 0; step < 60; step++) {
			uint64_t a = (uint64_t)rand_r(&seed) % SPACE;
			uint64_t b = (uint64_t)rand_r(&seed) % (SPACE + 1);
			int which = rand_r(&seed) % 5;
			struct binary *binary =
				which < 4 ? &binaries[which] : NULL;
			uint64_t offset = (uint64_t)rand_r(&seed) % 1000;

			if (binary)
				put(&maps, a, b, offset, binary);
			else
				maps_remove(&maps, a, b);
			for (uint64_t at = a; at < b; at++)
				bytes[at] = (struct byte){
					binary, binary ? offset + at - a : 0
				};
			check_against(maps, bytes);
		}
		maps_free(maps);
	}
}

static void maps_huge_in_order(void **state)
{
	struct maps *maps = maps_new();
	const uint64_t n = 60000;

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		put(&maps, i * 0x2000, i * 0x2000 + 0x1000, i, &binaries[0]);
	assert_int_equal(maps_count(maps), n);
	for (uint64_t i = 0; i < n; i += 97) {
		assert_int_equal(maps_find(maps, i * 0x2000 + 5)->page_offset,
				 i);
		assert_null(maps_find(maps, i * 0x2000 + 0x1000));
	}
	maps_free(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_split_by_newer),
		cmocka_unit_test(maps_empty_ranges_are_ignored),
		cmocka_unit_test(maps_top_of_address_space),
		cmocka_unit_test(maps_copied_when_shared),
		cmocka_unit_test(maps_alias_replaced_for_all),
		cmocka_unit_test(maps_random_against_bytes),
		cmocka_unit_test(maps_huge_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
