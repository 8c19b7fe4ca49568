#include "built.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/mem.h"

static const char source[] =
	"#define MARK(n) __asm__ volatile(\"jmp 1f; .quad \" #n \"; 1:\")\n"
	"int counter;\n"
	"__attribute__((noinline)) void foo(void)\n"
	"{ MARK(0x1122334455667701); counter++; }\n"
	"__attribute__((noinline)) void bar(void)\n"
	"{ MARK(0x1122334455667702); counter += 2; foo(); }\n"
	"int main(void) { bar(); return counter; }\n";

void built_run(struct built *built, const char *command)
{
	char *text =
		mem_printf("cd %s && { %s ; } >log 2>&1", built->dir, command);
	int status = system(text);

	free(text);
	if (status)
		fail_msg("%s", command);
}

void built_write(struct built *built, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", built->dir, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

static int path_open(void *context, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)context;
	return fd < 0 ? -errno : fd;
}

int built_setup(void **state)
{
	struct built *built = calloc(1, sizeof(*built));

	snprintf(built->dir, sizeof(built->dir), "/tmp/hostprof-test-%d",
		 getpid());
	assert_int_equal(mkdir(built->dir, 0700), 0);
	built->strings = strings_new();
	notes_init(&built->notes);
	snprintf(built->debug_dir, sizeof(built->debug_dir), "%s/debug",
		 built->dir);
	built->debug_dirs[0] = built->debug_dir;
	built->opener =
		(struct module_opener){ path_open, NULL, built->debug_dirs };
	built->fd = -1;
	built_write(built, "p.c", source);
	*state = built;
	return 0;
}

static void module_close(struct built *built)
{
	module_free(built->module);
	built->module = NULL;
	free(built->bytes);
	built->bytes = NULL;
	if (built->fd >= 0)
		close(built->fd);
	built->fd = -1;
}

static int entry_remove(const char *path, const struct stat *status, int flag,
			struct FTW *walk)
{
	(void)status;
	(void)flag;
	(void)walk;
	return remove(path);
}

int built_teardown(void **state)
{
	struct built *built = *state;

	module_close(built);
	nftw(built->dir, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
	notes_destroy(&built->notes);
	strings_free(built->strings);
	free(built);
	return 0;
}

void built_open(struct built *built, const char *name)
{
	char *path = mem_printf("%s/%s", built->dir, name);
	struct module_input input = {
		.path = path,
		.strings = built->strings,
		.notes = &built->notes,
		.opener = &built->opener,
		.want_inlines = built->want_inlines,
		.server = built->server,
	};
	struct stat status;
	struct error error;

	module_close(built);
	built->fd = input.fd = open(path, O_RDONLY);
	assert_true(input.fd >= 0);
	assert_int_equal(fstat(input.fd, &status), 0);
	built->size = (size_t)status.st_size;
	built->bytes = malloc(built->size);
	assert_int_equal(pread(input.fd, built->bytes, built->size, 0),
			 built->size);
	if (module_new(&built->module, &input, &error))
		fail_msg("%s", error.text);
	free(path);
}

uint64_t built_marker_vaddr(struct built *built, uint64_t marker)
{
	const uint8_t *found =
		memmem(built->bytes, built->size, &marker, sizeof(marker));
	uint64_t vaddr;

	assert_non_null(found);
	assert_true(module_vaddr(built->module,
				 (uint64_t)(found - built->bytes), &vaddr));
	return vaddr;
}

const char *built_name_at(struct built *built, uint64_t vaddr)
{
	static struct module_lookup lookup;

	module_symbolize(built->module, vaddr, &lookup);
	return lookup.n_lines ? lookup.lines[0].name : "";
}

const char *built_name_of(struct built *built, uint64_t marker)
{
	return built_name_at(built, built_marker_vaddr(built, marker));
}

void built_assert_named(struct built *built)
{
	assert_string_equal(built_name_of(built, BUILT_FOO), "foo");
	assert_string_equal(built_name_of(built, BUILT_BAR), "bar");
}
