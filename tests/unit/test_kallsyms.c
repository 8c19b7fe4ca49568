#include "symbolize/kallsyms.h"

#include <fcntl.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static struct kallsyms *kallsyms_of(const char *text, size_t size)
{
	int fd = memfd_create("kallsyms", 0);
	struct kallsyms *kallsyms;

	assert_int_equal(write(fd, text, size), size);
	assert_int_equal(kallsyms_new(&kallsyms, fd, NULL), 0);
	close(fd);
	return kallsyms;
}

static void assert_symbol(const struct kallsyms *kallsyms, uint64_t address,
			  const char *name, const char *module)
{
	struct kallsyms_symbol symbol;

	assert_true(kallsyms_find(kallsyms, address, &symbol));
	assert_string_equal(symbol.name, name);
	if (module)
		assert_string_equal(symbol.module, module);
	else
		assert_null(symbol.module);
}

static void assert_none(const struct kallsyms *kallsyms, uint64_t address)
{
	struct kallsyms_symbol symbol;

	assert_false(kallsyms_find(kallsyms, address, &symbol));
}

static const char sample[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t __do_work\n"
	"ffffffff81000100 T do_work\n"
	"ffffffff81000100 W do_weak\n"
	"ffffffff81000200 d some_data\n"
	"ffffffff81000300 t helper\n"
	"ffffffff82000000 T _etext\n"
	"ffffffff82100000 R __start___ksymtab\n"
	"ffffffffc0300000 t ext4_read\t[ext4]\n"
	"ffffffffc0300080 t ext4_write\t[ext4]\n"
	"ffffffffc0200000 t xfs_read\t[xfs]\n"
	"ffffffffc0100000 t bpf_prog_6deef7357e7b4530_hello\t[bpf]\n";

static void test_names_and_modules(void **state)
{
	struct kallsyms *kallsyms = kallsyms_of(sample, strlen(sample));
	struct kallsyms_symbol symbol;
	uint64_t start, end;

	(void)state;
	assert_symbol(kallsyms, 0xffffffff81000150, "do_work", NULL);
	assert_symbol(kallsyms, 0xffffffff81000250, "do_work", NULL);
	assert_symbol(kallsyms, 0xffffffff81000300, "helper", NULL);
	assert_symbol(kallsyms, 0xffffffffc030007f, "ext4_read", "[ext4]");
	assert_symbol(kallsyms, 0xffffffffc0300080, "ext4_write", "[ext4]");
	assert_symbol(kallsyms, 0xffffffffc0200010, "xfs_read", "[xfs]");
	assert_symbol(kallsyms, 0xffffffffc0100001,
		      "bpf_prog_6deef7357e7b4530_hello", "[bpf]");
	assert_true(kallsyms_find(kallsyms, 0xffffffff81000150, &symbol));
	assert_int_equal(symbol.start, 0xffffffff81000100);
	assert_int_equal(kallsyms_bad_lines(kallsyms), 0);
	assert_false(kallsyms_is_hidden(kallsyms));
	assert_true(kallsyms_text(kallsyms, &start, &end));
	assert_true(start == 0xffffffff81000000 && end == 0xffffffff82000000);
	kallsyms_free(kallsyms);
}

static void test_no_neighbours(void **state)
{
	struct kallsyms *kallsyms = kallsyms_of(sample, strlen(sample));

	(void)state;
	assert_none(kallsyms, 0);
	assert_none(kallsyms, 0xffffffff80ffffff);
	assert_none(kallsyms, 0xffffffff82000000); /* behind the text */
	assert_none(kallsyms, 0xffffffffc0400000); /* far behind a module */
	assert_none(kallsyms, UINT64_MAX);
	kallsyms_free(kallsyms);
}

static void test_c51_zeroed_addresses_are_detected(void **state)
{
	static const char zeroes[] = "0000000000000000 T _stext\n"
				     "0000000000000000 T do_work\n"
				     "0000000000000000 t ext4_read\t[ext4]\n";
	struct kallsyms *kallsyms = kallsyms_of(zeroes, strlen(zeroes));

	(void)state;
	assert_true(kallsyms_is_hidden(kallsyms));
	assert_none(kallsyms, 0);
	assert_none(kallsyms, 0xffffffff81000150);
	kallsyms_free(kallsyms);
}

static void test_hostile_lines_are_counted(void **state)
{
	static const char hostile[] =
		"\n"
		"not a line\n"
		"fffffffffffffffff T too_many_digits\n"
		"ffffffff81000000\n"
		"ffffffff81000000 T\n"
		"ffffffff81000000 T \n"
		"ffffffff81000000 T \t[x]\n"
		"ffffffff81000000TT no_space\n"
		"ffffffff81000000 T good\n"
		"0000000000001000 T far_outside_of_the_window\n"
		"ffffffff81000010 T last_without_newline";
	struct kallsyms *kallsyms = kallsyms_of(hostile, strlen(hostile));

	(void)state;
	assert_int_equal(kallsyms_count(kallsyms), 2);
	assert_int_equal(kallsyms_bad_lines(kallsyms), 9);
	assert_symbol(kallsyms, 0xffffffff8100000f, "good", NULL);
	assert_symbol(kallsyms, 0xffffffff81000010, "last_without_newline",
		      NULL);
	assert_none(kallsyms, 0x1000);
	kallsyms_free(kallsyms);
}

static void test_lines_longer_than_any_buffer(void **state)
{
	size_t size = 300000;
	char *text = malloc(size);
	struct kallsyms *kallsyms;

	(void)state;
	memset(text, 'a', size);
	memcpy(text + size - 30, "\nffffffff81000000 T good\n", 25);
	kallsyms = kallsyms_of(text, size);
	assert_symbol(kallsyms, 0xffffffff81000000, "good", NULL);
	assert_true(kallsyms_bad_lines(kallsyms) > 0);
	kallsyms_free(kallsyms);
	free(text);
}

static void test_unreadable_file_is_an_error(void **state)
{
	struct kallsyms *kallsyms;
	struct error error;
	int fd = open("/", O_RDONLY);

	(void)state;
	assert_true(kallsyms_new(&kallsyms, fd, &error) < 0);
	assert_non_null(strstr(error.text, "kallsyms"));
	close(fd);
}

static char *corpus_read(const char *path, size_t *size)
{
	static uint8_t packed[1 << 20];
	size_t capacity = 8 << 20, in = 0, out = 0, got;
	uint64_t limit = UINT64_MAX;
	FILE *file = fopen(path, "r");
	char *text;

	if (!file)
		return NULL;
	got = fread(packed, 1, sizeof(packed), file);
	fclose(file);
	text = malloc(capacity);
	assert_int_equal(lzma_stream_buffer_decode(&limit, 0, NULL, packed, &in,
						   got, (uint8_t *)text, &out,
						   capacity),
			 LZMA_OK);
	*size = out;
	return text;
}

/* Every text symbol of a whole kernel is found again at its own address. */
static void test_corpus_kallsyms(void **state)
{
	size_t size = 0, found = 0;
	char *text = corpus_read("../shared/corpus/proc/blazesym-kallsyms.xz",
				 &size);
	struct kallsyms *kallsyms;
	char *save, *line;

	(void)state;
	if (!text) {
		printf("skip test_corpus_kallsyms: no corpus here\n");
		skip();
	}
	kallsyms = kallsyms_of(text, size);
	assert_int_equal(kallsyms_bad_lines(kallsyms), 0);
	text[size - 1] = '\0';
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long address;
		char type, name[512];
		struct kallsyms_symbol symbol;

		assert_int_equal(
			sscanf(line, "%llx %c %511s", &address, &type, name),
			3);
		if (!strchr("tTwW", type) || !strcmp(name, "_etext") ||
		    !strcmp(name, "_einittext"))
			continue;
		if (!kallsyms_find(kallsyms, address, &symbol))
			continue;
		assert_int_equal(symbol.start, address);
		found++;
	}
	assert_true(found > 18000);
	assert_true(kallsyms_bytes(kallsyms) < 4 << 20);
	kallsyms_free(kallsyms);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_modules),
		cmocka_unit_test(test_no_neighbours),
		cmocka_unit_test(test_c51_zeroed_addresses_are_detected),
		cmocka_unit_test(test_hostile_lines_are_counted),
		cmocka_unit_test(test_lines_longer_than_any_buffer),
		cmocka_unit_test(test_unreadable_file_is_an_error),
		cmocka_unit_test(test_corpus_kallsyms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
