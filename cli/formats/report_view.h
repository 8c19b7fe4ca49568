/*
 * What the machine-readable reports are made of: one grouping with the
 * request it answers. Borrowed by json_report and csv_report.
 */
#ifndef CLI_FORMATS_REPORT_VIEW_H
#define CLI_FORMATS_REPORT_VIEW_H

#include <string.h>

#include "cli/profile/group.h"
#include "cli/profile/usage.h"

struct report_view {
	const struct profile *profile;
	const struct window *window;
	const struct group_request *request;
	const struct grouping *grouping;
	const struct usages *usages;
};

/* Weights are nanoseconds. */
static inline bool report_view_is_time(const struct report_view *view)
{
	uint32_t value = view->window->value;

	return value != PROFILE_NONE &&
	       strcmp(view->profile->value_types[value].unit, "nanoseconds") ==
		       0;
}

/* The rows of a machine-readable report are the groups of the last key. */
static inline bool report_view_is_row(const struct report_view *view,
				      const struct group *group)
{
	return group->level + 1 == view->request->n_keys;
}

#endif
