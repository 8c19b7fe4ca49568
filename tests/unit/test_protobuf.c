/* Protobuf's wire format, written and read, with hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/formats/protobuf.h"

static void writes_the_documented_bytes(void **state)
{
	/* the examples of protobuf.dev/programming-guides/encoding */
	static const uint8_t want[] = { 0x08, 0x96, 0x01, 0x12, 0x07,
					't',  'e',  's',  't',	'i',
					'n',  'g',  0x32, 0x06, 0x03,
					0x8e, 0x02, 0x9e, 0xa7, 0x05 };
	const uint64_t list[] = { 3, 270, 86942 };
	struct protobuf message = { 0 };

	(void)state;
	protobuf_number(&message, 1, 150);
	protobuf_number(&message, 5, 0);
	protobuf_bytes(&message, 2, "testing", 7);
	protobuf_numbers(&message, 6, list, 3);
	protobuf_numbers(&message, 7, list, 0);
	assert_int_equal(message.size, sizeof(want));
	assert_memory_equal(message.bytes, want, sizeof(want));
	protobuf_destroy(&message);
}

static void reads_what_it_wrote(void **state)
{
	const uint64_t list[] = { 0, UINT64_MAX, 127, 128 };
	struct protobuf message = { 0 }, child = { 0 };
	struct protobuf_field field, inner;
	struct cursor cursor;
	uint64_t number;

	(void)state;
	protobuf_number(&child, 536870911, UINT64_MAX);
	protobuf_message(&message, 3, &child);
	protobuf_numbers(&message, 4, list, 4);
	cursor = cursor_at(message.bytes, message.size);
	assert_true(protobuf_next(&cursor, &field));
	assert_int_equal(field.number, 3);
	assert_true(protobuf_next(&field.bytes, &inner));
	assert_int_equal(inner.number, 536870911);
	assert_true(inner.value == UINT64_MAX);
	assert_false(protobuf_next(&field.bytes, &inner));
	assert_true(protobuf_next(&cursor, &field));
	for (int i = 0; i < 4; i++) {
		assert_true(protobuf_next_number(&field, &number));
		assert_true(number == list[i]);
	}
	assert_false(protobuf_next_number(&field, &number));
	assert_false(field.bytes.has_failed);
	assert_false(protobuf_next(&cursor, &field));
	assert_false(cursor.has_failed);
	protobuf_destroy(&message);
	protobuf_destroy(&child);
}

static void reads_a_list_that_is_not_packed(void **state)
{
	static const uint8_t bytes[] = { 0x20, 0x05, 0x20, 0x06 };
	struct cursor cursor = cursor_at(bytes, sizeof(bytes));
	struct protobuf_field field;
	uint64_t number, sum = 0;

	(void)state;
	while (protobuf_next(&cursor, &field))
		while (protobuf_next_number(&field, &number))
			sum += number;
	assert_int_equal(sum, 11);
}

static void reads_fixed_numbers(void **state)
{
	static const uint8_t bytes[] = { 0x09, 1, 0,	0, 0, 0, 0,
					 0,    1, 0x15, 2, 0, 0, 1 };
	struct cursor cursor = cursor_at(bytes, sizeof(bytes));
	struct protobuf_field field;

	(void)state;
	assert_true(protobuf_next(&cursor, &field));
	assert_true(field.value == 0x0100000000000001);
	assert_true(protobuf_next(&cursor, &field));
	assert_true(field.value == 0x01000002);
}

static void refuse(const uint8_t *bytes, size_t size, size_t offset)
{
	struct cursor cursor = cursor_at(bytes, size);
	struct protobuf_field field;

	while (protobuf_next(&cursor, &field))
		;
	assert_true(cursor.has_failed);
	assert_int_equal(cursor_offset(&cursor), offset);
}

static void broken_fields_are_refused_where_they_start(void **state)
{
	static const uint8_t too_long[] = { 0x08, 1, 0x12, 0x7f, 0, 0 };
	static const uint8_t huge[] = { 0x12, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0x01 };
	static const uint8_t group[] = { 0x0b, 0x0c };
	static const uint8_t zero[] = { 0x08, 1, 0x00, 1 };
	static const uint8_t endless[] = { 0x08, 0xff, 0xff, 0xff, 0xff, 0xff,
					   0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	static const uint8_t cut[] = { 0x08, 0x80 };

	(void)state;
	refuse(too_long, sizeof(too_long), 2);
	refuse(huge, sizeof(huge), 0);
	refuse(group, sizeof(group), 0);
	refuse(zero, sizeof(zero), 2);
	refuse(endless, sizeof(endless), 0);
	refuse(cut, sizeof(cut), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_documented_bytes),
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(reads_a_list_that_is_not_packed),
		cmocka_unit_test(reads_fixed_numbers),
		cmocka_unit_test(broken_fields_are_refused_where_they_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
