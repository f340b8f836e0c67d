#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stmlog-replay makes recorded transactions again: what shares a lock in the recording conflicts, and what does not
# commits at once. Files that are damaged are refused, with one line.
#
# Not alone: transactions that conflict hold their locks for most of the run, and nothing else depends on time.

. "$(dirname "$0")/../cli/cli.inc"

[ -x "$O/stmlog-replay" ] || skip "no stmlog-replay: it is for x86-64"

# The properties of transactions (libitm's ABI).
instrumented=0x1 no_cancel=0x9 both_codes=0xb irrevocable=0x4b undo_log=0x409
ms=1000000

# replay SECONDS: replays the records that stdin describes (tests/helpers/accesses.c); sets $commits and $attempts.
replay() {
	"$O/tests/helpers/accesses" >"$tmp/accesses"
	run 0 "$O/stmlog-replay" libitm.so.1 "$1" "$tmp/accesses"
	grep -Eqx 'commits=[0-9]+ attempts=[0-9]+ seconds=[0-9]+\.[0-9]+ preempted=[0-9]+' "$tmp/out" || fail "it printed: $(cat "$tmp/out")"
	same "lines" 1 "$(wc -l <"$tmp/out")"
	commits=$(sed 's/commits=\([0-9]*\).*/\1/' "$tmp/out")
	attempts=$(sed 's/.*attempts=\([0-9]*\).*/\1/' "$tmp/out")
}

# replay_writers ADDRESS...: for each address a thread that writes it, and holds its lock for so long that others meet it
replay_writers() {
	for address in "$@"; do
		echo "THREAD 1"
		echo "BEGIN 0 $no_cancel -1"
		echo "W $address 8 100"
		echo "COMMIT 0 0 $((3 * ms))"
	done >"$tmp/text"
	replay 0.3 <"$tmp/text"
	[ "$commits" -gt 0 ] || fail "no commit of $*"
}

# ---- transactions ----

# each_access: each kind of access with each size, over the end of a page
each_access() {
	for kind in R RaR RaW RfW W WaR WaW; do
		for size in 1 2 3 4 8 16 100 65535; do
			echo "$kind 0x7fff12345ff9 $size 2.5"
		done
	done
}
for properties in $instrumented $no_cancel $both_codes $irrevocable; do
	{
		echo "THREAD 1"
		echo "BEGIN 0 $properties 10"
		each_access
		echo "COMMIT 0 0 10"
	} >"$tmp/text"
	replay 0.1 <"$tmp/text"
	[ "$commits" -gt 0 ] || fail "no commit with properties $properties"
	same "attempts with properties $properties" "$commits" "$attempts"
done
claim "one thread commits with each attempt, whatever it accesses"

replay_writers 0x555500001000 0x555500001018
[ "$attempts" -gt "$commits" ] || fail "$attempts attempts for $commits commits of words with one lock"
replay_writers 0x555500001000 0x555500001020
same "attempts of words with two locks" "$commits" "$attempts"
claim "two threads that write words with one lock fail; moved apart they do not"

replay_writers 0x555500001000 0x7f5500001000
[ "$attempts" -gt "$commits" ] || fail "$attempts attempts for $commits commits of words with one lock"
replay_writers 0x555500001000 0x7f4100001000
same "attempts of words with two locks" "$commits" "$attempts"
claim "words far apart have one lock if they had one in the recording"

replay 0.1 <<END
THREAD 1
BEGIN 0 $no_cancel
W 0x555500001000 4
ALONE 0 0 100
W 0x7f5500001000 4 100
COMMIT
THREAD 2
BEGIN 0 $both_codes
ALONE
W 0x555500001000 4
COMMIT
END
[ "$commits" -gt 0 ] || fail "no commit"
claim "transactions become irrevocable"

replay 0.1 <<END
THREAD 1
BEGIN 0 $instrumented
W 0x555500001000 4
CANCEL 0 0 100
END
same commits 0 "$commits"
[ "$attempts" -gt 0 ] || fail "no attempt"
replay 0.1 <<END
THREAD 1
BEGIN 0 $instrumented
W 0x555500001000 4
CANCEL
BEGIN 0 $instrumented
R 0x555500001000 4
COMMIT
END
[ "$commits" -gt 0 ] || fail "no commit"
[ $((attempts - 2 * commits)) -ge 0 ] && [ $((attempts - 2 * commits)) -le 1 ] ||
	fail "$attempts attempts for $commits commits and as many cancels"
