#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs that are linked with a libitm of their own, and static ones, with the agent linked in: the tests of the other
# programs are run on them.
#
# Not alone: as the tests that it runs.

. "$(dirname "$0")/../helpers/shell.inc"

[ -e "$(cc -print-file-name=libitm.a)" ] || skip "there is no libitm.a"

# link FORM FILE ARGUMENT...: links with a libitm in the program (own), or as a static program
link() {
	form=$1 to=$2
	shift 2
	case $form in
	own) c++ -fgnu-tm -O2 -g -pthread -o "$to" "$@" "@$O/stmlog-itm.wrap" -Wl,-Bstatic -litm -Wl,-Bdynamic ;;
	static) c++ -fgnu-tm -O2 -g -pthread -static -o "$to" "$@" "@$O/stmlog-itm.wrap" ;;
	esac
}

# link_programs FORM LEVEL PROGRAM...
link_programs() {
	form=$1 level=$2
	shift 2
	mkdir -p "$tmp/$form/$level"
	for program in "$@"; do
		objects=$O/programs/$level/obj/tests/programs
		link "$form" "$tmp/$form/$level/$program" "$objects/$program.o" "$objects"/support/*.o \
			"$O/programs/$level/obj/bench/support/meeting.o" || fail "$form: $level/$program is not linked"
	done
}

# try_others FORM: only causes.sh has programs at -O0, and these are three. In a process of its own.
try_others() {
	# shellcheck disable=SC2046 # several programs
	link_programs "$1" O2 $(tm_programs)
	link_programs "$1" O0 cancel self_assign templates
	PROGRAMS=$tmp/$1
	export PROGRAMS
	for test in commits ends causes conservation; do
		sh "tests/libitm/$test.sh" >"$tmp/$1.log" 2>&1 || {
			cat "$tmp/$1.log"
			fail "$1: $test.sh"
		}
	done
}

# Side by side: most of the time goes by while processes start, and none of these tests compares times.
try_others own >"$tmp/own.said" 2>&1 &
own=$!
status=0
(try_others static) || status=$?
wait $own || status=$?
cat "$tmp/own.said"
[ $status -eq 0 ] || fail "see above"

# A program that begins no transaction is left alone here, too.
for form in own static; do
	STMLOG_OPTIONS="out=$tmp/idle.data" "$tmp/$form/O2/idle" 2 >"$tmp/out" 2>&1
	same "idle, $form: output" "ok 2" "$(cat "$tmp/out")"
	[ ! -e "$tmp/idle.data" ] || fail "idle, $form: wrote a recording"
	"$stmlog" record -o "$tmp/none" -- "$tmp/$form/O2/idle" 2 >"$tmp/out" 2>"$tmp/err"
	grep -q 'no transaction began' "$tmp/err" || fail "idle, $form: '$(cat "$tmp/err")' does not say why"
done

# Tracebacks are complete, from main or a thread's start on, without frames of libitm, the agent or the C library.
# A transaction in a destructor of the program is not too late.
cat >"$tmp/frames.c" <<'EOF'
#include <pthread.h>

static long number;
static int is_late;

static __attribute__((noinline)) void refuse(void)
{
	__transaction_atomic {
		number++;
		__transaction_cancel;
	}
}

static void *run(void *unused)
{
	refuse();
	return unused;
}

static __attribute__((destructor)) void last(void)
{
	__transaction_atomic {
		number++;
	}
}

/* The C library has put away by then what its own start code had set up for unwinders. */
static __attribute__((destructor(102))) void very_last(void)
{
	if (is_late)
		refuse();
}

int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	is_late = argc > 1;
	refuse();
	if (pthread_create(&thread, NULL, run, NULL) != 0)
		return 1;
	return pthread_join(thread, NULL);
}
EOF
# aborted_frames REPORT: the functions of all tracebacks of aborts. Pauses are left out: a thread may be preempted while
# it commits.
aborted_frames() {
	for i in $(seq 0 $(($(jsonq "$1" '.entries#') - 1))); do
		case $(jsonq "$1" ".entries[$i].reason") in
		*abort) jsonq "$1" ".entries[$i].local.frames[].function" ;;
		esac
	done
}

