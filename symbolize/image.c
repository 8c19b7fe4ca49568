#include "symbolize/image.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/cursor.h"
#include "perfcore/mem.h"

/* The loader maps whole pages; 64 KB is the largest page of our machines,
 * but every linker aligns for 4 KB at least. */
#define LOADER_PAGE 4096u

/* Bounds on what a file declares: a sparse one of any size costs nothing. */
#define HEADERS_MAX    65536u
#define SECTIONS_MAX   (1u << 20)
#define NOTES_MAX_SIZE (1u << 20)

bool image_is_swapped(const struct image *image)
{
	uint8_t here =
		__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	return image->size > EI_DATA && image->bytes[EI_DATA] != here;
}

static void segment_add(struct image *image, const GElf_Phdr *header)
{
	image->segments[image->n_segments++] = (struct module_segment){
		.vaddr = header->p_vaddr,
		.file_offset = header->p_offset,
		.file_size = header->p_filesz,
		.memory_size = header->p_memsz,
		.is_executable = header->p_flags & PF_X,
	};
}

static size_t header_count(const struct image *image)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return 0;
	return count < HEADERS_MAX ? count : HEADERS_MAX;
}

static void segments_read(struct image *image)
{
	size_t count = header_count(image);
	GElf_Phdr header;

	if (!count)
		return;
	image->segments = mem_calloc(count, sizeof(*image->segments));
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image->elf, (int)i, &header) &&
		    header.p_type == PT_LOAD)
			segment_add(image, &header);
}

/*
 * A Go build-id is text of four parts, "aB3…/…/…/x9_…"; the last one hashes
 * the file's content and is 20 characters long (cmd/internal/buildid).
 */
static void go_build_id(struct image *image, const uint8_t *text, size_t size)
{
	const uint8_t *slash = memrchr(text, '/', size);
	size_t length;

	if (!slash)
		return;
	length = size - (size_t)(slash + 1 - text);
	if (length > BUILD_ID_MAX)
		length = BUILD_ID_MAX;
	memcpy(image->build_id, slash + 1, length);
	image->build_id_size = (uint8_t)length;
}

/* Takes the build-id from a note, if it is one; true for GNU's, the best. */
static bool note_read(struct image *image, const GElf_Nhdr *note,
		      const char *name, const uint8_t *bytes)
{
	if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
	    memcmp(name, "GNU", 4) == 0 && note->n_descsz > 0) {
		image->build_id_size = note->n_descsz > BUILD_ID_MAX
					       ? BUILD_ID_MAX
					       : (uint8_t)note->n_descsz;
		memcpy(image->build_id, bytes, image->build_id_size);
		image->is_gnu_build_id = true;
		return true;
	}
	if (note->n_type == 4 && note->n_namesz == 4 &&
	    memcmp(name, "Go\0", 4) == 0)
		go_build_id(image, bytes, note->n_descsz);
	return false;
}

static bool notes_read(struct image *image, Elf_Data *data)
{
	size_t offset = 0, name, bytes;
	GElf_Nhdr note;

	while (data && offset < data->d_size && offset < NOTES_MAX_SIZE &&
	       (offset = gelf_getnote(data, offset, &note, &name, &bytes)) > 0)
		if (note_read(image, &note, (const char *)data->d_buf + name,
			      (const uint8_t *)data->d_buf + bytes))
			return true;
	return false;
}

/* Takes the build-id from the first segment or section of notes with one. */
static void build_id_find(struct image *image)
{
	size_t count = header_count(image);
	GElf_Phdr header;
	GElf_Shdr section;

	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image->elf, (int)i, &header) &&
		    header.p_type == PT_NOTE &&
		    notes_read(image,
			       elf_getdata_rawchunk(
				       image->elf, (int64_t)header.p_offset,
				       header.p_filesz,
				       header.p_align == 8 ? ELF_T_NHDR8
							   : ELF_T_NHDR)))
			return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));)
		if (gelf_getshdr(scn, &section) &&
		    section.sh_type == SHT_NOTE &&
		    notes_read(image, elf_getdata(scn, NULL)))
			return;
}