claim "a transaction that is cancelled is no commit"

replay 0.1 <<END
THREAD 1
BEGIN 0 $instrumented
ALONE
CANCEL
BEGIN 0 $instrumented
COMMIT
END
[ "$commits" -gt 0 ] || fail "no commit"
claim "a cancel for which it is too late does not end the process"

replay 0.1 <<END
THREAD 1
BEGIN 0 $no_cancel 1e30
COMMIT
THREAD 2
BEGIN 0 $no_cancel
COMMIT 0 0 1e30
END
same commits 1 "$commits"
claim "no gap outlasts the run"

# ---- files that are refused ----

# complains WORDS ARGUMENT...: with these arguments it says one line that has the words, and exits with 1.
complains() {
	words=$1
	shift
	run 1 "$O/stmlog-replay" "$@"
	same "lines on stdout and stderr" "0 1" "$(wc -l <"$tmp/out") $(wc -l <"$tmp/err")"
	grep '^stmlog-replay: ' "$tmp/err" | grep -qF -e "$words" || fail "'$(cat "$tmp/err")' does not say '$words'"
}

# refused WORDS [FILE]: the file, by default what stdin describes, is refused with one line that has the words. The
# replay would end itself some seconds behind its time, and a busy machine may take longer to read a large file: so it
# is given more time.
refused() {
	[ $# -eq 2 ] || "$O/tests/helpers/accesses" >"$tmp/accesses"
	complains "$1" libitm.so.1 60 "${2:-$tmp/accesses}"
}

begin="THREAD 1
BEGIN 0 $no_cancel"
whole="$begin
R 0x1000 8
COMMIT"
echo "$whole" | "$O/tests/helpers/accesses" >"$tmp/whole"
head -c 63 "$tmp/whole" >"$tmp/cut"
refused "ends within a record" "$tmp/cut"
head -c 48 "$tmp/whole" >"$tmp/cut"
refused "record 2: a stream ends within a transaction" "$tmp/cut"
: >"$tmp/nothing"
refused "is empty" "$tmp/nothing"
refused "No such file" "$tmp/absent"
refused "Is a directory" "$tmp"
refused "too large" /dev/zero

echo "BEGIN 0 $no_cancel" | refused "record 0: no stream has begun"
printf 'THREAD 1\nR 0x1000 8\n' | refused "record 1: no transaction has begun"
printf 'THREAD 1\nCOMMIT\n' | refused "record 1: no transaction has begun"
printf '%s\nBEGIN\n' "$begin" | refused "record 2: a transaction begins within another"
printf '%s\n%s\n' "$begin" "$whole" | refused "record 2: a stream ends within a transaction"
printf 'THREAD 1\n%s\n' "$whole" | refused "record 1: a stream has no transaction"
printf '%s\nTHREAD 2\n' "$whole" | refused "record 4: a stream has no transaction"
printf '%s\n12\n' "$whole" | refused "record 4: unknown kind"
printf '%s\nR 0x1000 0\nCOMMIT\n' "$begin" | refused "record 2: an access has no size"
printf '%s\nR 0xffffffffffffffff 2\nCOMMIT\n' "$begin" | refused "record 2: an access is beyond all memory"
printf '%s\nCOMMIT 0 0 nan\n' "$begin" | refused "record 2: a gap is no number"
printf '%s\nCANCEL\n' "$begin" | refused "record 2: a transaction is cancelled that has no cancel"
printf 'THREAD 1\nBEGIN 0 %s\nCOMMIT\n' $undo_log | refused "record 1: libitm has no transactions of such properties"
claim "each damage of a file is refused, with one line"

complains "usage: stmlog-replay LIBITM SECONDS FILE" libitm.so.1 0.1
complains SECONDS libitm.so.1 1s "$tmp/whole"
complains "$tmp/absent.so" "$tmp/absent.so" 0.1 "$tmp/whole"
complains "no libitm" libc.so.6 0.1 "$tmp/whole"
claim "so are other arguments"
