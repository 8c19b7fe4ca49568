/* Fuzz target: any bytes as a perf map, in two parts as if it had grown. */
#include "symbolize/perfmap.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct perfmap *perfmap)
{
	struct perfmap_symbol symbol;

	for (uint64_t at = 0; at < 0x10000; at += 0x333)
		perfmap_find(perfmap, at, &symbol);
	perfmap_find(perfmap, UINT64_MAX, &symbol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings *strings = strings_new();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct perfmap *perfmap = perfmap_new(fd, strings);

	if (write(fd, data, size / 2) == (ssize_t)(size / 2)) {
		ask(perfmap);
		if (write(fd, data + size / 2, size - size / 2) >= 0)
			ask(perfmap);
	}
	perfmap_reused(perfmap);
	perfmap_free(perfmap);
	strings_free(strings);
	close(fd);
	return 0;
}
