#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Small files that name much cost little: 600 MB of addresses are enough for each command and format, or 40 files. What
# is left out is said.

. "$(dirname "$0")/cli.inc"

costly=$PWD/$O/tests/helpers/costly

# within LIMIT STATUS ARGUMENT...: the command ends with the status within the limit of ulimit
within() {
	limit=$1 wanted=$2
	shift 2
	run "$wanted" timeout -k 1 60 sh -c "ulimit $limit && exec \"\$@\"" sh "$stmlog" "$@"
}

"$costly" name "$tmp/name"
for by in entry site pair thread; do
	within '-v 600000' 0 report --by=$by --full --top=5000 "$tmp/name"
	one_line "has names of more than 1000 bytes; the rest of them is left out"
done
grep -q 'xxx\.\.\.' "$tmp/out" || within '-v 600000' 0 report "$tmp/name"
within '-v 600000' 0 report --json "$tmp/name"
for format in pprof folded json; do
	within '-v 600000' 0 export --format=$format "$tmp/name"
done
within '-v 600000' 0 info "$tmp/name"
within '-v 600000' 0 check "$tmp/name"
within '-v 600000' 0 merge -o "$tmp/merged" "$tmp/name" "$tmp/name"
claim "a long name at many places"

# shellcheck disable=SC2046 # no path has a blank
"$costly" modules "$tmp/same" $(yes "$costly" | head -n 900)
within '-n 40' 0 report --full --top=1000 "$tmp/same"
silent
same "sites with names" 900 "$(grep -c 'where  *.*costly.c:[0-9]*  *write_modules' "$tmp/out")"
within '-v 600000' 0 export --format=pprof "$tmp/same"
claim "a module named many times is opened once"

mkdir "$tmp/many"
for i in $(seq 70); do
	ln "$costly" "$tmp/many/$i" 2>/dev/null || cp "$costly" "$tmp/many/$i"
done
"$costly" modules "$tmp/others" "$tmp"/many/*
within '-n 100' 0 report --full --top=1000 "$tmp/others"
one_line "names of more than 64 modules are asked for; the rest is left out"
same "sites with names" 64 "$(grep -c 'where  *.*costly.c:[0-9]*  *write_modules' "$tmp/out")"
claim "of many modules some are left out"

"$costly" hole "$tmp/hole"
for command in report check info; do
	within '-v 600000' 2 $command "$tmp/hole"
	grep -q "has a section 'entries' of 3221225472 bytes, more than this machine can read" "$tmp/err" ||
		fail "$command: $(cat "$tmp/err")"
done
claim "a hole of gigabytes is not read"
