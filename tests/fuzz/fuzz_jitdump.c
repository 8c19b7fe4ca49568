/* Fuzz target: any bytes as a jitdump, in two parts as if it had grown. */
#include "symbolize/jitdump.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct jitdump *jitdump)
{
	struct jitdump_symbol symbol;

	for (uint64_t i = 0; i < 64; i++)
		jitdump_find(jitdump, 0x7bea23b00000 + i * 0x25, i << 40,
			     &symbol);
	jitdump_find(jitdump, 0x1004, 1, &symbol);
	jitdump_find(jitdump, UINT64_MAX, JITDUMP_ANY_TIME, &symbol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings *strings = strings_new();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct jitdump *jitdump = jitdump_new(fd, strings);

	if (write(fd, data, size / 2) == (ssize_t)(size / 2)) {
		ask(jitdump);
		if (write(fd, data + size / 2, size - size / 2) >= 0)
			ask(jitdump);
	}
	jitdump_free(jitdump);
	strings_free(strings);
	close(fd);
	return 0;
}