/* Some linkers leave a build-id of zeros, which identifies nothing. */
static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* A number of 2 bytes, or of the file's word size, at an offset; 0: none. */
static uint64_t number_at(const struct image *image, uint64_t offset,
			  bool is_half)
{
	struct cursor cursor = cursor_at(image->bytes, image->size);
	uint64_t number;

	if (offset > image->size)
		return 0;
	cursor.is_swapped = image_is_swapped(image);
	cursor_skip(&cursor, offset);
	if (is_half)
		number = cursor_u16(&cursor);
	else
		number = image->bytes[EI_CLASS] == ELFCLASS64
				 ? cursor_u64(&cursor)
				 : cursor_u32(&cursor);
	return cursor.has_failed ? 0 : number;
}

/*
 * libelf allocates for every section that a file declares. Where e_shnum is
 * 0, their number is the size of the first one.
 */
static bool has_sane_sections(const struct image *image)
{
	bool is_64 = image->bytes[EI_CLASS] == ELFCLASS64;
	uint64_t table = number_at(image,
				   is_64 ? offsetof(Elf64_Ehdr, e_shoff)
					 : offsetof(Elf32_Ehdr, e_shoff),
				   false);

	return !table ||
	       number_at(image,
			 is_64 ? offsetof(Elf64_Ehdr, e_shnum)
			       : offsetof(Elf32_Ehdr, e_shnum),
			 true) ||
	       number_at(image,
			 table + (is_64 ? offsetof(Elf64_Shdr, sh_size)
					: offsetof(Elf32_Shdr, sh_size)),
			 false) <= SECTIONS_MAX;
}

static int image_parse(struct image *image, const char *path,
		       struct error *error)
{
	GElf_Ehdr header;
	size_t n_sections;

	elf_version(EV_CURRENT);
	if (image->size >= EI_NIDENT && !has_sane_sections(image))
		return error_set(error, -ENOEXEC,
				 "%s declares too many sections", path);
	/* libelf does not write to a native image that it only reads. */
	image->elf = elf_memory((char *)(uintptr_t)image->bytes, image->size);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
	    !gelf_getehdr(image->elf, &header))
		return error_set(error, -ENOEXEC, "%s is not an ELF file",
				 path);
	image->machine = header.e_machine;
	image->type = header.e_type;
	image->has_sections =
		elf_getshdrnum(image->elf, &n_sections) == 0 && n_sections > 0;
	segments_read(image);
	build_id_find(image);
	if (is_zero(image->build_id, image->build_id_size)) {
		image->build_id_size = 0;
		image->is_gnu_build_id = false;
	}
	return 0;
}

/*
 * Puts a page of zeros where the file has none any more. What is read then
 * fails the checks that any hostile file meets. mmap and sigaction may be
 * called in a handler (Linux).
 */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *address = (void *)((uintptr_t)info->si_addr & ~(page - 1));

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(address, page, PROT_READ,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == address)
		return;
	signal(signal_number, SIG_DFL); /* the fault comes again, and ends us */
}

void image_survive_truncation(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

int image_open(struct image *image, int fd, const char *path,
	       struct error *error)
{
	struct stat status;
	void *bytes;
	int ret;

	*image = (struct image){ 0 };
	if (fstat(fd, &status))
		return error_set(error, -errno, "%s: %m", path);
	if (!S_ISREG(status.st_mode) || status.st_size < EI_NIDENT)
		return error_set(error, -ENOEXEC, "%s is not an ELF file",
				 path);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd,
		     0);
	if (bytes == MAP_FAILED)
		return error_set(error, -errno, "cannot map %s: %m", path);
	image->bytes = bytes;
	image->size = (size_t)status.st_size;
	image->is_mapped = true;
	ret = image_parse(image, path, error);
	if (ret)
		image_destroy(image);
	return ret;
}

int image_memory(struct image *image, const void *bytes, size_t size,
		 const char *path, struct error *error)
{
	int ret;

	*image = (struct image){ .bytes = bytes, .size = size };
	ret = image_parse(image, path, error);
	if (ret)
		image_destroy(image);
	return ret;
}

int image_adopt(struct image *image, void *bytes, size_t size, const char *path,
		struct error *error)
{
	int ret = image_memory(image, bytes, size, path, error);

	if (ret)
		free(bytes);
	else
		image->is_owned = true;
	return ret;
}

void image_destroy(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	if (image->is_mapped)
		munmap((void *)(uintptr_t)image->bytes, image->size);
	if (image->is_owned)
		free((void *)(uintptr_t)image->bytes);
	free(image->segments);
	*image = (struct image){ 0 };
}

