#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A recording has the number of reads of each transaction, as far as data barriers of the agent have seen them: up to
# 4,095, and not of transactions that read nothing.
#
# Not alone: counts are exact, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# reads_of FUNCTION: "SUM ATTEMPTS" of the transactions that begin there; "null null": they are not known.
reads_of() {
	at=$(($(jsonq "$tmp/report" '.transactions[].begin.function' | grep -n "^\"\?$1\"\?$" | cut -d : -f 1) - 1))
	if [ "$(jsonq "$tmp/report" ".transactions[$at].reads")" = null ]; then
		echo "null null"
	else
		echo "$(jsonq "$tmp/report" ".transactions[$at].reads.sum") $(jsonq "$tmp/report" ".transactions[$at].reads.attempts")"
	fi
}

# count METHOD THREADS OPTION
count() {
	ITM_DEFAULT_METHOD=$1 record "$tmp/data" "$3" -- "$programs/O2/reads" "$2" 200 >/dev/null
	"$stmlog" check "$tmp/data" >/dev/null || fail "$*: $("$stmlog" check "$tmp/data")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
}

# all_read FUNCTION EACH: some attempts are known, and each of them has read so much.
all_read() {
	reads_of "$1" | awk -v each="$2" '!($1 == each * $2 && $2 > 0 && $2 <= 400) { exit 1 }' ||
		fail "$1: not $2 reads each: $(reads_of "$1")"
}

count ml_wt 2 --sample=1
same "100 words" "40000 400" "$(reads_of read_some)"
same "more words than are recorded" "1638000 400" "$(reads_of read_many)"
same "none" "null null" "$(reads_of write_one)"
count ml_wt 2 --sample=8
all_read read_some 100
count gl_wt 2 --sample=1 # where one may run alone, and without barriers, after 100 failures
all_read read_some 100
all_read read_many 4095

count serialirr 2 --sample=1
same "without data barriers" "null null" "$(reads_of read_some)"
