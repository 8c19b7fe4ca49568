#include "cli/formats/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/profile/profile.h"
#include "perfcore/mem.h"

/* Kernel addresses are the upper half on every 64-bit machine. */
#define KERNEL_HALF (1ull << 63)

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

uint32_t pprof_mapped_flags(const char *path)
{
	size_t length = strlen(path);

	if (starts_with(path, "[kernel") || starts_with(path, "[guest.kernel"))
		return PROFILE_FRAME_KERNEL;
	if (length > 3 && strcmp(path + length - 3, ".ko") == 0)
		return PROFILE_FRAME_KERNEL;
	return PROFILE_FRAME_USER;
}

uint32_t pprof_bare_flags(uint64_t address, const char *name)
{
	if (address == 0 && name[0] == '[')
		return PROFILE_FRAME_SPECIAL;
	return address >= KERNEL_HALF ? PROFILE_FRAME_KERNEL
				      : PROFILE_FRAME_USER;
}

bool pprof_is_named(const char *name)
{
	const char *plus = strstr(name, "]+0x");

	if (name[0] == '[' && plus)
		return plus[4 + strspn(plus + 4, "0123456789abcdef")] != '\0';
	if (starts_with(name, "0x"))
		return name[2 + strspn(name + 2, "0123456789abcdef")] != '\0';
	return *name != '\0';
}

void pprof_unknown_name(char name[PPROF_UNKNOWN_MAX], const char *path,
			uint64_t address)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	bool has_brackets = *base == '[';

	snprintf(name, PPROF_UNKNOWN_MAX, "%s%.*s%s+0x%" PRIx64,
		 has_brackets ? "" : "[", PPROF_UNKNOWN_MAX - 32,
		 *base ? base : "unknown", has_brackets ? "" : "]", address);
}

char *pprof_type_name(const char *type)
{
	char *name = mem_strdup(type);

	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	return name;
}
