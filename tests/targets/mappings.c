/*
 * A process with 60,000 mappings, every other one of them executable, that
 * spins in spin_mappings() for a fifth of the time.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MAPPINGS 60000ul

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void spin_mappings(void)
{
	uint64_t end = cpu_ns() + 10000000;
	void *volatile frame = __builtin_frame_address(0);

	(void)frame;
	do
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i;
	while (cpu_ns() < end);
}

int main(void)
{
	char *pages = mmap(NULL, MAPPINGS * 4096, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	for (uint64_t i = 0; i < MAPPINGS; i += 2) {
		if (mprotect(pages + i * 4096, 4096, PROT_READ))
			return 1;
	}
	for (;;) {
		spin_mappings();
		usleep(40000);
	}
}
