#include "symbolize/symbolizer.h"

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
	struct strings *strings;
	struct notes notes;
	struct symbolizer_config config;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->strings = strings_new();
	notes_init(&fixture->notes);
	fixture->config = (struct symbolizer_config){
		.strings = fixture->strings,
		.notes = &fixture->notes,
		.kallsyms_fd = -1,
	};
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	notes_destroy(&fixture->notes);
	strings_free(fixture->strings);
	free(fixture);
	return 0;
}

/* Where code of this program lies in its file. */
static int offset_find(struct dl_phdr_info *info, size_t size, void *address)
{
	uint64_t *at = address;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || *at < start ||
		    *at - start >= header->p_memsz)
			continue;
		*at = *at - start + header->p_offset;
		return 1;
	}
	return 0;
}

static void test_file(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary binary = {
		.number = 3,
		.id = { .kind = BINARY_FILE, .path = "/usr/bin/me" },
		.state = BINARY_OPEN,
		.fd = open("/proc/self/exe", O_RDONLY),
	};
	uint64_t address = (uintptr_t)test_file + 1;
	struct symbol symbol;

	dl_iterate_phdr(offset_find, &address);
	symbolizer_resolve(symbolizer, &binary, address, &symbol);
	assert_true(symbol.has_name);
	assert_int_equal(symbol.n_lines, 1);
	assert_string_equal(symbol.lines[0].name, "test_file");
	assert_int_equal(symbol.address, symbol.symbol_start + 1);
	assert_true(symbol.segment_start <= symbol.address);
	assert_true(symbol.segment_limit > symbol.address);
	assert_int_equal(symbol.address - symbol.segment_start +
				 symbol.segment_offset,
			 address);
	assert_string_equal(symbol.path, "/usr/bin/me");
	assert_int_equal(strlen(symbol.build_id), 40);
	assert_non_null(symbolizer_module(symbolizer, &binary));
	close(binary.fd);
	symbolizer_free(symbolizer);
}

static void test_what_has_no_name_keeps_its_address(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary binary = {
		.id = { .kind = BINARY_FILE,
			.path = "/gone",
			.build_id = { 0xab, 0x01 },
			.build_id_size = 2 },
		.state = BINARY_ABSENT,
		.fd = -1,
	};
	struct symbol symbol;

	symbolizer_resolve(symbolizer, &binary, 0x1234, &symbol);
	assert_false(symbol.has_name);
	assert_int_equal(symbol.n_lines, 0);
	assert_int_equal(symbol.address, 0x1234);
	assert_string_equal(symbol.path, "/gone");
	assert_string_equal(symbol.build_id, "ab01");
	assert_null(symbolizer_module(symbolizer, &binary));
	symbolizer_free(symbolizer);
}

static void test_a_binary_may_be_opened_later(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary binary = {
		.id = { .kind = BINARY_FILE, .path = "/usr/bin/me" },
		.fd = -1,
	};

	assert_null(symbolizer_module(symbolizer, &binary));
	binary.state = BINARY_OPEN;
	binary.fd = open("/proc/self/exe", O_RDONLY);
	assert_non_null(symbolizer_module(symbolizer, &binary));
	close(binary.fd);
	symbolizer_free(symbolizer);
}

static void test_a_file_with_another_build_id_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary binary = {
		.id = { .kind = BINARY_FILE,
			.path = "/usr/bin/me",
			.build_id = { 1, 2, 3 },
			.build_id_size = 20 },
		.state = BINARY_OPEN,
		.fd = open("/proc/self/exe", O_RDONLY),
	};

	assert_null(symbolizer_module(symbolizer, &binary));
	assert_int_equal(fixture->notes.count, 1);
	assert_non_null(strstr(fixture->notes.items[0].text, "build-id"));
	close(binary.fd);
	symbolizer_free(symbolizer);
}

