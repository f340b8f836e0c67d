#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Comments and documents name nothing that no longer exists.
# First, a made-up tree shows that names.py reports each kind of name that does not exist, and no name that exists.

. "$(dirname "$0")/house.inc"

mkdir -p "$tmp/tree/room" "$tmp/tree/build"
python=$PWD/tests/house/names.py

# comment TEXT: writes the source of the made-up tree, with this comment in it.
comment() {
	cat >"$tmp/tree/room/source.c" <<END
/* $1 */
struct thing { int some_member; };
#define MADE_OF(name) STMLOG_EVENT_##name
enum { MADE_OF(ABORT) };
int stmlog_do_all(uint64_t wall_ns);
int do_it(void) { return parse("sample", "json_key"); }
END
}

# finds NAME TEXT: names.py reports that NAME, which the comment TEXT contains, does not exist. With an empty NAME it
# reports nothing.
finds() {
	comment "$2"
	status=1 words="no $1"
	[ -n "$1" ] || status=0 words=" 0 faults"
	wants "$status" "$words" sh -c "cd '$tmp/tree' && python3 '$python' known"
}

printf 'all: some\nsome-target:\n' >"$tmp/tree/Makefile"
echo 'Call `make some-target`, and then `--sample` with room/source.c.' >"$tmp/tree/README.md"
echo "libc has it: atoi_l(), old_name" >"$tmp/tree/known"
theirs="atoi_l() and old_name"
finds "" "do_it() of room/source.c, in room/: some_member, json_key, struct thing, STMLOG_EVENT_ABORT, STMLOG_EVENT_*. $theirs"
finds "" "Without a prefix do_all, and do_it for what it does. $theirs"
finds "" "A struct of words, and/or a sentence. Two--dashes; --sample is an option. $theirs"
finds "undo_it()" "After undo_it(). $theirs"
finds "other_member" "Sum of other_member and some_member. $theirs"
finds "STMLOG_WAIT_ABORT" "STMLOG_WAIT_ABORT. $theirs"
finds "other_" "All of other_*. $theirs"
finds "struct place" "One struct place for each. $theirs"
finds "gone.c" "See gone.c. $theirs"
finds "house/source.c" "See house/source.c. $theirs"
finds "house/" "See house/ for it. $theirs"
finds "--paths" "As --paths tells. $theirs"
comment "Only atoi_l()."
wants 1 "nobody needs old_name (libc has it)" sh -c "cd '$tmp/tree' && python3 '$python' known"
comment "$theirs"
echo 'Call `make gone`.' >>"$tmp/tree/README.md"
wants 1 "README.md:2: no make gone" sh -c "cd '$tmp/tree' && python3 '$python' known"

python3 "$python" tests/house/names.known
