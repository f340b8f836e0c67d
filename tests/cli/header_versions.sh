#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs that were compiled with the header of another release of the same ABI. Structures grow at their ends: so the
# header of an older release is this one without the last member of each, and that of a newer one has a member more.

. "$(dirname "$0")/cli.inc"

grown='stmlog_setup stmlog_loss stmlog_account stmlog_totals stmlog_entry stmlog_aggressor'

# header NAME: the header of that release in a folder of this name
header() {
	mkdir "$tmp/$1"
	awk -v release="$1" -v grown="$grown" '
	BEGIN { count = split(grown, names, " "); for (i = 1; i <= count; i++) is_grown["struct " names[i] " {"] = 1 }
	$0 in is_grown { is_inside = 1; len = 0; changed++ }
	!is_inside { print; next }
	$0 != "};" { lines[++len] = $0; next }
	{
		if (release == "older") {
			if (lines[len] ~ /^\t}/)
				while (lines[len] != "\tstruct {")
					len--
			len--
		}
		for (i = 1; i <= len; i++)
			print lines[i]
		if (release == "newer")
			print "\tuint64_t added;"
		print
		is_inside = 0
	}
	END { exit changed != count }' "$O/stmlog-vendor.h" >"$tmp/$1/stmlog-vendor.h" || fail "not all of these structures: $grown"
	! cmp -s "$O/stmlog-vendor.h" "$tmp/$1/stmlog-vendor.h" || fail "the header of the $1 release is this one"
}

# runs NAME FLAG...: the program, compiled with this header, and linked with this library
runs() {
	name=$1
	shift
	cc -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -DSTMLOG_LINKED "$@" -I"$tmp/$name" -o "$tmp/$name/program" \
		tests/helpers/header_versions.c "$O/libstmlog.a" -pthread
	run 0 "$tmp/$name/program"
	same "stderr" "" "$(cat "$tmp/err")"
	same "figures" "commits=1 aborts=1 lost=1 entry=1 certain=1 aggressors=1" "$(cat "$tmp/out")"
}

header older
runs older
claim "a program compiled with a header of which each structure lacks its last member records and reads"
header newer
runs newer -DNEWER
claim "so does one whose structures have a member that the library does not know: it is 0 in all that is read"
