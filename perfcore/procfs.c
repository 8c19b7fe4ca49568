#include "perfcore/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

bool procfs_path(char *path, size_t size, const char *root, const char *format,
		 ...)
{
	size_t length = strlen(root);
	va_list args;
	int rest;

	if (length >= size)
		return false;
	memcpy(path, root, length);
	va_start(args, format);
	rest = vsnprintf(path + length, size - length, format, args);
	va_end(args);
	return rest >= 0 && (size_t)rest < size - length;
}

/* O_NONBLOCK: in a tree that others made this may be a FIFO. */
static int open_to_read(const char *path, int flags)
{
	int fd = open(path,
		      O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

static ssize_t read_some(int fd, char *buffer, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buffer, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t procfs_read(const char *path, char *buffer, size_t size)
{
	int fd = open_to_read(path, 0);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	do {
		n = read_some(fd, buffer + used, size - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0 && used < size - 1);
	close(fd);
	buffer[used] = '\0';
	return n < 0 ? n : (ssize_t)used;
}

int procfs_lines_open(struct procfs_lines *lines, const char *path)
{
	lines->begin = lines->end = 0;
	lines->is_skipping = false;
	lines->skipped = 0;
	lines->fd = open_to_read(path, 0);
	return lines->fd < 0 ? lines->fd : 0;
}

void procfs_lines_close(struct procfs_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	lines->fd = -1;
}

/* Reads on behind the part of a line that is there already. */
static ssize_t lines_fill(struct procfs_lines *lines)
{
	size_t part = lines->end - lines->begin;
	ssize_t n;

	if (part == sizeof(lines->buffer) - 1) {
		lines->skipped += !lines->is_skipping;
		lines->is_skipping = true;
		part = 0;
	}
	if (part)
		memmove(lines->buffer, lines->buffer + lines->begin, part);
	lines->begin = 0;
	lines->end = part;
	n = read_some(lines->fd, lines->buffer + part,
		      sizeof(lines->buffer) - 1 - part);
	if (n > 0)
		lines->end += (size_t)n;
	return n;
}

int procfs_lines_next(struct procfs_lines *lines, char **line)
{
	size_t searched = 0;

	for (;;) {
		char *begin = lines->buffer + lines->begin;
		size_t left = lines->end - lines->begin;
		char *newline = memchr(begin + searched, '\n', left - searched);
		ssize_t n;

		if (newline) {
			*newline = '\0';
			lines->begin = (size_t)(newline + 1 - lines->buffer);
			searched = 0;
			*line = begin;
			if (!lines->is_skipping)
				return 1;
			lines->is_skipping = false;
			continue;
		}
		searched = left == sizeof(lines->buffer) - 1 ? 0 : left;
		n = lines_fill(lines);
		if (n < 0)
			return (int)n;
		if (n > 0)
			continue;
		/* The last line may have no newline. */
		if (lines->begin == lines->end || lines->is_skipping)
			return 0;
		lines->buffer[lines->end] = '\0';
		*line = lines->buffer + lines->begin;
		lines->begin = lines->end;
		return 1;
	}
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return 16;
}

/* Reads a number of the base up to max and the character behind it; moves
 * *text only on success. */
static bool take_number(const char **text, unsigned base, uint64_t max,
			char behind, uint64_t *number)
{
	const char *at = *text;
	uint64_t value = 0;

	for (; (unsigned)digit_value(*at) < base; at++) {
		uint64_t digit = (uint64_t)digit_value(*at);

		if (value > (max - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (at == *text || *at != behind)
		return false;
	*text = behind ? at + 1 : at;
	*number = value;
	return true;
}

/* The kernel writes a newline in a path as \012. */
static void unescape_newlines(char *path)
{
	char *to = strstr(path, "\\012"), *from = to;

	if (!to)
		return;
	while (*from) {
		bool is_escaped = strncmp(from, "\\012", 4) == 0;

		*to++ = is_escaped ? '\n' : *from;
		from += is_escaped ? 4 : 1;
	}
	*to = '\0';
}

/*
 * 7f28e8a00000-7f28e8a05000 r-xp 00002000 fe:00 10952949     /usr/bin/a b
 */
bool procfs_parse_mapping(char *line, struct procfs_mapping *mapping)
{
	const char *at = line;
	uint64_t major, minor;
	char *path;

	if (!take_number(&at, 16, UINT64_MAX, '-', &mapping->start) ||
	    !take_number(&at, 16, UINT64_MAX, ' ', &mapping->end) ||
	    mapping->end <= mapping->start || strnlen(at, 5) < 5 ||
	    at[4] != ' ')
		return false;
	mapping->protection = (at[0] == 'r' ? PROT_READ : 0) |
			      (at[1] == 'w' ? PROT_WRITE : 0) |
			      (at[2] == 'x' ? PROT_EXEC : 0);
	mapping->is_shared = at[3] == 's';
	at += 5;
	if (!take_number(&at, 16, UINT64_MAX, ' ', &mapping->page_offset) ||
	    !take_number(&at, 16, UINT32_MAX, ':', &major) ||
	    !take_number(&at, 16, UINT32_MAX, ' ', &minor) ||
	    (!take_number(&at, 10, UINT64_MAX, ' ', &mapping->inode) &&
	     !take_number(&at, 10, UINT64_MAX, '\0', &mapping->inode)))
		return false;
	mapping->major = (uint32_t)major;
	mapping->minor = (uint32_t)minor;
	path = line + (at - line);
	path += strspn(path, " ");
	unescape_newlines(path);
	mapping->path = path;
	return true;
}

/* Reads the fields of stat that stand between two others; numbers may be
 * negative, which nobody here asks for: they become 0. */
static bool take_field(const char **text, uint64_t *number)
{
	bool is_negative = **text == '-';
	uint64_t value;

	*text += is_negative;
	if (!take_number(text, 10, UINT64_MAX, ' ', &value))
		return false;
	if (number)
		*number = is_negative ? 0 : value;
	return true;
}

static bool skip_fields(const char **text, int n)
{
	while (n--) {
		if (!take_field(text, NULL))
			return false;
	}
	return true;
}

/*
 * 4242 (a b) S 1 ;x) R 1 4242 4242 0 -1 4194304 97 0 0 0 3 1 0 0 20 0 2 0 81234
 * …
 */
bool procfs_parse_stat(const char *text, struct procfs_stat *stat)
{
	const char *open = text, *close = strrchr(text, ')');
	uint64_t pid, parent, threads;
	size_t length;

	if (!take_number(&open, 10, UINT32_MAX, ' ', &pid) || *open != '(' ||
	    !close || close < open || strnlen(close, 4) < 4)
		return false;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(stat->comm))
		length = sizeof(stat->comm) - 1;
	memcpy(stat->comm, open + 1, length);
	stat->comm[length] = '\0';
	stat->state = close[2];
	text = close + 4;
	/* Fields by their number in proc(5): 4 is the parent, 14 and 15 the
	 * CPU time, 20 the threads, 22 the start. */
	if (!take_field(&text, &parent) || !skip_fields(&text, 9) ||
	    !take_field(&text, &stat->user_ticks) ||
	    !take_field(&text, &stat->system_ticks) || !skip_fields(&text, 4) ||
	    !take_field(&text, &threads) || !skip_fields(&text, 1) ||
	    !take_field(&text, &stat->start_ticks))
		return false;
	stat->pid = (uint32_t)pid;
	stat->parent_pid = (uint32_t)parent;
	stat->n_threads = (uint32_t)threads;
	return true;
}

int procfs_stat(const char *root, uint32_t pid, uint32_t tid,
		struct procfs_stat *stat)
{
	char path[512], text[1024];
	bool fits = pid == tid ? procfs_path(path, sizeof(path), root,
					     "/proc/%u/stat", pid)
			       : procfs_path(path, sizeof(path), root,
					     "/proc/%u/task/%u/stat", pid, tid);
	ssize_t n;

	if (!fits)
		return -ENAMETOOLONG;
	n = procfs_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	return procfs_parse_stat(text, stat) ? 0 : -EBADMSG;
}

/* The n-th number (from 0) of "Name:\t1 2 3"; the last one for n = -1. */
static bool status_number(const char *text, const char *name, int n,
			  uint32_t *number)
{
	const char *at = strstr(text, name);
	uint64_t value;
	bool is_found = false;

	if (!at)
		return false;
	at += strlen(name);
	for (int i = 0; n < 0 || i <= n; i++) {
		at += strspn(at, "\t ");
		if (!take_number(&at, 10, UINT32_MAX, '\t', &value) &&
		    !take_number(&at, 10, UINT32_MAX, '\n', &value))
			return n < 0 && is_found;
		*number = (uint32_t)value;
		is_found = true;
		if (at[-1] == '\n')
			return n < 0 || i == n;
	}
	return true;
}

/*
 * Name:	a\nb
 * Tgid:	4242
 * Uid:	0	1000	0	0
 * NSpid:	4242	1
 *
 * The kernel escapes newlines in Name, so that no name can fake a line.
 */
int procfs_status(const char *root, uint32_t pid, struct procfs_status *status)
{
	char path[512], text[4096];
	ssize_t n;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/status", pid))
		return -ENAMETOOLONG;
	n = procfs_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	if (!status_number(text, "\nTgid:", 0, &status->tgid) ||
	    !status_number(text, "\nUid:", 1, &status->uid))
		return -EBADMSG;
	if (!status_number(text, "\nNSpid:", -1, &status->namespace_pid))
		status->namespace_pid = status->tgid;
	return 0;
}

int procfs_comm(const char *root, uint32_t pid, uint32_t tid,
		char comm[PROCFS_COMM_MAX])
{
	char path[512];
	ssize_t n;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/task/%u/comm", pid,
			 tid))
		return -ENAMETOOLONG;
	n = procfs_read(path, comm, PROCFS_COMM_MAX);
	if (n < 0)
		return (int)n;
	/* Only the last newline is the kernel's. */
	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return 0;
}

int procfs_link(const char *root, uint32_t pid, const char *name, char *target,
		size_t size)
{
	char path[512];
	ssize_t n;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/%s", pid, name))
		return -ENAMETOOLONG;
	n = readlink(path, target, size - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	return 0;
}

int procfs_numbers_open(struct procfs_numbers *numbers, const char *path)
{
	numbers->at = numbers->end = 0;
	numbers->fd = open_to_read(path, O_DIRECTORY);
	return numbers->fd < 0 ? numbers->fd : 0;
}

void procfs_numbers_close(struct procfs_numbers *numbers)
{
	if (numbers->fd >= 0)
		close(numbers->fd);
	numbers->fd = -1;
}

int procfs_numbers_next(struct procfs_numbers *numbers, uint32_t *number)
{
	for (;;) {
		const struct dirent64 *entry;
		const char *name;
		uint64_t value;

		if (numbers->at == numbers->end) {
			long n = syscall(SYS_getdents64, numbers->fd,
					 numbers->buffer,
					 sizeof(numbers->buffer));
			if (n <= 0)
				return n < 0 ? -errno : 0;
			numbers->at = 0;
			numbers->end = (size_t)n;
		}
		entry = (const void *)(numbers->buffer + numbers->at);
		numbers->at += entry->d_reclen;
		name = entry->d_name;
		if (!take_number(&name, 10, UINT32_MAX, '\0', &value))
			continue;
		*number = (uint32_t)value;
		return 1;
	}
}
