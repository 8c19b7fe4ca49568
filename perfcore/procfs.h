/*
 * /proc as hostile text: names in it are chosen by the processes that they
 * name. Everything is read below a root path ("" is the live /proc), in
 * buffers of the caller, without allocating. Formats: man proc(5).
 */
#ifndef PERFCORE_PROCFS_H
#define PERFCORE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCFS_COMM_MAX 64 /* the kernel's own threads have long names */
/* A path of PATH_MAX bytes that are all newlines, each written as \012. */
#define PROCFS_LINE_MAX 20480

/* Writes root + the formatted path; returns false where it does not fit. */
bool procfs_path(char *path, size_t size, const char *root, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));

/* Reads a small file whole (cut at size - 1) and ends it with NUL. Returns
 * the bytes read or -errno. */
ssize_t procfs_read(const char *path, char *buffer, size_t size);

/* The lines of one file. */
struct procfs_lines {
	int fd;
	size_t begin, end;
	bool is_skipping; /* the rest of an overlong line */
	uint64_t skipped; /* overlong lines left out */
	char buffer[PROCFS_LINE_MAX];
};

/* Returns 0 or -errno. */
int procfs_lines_open(struct procfs_lines *lines, const char *path);
/* Returns 1 with the next line (without its newline, ended by NUL, writable,
 * valid until the next call), 0 at the end, or -errno. */
int procfs_lines_next(struct procfs_lines *lines, char **line);
void procfs_lines_close(struct procfs_lines *lines);

struct procfs_mapping {
	uint64_t start, end, page_offset;
	uint32_t protection; /* PROT_* */
	bool is_shared;
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* "" for memory without a name */
};

/* Parses one line of /proc/PID/maps; the path points into the line, which is
 * changed (\012 becomes a newline again). Returns false for any other text. */
bool procfs_parse_mapping(char *line, struct procfs_mapping *mapping);

struct procfs_stat {
	uint32_t pid, parent_pid;
	char comm[PROCFS_COMM_MAX];
	char state;
	uint32_t n_threads;
	uint64_t start_ticks;		   /* after boot, in USER_HZ */
	uint64_t user_ticks, system_ticks; /* CPU time */
};

/* Parses /proc/PID/stat, of which comm may be any bytes. */
bool procfs_parse_stat(const char *text, struct procfs_stat *stat);
/* Of a process, or of one of its threads. Returns 0 or -errno. */
int procfs_stat(const char *root, uint32_t pid, uint32_t tid,
		struct procfs_stat *stat);

struct procfs_status {
	uint32_t uid; /* effective */
	uint32_t tgid;
	uint32_t namespace_pid; /* in the innermost pid namespace */
};

int procfs_status(const char *root, uint32_t pid, struct procfs_status *status);

/* The name of a thread, whatever bytes it has. */
int procfs_comm(const char *root, uint32_t pid, uint32_t tid,
		char comm[PROCFS_COMM_MAX]);

/* The target of a link such as "exe" or "ns/mnt" of a process. */
int procfs_link(const char *root, uint32_t pid, const char *name, char *target,
		size_t size);

/* The numbers that a directory holds: the processes of /proc, the threads of
 * /proc/PID/task. */
struct procfs_numbers {
	int fd;
	size_t at, end;
	_Alignas(8) char buffer[8192];
};

int procfs_numbers_open(struct procfs_numbers *numbers, const char *path);
/* Returns 1, 0 at the end, or -errno. */
int procfs_numbers_next(struct procfs_numbers *numbers, uint32_t *number);
void procfs_numbers_close(struct procfs_numbers *numbers);

#endif
