/* sample_profile FORMAT: the profile of tests/unit/sample_profile.h, written
 * to standard output, for readers that are not ours. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/formats/firefox.h"
#include "cli/formats/folded.h"
#include "cli/formats/pprof_writer.h"
#include "cli/formats/speedscope.h"
#include "tests/unit/sample_profile.h"

static int write_as(const char *format, const struct profile *profile,
		    struct error *error)
{
	if (strcmp(format, "pprof") == 0)
		return pprof_write(profile, STDOUT_FILENO, error);
	if (strcmp(format, "folded") == 0)
		return folded_write(profile, 0, STACK_GROUPING_COMM,
				    STDOUT_FILENO, error);
	if (strcmp(format, "speedscope") == 0)
		return speedscope_write(profile, 0, STACK_GROUPING_CONTAINER,
					STDOUT_FILENO, error);
	if (strcmp(format, "firefox") == 0)
		return firefox_write(profile, 0, STDOUT_FILENO, error);
	snprintf(error->text, sizeof(error->text), "no format %s", format);
	return -1;
}

int main(int argc, char **argv)
{
	struct profile *profile = sample_profile();
	struct error error = { "" };
	int result = write_as(argc > 1 ? argv[1] : "", profile, &error);

	if (result)
		fprintf(stderr, "%s\n", error.text);
	profile_free(profile);
	return result != 0;
}
