#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Eight threads transact at full rate for a long time. Memory stays flat: the resident pages of the program, read once a
# second, do not grow after the first fifth of the time (least squares). At the end the recording has each commit that
# the program has counted, and its sums hold.
#
# On demand (make soak): SOAK_MINUTES, thirty by default.
# usage: sh tests/long/soak.sh [MINUTES [OPTION...]]      OPTION: of stmlog record

. "$(dirname "$0")/../cli/cli.inc"

minutes=${1:-30}
[ $# -eq 0 ] || shift
most_kib=1024 # that memory may grow by, from the warm-up to the end

# The program's own number comes first.
cat >"$tmp/begin" <<'END'
#!/bin/sh
echo $$ >"$1"
shift
exec "$@"
END
chmod +x "$tmp/begin"

"$stmlog" record -o "$tmp/data" --no-report "$@" -- "$tmp/begin" "$tmp/pid" "$O/bench/bank" --threads=8 \
	--seconds="$(awk "BEGIN { print $minutes * 60 }")" >"$tmp/out" 2>"$tmp/err" &
recorder=$!
while [ ! -s "$tmp/pid" ]; do
	sleep 0.1
done
pid=$(cat "$tmp/pid")
began=$(date +%s)
# The size in kB is 0, and then gone, while the program ends.
while kib=$(awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$kib" ]; do
	echo "$(($(date +%s) - began)) $kib" >>"$tmp/sizes"
	sleep 1
done
status=0
wait $recorder || status=$?
same "exit status" 0 "$status"
same "stderr" "" "$(cat "$tmp/err")"

# "GROWTH FIRST LAST COUNT": by how many KiB the line of least squares rises from the warm-up to the end.
line=$(awk -v seconds="$(awk "BEGIN { print $minutes * 60 }")" '
	$1 >= seconds / 5 && $1 < seconds - 1 {
		n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2
		if (n == 1) { first = $2; from = $1 }
		last = $2; to = $1
	}
	END {
		if (n < 5) exit 1
		slope = (n * xy - x * y) / (n * xx - x * x)
		printf "%.0f %d %d %d\n", slope * (to - from), first, last, n
	}' "$tmp/sizes") || fail "too few readings of memory: $(cat "$tmp/sizes")"
growth=${line%% *}
echo "memory: from $(echo "$line" | cut -d ' ' -f 2) KiB to $(echo "$line" | cut -d ' ' -f 3) KiB in" \
	"$(echo "$line" | cut -d ' ' -f 4) readings, growth by least squares $growth KiB"
[ "$growth" -le $most_kib ] || fail "memory grows"
claim "memory is flat for $minutes minutes"

"$stmlog" check "$tmp/data" >"$tmp/checked" || fail "$(cat "$tmp/checked")"
"$stmlog" report --json "$tmp/data" >"$tmp/json"
commits=$(jsonq "$tmp/json" .totals.commits)
operations=$(sed -n 's/^operations //p' "$tmp/out")
meetings=0
echo "$operations operations, $commits commits, $(jsonq "$tmp/json" .totals.aborts) aborts"
same "commits" "$((operations + meetings))" "$commits"
same "sum over the threads" "$commits" "$(total "$tmp/json" '.threads[].commits')"
claim "each commit is counted, and the sums hold"
