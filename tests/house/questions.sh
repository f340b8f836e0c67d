#!/bin/sh
# SPDX-License-Identifier: MIT
#
# CONTRIBUTING.md answers fifteen questions by file and symbol: each file is there and defines the symbol. Its tables of
# rooms have a row for each folder of stmlog/, report/, runtimes/libitm/ and tools/, and for no other folder.
# First, copies of the page with one fault each show that check_page() finds faults.
# shellcheck disable=SC2016

. "$(dirname "$0")/../helpers/shell.inc"

# defines FILE SYMBOL: FILE has a definition of it: a function, a struct or enum, a macro, a label of assembly.
defines() {
	name=${2%()}
	case $name in
	"struct "* | "enum "* | "union "*) grep -Eq "^$name( \{)?$" "$1" ;;
	*) grep -Eq "^([a-z].*[ *])?$name\([^;]*$|^#define $name\b|^$name:" "$1" ;;
	esac
}

# answers PAGE: "FILE SYMBOL" of each symbol that answers a question of the page.
answers() {
	awk '/^- .*\? `/ {
		line = $0
		sub(/^- .*\? `/, "`", line)
		count = split(line, part, "`")
		for (i = 4; i <= count; i += 2)
			print part[2] " " part[i]
	}' "$1"
}

# rooms PAGE FOLDER: the rooms (subfolders) that the page's table for the folder has in its first column.
rooms() {
	awk -v head="| room of $2/ |" 'index($0, head) == 1 { inside = 1; next } !/^\|/ { inside = 0 } inside' "$1" |
		cut -d '|' -f 2 | tr -s ', ' '\n' | grep '^[a-z]'
}

# check_page PAGE: says what is wrong with it.
check_page() {
	questions=$(grep -c '^- .*? `' "$1" || :)
	[ "$questions" -ge 15 ] || echo "only $questions questions"
	answers "$1" | while read -r file symbol; do
		[ -e "$file" ] || { echo "no file $file" && continue; }
		defines "$file" "$symbol" || echo "$file does not define $symbol"
	done
	for folder in stmlog report runtimes/libitm tools; do
		rooms "$1" "$folder" | while read -r room; do
			[ -d "$folder/$room" ] || echo "no room $folder/$room"
		done
		for room in "$folder"/*/; do
			rooms "$1" "$folder" | grep -qx "$(basename "$room")" || echo "no row for the room $room"
		done
	done
}

page=CONTRIBUTING.md
sed 's,`ledger_hold()`,`ledger_gone()`,' $page >"$tmp/page"
same "a symbol that is gone" "stmlog/timelogs/ledger.c does not define ledger_gone()" "$(check_page "$tmp/page")"
sed 's,`ledger_hold()`,`ledger_read_ahead()`,' $page >"$tmp/page"
same "a beginning of a symbol" "stmlog/timelogs/ledger.c does not define ledger_read_ahead()" "$(check_page "$tmp/page")"
sed 's,`stmlog/timelogs/ledger.c`\, ,`stmlog/ledger.c`\, ,' $page >"$tmp/page"
same "a file that is gone" "no file stmlog/ledger.c" "$(check_page "$tmp/page")"
sed '/ledger_hold/d' $page >"$tmp/page"
same "a question less" "only 14 questions" "$(check_page "$tmp/page")"
sed '/^| containers/d' $page >"$tmp/page"
same "a room less" "no row for the room stmlog/containers/" "$(check_page "$tmp/page")"
sed 's/^| containers/&, closets/' $page >"$tmp/page"
same "a room that is gone" "no room stmlog/closets" "$(check_page "$tmp/page")"

same "CONTRIBUTING.md" "" "$(check_page $page)"
