#include "perfcore/vdso.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

const void *vdso_image(size_t *size)
{
	const Elf64_Ehdr *header =
		(const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);

	*size = 0;
	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	/* The section headers are the image's last part. */
	*size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return header;
}
