/* Fuzz target: any text as a mangled name. */
#include "symbolize/demangle.h"

#include <stdint.h>
#include <stdlib.h>

#include "perfcore/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings *strings = strings_new();
	char *name = mem_strndup((const char *)data, size);

	demangle_name(strings, name);
	free(name);
	strings_free(strings);
	return 0;
}
