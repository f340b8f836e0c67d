#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Reports are the same with each libitm of Debian's packages, old and new, as with this machine's own: the layout is
# found, counts are exact, and culprits certain. The layout of manipulated copies is found again or not known, and never
# wrong. A new gcc is one more row.
#
# Not alone: conflicts have a meeting point, or are counted exactly, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"
. "$(dirname "$0")/../cli/package.inc"

rows() {
	cat <<'EOF'
10 bullseye 10.2.1-6 fa1596ec64610463b0f805fe5aa7e2537682c1c77f1e08335456bfc36766c259
12 bookworm 12.2.0-14+deb12u1 0ed5b35dfd1346cccbf065408ec789db6c44c1d0a16ae84533411dea09632979
14 trixie 14.2.0-19 febdb3c528cde1a3abe952e17a1d3cfa7ccaca5b6f506d983d34385dad199490
16 sid 16.2.0-4 453b948b39ec0014c27609fd1ea163dcc56f8f73322f5e347c42754dedfb54e9
EOF
}
bank="$O/bench/bank --meet=50 --threads=2 --seconds=0.3"

[ "$(uname -m)" = x86_64 ] || skip "the packages are for x86-64"

# fetch_version MAJOR VERSION SHA256: leaves the path of that libitm1 in $cached; false: there is none, and $tmp/err says
# why. It comes from the mirror from which this machine gets its packages, by the place of all packages of gcc there: the
# lists of four releases would take longer than the test.
fetch_version() {
	cached=$O/cache/libitm1_$2.deb
	! is_the_file "$cached" "$3" || return 0
	site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>"$tmp/err" | grep -v security | head -n 1)
	[ -n "$site" ] || return 1
	/usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$site/pool/main/g/gcc-$1/libitm1_$2_amd64.deb" "$tmp/fetched" \
		>"$tmp/out" 2>"$tmp/err" || return 1
	is_the_file "$tmp/fetched" "$3" || {
		echo "libitm1 $2 is not what this test knows" >"$tmp/err"
		return 1
	}
	mkdir -p "$O/cache"
	mv "$tmp/fetched" "$cached"
}

# unpack DEB DIRECTORY: without dpkg it uses that a .deb is an ar archive with a tar archive of the files in it
unpack() {
	mkdir -p "$2"
	if command -v dpkg-deb >/dev/null; then
		dpkg-deb -x "$1" "$2"
	else
		ar p "$1" data.tar.xz | tar -xJf - -C "$2"
	fi
}

# inform: the output of `info --libitm` for the program under test
inform() {
	"$stmlog" info --libitm "$O/bench/bank" >"$tmp/info"
}

# of KEY: the value of that key in the output
of() {
	sed -n "s/^$1 *//p" "$tmp/info"
}

# known PIECE...: the agent will know the places of these pieces of libitm's private data, and of no others
known() {
	same "what is known of $what" "$*" "$(awk '$2 ~ /^(thread|module)[+]0x/ { printf "%s%s", sep, $1; sep = " " }' "$tmp/info")"
}

# uses DIRECTORY: from now on all programs load the libitm there
uses() {
	LD_LIBRARY_PATH=$1
	export LD_LIBRARY_PATH
	inform
	same "the libitm of $what" "$(realpath "$1/libitm.so.1")" "$(of libitm)"
}

# counted OPTION: restarts of the bank by the report and by another witness, and whether the report is exact
counted() {
	for try in 1 2 3 4 5 6; do
		# shellcheck disable=SC2086
		COUNTERS_OUT=3 LD_PRELOAD=$PWD/$O/tests/helpers/libcounters.so ITM_DEFAULT_METHOD=ml_wt \
			record "$tmp/data" "$1" -- $bank >"$tmp/out" 3>"$tmp/counters"
		grep -q '^checksum ok$' "$tmp/out" || fail "$what: the program said '$(cat "$tmp/out")'"
		"$stmlog" check "$tmp/data" >/dev/null || fail "$what: check"
		"$stmlog" report --json "$tmp/data" >"$tmp/report"
		restarts=$(tr ' ' '\n' <"$tmp/counters" | awk -F= '{ sum += $2 } END { printf "%.0f\n", sum }')
		[ "$restarts" -eq 0 ] || break
	done
	[ "$restarts" -gt 0 ] || fail "$what: nothing was restarted in $try runs, so nothing is tested"
	echo "$(jsonq "$tmp/report" .totals.aborts) $restarts $(jsonq "$tmp/report" .totals.exact)"
}

