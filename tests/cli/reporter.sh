#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The agents do not contain the report. Outside of `stmlog record` a preloaded agent loads libstmlog-report.so from its
# own folder, and a program that the agent is linked into prints a report if stmlog-report.wrap was on the line that
# linked it. Without either, the recording is written, and one line names it.

. "$(dirname "$0")/cli.inc"

[ -e "$O/libstmlog-report.so" ] || skip "the agents are for x86-64"
library=$PWD/$O/libstmlog-report.so

cat >"$tmp/count.c" <<'EOF'
#include <stdio.h>
#include <string.h>
static int counter;
int main(void)
{
	for (int i = 0; i < 1000; i++)
		__transaction_atomic { counter++; }
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[8192];
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		if (strstr(line, "libstmlog-report") != NULL)
			return puts("loaded") < 0;
	return puts("not loaded") < 0;
}
EOF
cc -fgnu-tm -O2 -g -c -o "$tmp/count.o" "$tmp/count.c"
cc -fgnu-tm -o "$tmp/count" "$tmp/count.o" -pthread
top=$PWD
# A recording without a name goes into the current directory.
mkdir "$tmp/here"
cd "$tmp/here"

# reports COMMAND...: it prints its report at its end, and nothing else; no file is left.
reports() {
	run 0 "$@"
	grep -q '^stmlog: .* (pid [0-9]*): libitm' "$tmp/err" || fail "no report: $(cat "$tmp/err")"
	grep -q '^committed .* 1,000 ' "$tmp/err" || fail "not of 1,000 commits: $(cat "$tmp/err")"
	same "files after $*" "" "$(ls)"
}

# names FILE COMMAND...: it prints one line instead, which says how to read the recording.
names() {
	file=$1
	shift
	run 0 "$@"
	one_line "was not found; for a report: stmlog report $PWD/$file"
	run 0 "$stmlog" report --json "$file"
	grep -q '"commits": 1000,' "$tmp/out" || fail "$file has other commits than 1000: $(head -n 5 "$tmp/out")"
	rm "$file"
	same "files after $*" "" "$(ls)"
}

for one in itm itm-light itm-passive; do
	run 0 env LD_PRELOAD="$top/$O/libstmlog-$one.so" STMLOG_OPTIONS=report=stderr "$tmp/count"
	same "$one: the library of the report" loaded "$(cat "$tmp/out")"
done
reports env LD_PRELOAD="$top/$O/libstmlog-itm.so" STMLOG_OPTIONS=sample=1 "$tmp/count"
run 0 env LD_LIBRARY_PATH="$top/$O" LD_PRELOAD=libstmlog-itm.so "$tmp/count"
same "an agent without a path" loaded "$(cat "$tmp/out")"
claim "a preloaded agent loads its report from its own folder"

run 0 env LD_PRELOAD="$top/$O/libstmlog-itm.so" STMLOG_OPTIONS=report=none "$tmp/count"
same "with report=none" "not loaded" "$(cat "$tmp/out")"
same "stderr with report=none" "" "$(cat "$tmp/err")"
run 0 "$stmlog" record -o "$tmp/data" --no-report -- "$tmp/count"
same "under record" "not loaded" "$(cat "$tmp/out")"
claim "only where a report is wanted: not under record"

mkdir "$tmp/alone"
cp "$top/$O/libstmlog-itm.so" "$tmp/alone"
alone=$tmp/alone/libstmlog-itm.so
names stmlog.data env LD_PRELOAD="$alone" STMLOG_OPTIONS=sample=1 "$tmp/count"
names own.data env LD_PRELOAD="$alone" STMLOG_OPTIONS=sample=1:out=own.data:report=text "$tmp/count"
run 0 env LD_PRELOAD="$alone" STMLOG_OPTIONS=report=none "$tmp/count"
same "stderr with report=none" "" "$(cat "$tmp/err")"
run 0 env LD_PRELOAD="$alone" true
same "stderr of a program without transactions" "" "$(cat "$tmp/err")"
same "files" "" "$(ls)"
claim "without that library there is a recording, and a line says how to read it"

# Of another version: its structs may be others.
cat >"$tmp/other.c" <<'EOF'
#include <process_reporter.h>
static int print(const struct process_records *records, int fd)
{
	return *(volatile int *)0 = records == 0 || fd;
}
const struct process_reporter stmlog_process_reporter = {"0.0.0", print};
EOF
cc -shared -fPIC -I"$top/include" -I"$top/format" -o "$tmp/alone/libstmlog-report.so" "$tmp/other.c"
names stmlog.data env LD_PRELOAD="$alone" STMLOG_OPTIONS=sample=1 "$tmp/count"
cp "$library" "$tmp/alone"
reports env LD_PRELOAD="$alone" STMLOG_OPTIONS=sample=1 "$tmp/count"
claim "a reporter of another version is not called"

# linked FORM FLAG...: with the agent in it, dynamic or static
linked() {
	form=$1
	shift
	[ "$form" != static ] || set -- -static "$@"
	cc -fgnu-tm -o "$tmp/linked" "$tmp/count.o" -pthread "@$top/$O/stmlog-itm.wrap" "$@" >"$tmp/ld" 2>&1 || fail "$(cat "$tmp/ld")"
	same "what the linker says" "" "$(cat "$tmp/ld")"
}
forms=dynamic
[ ! -e "$(cc -print-file-name=libitm.a)" ] || forms="dynamic static"
STMLOG_OPTIONS=sample=1
export STMLOG_OPTIONS
for form in $forms; do
	linked $form
	names stmlog.data "$tmp/linked"
	linked $form "@$top/$O/stmlog-report.wrap"
	reports "$tmp/linked"
done
unset STMLOG_OPTIONS
claim "a program with a linked agent prints its report if the report is linked, too: $forms"
