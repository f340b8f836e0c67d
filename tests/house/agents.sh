#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Neither the library nor an agent contains an object of report/: a program pays for what records, and not for what reads.
# First, an agent and an archive that contain one object each show that objects_of_report() finds them.

. "$(dirname "$0")/../helpers/shell.inc"

[ -e "$O/libstmlog-itm.a" ] || skip "the agents are for x86-64"

# The global names of the objects of report/, and of which object each is; but for names that others have, too.
find "$O"/obj/base "$O"/obj/format "$O"/obj/traceback "$O"/obj/stmlog "$O"/obj/runtimes "$O"/obj/examples -name '*.o' \
	-exec nm --defined-only --format=posix {} + | cut -d ' ' -f 1 | sort -u >"$tmp/others"
nm --print-file-name --defined-only --extern-only --format=posix "$O"/obj/report/*/*.o |
	sed 's/^\([^:]*\): \([^ ]*\) .*/\2 \1/' | sort | join -v 1 - "$tmp/others" >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -ge 150 ] || fail "only $(wc -l <"$tmp/names") names in report/"

# objects_of_report FILE: those whose names the library or archive defines. In an agent the names are local.
objects_of_report() {
	nm --defined-only --format=posix "$1" | cut -d ' ' -f 1 | sort -u >"$tmp/defined"
	[ "$(wc -l <"$tmp/defined")" -ge 20 ] || fail "$1 has no table of symbols"
	join -o 2.2 "$tmp/defined" "$tmp/names" | sort -u | paste -s -d ' '
}

printer=$O/obj/report/text/printer.o
cc -shared -o "$tmp/agent.so" "$printer" "$O"/obj/base/*.o "$O/libsupport.a"
same "a library with one object of report/" "$printer" "$(objects_of_report "$tmp/agent.so")"
cc -r -nostdlib -o "$tmp/agent.o" "$O/obj/linked/agent.o" "$printer"
objcopy --wildcard --keep-global-symbol='__wrap_*' "$tmp/agent.o"
ar rcs "$tmp/agent.a" "$tmp/agent.o"
same "an archive with one object of report/" "$printer" "$(objects_of_report "$tmp/agent.a")"

for agent in "$O"/libstmlog-itm*.so "$O/libstmlog-objects.so" "$O/libstmlog-itm.a" "$O/libstmlog-ghc.so" "$O/libstmlog-ghc.a" \
	"$O/libstmlog.so" "$O/libstmlog.a"; do
	same "objects of report/ in $agent" "" "$(objects_of_report "$agent")"
done