static int memfd_of(const char *text)
{
	int fd = memfd_create("text", 0);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void test_kernel(void **state)
{
	struct fixture *fixture = *state;
	struct binary kernel = { .id = { .kind = BINARY_KERNEL,
					 .path = "[kernel.kallsyms]" },
				 .fd = -1 };
	struct symbolizer *symbolizer;
	struct symbol symbol;

	fixture->config.kallsyms_fd =
		memfd_of("ffffffff81000000 T do_work\n"
			 "ffffffffc0300000 t ext4_read\t[ext4]\n");
	symbolizer = symbolizer_new(&fixture->config);
	symbolizer_resolve(symbolizer, &kernel, 0xffffffff81000010, &symbol);
	assert_true(symbol.has_name);
	assert_string_equal(symbol.lines[0].name, "do_work");
	assert_string_equal(symbol.path, "[kernel.kallsyms]");
	assert_int_equal(symbol.symbol_start, 0xffffffff81000000);
	symbolizer_resolve(symbolizer, &kernel, 0xffffffffc0300010, &symbol);
	assert_string_equal(symbol.lines[0].name, "ext4_read");
	assert_string_equal(symbol.path, "[ext4]");
	symbolizer_resolve(symbolizer, &kernel, 0x10, &symbol);
	assert_false(symbol.has_name);
	symbolizer_free(symbolizer);
	close(fixture->config.kallsyms_fd);
}

static void test_c51_hidden_addresses_are_said_once(void **state)
{
	struct fixture *fixture = *state;
	struct binary kernel = { .id = { .kind = BINARY_KERNEL,
					 .path = "[kernel.kallsyms]" },
				 .fd = -1 };
	struct symbolizer *symbolizer;
	struct symbol symbol;

	fixture->config.kallsyms_fd =
		memfd_of("0000000000000000 T do_work\n"
			 "0000000000000000 t ext4_read\t[ext4]\n");
	symbolizer = symbolizer_new(&fixture->config);
	for (uint64_t i = 0; i < 10; i++) {
		symbolizer_resolve(symbolizer, &kernel, 0xffffffff81000000 + i,
				   &symbol);
		assert_false(symbol.has_name);
	}
	assert_int_equal(fixture->notes.count, 1);
	assert_int_equal(fixture->notes.items[0].count, 1);
	assert_non_null(strstr(fixture->notes.items[0].text, "kptr_restrict"));
	symbolizer_free(symbolizer);
	close(fixture->config.kallsyms_fd);
}

static void test_c54_vdso_from_memory(void **state)
{
	struct fixture *fixture = *state;
	struct binary vdso = { .id = { .kind = BINARY_VDSO, .path = "[vdso]" },
			       .fd = -1 };
	struct symbolizer *symbolizer;
	struct symbol symbol;
	unsigned named = 0;

	fixture->config.vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	if (!fixture->config.vdso) {
		printf("skip test_c54_vdso_from_memory: no vDSO here\n");
		skip();
	}
	fixture->config.vdso_size = 4096;
	symbolizer = symbolizer_new(&fixture->config);
	for (uint64_t at = 0; at < 4096; at++) {
		symbolizer_resolve(symbolizer, &vdso, at, &symbol);
		named += symbol.has_name &&
			 strstr(symbol.lines[0].name, "clock_gettime");
	}
	assert_true(named > 0);
	assert_string_equal(symbol.path, "[vdso]");
	symbolizer_free(symbolizer);
}

/* A jitdump of one piece of code, "f" at 0x1000, loaded at time 100. */
static int jitdump_fd(void)
{
	static const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		uint32_t id, record_size;
		uint64_t loaded;
		uint32_t process, thread;
		uint64_t vma, address, code_size, index;
		char name_and_code[8];
	} dump = { 0x4a695444, 1,   40, 62, 0,	    1,	    1, 0, 0,
		   64,	       100, 1,	1,  0x1000, 0x1000, 6, 0, "f" };
	int fd = memfd_create("jit.dump", 0);

	assert_int_equal(write(fd, &dump, sizeof(dump)), sizeof(dump));
	return fd;
}