bool image_section(const struct image *image, const char *name,
		   struct image_section *section)
{
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names))
		return false;
	section->scn = NULL;
	while ((section->scn = elf_nextscn(image->elf, section->scn))) {
		const char *found;

		if (!gelf_getshdr(section->scn, &section->header))
			continue;
		found = elf_strptr(image->elf, names, section->header.sh_name);
		if (found && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

bool image_section_of_type(const struct image *image, uint32_t type,
			   struct image_section *section)
{
	section->scn = NULL;
	while ((section->scn = elf_nextscn(image->elf, section->scn)))
		if (gelf_getshdr(section->scn, &section->header) &&
		    section->header.sh_type == type)
			return true;
	return false;
}

const uint8_t *image_section_bytes(const struct image *image,
				   const struct image_section *section,
				   size_t *size)
{
	const GElf_Shdr *header = &section->header;

	if (header->sh_type == SHT_NOBITS || header->sh_offset > image->size ||
	    header->sh_size > image->size - header->sh_offset)
		return NULL;
	*size = header->sh_size;
	return image->bytes + header->sh_offset;
}

bool image_header(const struct image *image, uint32_t type, GElf_Phdr *header)
{
	size_t count = header_count(image);

	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image->elf, (int)i, header) &&
		    header->p_type == type)
			return true;
	return false;
}

bool image_dynamic(const struct image *image, int64_t tag, uint64_t *value)
{
	GElf_Phdr header;
	Elf_Data *data;
	GElf_Dyn entry;

	if (!image_header(image, PT_DYNAMIC, &header))
		return false;
	data = elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset,
				    header.p_filesz, ELF_T_DYN);
	for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == tag) {
			*value = entry.d_un.d_val;
			return true;
		}
	}
	return false;
}

const struct module_segment *image_segment(const struct image *image,
					   uint64_t vaddr)
{
	for (uint32_t i = 0; i < image->n_segments; i++) {
		const struct module_segment *segment = &image->segments[i];

		if (vaddr >= segment->vaddr &&
		    vaddr - segment->vaddr < segment->memory_size)
			return segment;
	}
	return NULL;
}

static bool segment_vaddr(const struct module_segment *segment,
			  uint64_t file_offset, uint64_t slack, uint64_t *vaddr)
{
	uint64_t first = segment->file_offset & ~slack;
	uint64_t end = segment->file_offset + segment->file_size;

	if (end < segment->file_offset)
		return false;
	end = (end + slack) & ~slack;
	if (file_offset < first || file_offset >= end)
		return false;
	*vaddr = segment->vaddr + (file_offset - segment->file_offset);
	return true;
}

/*
 * Segments may share a page of the file (lld without separate code, case
 * C08), so an exact match goes first; the rest of the page that the loader
 * mapped along with a segment comes second.
 */
bool image_vaddr(const struct image *image, uint64_t file_offset,
		 uint64_t *vaddr)
{
	for (uint32_t i = 0; i < image->n_segments; i++)
		if (segment_vaddr(&image->segments[i], file_offset, 0, vaddr))
			return true;
	for (uint32_t i = 0; i < image->n_segments; i++)
		if (image->segments[i].is_executable &&
		    segment_vaddr(&image->segments[i], file_offset,
				  LOADER_PAGE - 1, vaddr))
			return true;
	return false;
}

bool image_offset(const struct image *image, uint64_t vaddr,
		  uint64_t *file_offset)
{
	const struct module_segment *segment = image_segment(image, vaddr);

	if (!segment || vaddr - segment->vaddr >= segment->file_size)
		return false;
	*file_offset = segment->file_offset + (vaddr - segment->vaddr);
	return true;
}

const uint8_t *image_at(const struct image *image, uint64_t vaddr, size_t *left)
{
	const struct module_segment *segment = image_segment(image, vaddr);
	uint64_t offset;

	if (!image_offset(image, vaddr, &offset) || offset >= image->size)
		return NULL;
	*left = segment->file_size - (vaddr - segment->vaddr);
	if (*left > image->size - offset)
		*left = image->size - offset;
	return image->bytes + offset;
}

void image_forget(const struct image *image)
{
	if (image->is_mapped)
		madvise((void *)(uintptr_t)image->bytes, image->size,
			MADV_DONTNEED);
}
