/*
 * Reports for machines, whole: what `report --format json|csv` prints and
 * `export --to json|csv` writes.
 */
#ifndef CLI_FORMATS_MACHINE_REPORT_H
#define CLI_FORMATS_MACHINE_REPORT_H

#include <stdbool.h>

#include "cli/profile/group.h"
#include "perfcore/error.h"

/*
 * Writes the rows that request asks for to fd; where it has no keys, the
 * summary: the functions, and in JSON the containers and processes too. window
 * is what the shares are parts of. Returns 0 or -errno with error filled.
 */
int machine_report_write(const struct profile *profile,
			 const struct window *window,
			 const struct group_request *request, bool is_json,
			 int fd, struct error *error);

#endif
