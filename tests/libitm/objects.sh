#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The names of data in C and C++: symbols, and with --objects blocks of memory with the place of their allocation.
# Programs run as before with --objects.

. "$(dirname "$0")/../helpers/shell.inc"

# has_all REPORT: each line of $tmp/wanted, "PLACE:OBJECT" (a pattern each), is an entry of the report
has_all() {
	while IFS='|' read -r place object; do
		PLACE=$place OBJECT=$object awk '
			/^     where / { here = $0 ~ ENVIRON["PLACE"] }
			/^     object / && here && $0 ~ ENVIRON["OBJECT"] { found = 1 }
			END { exit !found }' "$1" || return 1
	done <"$tmp/wanted"
}

# named PROGRAM: there were conflicts over each kind of data, as is certain with two threads (bench/support/meeting.h)
named() {
	MEETINGS=20 record "$tmp/data" --sample=1 --objects -- "$1" 2 100 >"$tmp/out"
	grep -q '^ok' "$tmp/out" || fail "$1: $(cat "$tmp/out")"
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --top=100 "$tmp/data" >"$tmp/report"
	has_all "$tmp/report" || {
		cat "$tmp/report"
		fail "$1: not all of the data is called as it should be: $(cat "$tmp/wanted")"
	}
}

for level in O0 O2; do
	cat >"$tmp/wanted" <<-'END'
		raise_global|totals\[3\]
		raise_hidden|hidden
		raise_malloc|block of 64 bytes \+24, allocated at make_by_malloc heap.c:[0-9]* < main heap.c:
		raise_calloc|block of 128 bytes \+24, allocated at make_by_calloc heap.c:[0-9]* < main heap.c:
		raise_realloc|block of 192 bytes \+24, allocated at make_by_realloc heap.c:[0-9]* < main heap.c:
		raise_aligned|block of 256 bytes \+24, allocated at make_by_alignment heap.c:[0-9]* < main heap.c:
		raise_transaction|block of 320 bytes \+24, allocated at make_in_transaction heap.c:[0-9]* < main heap.c:
		raise_freed|freed block of 8388608 bytes \+24, allocated at make_freed heap.c:[0-9]* < main heap.c:
	END
	named "$O/programs/$level/heap"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	same "offsets in blocks" 24 "$(jsonq "$tmp/json" '.entries[].objects[].block.offset' | grep -v null | sort -u)"
	same "blocks not kept" 0 "$(jsonq "$tmp/json" .losses.blocks_missing)"

	cat >"$tmp/wanted" <<-'END'
		market::add_one|market::corner\.sold
		raise<1u, unsigned long>\(unsigned long&\)|market::shop<unsigned long>::till
		raise<2u, unsigned long>|block of 16 bytes \+8, allocated at market::rent\(\) objects.cc:[0-9]* < main
		raise<3u, unsigned long>|block of 128 bytes \+72, allocated at market::build_row\(\) objects.cc:[0-9]* < main
		raise<4u, unsigned long>|block of 1024 bytes \+400, allocated at market::fill_shelf\(\) objects.cc:[0-9]* < main
		raise<5u, unsigned long>|block of 16 bytes \+8, allocated at market::hire\(\) objects.cc:[0-9]* < main
	END
	named "$O/programs/$level/objects"
done

# Without --objects there are no blocks.
MEETINGS=20 record "$tmp/data" --sample=1 -- "$O/programs/O2/heap" 2 100 >/dev/null
"$stmlog" report --json "$tmp/data" >"$tmp/json"
[ "$(jsonq "$tmp/json" '.entries[].objects[].address' | grep -c .)" -ge 8 ] || fail "fewer than 8 objects without --objects"
same "blocks without --objects" "" "$(jsonq "$tmp/json" '.entries[].objects[].block.size' | grep -v null)"

# Each program behaves as before, and so do the others that LD_PRELOAD reaches.
for name in $(tm_programs); do
	program=$O/programs/O2/$name
	status=0 expected=0
	timeout 60 "$program" 4 >"$tmp/plain" 2>/dev/null </dev/null || expected=$?
	timeout 60 "$stmlog" record -o "$tmp/data" --no-report --objects -- "$program" 4 >"$tmp/out" 2>/dev/null </dev/null ||
		status=$?
	same "$name: exit status" $expected $status
	same "$name: output, whatever its order" "$(sort "$tmp/plain")" "$(sort "$tmp/out")"
done
same "a shell" "8 rounds" "$(LD_PRELOAD=$agent:$PWD/$O/libstmlog-objects.so sh -c 'n=$(seq 1 8 | sort -r | wc -l); echo $n rounds')"
