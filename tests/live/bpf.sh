#!/usr/bin/env bash
# A BPF program loaded and unloaded while recording has its name (C52).
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1
"$HOSTPROF" record -F 499 -q -o bpf.pb.gz -- "$TARGETS/bpf_filter" 2 2>err
status=$?
[ $status -ne 77 ] || skip_all "no BPF here: $(tail -1 err)"
expect "C52 the filter ran" 0 $status
json=$("$HOSTPROF" report bpf.pb.gz --comm bpf_filter --by function -n 0 --format json)
expect "C52 the program is the hottest function, by its name" true \
	"$(jq '.rows[0].function | test("^bpf_prog_[0-9a-f]+_hotfilter$")' <<<"$json")"
expect "C52 it is in the kernel, below the system call" true \
	"$(jq '[.rows[] | select(.function == "do_syscall_64") | .total_ns][0] >= .rows[0].total_ns' <<<"$json")"
expect "C52 its module is [bpf]" '"[bpf]"' "$(jq '.rows[0].module' <<<"$json")"
