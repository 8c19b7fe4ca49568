#include "cli/formats/machine_report.h"

#include "cli/formats/csv_report.h"
#include "cli/formats/json_report.h"

/* The summary is its functions, and in JSON also the other two tables. */
static const enum label_key summary[] = { LABEL_FUNCTION, LABEL_CONTAINER,
					  LABEL_PROCESS };
#define VIEWS_MAX 3

int machine_report_write(const struct profile *profile,
			 const struct window *window,
			 const struct group_request *request, bool is_json,
			 int fd, struct error *error)
{
	bool is_summary = request->n_keys == 0;
	size_t n_views = is_summary && is_json ? VIEWS_MAX : 1;
	struct group_request requests[VIEWS_MAX];
	struct grouping groupings[VIEWS_MAX];
	struct report_view views[VIEWS_MAX];
	struct usages usages;
	struct sink sink;

	usages_init(&usages, profile);
	for (size_t i = 0; i < n_views; i++) {
		requests[i] = *request;
		if (is_summary) {
			requests[i].n_keys = 1;
			requests[i].keys[0] = summary[i];
		}
		group_profile(&groupings[i], profile, window, &requests[i]);
		views[i] = (struct report_view){ profile, window, &requests[i],
						 &groupings[i], &usages };
	}
	sink_init(&sink, fd);
	if (is_json)
		json_report_write(&sink, &views[0], &views[1], n_views - 1);
	else
		csv_report_write(&sink, &views[0]);
	for (size_t i = 0; i < n_views; i++)
		grouping_destroy(&groupings[i]);
	usages_destroy(&usages);
	return sink_finish(&sink, error);
}
