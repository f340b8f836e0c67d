#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Why time was lost, and where: the cause and the innermost function of what programs
# with one certain cause are told. One thread only, so that no conflicts come in.

. "$(dirname "$0")/../helpers/shell.inc"

# lost REASON CONTENTION FUNCTION: how many losses the report has of that cause in that place
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
	for form in "" $light; do
		# shellcheck disable=SC2086
		record "$tmp/data" --sample=1 $form -- "$program" "$@" >/dev/null
		"$stmlog" report --json "$tmp/data" >"$tmp/report"
		claim "$form"
	done
}

claim() {
	same "cancel $1: cancels in offer" 300 "$(lost user-abort none offer)"
	same "cancel $1: aborts" 300 "$(jsonq "$tmp/report" .totals.aborts)"
}
for level in O0 O2; do
	profile "$programs/$level/cancel" 1
done

claim() {
	aborts=$(jsonq "$tmp/report" .totals.aborts)
	[ "$aborts" -ge 2000 ] || fail "self_assign $1: $aborts aborts, fewer than 100 for each of 20 rounds"
	# The light agent knows who touched what of nobody, and the locks of a libitm that was linked in are not
	# known; so neither can tell that there was none.
	case ${PROGRAMS:+linked}$1 in
	"") found=$(lost self-abort none assign) ;;
	*) found=$(($(lost self-abort write-read assign) + $(lost self-abort write-write assign))) ;;
	esac
	same "self_assign $1: conflicts in assign" "$aborts" "$found"
	same "self_assign $1: adversaries" "" "$(jsonq "$tmp/report" '.entries[].remote.known' | grep true)"
}
for level in O0 O2; do
	profile "$programs/$level/self_assign" 1
done

# A mangled name is made readable.
claim() {
	same "templates $1: cancels" 300 "$(lost user-abort none 'ledger::retract(double)')"
}
for level in O0 O2; do
	profile "$programs/$level/templates" 1
done
