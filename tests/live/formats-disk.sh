#!/usr/bin/env bash
# Output files on a disk that is full, or must not be written to.
. "$(dirname "$0")/../lib.sh"
need_root

disk=$SCRATCH/disk
mkdir "$disk"
mount -t tmpfs -o size=64k tmpfs "$disk" || skip_all "no tmpfs can be mounted"
cleanup() { umount "$disk"; }
sample=$SCRATCH/sample.pb.gz
build/programs/sample_profile pprof >"$sample" || exit 1
export_to() { "$HOSTPROF" export "$sample" --to firefox -o "$1" 2>&1; }

echo old >"$disk/profile"
head -c 60k /dev/zero >"$disk/filler"
said=$(export_to "$disk/profile")
expect full_disk_fails 1 $?
expect_match full_disk_names_the_file "^hostprof: $disk/profile: .*No space left on device$" "$said"
expect full_disk_keeps_the_older_file old "$(cat "$disk/profile")"
expect full_disk_leaves_nothing "filler profile" "$(ls -A "$disk" | tr '\n' ' ' | sed 's/ $//')"
rm "$disk/filler"
export_to "$disk/profile" >/dev/null
expect then_it_fits 0 $?
expect_match then_it_is_whole '"preprocessedProfileVersion": *55' "$(cat "$disk/profile")"
expect it_is_private 600 "$(stat -c %a "$disk/profile")"

mount -o remount,ro "$disk"
before=$(cksum <"$disk/profile")
said=$(export_to "$disk/profile")
expect read_only_fails 1 $?
expect_match read_only_names_the_file "^hostprof: $disk/profile: .*Read-only file system$" "$said"
expect read_only_keeps_the_older_file "$before" "$(cksum <"$disk/profile")"
mount -o remount,rw "$disk"

mkdir -m 1777 "$SCRATCH/shared"
echo precious >"$SCRATCH/victim"
ln -s "$SCRATCH/victim" "$SCRATCH/shared/out"
export_to "$SCRATCH/shared/out" >/dev/null
expect planted_link_is_not_followed precious "$(cat "$SCRATCH/victim")"
ln -s "$SCRATCH" "$SCRATCH/shared/folder"
said=$(export_to "$SCRATCH/shared/folder/victim")
expect planted_folder_is_refused 1 $?
expect_match planted_folder_is_named "^hostprof: $SCRATCH/shared/folder/victim: " "$said"
expect planted_folder_is_not_followed precious "$(cat "$SCRATCH/victim")"
