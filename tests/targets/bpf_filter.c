/*
 * Loads a BPF socket filter of some 4,000 instructions called "hotfilter"
 * after half a second, sends itself datagrams through it for SECONDS, and
 * unloads it. Exit 77 where BPF is not permitted.
 *
 * usage: bpf_filter SECONDS
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORK 4000

static int filter_load(void)
{
	static struct bpf_insn program[WORK + 2];
	union bpf_attr attr = { 0 };

	for (int i = 0; i < WORK; i++)
		program[i] = (struct bpf_insn){
			.code = i ? BPF_ALU64 | BPF_MUL | BPF_K
				  : BPF_ALU64 | BPF_MOV | BPF_K,
			.dst_reg = BPF_REG_0,
			.imm = i | 1,
		};
	program[WORK] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
					   .dst_reg = BPF_REG_0,
					   .imm = 64 };
	program[WORK + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = WORK + 2;
	attr.license = (uint64_t)(uintptr_t) "GPL";
	memcpy(attr.prog_name, "hotfilter", 10);
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now_s() + (argc > 1 ? atof(argv[1]) : 1) + 0.5;
	int sockets[2], filter;
	char byte = 0;

	usleep(500000);
	filter = filter_load();
	if (filter < 0) {
		perror("bpf");
		return 77;
	}
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) < 0 ||
	    setsockopt(sockets[1], SOL_SOCKET, SO_ATTACH_BPF, &filter,
		       sizeof(filter)) < 0) {
		perror("filter");
		return 77;
	}
	while (now_s() < end)
		for (int i = 0; i < 100; i++)
			if (write(sockets[0], &byte, 1) != 1 ||
			    read(sockets[1], &byte, 1) != 1)
				return 1;
	close(sockets[1]);
	close(filter);
	usleep(500000);
	return 0;
}
