#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The report that a process prints of itself: its account and its costliest entries are those that `stmlog report` prints
# of the recording that is written at the same moment. Every process prints one: with the library, with an agent that is
# preloaded, and with an agent that is linked.

. "$(dirname "$0")/cli.inc"

# both OPTIONS COMMAND...: makes $tmp/data and $tmp/report
both() {
	STMLOG_OPTIONS=out=$tmp/data:report=$tmp/report:$1
	export STMLOG_OPTIONS
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $(cat "$tmp/err")"
	unset STMLOG_OPTIONS
}

# figures REPORT: the rows of the account that are not 0, with their times and counts, and the first line of each entry. The
# command alone has intervals; of a sampled run it arranges the entries by their lower ends, and shows none of under ten
# measured losses.
figures() {
	LC_ALL=C sed -e 's/  *(\?[0-9.]*\( [mun]\?s\)\? - [0-9.]* [mun]\?s)\?//; s/  *[0-9.]* %//; s/^ *[0-9]*\.  /entry /; s/, estimated   / /' "$1" |
		LC_ALL=C awk '/^(committed|aborted|paused|waiting|blocked|other|outside|open|attached) +(~ +)?[0-9]/ {
			if ($(NF = 3 + ($2 == "~") + 1) == "") NF--
			if (!/ 0 ns/) print
		}
		$1 == "residual" || ($1 == "entry" && !/ [1-9] times? measured/) { $1 = $1; print }' | LC_ALL=C sort
}

# agrees: with what `stmlog report` prints
agrees() {
	run 0 "$stmlog" report --top=1000 "$tmp/data"
	figures "$tmp/out" >"$tmp/expected"
	figures "$tmp/report" >"$tmp/figures"
	entries=$((entries + $(grep -c '^entry ' "$tmp/figures" || true)))
	cmp -s "$tmp/expected" "$tmp/figures" || fail "$(diff "$tmp/expected" "$tmp/figures" | head -n 20)"
}

entries=0
for seed in 0 1 2 3 4 5 6 7 8 9 10 11; do
	both "top=1000" "$O/tests/helpers/sessions" "$seed"
	agrees
	both "top=1000:capacity=4:depth=3" "$O/tests/helpers/sessions" "$seed"
	agrees
done
[ $entries -ge 500 ] || fail "only $entries entries"
claim "of sessions at random, the account and the costliest entries"

make_comma_locale
for locale in C comma C.UTF-8; do
	export LC_ALL=$locale
	both "top=1000:paths=on" "$O/tests/helpers/sessions" 5
	agrees
	grep -q "f$(printf '\303\266')o" "$tmp/report" || fail "$locale: no name beyond ASCII: $(head -n 30 "$tmp/report")"
	for words in report "report --by=site" "report --by=pair" "report --json" info; do
		# shellcheck disable=SC2086 # several words
		"$stmlog" $words "$tmp/data" >"$tmp/out"
		LC_ALL=C.UTF-8 "$stmlog" $words "$tmp/data" | cmp -s - "$tmp/out" || fail "$words: another text in the locale $locale"
	done
done
export LC_ALL=C
claim "in whatever locale, which the text does not depend on"

both "" "$O/every-cause"
grep -q '^     where       smallstm_scenarios.c:[0-9]*  [a-z_]*_second$' "$tmp/report" || fail "no victim: $(cat "$tmp/report")"
grep -A 1 '^     blocked by  thread [0-9]*, certain$' "$tmp/report" | grep -q '^  *smallstm_scenarios.c:[0-9]*  [a-z_]*_first$' ||
	fail "no culprit: $(cat "$tmp/report")"
tail -n 1 "$tmp/report" | grep -q " stmlog report $tmp/data\$" || fail "the recording is not named: $(tail -n 1 "$tmp/report")"
claim "the places of both sides, by the runtime's names, and the command that shows more"

[ -e "$O/libstmlog-itm.so" ] || exit 0 # the agents are for x86-64
# offset WHAT: a line of an address in the program
offset='bank+0x[0-9a-f]*$'
both "" env LD_PRELOAD="$agent" ITM_DEFAULT_METHOD=ml_wt "$O/bench/bank" --meet=50 --threads=2 --operations=20000
grep -q '^stmlog: .*/bank --meet=50 .* (pid [0-9]*): libitm ml_wt, 2 threads on ' "$tmp/report" || fail "head: $(cat "$tmp/report")"
grep -q "^     where       $offset" "$tmp/report" || fail "no victim: $(cat "$tmp/report")"
grep -A 1 '^     blocked by  thread [12], ' "$tmp/report" | grep -q "^  *$offset" || fail "no culprit: $(cat "$tmp/report")"
claim "with a preloaded agent, both sides as addresses"

cat >"$tmp/count.c" <<'EOF'
static int counter;
int main(void)
{
	for (int i = 0; i < 1000; i++)
		__transaction_atomic { counter++; }
	return 0;
}
EOF
cc -fgnu-tm -O2 -g -c -o "$tmp/count.o" "$tmp/count.c"
forms=dynamic
[ ! -e "$(cc -print-file-name=libitm.a)" ] || forms="dynamic static"
for form in $forms; do
	cc -fgnu-tm $([ $form = dynamic ] || echo -static) -o "$tmp/linked" "$tmp/count.o" -pthread "@$O/stmlog-itm.wrap" >"$tmp/ld" 2>&1 ||
		fail "$(cat "$tmp/ld")"
	same "what the linker says" "" "$(cat "$tmp/ld")"
	run 0 env -C "$tmp" STMLOG_OPTIONS=sample=1 "$tmp/linked"
	grep -q '^stmlog: .* (pid [0-9]*): libitm' "$tmp/err" || fail "$form: no report: $(cat "$tmp/err")"
	grep -q '^committed .* 1,000$' "$tmp/err" || fail "$form: not of 1,000 commits: $(cat "$tmp/err")"
	[ ! -e "$tmp/stmlog.data" ] || fail "$form: a file that nobody has asked for"
done
claim "with a linked agent: $forms"
