#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No unit test depends on how fast or how busy the machine is: but for those in real_clock.known, tests and their fixtures
# call no function that reads a clock of the system or lets time pass, they are linked with the fake clock, and only
# ticks.h and the library's clock read the processor's time-stamp counter. First, planted files show that each of these
# faults is found.

. "$(dirname "$0")/house.inc"

calls='clock_gettime|clock|time|times|gettimeofday|timespec_get|ftime|getrusage'
calls="$calls|nanosleep|clock_nanosleep|thrd_sleep|usleep|sleep|poll|ppoll|select|pselect|epoll_wait|epoll_pwait"
calls="$calls|alarm|setitimer|timer_settime|timerfd_settime|[a-z_]*_timedwait|[a-z_]*_clockwait|[a-z_]*_timedlock"

# calls_in OBJECT...: "OBJECT: FUNCTION" for each call of these functions.
calls_in() {
	nm -A -u "$@" | sed -nE "s/^([^:]*): +U ($calls)$/\1: \2/p"
}

# unlinked PROGRAM...: those that are not linked with the fake clock.
unlinked() {
	grep -L __wrap_clock_gettime "$@" || true
}

# counter_in FILE...: the files that read the time-stamp counter.
counter_in() {
	grep -lE 'rdtsc|cntvct' "$@" || true
}

# ---- planted ----

# plant TEXT: compiles it to $tmp/planted.o.
plant() {
	printf '%s\n' '#include <time.h>' '#include <unistd.h>' "$1" >"$tmp/planted.c"
	cc -c -o "$tmp/planted.o" "$tmp/planted.c"
}

plant 'int main(void) { return usleep(1); }'
same "a test that lets time pass" "$tmp/planted.o: usleep" "$(calls_in "$tmp/planted.o")"
plant 'int main(void) { return (int)time(NULL); }'
same "a test that asks for the time" "$tmp/planted.o: time" "$(calls_in "$tmp/planted.o")"
plant 'int main(void) { return getpid() == 1; } /* no time() */'
same "a test that does neither" "" "$(calls_in "$tmp/planted.o")"
cc -o "$tmp/planted" "$tmp/planted.o"
same "a test without the fake clock" "$tmp/planted" "$(unlinked "$tmp/planted")"
echo 'unsigned long long now(void) { return __builtin_ia32_rdtsc(); }' >"$tmp/planted.c"
same "a file that reads the counter" "$tmp/planted.c" "$(counter_in "$tmp/planted.c")"

# ---- the tree ----

known=$(sed -n '/^[^#]/s/.*: //p' tests/house/real_clock.known | tr -d ',')
for name in $known; do
	[ -e "tests/$name.c" ] || fail "tests/house/real_clock.known has $name, which is no test"
done

# is_known NAME: this test may read the system's clocks.
is_known() {
	case " $(echo "$known" | tr '\n' ' ')" in *" $1 "*) ;; *) return 1 ;; esac
}

# Unit tests and what they are made of; fake_system_clock.c and wait_until.c are what they call instead.
sources=$(git ls-files 'tests/*.c' | grep -vE '^tests/(helpers|programs|fuzz|long|strangers|gains|snippets|ghc/programs)/' |
	grep -vE '^tests/support/(fake_system_clock|wait_until)\.c$')
objects='' programs=''
for source in $sources; do
	name=${source#tests/}
	name=${name%.c}
	if is_known "$name" || [ ! -e "$O/obj/tests/$name.o" ]; then
		continue
	fi
	objects="$objects $O/obj/tests/$name.o"
	case $name in *_test) programs="$programs $O/tests/$name" ;; esac
done
# shellcheck disable=SC2086 # no name has a blank
set -- $programs
[ $# -gt 200 ] || fail "only $# unit tests are built"
same "unit tests without the fake clock" "" "$(unlinked "$@")"
# shellcheck disable=SC2086
same "calls in unit tests" "" "$(calls_in $objects)"
# shellcheck disable=SC2046,SC2086
same "readers of the time-stamp counter" "base/clock.c runtimes/libitm/internals/ticks.h tests/base/clock_test.c" \
	"$(counter_in $sources $(git ls-files 'base/*.[ch]' 'stmlog/*.[ch]' 'runtimes/*.[ch]' 'tools/*.[ch]' 'tests/*.h' |
		grep -v '^tests/strangers/') | sort | tr '\n' ' ' | sed 's/ $//')"
