#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Hardware transactions, compared with a witness that shares no code with the agent (tests/helpers/rtm.c). If the
# processor has none, the witness plays them: then all counts and causes are known exactly. If the processor has them,
# the witness counts how often libitm's begin has called GTM_begin_transaction().

. "$(dirname "$0")/../helpers/shell.inc"

witness=$PWD/$O/tests/helpers/librtm.so
export ITM_DEFAULT_METHOD=htm
if has_rtm; then
	is_played=
else
	is_played=yes
	export RTM=play
fi

# witnessed NAME: that count of the witness
witnessed() {
	tr ' ' '\n' <"$tmp/witness" | sed -n "s/^$1=//p"
}

# profile OPTIONS SCRIPT PROGRAM ARGUMENT...: leaves the report and the output of the witness
profile() {
	options=$1 script=$2
	shift 2
	rm -f "$tmp/data"
	# shellcheck disable=SC2086
	RTM_SCRIPT=$script RTM_OUT=3 LD_PRELOAD=$witness record "$tmp/data" $options -- "$@" >"$tmp/out" 3>"$tmp/witness"
	[ -s "$tmp/witness" ] || skip "this libitm's begin is not one that the witness knows"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$*: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
	same "$*: method" htm "$(jsonq "$tmp/report" .method)"
	same "$*: residual" 0 "$(jsonq "$tmp/report" .totals.residual_ns)"
	aborts=$(jsonq "$tmp/report" .hardware.aborts)
}

# agree OPTIONS PROGRAM ARGUMENT...: exactly the aborts are counted. If the witness does not play, it cannot tell a
# failed try from a begin in software: each thread's first begin may be one, and so are the transactions that the agent
# makes run alone when not all are measured.
agree() {
	options=$1
	shift
	profile "$options" "" "$@"
	if [ -n "$is_played" ]; then
		same "$*: tries" "$(witnessed tries)" "$(jsonq "$tmp/report" .hardware.attempts)"
		same "$*: aborts" "$(witnessed aborts)" "$aborts"
	else
		more=$(($(witnessed entries) - aborts))
		most=5
		[ "${options%--sample=1}" != "$options" ] || most=$aborts
		[ "$more" -ge 0 ] && [ "$more" -le "$most" ] || fail "$*: $aborts aborts, $(witnessed entries) entries"
	fi
	same "$*: sum of the causes" "$aborts" "$(jsonq "$tmp/report" '.hardware.by_cause' | tr ',' '\n' |
		awk -F: '{ gsub(/[^0-9]/, "", $2); sum += $2 } END { printf "%.0f\n", sum }')"
	same "$*: all aborts" "$aborts" "$(jsonq "$tmp/report" .totals.aborts)"
	same "$*: aborts over the threads" "$aborts" "$(total "$tmp/report" '.threads[].aborts')"
	same "$*: counts said to be exact" true "$(jsonq "$tmp/report" .totals.exact)"
	[ "$aborts" -gt 0 ] || fail "$options $*: nothing was aborted, so nothing is tested"
	echo "$options $*: $aborts aborts of $(jsonq "$tmp/report" .hardware.attempts) tries, $(jsonq "$tmp/report" .hardware.fallbacks) fallbacks"
}

for options in --sample=1 --sample=16 --sample=auto "--light --sample=1"; do
	for program in bank list queue index clusters reservation; do
		agree "$options" "$O/bench/$program" --threads=2 --seconds=0.2
	done
	[ -z "$is_played" ] || agree "$options" "$O/programs/O2/counters" 4
	[ -z "$is_played" ] || agree "$options" "$O/programs/O0/allocate" 4
done

