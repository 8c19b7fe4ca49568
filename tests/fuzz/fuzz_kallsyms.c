/* Fuzz target: any bytes as /proc/kallsyms. */
#include "symbolize/kallsyms.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct kallsyms_symbol symbol;
	struct kallsyms *kallsyms;

	if (write(fd, data, size) == (ssize_t)size &&
	    kallsyms_new(&kallsyms, fd, NULL) == 0) {
		for (uint64_t i = 0; i < 64; i++) {
			kallsyms_find(kallsyms, i << 58, &symbol);
			kallsyms_find(kallsyms, 0xffffffff81000000 + i * 0x80,
				      &symbol);
		}
		kallsyms_free(kallsyms);
	}
	close(fd);
	return 0;
}
