/*
 * Binaries: the things that mappings map. One binary is one file by identity
 * (build-id, or device and inode), never by path alone: the same path in a
 * container, or after an upgrade, is another binary. Memory that is no file
 * (JIT code) is a binary of its process; the kernel and the vDSO are one each.
 *
 * The table owns binaries and the file descriptors in them; both live until
 * it is freed. Binaries are numbered from 0 without gaps.
 */
#ifndef PERFCORE_BINARY_H
#define PERFCORE_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/event.h"
#include "perfcore/strings.h"

enum binary_kind {
	BINARY_FILE,
	BINARY_KERNEL, /* kernel text, modules and BPF: by absolute address */
	BINARY_VDSO,
	BINARY_MEMORY, /* anonymous or unknown code of one process */
	BINARY_GUEST,
	BINARY_KSYMBOL, /* registered at run time (BPF); path is its name */
};

enum binary_state {
	BINARY_UNOPENED,
	BINARY_OPEN,   /* fd is valid and proved to be this file */
	BINARY_ABSENT, /* could not be opened, or was another file */
};

struct binary_identity {
	enum binary_kind kind;
	const char *path; /* as seen in its mount namespace; any string */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: unknown */
	uint32_t major, minor; /* 0, 0: unknown */
	uint64_t inode;
	uint64_t inode_generation; /* 0: unknown */
	uint32_t owner; /* BINARY_MEMORY: number of the process, else 0 */
};

struct binary {
	uint32_t number;
	struct binary_identity id; /* id.path is interned, " (deleted)" cut */
	bool is_deleted; /* the file had no name any more when last seen */
	enum binary_state state;
	int fd;		/* read-only; -1 unless state is BINARY_OPEN */
	int open_errno; /* why it is absent: an errno, ESTALE = another file */
	/* Set once this turned out to be the same file as an older binary:
	 * go on with that one. It is never an alias itself. */
	struct binary *alias;
};

struct binary_table;

struct binary_table *binary_table_new(struct strings *strings);
void binary_table_free(struct binary_table *table);

/* Finds the binary of that identity, or adds it; never an alias. Never
 * fails. */
struct binary *binary_table_get(struct binary_table *table,
				const struct binary_identity *identity);

/*
 * Tells the table what was read from an opened file: its build-id and, where
 * major and minor are not 0, its inode. Returns the binary to go on with:
 * the given one, or the one of this build-id, of which it now is an alias.
 */
struct binary *binary_table_learn(struct binary_table *table,
				  struct binary *binary,
				  const struct binary_identity *identity);

/* BINARY_FILE, BINARY_VDSO or BINARY_MEMORY, by the name that the kernel
 * gives a mapping: "[heap]", "//anon", "/SYSV…", "/dev/zero" are no files. */
enum binary_kind binary_kind_of_path(const char *path);

/* What an MMAP record tells of the file it maps; the path is borrowed. */
struct binary_identity binary_identity_of(const struct event_mmap *mmap);

static inline struct binary *binary_resolve(struct binary *binary)
{
	return binary->alias ? binary->alias : binary;
}

struct binary *binary_table_at(const struct binary_table *table,
			       uint32_t number);
uint32_t binary_table_count(const struct binary_table *table);

#endif
