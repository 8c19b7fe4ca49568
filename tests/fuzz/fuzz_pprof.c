/* libFuzzer target of the pprof reader: whatever the bytes are, reading ends,
 * and what was read can be written again in every format. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/formats/firefox.h"
#include "cli/formats/folded.h"
#include "cli/formats/perfdata_export.h"
#include "cli/formats/pprof_reader.h"
#include "cli/formats/pprof_writer.h"
#include "cli/formats/speedscope.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void write_all(const struct profile *profile)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	uint32_t value = profile->default_value;

	pprof_write(profile, fd, NULL);
	folded_write(profile, value, STACK_GROUPING_CONTAINER, fd, NULL);
	speedscope_write(profile, value, STACK_GROUPING_PROCESS, fd, NULL);
	firefox_write(profile, value, fd, NULL);
	close(fd);
	fd = memfd_create("perf.data", MFD_CLOEXEC);
	perfdata_export(profile, value, true, fd, NULL);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct profile *profile;
	struct error error;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		__builtin_trap();
	if (pprof_read(&profile, fd, "fuzz", &error) == 0) {
		write_all(profile);
		profile_free(profile);
	}
	close(fd);
	return 0;
}