static void test_memory_is_named_by_its_jitdump_first(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary memory = { .id = { .kind = BINARY_MEMORY,
					 .path = "/tmp/perf-1.map" },
				 .state = BINARY_OPEN,
				 .fd = memfd_of("1000 10 of the map\n") };
	int fd = jitdump_fd();
	struct symbol symbol;

	symbolizer_add_jitdump(symbolizer, &memory, fd);
	symbolizer_set_time(symbolizer, 200);
	symbolizer_resolve(symbolizer, &memory, 0x1005, &symbol);
	assert_string_equal(symbol.lines[0].name, "f");
	assert_true(symbol.varies);
	symbolizer_resolve(symbolizer, &memory, 0x1006, &symbol);
	assert_string_equal(symbol.lines[0].name, "of the map");
	symbolizer_report(symbolizer);
	assert_int_equal(fixture->notes.count, 0);
	symbolizer_set_time(symbolizer, 50); /* of another clock */
	symbolizer_resolve(symbolizer, &memory, 0x1005, &symbol);
	symbolizer_report(symbolizer);
	assert_int_equal(fixture->notes.count, 1);
	symbolizer_free(symbolizer);
	close(memory.fd);
	close(fd);
}

static void test_ksymbol_is_named_by_its_path(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary program = { .id = { .kind = BINARY_KSYMBOL,
					  .path = "bpf_prog_1234_hello" },
				  .fd = -1 };
	struct symbol symbol;

	symbolizer_resolve(symbolizer, &program, 0xffffffffc0000000, &symbol);
	assert_true(symbol.has_name);
	assert_string_equal(symbol.lines[0].name, "bpf_prog_1234_hello");
	assert_string_equal(symbol.path, "[bpf]");
	symbolizer_free(symbolizer);
}

static void test_memory_is_named_by_its_perf_map(void **state)
{
	struct fixture *fixture = *state;
	struct symbolizer *symbolizer = symbolizer_new(&fixture->config);
	struct binary memory = { .id = { .kind = BINARY_MEMORY,
					 .path = "[anon]" },
				 .state = BINARY_OPEN,
				 .fd = memfd_of("1000 10 js @scope/a.js:1\n"
						"2000 10 _Z1fi\n"
						"bad\n"
						"2000 10 _Z1fb\n") };
	struct symbol symbol;

	symbolizer_resolve(symbolizer, &memory, 0x1008, &symbol);
	assert_true(symbol.has_name);
	assert_string_equal(symbol.lines[0].name, "js @scope/a.js:1");
	assert_int_equal(symbol.symbol_start, 0x1000);
	symbolizer_resolve(symbolizer, &memory, 0x2008, &symbol);
	assert_string_equal(symbol.lines[0].name, "f(bool)");
	symbolizer_resolve(symbolizer, &memory, 0x3000, &symbol);
	assert_false(symbol.has_name);
	symbolizer_report(symbolizer);
	assert_int_equal(fixture->notes.count, 2);
	assert_non_null(strstr(fixture->notes.items[0].text, "no sense"));
	assert_non_null(strstr(fixture->notes.items[1].text, "replaced"));
	symbolizer_free(symbolizer);
	close(memory.fd);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file),
		TEST(test_what_has_no_name_keeps_its_address),
		TEST(test_a_binary_may_be_opened_later),
		TEST(test_a_file_with_another_build_id_is_refused),
		TEST(test_kernel),
		TEST(test_c51_hidden_addresses_are_said_once),
		TEST(test_c54_vdso_from_memory),
		TEST(test_memory_is_named_by_its_perf_map),
		TEST(test_memory_is_named_by_its_jitdump_first),
		TEST(test_ksymbol_is_named_by_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
