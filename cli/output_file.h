/*
 * A file that a user asked for: either whole under its name, or not there.
 *
 * The bytes go to a temporary file beside it (0600, new), which is synced and
 * renamed at the end; an older file of that name stays as it is until then.
 * Symbolic links are never followed out of a directory that everybody can
 * write to; one that stands under the final name is replaced, not followed.
 * "-" is standard output. Devices and pipes are written to directly.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include "perfcore/error.h"

struct output_file {
	int fd;		    /* to write to; owned by this, but for "-" */
	int directory;	    /* where the file stands; -1: nothing to rename */
	char *path;	    /* as given, for messages */
	char *name;	    /* last part of path */
	char temporary[32]; /* in directory */
};

/* Returns 0, or -errno with error naming the file; then out needs no close. */
int output_file_open(struct output_file *out, const char *path,
		     struct error *error);

/*
 * Ends the file, which takes its name when result is 0 and is removed when
 * result is a -errno of what was written to it (error then gains the file's
 * name). Returns 0 or the first -errno. Call it once.
 */
int output_file_close(struct output_file *out, int result, struct error *error);

#endif
