#!/bin/sh
# SPDX-License-Identifier: MIT
#
# LD_PRELOAD reaches every helper that starts a program. A process that begins no transaction prints nothing and writes
# no file, preloaded or not. Only `stmlog record` prints one line if there was no transaction in the whole run.

. "$(dirname "$0")/../helpers/shell.inc"

mkdir "$tmp/here"

# silent WHAT COMMAND...: with the agent loaded, and all its options set
silent() {
	what=$1
	shift
	env LD_PRELOAD="$agent" STMLOG_OPTIONS="out=$tmp/here/%p.data:report=stderr" "$@" \
		>"$tmp/out" 2>"$tmp/err" || fail "$what: exit status $?"
	same "$what: stderr" "" "$(cat "$tmp/err")"
	same "$what: files" "" "$(ls "$tmp/here")"
}

silent "true" true
same "true: stdout" "" "$(cat "$tmp/out")"
silent "sh" sh -c 'true; echo done'
same "sh: stdout" "done" "$(cat "$tmp/out")"
silent "timeout" timeout 10 sh -c 'exit 0'
silent "cat | sort" sh -c 'cat /dev/null | sort'

status=0
"$stmlog" record -o "$tmp/here/idle.data" -- "$O/programs/O2/idle" 2 >"$tmp/out" 2>"$tmp/err" || status=$?
same "idle: exit status" 0 "$status"
same "idle: stdout" "ok 2" "$(cat "$tmp/out")"
same "idle: lines on stderr" 1 "$(wc -l <"$tmp/err")"
grep -qi 'transaction' "$tmp/err" || fail "idle: '$(cat "$tmp/err")' does not speak of transactions"

# The helpers around a program do not appear in its file.
record "$tmp/data" -- sh -c "timeout 60 '$O/programs/O2/counters' 2; exit 5" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
same "sh, timeout and program: exit status" 5 "$status"
same "sh, timeout and program: stdout" "ok 30000" "$(cat "$tmp/out")"
same "sh, timeout and program: stderr" "" "$(cat "$tmp/err")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
same "sh, timeout and program: commits" 2000 "$(jsonq "$tmp/report" .totals.commits)"
