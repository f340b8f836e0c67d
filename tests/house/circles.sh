#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No folder of the product depends on itself through others, no file through others of its folder, and no object of the
# product on tests/.
# First, made-up trees show that circles.py finds each of these faults.

. "$(dirname "$0")/house.inc"

tree=$tmp/tree
python=$PWD/tests/house/circles.py

# object NAME C-TEXT: writes NAME.c into the made-up tree and compiles it.
object() {
	mkdir -p "$tree/$(dirname "$1")" "$tree/obj/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/$1.c"
	cc -std=gnu89 -w -MMD -I"$tree" -c -o "$tree/obj/$1.o" "$tree/$1.c"
}

# faults STATUS WORDS: circles.py exits with this status and says the words.
faults() {
	wants "$1" "$2" sh -c "cd '$tree' && python3 '$python' obj"
}

object base/low 'void low(void) { }'
object stmlog/room/one 'void one(void) { low(); }'
object stmlog/room/two 'void two(void) { one(); }'
object runtimes/native/agent 'void pthread_create(void) { two(); }'
object stmlog/room/copy 'void copy(void) { pthread_create(); }'
faults 0 "5 objects in 3 folders: 0 faults"

object stmlog/room/one 'void one(void) { low(); two(); }'
faults 1 "circle of files: stmlog/room/one stmlog/room/two"
object stmlog/room/one 'void one(void) { low(); }'

object tools/room/three 'void three(void) { four(); }'
object tools/room/four 'void four(void) { three(); }'
faults 1 "circle of files: tools/room/four tools/room/three"
object tools/room/four 'void four(void) { }'

object base/low 'void low(void) { one(); }'
faults 1 "circle of folders: base stmlog/room"
rm "$tree/base/low.c"
faults 0 "6 objects in 3 folders: 0 faults"

object tests/fixture ''
echo '/* nothing */' >"$tree/tests/fixture.h"
object runtimes/native/agent '#include "tests/fixture.h"'
faults 1 "runtimes/native/agent is compiled with"

python3 "$python" "$O/obj"
