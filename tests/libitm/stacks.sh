#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The callers of a culprit, found by frame pointers, are those that the other thread's own traceback would show. Programs
# that are built with frame pointers run as before.
#
# Not alone: conflicts have a meeting point, or are counted exactly, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

framed="-fno-omit-frame-pointer"

# build NAME FLAGS SOURCE: tests/programs/SOURCE as $tmp/NAME, as a user would
build() {
	name=$1 flags=$2 source=$3
	case $source in *.cc) compiler="${CXX:-g++} -std=gnu++17" ;; *) compiler="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE" ;; esac
	mkdir -p "$tmp/objects"
	# shellcheck disable=SC2086
	{
		$compiler -O2 -g -fgnu-tm -pthread $flags -Wno-clobbered -Itests/programs/support -Ibench/support -c \
			-o "$tmp/objects/$name.o" "tests/programs/$source"
		for support in tests/programs/support/*.c bench/support/meeting.c; do
			object=$tmp/objects/$(echo "$flags" | cksum | cut -d ' ' -f 1)-${support##*/}.o
			[ -e "$object" ] || ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread $flags \
				-Itests/programs/support -Ibench/support -c -o "$object" "$support"
		done
		${CXX:-g++} -fgnu-tm -pthread -o "$tmp/$name" "$tmp/objects/$name.o" \
			"$tmp/objects/$(echo "$flags" | cksum | cut -d ' ' -f 1)-"*.o
	}
}

# functions INDEX SIDE: the functions of the traceback, innermost first, in one line
functions() {
	jsonq "$tmp/report" ".entries[$1].$2.frames[].function" | tr '\n' ' '
}

# In half of the conflicts each of the two ways loses to the other one, by construction (bench/support/meeting.h). There
# are 800, which take at least 160 ms, of which at most 20 ms in each 100 are not measured. One in 8 is measured: that
# none of 200 is among them has a probability of 1 in 10^11.
meetings=800

# profile OPTIONS PROGRAM: leaves the report
profile() {
	# shellcheck disable=SC2086
	MEETINGS=$meetings record "$tmp/data" $1 -- "$2" 2 3000 >"$tmp/out" 2>"$tmp/err"
	same "$1 $2: stderr" "" "$(cat "$tmp/err")"
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
}

# expect OPTIONS PROGRAM WRITE CALLERS: in all entries the culprit has written at WRITE, the innermost of these frames;
# one that was waited for is shown where it began. If CALLERS is not empty, the culprit came there
# by the other way than the victim.
expect() {
	profile "$1" "$tmp/$2"
	i=0 count=$(jsonq "$tmp/report" '.entries#')
	culprits=0
	while [ "$i" -lt "$count" ]; do
		found=$(functions "$i" remote | sed 's/(starved: [^)]*) //') # no caller, but how it came to run alone
		case "$(functions "$i" local)" in
		*come_from_left*) way="come_from_right $4" ;;
		*come_from_right*) way="come_from_left $4" ;;
		*) fail "$1 $2: the victim came by no way: $(functions "$i" local)" ;;
		esac
		[ -n "$4" ] || way=
		write=$3
		case "$(jsonq "$tmp/report" ".entries[$i].detail")" in *_WAIT) write=transact ;; esac
		if [ -n "$found" ]; then
			same "$1 $2: the culprit" "$write $way" "$found"
			culprits=$((culprits + 1))
		fi
		i=$((i + 1))
	done
	[ "$culprits" -ge 2 ] || fail "$1 $2: $culprits culprits for two ways to lose"
	echo "$1 $2: $(total "$tmp/report" '.entries[].count') conflicts"
}

callers() {
	build plain "" callers.c
	build framed "$framed" callers.c
	outer="body run_one start_thread "
	for sample in 1 8; do
		expect "--sample=$sample" framed "raise_value transact" ""
		expect "--sample=$sample --stacks=frames" framed "raise_value transact" "$outer"
		expect "--sample=$sample --stacks=frames" plain "raise_value transact" ""
	done
}

# There are no more frames than asked for; they are those nearest to the write.
depth() {
	export STMLOG_OPTIONS=depth=3
	profile "--sample=1 --stacks=frames" "$tmp/framed"
	unset STMLOG_OPTIONS
	jsonq "$tmp/report" '.entries[].remote.frames#' | sort -u >"$tmp/depths"
	same "frames with depth=3" 3 "$(tail -n 1 "$tmp/depths")"
}

# run COMMAND...: leaves its exit status and, since threads print in any order, its sorted output
run() {
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	sort "$tmp/out" >"$tmp/sorted"
}

# All programs, with frame pointers: threads that come and go, fork, exec, exceptions, cancels, deep recursion.
unharmed() {
	for source in tests/programs/*.c tests/programs/*.cc; do
		name=${source##*/}
		build program "$framed" "$name"
		run "$tmp/program" 4
		expected=$status
		cp "$tmp/sorted" "$tmp/expected"
		for sample in 1 5; do
			options="--sample=$sample --stacks=frames"
			# shellcheck disable=SC2086
			run "$stmlog" record -o "$tmp/data" --no-report $options -- "$tmp/program" 4
			same "$name $options: exit status" "$expected" "$status"
			diff "$tmp/expected" "$tmp/sorted" || fail "$name $options: another output"
			[ ! -e "$tmp/data" ] || "$stmlog" check "$tmp/data" >"$tmp/out" || fail "$name $options: $(cat "$tmp/out")"
			rm -f "$tmp"/data*
		done
	done
}

callers
depth
unharmed
