#include "perfcore/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "perfcore/sys.h"

static void cpus_add(struct cpus *cpus, unsigned long cpu)
{
	if (!cpus_has(cpus, (uint32_t)cpu))
		cpus->count++;
	cpus->bits[cpu / 64] |= 1ull << (cpu % 64);
}

/* 0-3,8,10-11 */
int cpus_parse(struct cpus *cpus, const char *text)
{
	*cpus = (struct cpus){ 0 };
	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= CPUS_MAX)
			return -EINVAL;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			cpus_add(cpus, cpu);
		if (*end == ',')
			end++;
		text = end;
	}
	return *text == '\0' && cpus->count ? 0 : -EINVAL;
}

int cpus_online(struct cpus *cpus)
{
	char text[4096];
	ssize_t length = sys_read_text("/sys/devices/system/cpu/online", text,
				       sizeof(text));

	if (length < 0)
		return (int)length;
	return cpus_parse(cpus, text);
}
