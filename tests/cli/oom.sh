#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The kernel's killer for want of memory kills the program and its watcher, which share their memory. The last snapshot
# is left.

. "$(dirname "$0")/cli.inc"

# make_memory_group MEGABYTES: makes the command $tmp/in_group COMMAND..., which enters a group of processes with this
# limit of memory, and becomes the command. Fails where no such group can be made.
make_memory_group() {
	mounts="/sys/fs/cgroup/memory /sys/fs/cgroup"
	mkdir "$tmp/groups"
	if [ ! -d /sys/fs/cgroup ] && { mount -t cgroup -o memory none "$tmp/groups" ||
		mount -t cgroup2 none "$tmp/groups"; } 2>"$tmp/err"; then
		mounts=$tmp/groups
	fi
	for mount in $mounts; do
		group=$mount/stmlog-test.$$
		mkdir "$group" 2>/dev/null || continue
		trap 'sleep 0.1; rmdir "$group" || :; [ "$mounts" != "$tmp/groups" ] || umount "$mounts"; rm -rf --one-file-system "$tmp"' EXIT
		for file in memory.limit_in_bytes memory.max; do
			[ ! -e "$group/$file" ] || echo "$1M" >"$group/$file"
		done
		[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
		[ ! -e "$group/cgroup.procs" ] || break
	done
	[ -e "$group/memory.limit_in_bytes" ] || [ -e "$group/memory.max" ] || return 1
	printf '#!/bin/sh\necho $$ >%s/cgroup.procs && exec "$@"\n' "$group" >"$tmp/in_group"
	chmod +x "$tmp/in_group"
}

# The program needs two seconds and a half at least to fill it: time for a snapshot.
make_memory_group 256 || skip "no group of processes with a limit of memory can be made here"

# In an hour it would allocate enough.
run 137 "$stmlog" record -o "$tmp/data" --no-report -- "$tmp/in_group" "$programs/O2/hungry" 2 10000
made=$(tail -n 1 "$tmp/out")
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" report --json "$tmp/data"
recorded=$(jsonq "$tmp/out" .totals.commits)
same "snapshot" true "$(jsonq "$tmp/out" .ending.snapshot)"
# It may be killed before it prints the last number.
[ "$recorded" -gt 0 ] && [ "$recorded" -le $((made + 1000)) ] ||
	fail "$recorded transactions are recorded, of $made"
claim "of a program that is killed for want of memory, the last snapshot is left"
