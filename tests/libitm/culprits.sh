#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Culprits: in programs where only one other transaction is possible, in programs whose conflicts are false, and in others.
#
# Not alone: conflicts have a meeting point, or are counted exactly, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# profile OPTIONS PROGRAM ARGUMENT...: leaves the report in $tmp/report and its entries in $tmp/entries
profile() {
	STMLOG_OPTIONS=$1
	export STMLOG_OPTIONS
	shift
	rm -f "$tmp/data"
	ITM_DEFAULT_METHOD=${method:-ml_wt} record "$tmp/data" --sample=1 -- "$@" </dev/null >/dev/null || return 1
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
}

# conflicts LEAST OPTIONS PROGRAM ARGUMENT...: threads conflict at least so often, by construction
# (bench/support/meeting.h)
conflicts() {
	least=$1
	shift
	MEETINGS=$least profile "$@"
	[ "$(sum 3 '/LOCKED/')" -ge "$least" ] || fail "$2: fewer than $least conflicts, so nothing is tested"
}

# sum COLUMN CONDITION: over the entries
sum() {
	awk "$2 { sum += \$$1 } END { printf \"%.0f\\n\", sum }" "$tmp/entries"
}

# at_least WHAT PERCENT PART WHOLE
at_least() {
	[ $((100 * $3)) -ge $(($2 * $4)) ] || {
		cat "$tmp/entries"
		fail "$1: $3 of $4, fewer than $2 %"
	}
	echo "$1: $3 of $4"
}

# Disjoint pairs: the culprit of an abort is the partner and no other thread. Each thread is known by its function. (A
# commit may wait for any thread.)
pairs() {
	conflicts 500 '' "$1" 4 20000
	awk '
		{ thread[$7] = $8; n++ }
		$9 != "-" && $12 ~ /abort/ { with[n] = $7 " " $9 " " $10 }
		END {
			partner["raise_0"] = "raise_1"; partner["raise_1"] = "raise_0"
			partner["raise_2"] = "raise_3"; partner["raise_3"] = "raise_2"
			for (i in with) {
				split(with[i], word)
				if (partner[word[1]] != word[2] || (word[2] in thread && thread[word[2]] != word[3])) {
					print "wrong: " with[i]
					exit 1
				}
			}
		}' "$tmp/entries" || fail "$1: a culprit that cannot be one"
	at_least "$1: certain of the conflicts over locks" 95 "$(sum 4 '/LOCKED/')" "$(sum 3 '/LOCKED/')"
	same "$1: false conflicts" 0 "$(sum 5 1)"
	same "$1: conflicts without a culprit" 0 "$(sum 3 '/LOCKED|VALIDATE/ && $9 == "-"')"
}

# Neighbours in a stripe, and stripes with the same lock, have false conflicts; data farther apart have none.
false_conflicts() {
	neighbours=$O/programs/$1/neighbours aliases=$O/programs/$1/aliases
	conflicts 200 '' "$neighbours" 2 20000
	same "$neighbours: false" "$(sum 3 '/LOCKED|VALIDATE/')" "$(sum 5 1)"
	same "$neighbours: aliases" 0 "$(sum 6 1)"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	grep -q 'neighbours under one lock: tallies\[[01]\] and \[[01]\]' "$tmp/text" || {
		cat "$tmp/text"
		fail "$neighbours: the report does not say which variables share a stripe"
	}
	profile '' "$neighbours" 2 20000 64
	same "$neighbours, padded: false" 0 "$(sum 5 1)"
	conflicts 200 '' "$aliases" 2 20000
	same "$aliases: false" "$(sum 3 '/LOCKED|VALIDATE/')" "$(sum 5 1)"
	same "$aliases: aliases" "$(sum 3 '/LOCKED|VALIDATE/')" "$(sum 6 1)"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	grep -q 'far apart under one lock: arena.* and ' "$tmp/text" || {
		cat "$tmp/text"
		fail "$aliases: the report does not say which variables share a lock"
	}
	profile '' "$aliases" 2 20000 2
	same "$aliases, apart: false" 0 "$(sum 5 1)"
}

# The programs with meetings, and one whose writer stays in its transaction until its readers have failed.
programs() {
	for source in $(grep -l program_meetings tests/programs/*.c tests/programs/*.cc); do
		name=${source##*/}
		echo "$O/programs/O2/${name%.*} 4"
	done
	echo "$O/programs/O2/absent_writer 4"
	echo "$O/bench/bank --meet=20 --threads=2 --seconds=0.5"
	echo "$O/bench/bank --meet=20 --threads=4 --seconds=0.5"
	echo "$O/bench/list --meet=20 --threads=2 --seconds=0.5"
	echo "$O/bench/list --meet=20 --threads=2 --size=2000 --seconds=0.5"
}

# In each program most culprits of conflicts over locks are certain.
certain() {
	programs >"$tmp/programs"
	while read -r program arguments; do
		# shellcheck disable=SC2086
		conflicts 20 '' "$program" $arguments
		at_least "${program##*/} $arguments: certain of the conflicts over locks" 90 "$(sum 4 '/LOCKED/')" "$(sum 3 '/LOCKED/')"
	done <"$tmp/programs"
}

# With one lock for all data no culprit is named for an address, and so none for an abort. Waits have culprits.
global_lock() {
	method=gl_wt
	profile '' "$O/bench/bank" --threads=2 --seconds=0.3
	same "gl_wt: culprits" 0 "$(sum 3 '$9 != "-" && $12 ~ /abort/ && $2 != "inevitable"')"
	same "gl_wt: objects" "" "$(jsonq "$tmp/report" '.entries[].objects[].address')"
	method=
}

for level in O0 O2; do
	pairs "$O/programs/$level/pairs"
	false_conflicts "$level"
done
certain
global_lock
