#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whatever a process does (fork, cancel, crash, give up privileges, run out of memory and files), it ends as it would
# without the profiler, also where nothing can be written. make matrix plays each scene many times and with libitm's
# other methods.

. "$(dirname "$0")/cli.inc"
. tests/cli/scenes.inc

play_all O2
claim "$scenes scenes end as without the profiler, and what was recorded is whole"

play_all_embedded
claim "so do programs that embed the library"

# write_to WORDS OUT [COMMAND...]: a program whose recording goes to OUT ends as without it, and a single line says why
# there is none.
write_to() {
	words=$1 out=$2
	shift 2
	set -- "$@" env LD_PRELOAD="$agent" STMLOG_OPTIONS="report=none:out=$out" "$O/programs/O2/counters" 2
	run 0 timeout -k 1 60 "$@"
	says "ok 30000"
	one_line "cannot write it"
}

write_to "a full device" /dev/full
mkfifo "$tmp/fifo"
write_to "a FIFO that nobody reads" "$tmp/fifo"
write_to "a directory" "$tmp/job"
write_to "no directory" "$tmp/none/data"
write_to "a file system without writing" /proc/data
if unshare -m true 2>/dev/null; then
	mkdir "$tmp/full"
	write_to "a full disk" "$tmp/full/data" unshare -m sh -c 'mount -t tmpfs -o size=4k none "$0" && : >"$0/data" && "$@"' "$tmp/full"
fi
claim "where nothing can be written, the program does not notice"

"$O/programs/O2/counters" 2 >"$tmp/expected"
{ LD_PRELOAD="$agent" STMLOG_OPTIONS="report=none:out=/dev/full" "$O/programs/O2/counters" 2 <&- 2>&-; echo $? >>"$tmp/expected.status"; } >"$tmp/out"
same "status without stdin and stderr" 0 "$(cat "$tmp/expected.status")"
same "output without stdin and stderr" "$(cat "$tmp/expected")" "$(cat "$tmp/out")"
claim "closed standard streams stay closed"
