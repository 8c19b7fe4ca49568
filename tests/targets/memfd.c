/*
 * Code in a memfd (case C15): "memfd exec PROGRAM [ARGUMENT…]" runs a copy of
 * a program from one; "memfd heap" writes a loop into one as a JIT compiler
 * does, names it in /tmp/perf-PID.map, and runs it for SECONDS of CPU time.
 *
 * usage: memfd exec PROGRAM [ARGUMENT…] | memfd heap SECONDS
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

extern char **environ;

static int exec_copy(char **arguments)
{
	int from = open(arguments[0], O_RDONLY | O_CLOEXEC);
	int to = memfd_create("prog", MFD_CLOEXEC);

	if (from < 0 || to < 0)
		return 1;
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	fexecve(to, arguments, environ);
	return 1;
}

static int run_heap(unsigned seconds)
{
#if defined(__x86_64__)
	static const unsigned char loop[] = { 0xeb, 0xfe }; /* jmp . */
#elif defined(__aarch64__)
	static const unsigned char loop[] = { 0, 0, 0, 0x14 }; /* b . */
#else
#error "no loop for this architecture"
#endif
	int fd = memfd_create("heap", MFD_CLOEXEC);
	char name[64];
	void *code;
	FILE *map;

	if (fd < 0 || ftruncate(fd, 4096) ||
	    pwrite(fd, loop, sizeof(loop), 256) != sizeof(loop))
		return 1;
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	if (code == MAP_FAILED || !map)
		return 1;
	fprintf(map, "%lx %zx jit_loop\n", (unsigned long)code + 256,
		sizeof(loop));
	fclose(map);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds });
	((void (*)(void))((char *)code + 256))();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "exec") == 0)
		return exec_copy(argv + 2);
	if (argc == 3 && strcmp(argv[1], "heap") == 0)
		return run_heap((unsigned)atoi(argv[2]));
	fputs("usage: memfd exec PROGRAM [ARGUMENT...] | memfd heap SECONDS\n",
	      stderr);
	return 2;
}
