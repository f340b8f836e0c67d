#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The program in docs/embedding.md compiles as it is printed there, without a warning, and counts right. Its report names the
# place of the conflict.
#
# Alone: its conflicts come by themselves.

. "$(dirname "$0")/../helpers/shell.inc"

sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d' >"$tmp/example.c"
[ -s "$tmp/example.c" ] || fail "docs/embedding.md has no C program"
cc -O2 -g -Wall -Wextra -Werror -Iinclude -o "$tmp/example" "$tmp/example.c" "$O/libstmlog.a" -pthread
# On a busy machine the two threads may never conflict; then nothing is lost.
for _ in 1 2 3 4 5 6 7 8 9; do
	"$tmp/example" >"$tmp/out" 2>"$tmp/report"
	same "what it counted" 200000 "$(cat "$tmp/out")"
	grep -q 'Nothing was lost' "$tmp/report" || break
done
grep -q 'add_one' "$tmp/report" || fail "the report does not name add_one: $(cat "$tmp/report")"

# With STMLOG_OFF the program counts the same and makes no report.
cc -O2 -g -DSTMLOG_OFF -Wall -Wextra -Werror -Iinclude -o "$tmp/off" "$tmp/example.c" -pthread
STMLOG_OPTIONS=report=none "$tmp/off" >"$tmp/out" 2>"$tmp/report"
same "what it counted with STMLOG_OFF" 200000 "$(cat "$tmp/out")"
same "stderr with STMLOG_OFF" "" "$(cat "$tmp/report")"

# The library chooses which transactions are measured, and knows of all that they have committed.
sed 's/^\(.*\)stmlog_start(thread);/\1struct stmlog_thread *log = stmlog_sampled(thread);\n\1stmlog_start(log);/
	s/stmlog_\(abort\|retry\|commit\)(thread/stmlog_\1(log/; s/^.*stmlog_abort(log.*/&\n\t\tstmlog_aborted_unmeasured(thread);/' "$tmp/example.c" >"$tmp/sampled.c"
cc -O2 -g -Wall -Wextra -Werror -Iinclude -o "$tmp/sampled" "$tmp/sampled.c" "$O/libstmlog.a" -pthread
"$stmlog" record --sample=16 --no-report -o "$tmp/data" -- "$tmp/sampled" >"$tmp/out"
same "what it counted with --sample=16" 200000 "$(cat "$tmp/out")"
"$stmlog" info "$tmp/data" >"$tmp/info"
grep -q '^measured  *1 in .* of 200,000 commits)$' "$tmp/info" || fail "not a sample of all: $(cat "$tmp/info")"
! grep -q '(200,000 of' "$tmp/info" || fail "all were measured: $(cat "$tmp/info")"
"$stmlog" check "$tmp/data" >"$tmp/out" || fail "$(cat "$tmp/out")"