exact() {
	for option in --sample=1 --sample=8; do
		found=$(counted "$option")
		restarts=${found#* }
		same "$what, $option: aborts" "${restarts% *} $restarts" "$found"
	done
}

# sum COLUMN CONDITION: over the entries
sum() {
	awk "$2 { sum += \$$1 } END { printf \"%.0f\\n\", sum }" "$tmp/entries"
}

# pairs OPTIONS: the conflicts over locks in $all, those with a certain culprit in $certain, those with any in $found.
# Waits are left out: their culprits are found without the layout.
pairs() {
	rounds=20000
	for try in 1 2 3 4 5 6; do
		MEETINGS=200 STMLOG_OPTIONS=$1 ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 -- "$O/programs/O2/pairs" 4 $rounds >"$tmp/out"
		same "$what: what pairs counted" "ok $((4 * rounds))" "$(cat "$tmp/out")"
		"$stmlog" check "$tmp/data" >/dev/null || fail "$what: check"
		"$stmlog" report --json "$tmp/data" >"$tmp/report"
		"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
		# Without counters it is not known what a conflict was over.
		all=$(sum 3 '/LOCKED|VALIDATE|barrier/') certain=$(sum 4 '/LOCKED|VALIDATE|barrier/')
		[ "$all" -lt 200 ] || return 0
		rounds=$((2 * rounds))
	done
	cat "$tmp/entries"
	fail "$what: fewer than 200 conflicts in $rounds rounds, so nothing is tested"
}

# All claims about one unchanged libitm.
whole() {
	known counters commits locks dispatch serial
	same "$what: how" "by experiment" "$(of found)"
	exact
	pairs ''
	locked=$(sum 3 '/LOCKED/')
	[ $((100 * certain)) -ge $((95 * locked)) ] || fail "$what: $certain of $locked conflicts over locks are certain"
	echo "$what: $certain of $locked certain"
}

# ---- manipulated copies ----

# doctor FROM TO PATTERN REPLACEMENT: a copy of a library with each PATTERN (a regular expression of bytes) replaced
doctor() {
	mkdir -p "$2"
	python3 - "$1/libitm.so.1" "$2/libitm.so.1" "$3" "$4" <<'EOF' || fail "$what: no such code is in it"
import re, sys
old = open(sys.argv[1], "rb").read()
pattern, put = (eval("b'" + text + "'") for text in sys.argv[3:5])
new, count = re.subn(pattern, put, old, flags=re.DOTALL)
open(sys.argv[2], "wb").write(new)
sys.exit(count == 0)
EOF
	uses "$2"
}

# Each copy has the build-id of the original, whose layout is known. That layout must not be used for the copy.
tamper() {
	real=$1 version=$2
	add='\x83\x84(.)\x08\x01\x00\x00\x01'

	what="gcc $version, counters moved by a word"
	doctor "$real" "$tmp/added-$version" "$add" '\x83\x84\\g<1>\x0c\x01\x00\x00\x01'
	# Behind the counters lies the number of failed attempts in a row, which is moved too, so that it is in none of them.
	doctor "$tmp/added-$version" "$tmp/moved-$version" '([\x89\x8b\xc7][\x80-\xbf])\x30\x01\x00\x00' '\\g<1>\x34\x01\x00\x00'
	known counters commits locks dispatch serial
	same "$what" thread+0x10c "$(of counters | cut -d ' ' -f 1)"
	COUNTERS_OFFSET=10c
	export COUNTERS_OFFSET
	exact
	unset COUNTERS_OFFSET

	what="gcc $version, counters that count by two"
	doctor "$real" "$tmp/two-$version" "$add" '\x83\x84\\g<1>\x08\x01\x00\x00\x02'
	known commits locks dispatch serial
	found=$(counted --sample=8)
	same "$what: exact" false "${found##* }"
	pairs ''
	same "$what: certain" 0 "$certain"

	what="gcc $version, another hash"
	doctor "$real" "$tmp/hash-$version" '\x6f\x3c\x01\x00' '\x71\x3c\x01\x00'
	known counters commits dispatch serial
	exact
	pairs ''
	same "$what: certain" 0 "$certain"

	# A crash, or an experiment that never ends, harms only the child.
	for end in 0f0b ebfe; do
		what="gcc $version, a commit that is $end"
		mkdir "$tmp/$end-$version"
		python3 - "$real/libitm.so.1" "$tmp/$end-$version/libitm.so.1" "$(entry "$real/libitm.so.1")" "$end" <<'EOF'
import sys
image, at, code = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[3], 16), bytes.fromhex(sys.argv[4])
image[at : at + len(code)] = code
open(sys.argv[2], "wb").write(image)
EOF
		uses "$tmp/$end-$version"
		known
		same "$what: how" "not: the experiment came to no result" "$(of found)"
	done
}

# entry LIBRARY: the address where commit begins, which in these libraries is also its offset in the file
entry() {
	nm -D "$1" | awk '$3 ~ /^_ITM_commitTransaction(@|$)/ { print $1 }'
}

missing=
rows >"$tmp/rows"
while read -r version _ package sum; do
	fetch_version "$version" "$package" "$sum" </dev/null || {
		missing="$missing gcc $version ($(head -n 1 "$tmp/err"))"
		continue
	}
	what="gcc $version"
	unpack "$cached" "$tmp/$version"
	library=$(find "$tmp/$version" -name libitm.so.1 | head -n 1)
	uses "${library%/*}"
	whole
	case $version in
	12 | 16)
		if command -v python3 >/dev/null; then
			tamper "${library%/*}" "$version"
		else
			missing="$missing manipulated copies of gcc $version (no python3)"
		fi
		;;
	esac
	unset LD_LIBRARY_PATH
done <"$tmp/rows"
[ -z "$missing" ] || skip "not tried:$missing"