# Each status of the processor is reported by its word, for each try that has it.
caused() {
	profile --sample=1 "$1" "$O/programs/O2/alone" 2 1 50
	same "status $1: $2" "$(witnessed aborts)" "$(jsonq "$tmp/report" ".hardware.by_cause.$2")"
	same "status $1: told as $2, $3" "$(witnessed aborts)" "$(awk -v word="$2" -v contention="$3" \
		'$1 == word && $2 ~ "^(" contention ")$" { sum += $3 } END { printf "%.0f\n", sum }' "$tmp/entries")"
	[ "$aborts" -ge 100 ] || fail "status $1: $aborts aborts of 100 transactions"
}
if [ -n "$is_played" ]; then
	caused 0 HTM_UNFRIENDLY none
	caused 6 HTM_CONFLICT 'data|inevitable'
	caused 8 HTM_CAPACITY none
	caused 0x01000001 HTM_EXPLICIT none
fi

# A transaction that waits or aborts because of a transaction that runs alone is shown that one: by construction it can
# be no other.
for level in O0 O2; do
	profile --sample=1 "0;-" "$O/programs/$level/alone" 2 5 20
	awk '$1 == "HTM_LOCK_HELD" && $2 == "inevitable" && $7 == "come_by" && $9 == "hold_up" && $11 == "certain" { held += $3; next }
		$1 == "RESTART_WAIT" && $7 == "come_by" && $9 == "hold_up" && $11 == "certain" { waits += $3; next }
		$7 == "come_by" && $9 != "hold_up" { others += $3 }
		END { print held + 0, waits + 0, others + 0 }' "$tmp/entries" >"$tmp/sums"
	read -r held waits others <"$tmp/sums"
	[ "$held" -ge 10 ] && [ "$waits" -ge 10 ] || fail "alone $level: $held aborts and $waits waits with the one who ran alone"
	[ -z "$is_played" ] || same "alone $level: other losses" 0 "$others"
	waited=$(awk '$1 == "RESTART_WAIT" && $7 == "come_by"' "$tmp/entries" | wc -l)
	[ "$waited" -ge 1 ] || fail "alone: nobody waited"
	echo "alone $level: $held times the lock was held, $waits waits, $others other losses"
done

# Conflicts over data: a transaction that is known to touch the same line is a candidate. In disjoint pairs it is the
# partner and no other; neighbours in a line are different variables in one cache line. The same with sampling, where
# some transactions are made to run alone for that.
blamed() {
	awk '$1 == "HTM_CONFLICT" && $2 == "data" && $9 != "-" && $11 == "candidate" { sum += $3 } END { printf "%.0f\n", sum }' "$tmp/entries"
}
for options in --sample=1 --sample=4; do
	profile "$options" "" "$O/programs/O2/pairs" 4 20000
	awk '$1 == "HTM_CONFLICT" && $2 == "data" && $9 != "-" && $11 == "candidate" { print $7, $9 }' "$tmp/entries" | sort -u >"$tmp/found"
	grep -vx 'raise_0 raise_1\|raise_1 raise_0\|raise_2 raise_3\|raise_3 raise_2' "$tmp/found" >"$tmp/wrong" || :
	same "pairs $options: candidates that cannot be one" "" "$(cat "$tmp/wrong")"
	pairs=$(blamed)
	[ "$pairs" -gt 0 ] || fail "pairs $options: no candidates"
	profile "$options" "" "$O/programs/O2/neighbours" 2 20000
	near=$(blamed)
	[ "$near" -gt 0 ] || fail "neighbours $options: no candidates"
	same "neighbours $options: false" "$near" "$(awk '$1 == "HTM_CONFLICT" { sum += $5 } END { printf "%.0f\n", sum }' "$tmp/entries")"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	grep -q 'one 64-byte cache line: tallies\[1\] and tallies\[0\]\|one 64-byte cache line: tallies\[0\] and tallies\[1\]' "$tmp/text" ||
		fail "neighbours $options: the report does not say what shares a line: $(cat "$tmp/text")"
	profile "$options" "" "$O/programs/O2/neighbours" 2 20000 64
	same "neighbours apart $options: false" 0 "$(awk '{ sum += $5 } END { printf "%.0f\n", sum }' "$tmp/entries")"
	echo "$options: candidates for $pairs conflicts of pairs, $near of neighbours"
done

