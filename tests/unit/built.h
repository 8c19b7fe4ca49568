/*
 * Programs built while a test runs, with gcc, clang and lld, in every layout
 * that once made a profiler name the wrong function. Where a function really
 * is tells a marker of eight bytes inside it, found in the file: no header of
 * the file is needed for that.
 */
#ifndef TESTS_BUILT_H
#define TESTS_BUILT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/notes.h"
#include "perfcore/strings.h"
#include "symbolize/module.h"

struct built {
	char dir[64]; /* scratch directory, holds p.c: foo, bar and main */
	struct strings *strings;
	struct notes notes;
	struct module_opener opener; /* debug files below dir/debug */
	bool want_inlines;
	struct symbol_server *server;
	char debug_dir[96];
	const char *debug_dirs[2];
	struct module *module;
	int fd;
	uint8_t *bytes; /* of the file the module is made of */
	size_t size;
};

/* The markers in foo and bar of p.c. */
#define BUILT_FOO 0x1122334455667701
#define BUILT_BAR 0x1122334455667702

#define BUILT_TEST(function)                                                   \
	cmocka_unit_test_setup_teardown(function, built_setup, built_teardown)

/* cmocka fixtures: *state becomes a struct built. */
int built_setup(void **state);
int built_teardown(void **state);

/* Runs a shell command in the scratch directory; failing fails the test. */
void built_run(struct built *built, const char *command);
void built_write(struct built *built, const char *name, const char *text);

/* Makes the module of a file in the scratch directory. */
void built_open(struct built *built, const char *name);

/* The name that the module gives an ELF address; "" where it has none. */
const char *built_name_at(struct built *built, uint64_t vaddr);
uint64_t built_marker_vaddr(struct built *built, uint64_t marker);
const char *built_name_of(struct built *built, uint64_t marker);

/* foo and bar are named so. */
void built_assert_named(struct built *built);

#endif
