#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The kernel's killer for want of memory kills the program and its watcher, which share their memory: what is left is
# the last snapshot. There are more snapshots while the memory runs out.

. "$(dirname "$0")/cli.inc"

limit=48 # megabytes
for mount in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	group=$mount/stmlog-test.$$
	mkdir "$group" 2>/dev/null || continue
	trap 'sleep 0.1; rmdir "$group"; rm -rf "$tmp"' EXIT
	for file in memory.limit_in_bytes memory.max; do
		[ ! -e "$group/$file" ] || echo "${limit}M" >"$group/$file"
	done
	[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	[ ! -e "$group/cgroup.procs" ] || break
done
[ -e "$group/memory.limit_in_bytes" ] || [ -e "$group/memory.max" ] ||
	skip "no group of processes with a limit of memory can be made here"

# The shell enters the group, and becomes the program. In an hour it would take enough.
# shellcheck disable=SC2016
run 137 "$stmlog" record -o "$tmp/data" --no-report -- \
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$programs/O2/hungry" 2 10000
made=$(tail -n 1 "$tmp/out")
run 0 "$stmlog" report --json "$tmp/data"
recorded=$(jsonq "$tmp/out" .totals.commits)
[ "$recorded" -gt $((made * 3 / 4)) ] || fail "$recorded of $made transactions are recorded"
claim "of a program that is killed for want of memory, nearly all is recorded"
