/* build_id.c: ELF headers made by hand, cut at every byte, and this program's
 * own file against what the loader has mapped of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfcore/build_id.h"

static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static int read_bytes(const void *bytes, size_t size, uint8_t *id)
{
	int fd = file_of(bytes, size);
	int result = build_id_read(fd, id);

	close(fd);
	return result;
}

struct note {
	uint32_t name_size, size, type;
	char name[4];
	uint8_t id[20];
};

struct elf64 {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	struct note first, note;
};

static struct elf64 elf64_new(void)
{
	struct elf64 elf = { 0 };

	memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
	elf.header.e_ident[EI_CLASS] = ELFCLASS64;
	elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.header.e_phoff = htole64(offsetof(struct elf64, segments));
	elf.header.e_phentsize = htole16(sizeof(Elf64_Phdr));
	elf.header.e_phnum = htole16(2);
	elf.segments[0].p_type = htole32(PT_LOAD);
	elf.segments[1].p_type = htole32(PT_NOTE);
	elf.segments[1].p_offset = htole64(offsetof(struct elf64, first));
	elf.segments[1].p_filesz = htole64(2 * sizeof(struct note));
	elf.segments[1].p_align = htole64(4);
	elf.first = (struct note){ htole32(4), htole32(20), htole32(1), "GNU" };
	elf.note = (struct note){ htole32(4), htole32(20), htole32(3), "GNU" };
	for (int i = 0; i < 20; i++)
		elf.note.id[i] = (uint8_t)(i + 1);
	return elf;
}

static void second_note_of_64_bit(void **state)
{
	struct elf64 elf = elf64_new();
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 20);
	assert_memory_equal(id, elf.note.id, 20);
}

static void big_endian_32_bit(void **state)
{
	struct {
		Elf32_Ehdr header;
		Elf32_Phdr segment;
		struct note note;
	} elf = { 0 };
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
	elf.header.e_ident[EI_CLASS] = ELFCLASS32;
	elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
	elf.header.e_phoff = htobe32(sizeof(Elf32_Ehdr));
	elf.header.e_phentsize = htobe16(sizeof(Elf32_Phdr));
	elf.header.e_phnum = htobe16(1);
	elf.segment.p_type = htobe32(PT_NOTE);
	elf.segment.p_offset = htobe32(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr));
	elf.segment.p_filesz = htobe32(sizeof(struct note));
	elf.segment.p_align = htobe32(4);
	/* gold's short ids have 8 bytes (--build-id=0x…, =md5 has 16) */
	elf.note = (struct note){ htobe32(4), htobe32(8), htobe32(3), "GNU" };
	memcpy(elf.note.id, "\1\2\3\4\5\6\7\10", 8);
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 8);
	assert_memory_equal(id, elf.note.id, 8);
}

static void every_length_of_file(void **state)
{
	struct elf64 elf = elf64_new();
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	for (size_t size = 0; size < sizeof(elf); size++)
		assert_true(read_bytes(&elf, size, id) <= 0);
	assert_int_equal(read_bytes(&elf, 10, id), -ENOEXEC);
	assert_int_equal(read_bytes("#!/bin/sh\n        ", 18, id), -ENOEXEC);
}

static void c19_all_zero_is_none(void **state)
{
	struct elf64 elf = elf64_new();
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	memset(elf.note.id, 0, sizeof(elf.note.id));
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.note.size = htole32(0);
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
}

static void hostile_numbers(void **state)
{
	uint8_t id[BUILD_ID_MAX];
	struct elf64 elf;

	(void)state;
	elf = elf64_new();
	elf.note.size = UINT32_MAX;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.first.name_size = UINT32_MAX;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.segments[1].p_offset = UINT64_MAX;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.segments[1].p_filesz = UINT64_MAX;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 20);
	elf = elf64_new();
	elf.header.e_phoff = UINT64_MAX - 10;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.header.e_phnum = UINT16_MAX;
	elf.header.e_phentsize = 0;
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	elf = elf64_new();
	elf.note.size = htole32(200); /* longer than any id: cut */
	assert_int_equal(read_bytes(&elf, sizeof(elf), id), 0);
	assert_int_equal(build_id_read(-1, id), -EBADF);
}

/* The loader's view of the main program, read through its note segments. */
static int own_build_id(struct dl_phdr_info *info, size_t size, void *result)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at =
			(const char *)info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE &&
		    ((const ElfW(Nhdr) *)at)->n_type == NT_GNU_BUILD_ID)
			memcpy(result, at + 16, 20);
	}
	return 1;
}

static void own_file(void **state)
{
	uint8_t id[BUILD_ID_MAX], want[BUILD_ID_MAX] = { 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	dl_iterate_phdr(own_build_id, want);
	assert_int_equal(build_id_read(fd, id), 20);
	assert_memory_equal(id, want, 20);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

/* As /sys/kernel/notes is: other notes before it, no ELF header. */
static void the_kernels_notes(void **state)
{
	static const uint32_t words[] = {
		6, 1, 0x101, 0x756e694c, 0x78, 0, 4, 4, 3, 0x554e47, 0x44332211,
	};
	int fd = memfd_create("notes", MFD_CLOEXEC);
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	assert_int_equal(write(fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(build_id_of_kernel(fd, id), 4);
	assert_memory_equal(id, &words[10], 4);
	assert_int_equal(ftruncate(fd, sizeof(words) - 1), 0);
	assert_int_equal(build_id_of_kernel(fd, id), 0);
	assert_int_equal(build_id_of_kernel(-1, id), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_note_of_64_bit),
		cmocka_unit_test(big_endian_32_bit),
		cmocka_unit_test(every_length_of_file),
		cmocka_unit_test(c19_all_zero_is_none),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(own_file),
		cmocka_unit_test(the_kernels_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
