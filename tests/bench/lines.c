/*
 * make bench-lines: names, inlined functions and lines of addresses, read
 * from standard input in hexadecimal, printed as llvm-symbolizer -i -f
 * --no-demangle prints them. The last line on standard error tells CPU time
 * (ms) and peak memory (KB).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbolize/module.h"

static int path_open(void *context, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)context;
	return fd < 0 ? -errno : fd;
}

static void lookup_print(const struct module_lookup *lookup)
{
	if (!lookup->n_lines)
		puts("??\n??:0");
	for (uint32_t i = 0; i < lookup->n_lines; i++)
		printf("%s\n%s:%u\n", lookup->lines[i].system_name,
		       lookup->lines[i].file ? lookup->lines[i].file : "??",
		       lookup->lines[i].line);
	puts("");
}

static double cpu_ms(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) /
		       1e3;
}

int main(int argc, char **argv)
{
	static struct module_lookup lookup;
	const char *const dirs[] = { "/usr/lib/debug", NULL };
	struct module_opener opener = { path_open, NULL, dirs };
	struct module_input input = { .fd = -1,
				      .path = argv[argc - 1],
				      .strings = strings_new(),
				      .opener = &opener,
				      .want_inlines = true };
	struct module *module;
	struct rusage usage;
	struct error error;
	char line[64];

	input.fd = open(input.path, O_RDONLY | O_CLOEXEC);
	if (module_new(&module, &input, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		module_symbolize(module, strtoull(line, NULL, 16), &lookup);
		lookup_print(&lookup);
	}
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%.0f %ld\n", cpu_ms(&usage), usage.ru_maxrss);
	module_free(module);
	strings_free(input.strings);
	return 0;
}