frames() {
	cc -fgnu-tm -O0 -g -c -o "$tmp/frames.o" "$tmp/frames.c"
	link "$1" "$tmp/frames" "$tmp/frames.o"
	record "$tmp/data" --sample=1 -- "$tmp/frames"
	"$stmlog" report --json --sort=count "$tmp/data" >"$tmp/report"
	same "frames, $1: commits" 1 "$(jsonq "$tmp/report" .totals.commits)"
	same "frames, $1: tracebacks" "main refuse refuse run start_thread" \
		"$(aborted_frames "$tmp/report" | sort | tr '\n' ' ' | sed 's/ $//')"
	record "$tmp/data" --sample=1 -- "$tmp/frames" late
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "late, $1: cancels" 3 "$(jsonq "$tmp/report" .totals.aborts)"
}

# The profiler counts the same as that libitm, although the agent cannot read its counters.
restarts() {
	program=$1
	shift
	COUNTERS_OUT=3 record "$tmp/data" --sample=1 -- "$program" "$@" >/dev/null 3>"$tmp/counters"
	[ "$(cat "$tmp/counters")" -ge 50 ] || fail "$program: $(cat "$tmp/counters") restarts, though two threads were to meet 50 times"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "$program: restarts" "$(cat "$tmp/counters")" "$(jsonq "$tmp/report" .totals.aborts)"
	jsonq "$tmp/report" '.causes[].reason' >"$tmp/reasons"
	same "$program: causes" "$(cat "$tmp/counters")" "$(jsonq "$tmp/report" '.causes[].count' |
		paste -d ' ' "$tmp/reasons" - | awk '$1 ~ /abort/ { sum += $2 } END { printf "%.0f\n", sum }')"
	same "$program: details that only known counters tell" "" \
		"$(jsonq "$tmp/report" '.entries[].detail' | grep _ | grep -v '_WAIT$')"
	echo "$program $*: $(cat "$tmp/counters") restarts"
}

# compile SOURCE OBJECT
compile() {
	cc -fgnu-tm -O2 -g -std=gnu11 -D_GNU_SOURCE -Ibench/support -c -o "$2" "$1"
}
mkdir "$tmp/support"
for source in bench/support/*.c; do
	compile "$source" "$tmp/support/$(basename "$source" .c).o"
done
for form in own static; do
	frames "$form"
	for program in bank list; do
		compile "bench/programs/$program.c" "$tmp/$program.o"
		link "$form" "$tmp/$program" "$tmp/$program.o" "$tmp"/support/*.o \
			"$O/obj/tests/helpers/linked_restarts.o" -Wl,--wrap=pthread_create
		restarts "$tmp/$program" --meet=50 --threads=2 --seconds=0.3
	done
done

# Without the agent, a line says what to add to the command that links the program; and adding that is enough.
cc -fgnu-tm -O2 -static -o "$tmp/bare" "$tmp/frames.o" -pthread
"$stmlog" record -o "$tmp/none" -- "$tmp/bare" 2>"$tmp/err"
same "bare: lines on stderr" 1 "$(wc -l <"$tmp/err")"
grep -q 'a libitm of its own' "$tmp/err" || fail "bare: '$(cat "$tmp/err")' does not say why"
added=$(sed -n 's/.* with \(@[^ ]*\) added.*/\1/p' "$tmp/err")
cc -fgnu-tm -O2 -static -o "$tmp/bare" "$tmp/frames.o" -pthread "$added"
record "$tmp/data" -- "$tmp/bare"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
same "no longer bare: commits" 1 "$(jsonq "$tmp/report" .totals.commits)"
