/* Fuzz target: any bytes as an ELF file with symbols, PLT and DWARF. */
#include "symbolize/module.h"

#include "perfcore/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOOKUPS 256

static void segment_ask(struct module *module,
			const struct module_segment *segment)
{
	static struct module_lookup lookup;
	uint64_t step = segment->memory_size / LOOKUPS;

	for (uint64_t i = 0; i < LOOKUPS; i++)
		module_symbolize(module, segment->vaddr + i * (step ? step : 1),
				 &lookup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings *strings = strings_new();
	struct notes notes;
	void *copy = mem_dup(data, size); /* to see what is read beyond it */
	struct module_input input = {
		.fd = -1,
		.image = copy,
		.image_size = size,
		.path = "fuzz",
		.strings = strings,
		.notes = &notes,
		.want_inlines = true,
	};
	const struct module_segment *segments;
	struct module *module;
	uint32_t count;

	notes_init(&notes);
	if (module_new(&module, &input, NULL) == 0) {
		segments = module_segments(module, &count);
		for (uint32_t i = 0; i < count && i < 16; i++)
			segment_ask(module, &segments[i]);
		module_free(module);
	}
	free(copy);
	notes_destroy(&notes);
	strings_free(strings);
	return 0;
}