# Whichever tries fail, programs behave as without the profiler: cancels and exceptions, nested and relaxed
# transactions, memory, threads that come and go, and signals.
behave() {
	for name in allocate before_main callers cancel counters deep exceptions fork idle nested neighbours objects relaxed \
		self_assign short_lived signals templates thread_exit; do
		for level in O0 O2; do
			program=$O/programs/$level/$name
			for script in "" "6,-,0,8,-"; do
				expected=0
				RTM_SCRIPT=$script LD_PRELOAD=$witness timeout 60 "$program" 4 >"$tmp/plain" 2>&1 || expected=$?
				for options in sample=1 sample=5; do
					status=0
					rm -f "$tmp"/data*
					RTM_SCRIPT=$script LD_PRELOAD=$agent:$witness STMLOG_OPTIONS=report=none:out=$tmp/data:$options \
						timeout 60 "$program" 4 >"$tmp/out" 2>&1 || status=$?
					same "$name $level $options '$script': exit status" "$expected" "$status"
					same "$name $level $options '$script': output" "$(sort "$tmp/plain")" "$(sort "$tmp/out")"
					for file in "$tmp"/data*; do
						[ ! -e "$file" ] || "$stmlog" check "$file" >"$tmp/check" || fail "$name $level: $(cat "$tmp/check")"
					done
				done
			done
		done
	done
}

# The same if tries fail in the middle: when a transaction is about to write to one page more than it may, all that it
# has written is undone, including the agent's own data. (The kernel must not write there: no restartable sequences.)
middle() {
	program=$O/programs/$1
	RTM_MIDDLE=$2 RTM_OUT=3 GLIBC_TUNABLES=glibc.pthread.rseq=0 LD_PRELOAD=$agent:$witness \
		STMLOG_OPTIONS=report=none:out=$tmp/data:$3 timeout 60 "$program" 1 >"$tmp/out" 2>"$tmp/err" 3>"$tmp/witness" ||
		fail "$1, fails at page $2, $3: $(cat "$tmp/out" "$tmp/err")"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$1, fails at page $2, $3: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	# There libitm tries inner begins of a transaction that runs alone, too, and the witness cannot tell them apart.
	case $1 in
	*/exceptions | */nested) ;;
	*)
		same "$1, fails at page $2, $3: aborts" "$(witnessed aborts)" "$(jsonq "$tmp/report" .hardware.aborts)"
		same "$1, fails at page $2, $3: tries" "$(witnessed tries)" "$(jsonq "$tmp/report" .hardware.attempts)"
		;;
	esac
	failed=$((failed + $(witnessed aborts)))
}
# All of these. In a process of its own.
middles() {
	tmp=$tmp/middles
	mkdir "$tmp"
	failed=0
	for name in allocate cancel counters exceptions nested objects reader_writer relaxed self_assign templates; do
		for pages in 1 2 3 4 6; do
			middle "O0/$name" $pages sample=1
			middle "O2/$name" $pages sample=3
		done
	done
	[ "$failed" -ge 10000 ] || fail "only $failed transactions failed in their middle"
	echo "$failed transactions failed in their middle"
}

# Side by side: most of the time goes by while processes start, and no output depends on time.
middles=
if [ -n "$is_played" ]; then
	middles >"$tmp/middles.said" 2>&1 &
	middles=$!
fi
behave
status=0
[ -z "$middles" ] || wait "$middles" || status=$?
[ -z "$middles" ] || cat "$tmp/middles.said"
[ $status -eq 0 ] || fail "see above"

# A passive run cannot count hardware transactions, and says so.
record "$tmp/passive" --passive -- "$O/bench/bank" --threads=2 --operations=1000 >"$tmp/out" 2>"$tmp/err" || :
[ ! -e "$tmp/passive" ] || fail "a passive run of hardware transactions left a recording"
grep -q 'hardware transactions leave no counts' "$tmp/err" || fail "passive: '$(cat "$tmp/err")'"

[ -n "$is_played" ] || echo "with the processor's own hardware transactions; played ones were not tried"
