#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The cause of a loss, and its place: programs of which each has one certain cause. They have one thread, so that there
# are no conflicts.
#
# Not alone: counts and sums are exact, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# lost REASON CONTENTION FUNCTION: how many losses the report has with that cause, in that innermost function
lost() {
	for path in reason contention local.frames[0].function count; do
		jsonq "$tmp/report" ".entries[].$path" |
			tr ' ' _ >"$tmp/${path##*.}"
	done
	paste -d ' ' "$tmp/reason" "$tmp/contention" "$tmp/function" "$tmp/count" |
		awk -v wanted="$1 $2 $3" '$1 " " $2 " " $3 == wanted { sum += $4 } END { printf "%.0f\n", sum }'
}

# profile PROGRAM ARGUMENT...
profile() {
	program=$1
	shift
	record "$tmp/data" --sample=1 -- "$program" "$@" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	claim
}

claim() {
	same "cancel: cancels in offer" 300 "$(lost user-abort none offer)"
	same "cancel: aborts" 300 "$(jsonq "$tmp/report" .totals.aborts)"
}
for level in O0 O2; do
	profile "$programs/$level/cancel" 1
done

# A thread that is alone has data barriers for its first 5 ms (bursts.c). On a busy machine the program may take longer.
claim() {
	aborts=$(jsonq "$tmp/report" .totals.aborts)
	[ "$aborts" -ge 2000 ] || fail "self_assign: $aborts aborts, fewer than 100 for each of 20 rounds"
	if [ "$(jsonq "$tmp/report" .totals.attached_ns)" -ge 5000000 ]; then
		echo "not compared: self_assign took longer than 5 ms"
		return
	fi
	# The locks of a libitm that is linked in are not known. So it cannot be found that there was no other transaction.
	if [ -z "${PROGRAMS:-}" ]; then
		found=$(lost self-abort none assign)
	else
		found=$(($(lost self-abort write-read assign) + $(lost self-abort write-write assign)))
	fi
	same "self_assign: conflicts in assign" "$aborts" "$found"
	same "self_assign: adversaries" "" "$(jsonq "$tmp/report" '.entries[].remote.frames[].function')"
}
for level in O0 O2; do
	profile "$programs/$level/self_assign" 1
done

# Mangled names are shown demangled.
claim() {
	same "templates: cancels" 300 "$(lost user-abort none 'ledger::retract(double)')"
}
for level in O0 O2; do
	profile "$programs/$level/templates" 1
done
