/*
 * Opening the file behind a binary, proved to be that file and no other: by
 * build-id, or by device and inode (cases C14, C15, C17, C18). In this order:
 * /proc/PID/map_files, the path below /proc/PID/root, the path in the
 * process's mount namespace (pinned while it was alive), the host's path.
 */
#ifndef PERFCORE_BINARY_FILE_H
#define PERFCORE_BINARY_FILE_H

#include "perfcore/binary.h"
#include "perfcore/build_id.h"
#include "perfcore/process.h"

/* The ways to a file, in the order in which they are tried. */
enum binary_rung {
	RUNG_MAP_FILES, /* /proc/PID/map_files: needs CAP_SYS_ADMIN or
			 * CAP_CHECKPOINT_RESTORE */
	RUNG_EXE,	/* /proc/PID/exe */
	RUNG_ROOT,	/* below /proc/PID/root */
	RUNG_NAMESPACE, /* in the pinned mount namespace */
	RUNG_SYMFS,	/* below a copy of the recorded host's root */
	RUNG_HOST,
	RUNGS
};

struct binary_files;

/* root as in process_table_config; both pointers are borrowed. */
struct binary_files *binary_files_new(const char *root,
				      struct binary_table *binaries);
void binary_files_free(struct binary_files *files);

/* Looks for files below symfs, borrowed, before the host's own; NULL: not. */
void binary_files_set_symfs(struct binary_files *files, const char *symfs);

/*
 * Opens mapping->binary if it is BINARY_UNOPENED (or was absent while another
 * process that maps it may still have it); afterwards its state is OPEN or
 * ABSENT. For BINARY_MEMORY it looks for the process's perf map
 * (/tmp/perf-NSPID.map as the process sees it, owned by it or by root; case
 * C27), again at most once a second while there is none. process may have
 * ended. Cheap when there is nothing to do: call it for every sampled frame,
 * and for a binary that an MMAP record has just brought into the table (its
 * process may be gone a few milliseconds later, case C18). Returns the binary
 * to go on with: mapping->binary, or the one it turned out to be an alias of.
 */
struct binary *binary_files_open(struct binary_files *files,
				 const struct process *process,
				 const struct mapping *mapping);

/* Opens another file as the process that mapped binary saw it (a separate
 * debug file named by it); returns an fd that the caller closes, or -errno. */
int binary_files_open_path(struct binary_files *files,
			   const struct binary *binary, const char *path);

struct binary_files_counts {
	uint64_t opened[RUNGS];	     /* files, by the way that led to them */
	uint64_t other_files;	     /* refused: not the one that was mapped */
	uint64_t no_descriptors;     /* refused: too many files open already */
	uint64_t namespaces_dropped; /* to have descriptors for files */
};
const struct binary_files_counts *binary_files_counts(
	const struct binary_files *files);

/* Says in notes what a reader of the results should know of them. */
void binary_files_report(const struct binary_files *files, struct notes *notes);

/* Keeps the mount namespace of a living process, so that its files can be
 * read after its end. Does nothing for the host's own namespace. */
void binary_files_pin(struct binary_files *files, struct process *process);

#endif
