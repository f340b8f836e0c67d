#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record` finds out the internals of a libitm. If what the agent is told of them is wrong, programs still run.

. "$(dirname "$0")/cli.inc"

counters=$PWD/$O/programs/O2/counters

# known: whether a recording's totals are exact; they are if libitm's counters are known
known() {
	ITM_DEFAULT_METHOD=ml_wt run 0 "$stmlog" record --sample=2 --no-report -o "$tmp/data" -- "$counters" 2
	same "stdout" "ok 3000" "$(sed 's/\(.\{7\}\).*/\1/' "$tmp/out")"
	silent
	run 0 "$stmlog" report --json "$tmp/data"
	jsonq "$tmp/out" .totals.exact
}

run 0 "$stmlog" info --libitm "$counters"
silent
says "found     by experiment"
says "by the program, as its loader says"
grep -q '^counters *thread+0x' "$tmp/out" || fail "counters are not known: $(cat "$tmp/out")"
same "exact" true "$(known)"
run 0 "$stmlog" info --libitm
says "by its name"
claim "it is found out by an experiment"

run 0 "$stmlog" info --libitm --variable "$counters"
cp "$tmp/out" "$tmp/variable"
id=$(sed 's/,.*//' "$tmp/variable")
grep -q '^id=[0-9a-f]*,counters=' "$tmp/variable" || fail "no variable: $(cat "$tmp/variable")"
STMLOG_LIBITM=$(cat "$tmp/variable") ITM_DEFAULT_METHOD=ml_wt LD_PRELOAD=$agent \
	STMLOG_OPTIONS="out=$tmp/by_hand:report=none:sample=2" "$counters" 2 >"$tmp/out"
run 0 "$stmlog" report --json "$tmp/by_hand"
same "exact by hand" true "$(jsonq "$tmp/out" .totals.exact)"
ITM_DEFAULT_METHOD=ml_wt LD_PRELOAD=$agent STMLOG_OPTIONS="out=$tmp/by_hand:report=none:sample=2" "$counters" 2 >"$tmp/out"
run 0 "$stmlog" report --json "$tmp/by_hand"
same "exact when told nothing" false "$(jsonq "$tmp/out" .totals.exact)"
claim "an agent that is preloaded by hand knows what it is told, and nothing else"

# A libitm that a program has linked in.
mkdir "$tmp/own"
cp "$(realpath "$("$stmlog" info --libitm "$counters" | sed -n 's/^libitm *//p')")" "$tmp/own/libitm.so.1"
printf 'int main(void) { return 0; }\n' >"$tmp/own.c"
# shellcheck disable=SC2016
cc -fgnu-tm -o "$tmp/own/program" "$tmp/own.c" -Wl,--no-as-needed -litm -Wl,-rpath,'$ORIGIN'
run 0 "$stmlog" info --libitm "$tmp/own/program"
says "libitm    $(realpath "$tmp/own")/libitm.so.1"
claim "a program's own way to libitm is taken"

cat >"$tmp/evil.c" <<-END
	#include <stdio.h>
	__attribute__((constructor)) static void run(void) { fclose(fopen("$tmp/was_run", "w")); }
END
cc -shared -fPIC -Wl,--build-id -o "$tmp/own/libitm.so.1" "$tmp/evil.c"
run 0 "$stmlog" info --libitm "$tmp/own/program"
says "found     not: it comes with the program, and nothing of that is run here; 'stmlog record' finds out"
[ ! -e "$tmp/was_run" ] || fail "the program's libitm was run"
claim "info runs nothing that a program brings along"

# Whatever the agent is given as libitm's internals: it is used if it is right, refused if that can be seen, and
# otherwise the recording is still a readable file.
for lie in counters=104 counters=3f0 counters=10a counters=ffffffffffffffff commits=8 commits=ffffffff locks=18 \
	serial=fffffffffffffffc other=1 counters= "counters=108,counters=108"; do
	STMLOG_LIBITM=$id,$lie ITM_DEFAULT_METHOD=ml_wt LD_PRELOAD=$agent STMLOG_OPTIONS="out=$tmp/by_hand:report=none:sample=2" \
		"$counters" 2 >"$tmp/out" 2>"$tmp/err" || fail "with $lie it ends with $?"
	grep -q '^ok 3000' "$tmp/out" || fail "with $lie: $(cat "$tmp/out")"
	silent
done
claim "a lie does a program no harm"

run 0 "$stmlog" record --no-report -o "$tmp/data" -- "$O/every-cause"
silent
run 0 "$stmlog" record --no-report -o "$tmp/data" -- sh -c "exec $counters 2"
silent
claim "programs that load no libitm themselves are none the wiser"

run 2 "$stmlog" info --variable
one_line "add --libitm"
run 2 "$stmlog" info --libitm a b
one_line "one PROGRAM"
run 0 "$stmlog" info --libitm /nonexistent/program
says "by its name"
claim "what cannot be asked for is one line"
