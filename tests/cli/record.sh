#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record` runs programs of all kinds: it does not change what a program does, and leaves one file or none and
# nothing else.

. "$(dirname "$0")/cli.inc"

bank=$PWD/$O/bench/bank
work=$tmp/work
mkdir "$work"

# only NAMES: the working directory holds these files and no others
only() {
	same "what is left" "$1" "$(ls -A "$work" | tr '\n' ' ')"
}

cd_run() {
	wanted=$1
	shift
	run "$wanted" sh -c 'cd "$1" && shift && exec "$@"' sh "$work" "$@"
}

cd_run 0 "$stmlog" record -- "$bank" --threads=2 --operations=5000
grep -q '^checksum ok$' "$tmp/out" || fail "the program's stdout: $(cat "$tmp/out")"
grep -q '^stmlog  bank --threads=2 --operations=5000   libitm' "$tmp/err" || fail "no screen on stderr: $(cat "$tmp/err")"
! grep -q '^residual' "$tmp/err" || fail "more than the screen: $(cat "$tmp/err")"
[ "$(wc -l <"$tmp/err")" -le 24 ] || fail "more than a screen: $(cat "$tmp/err")"
only "stmlog.data "
claim "by default the recording is stmlog.data, the first screen on stderr, stdout the program's"
tail -n 1 "$tmp/err" | grep -q '^Recording: stmlog\.data ([0-9]* [kM]B)$' || fail "no recording named: $(cat "$tmp/err")"
cd_run 0 "$stmlog" record -o "it's %s" -- "$bank" --threads=1 --operations=10
next=$(sed -n 's/.*: stmlog report \(.*\) --full.*/"$stmlog" report \1 --full/p' "$tmp/err")
(cd "$work" && eval "$next") >"$tmp/out" || fail "$next: $(cat "$tmp/out")"
rm "$work/it's %s"
claim "the last line names the recording, and the screen a command that shows more of it"

cd_run 0 "$stmlog" record --no-report -o other.data "$bank" --threads=1 --operations=10
silent
only "other.data stmlog.data "
cd_run 0 "$stmlog" check stmlog.data other.data
same "check" "stmlog.data: ok other.data: ok " "$(tr '\n' ' ' <"$tmp/out")"
claim "with --no-report it is silent, and what it records is right"

before=$(cksum <"$work/other.data")
cd_run 0 "$stmlog" record --no-report -o other.data "$bank" --threads=1 --operations=20
only "other.data other.data.old stmlog.data "
same "the older recording" "$before" "$(cksum <"$work/other.data.old")"
before=$(cksum <"$work/other.data")
cd_run 0 "$stmlog" record --no-report -o other.data "$bank" --threads=1 --operations=30
only "other.data other.data.old stmlog.data "
same "the older recording" "$before" "$(cksum <"$work/other.data.old")"
claim "the recording before is kept as FILE.old"

mkdir "$work/disk"
echo before >"$work/disk/run"
chmod 600 "$work/disk/run"
ln -s disk/run "$work/link"
cd_run 0 "$stmlog" record --no-report -o link -- "$bank" --threads=1 --operations=10
[ -L "$work/link" ] || fail "the link is one no more"
same "files" "run run.old" "$(ls "$work/disk" | tr '\n' ' ' | sed 's/ $//')"
same "modes" "600 600" "$(stat -c %a "$work/disk/run" "$work/disk/run.old" | tr '\n' ' ' | sed 's/ $//')"
same "the older file" before "$(cat "$work/disk/run.old")"
cd_run 0 "$stmlog" check link
rm "$work/disk"/*
cd_run 0 "$stmlog" record --no-report -o link -- "$bank" --threads=1 --operations=10
same "files" "run" "$(ls "$work/disk")"
cd_run 0 "$stmlog" check link
if [ "$(id -u)" = 0 ]; then
	chown -h 65534 "$work/link"
	before=$(cksum <"$work/disk/run")
	cd_run 0 "$stmlog" record --no-report -o link -- "$bank" --threads=1 --operations=10
	[ ! -L "$work/link" ] || fail "another user's link stays"
	same "the file to which it led" "run $before" "$(ls "$work/disk") $(cksum <"$work/disk/run")"
	rm "$work/link.old"
fi
rm -r "$work/disk" "$work/link"
claim "a link is followed if this user has made it, and the new FILE has the mode of the older one"

cd_run 0 "$stmlog" record --sample=4 --no-report -o other.data "$bank" --threads=2 --operations=5000
cd_run 0 "$stmlog" report --full other.data
grep -q '^estimated: of 10,000 commits .* measured' "$tmp/out" || fail "not marked as sampled: $(cat "$tmp/out")"
grep -q '^committed *~ ' "$tmp/out" || fail "no estimate: $(cat "$tmp/out")"
cd_run 0 "$stmlog" record --sample=auto --no-report -o other.data "$bank" --threads=2 --operations=50000
cd_run 0 "$stmlog" report --json other.data
same "exact" false "$(jsonq "$tmp/out" .sample.exact)"
timed=$(jsonq "$tmp/out" .sample.timed) measured=$(jsonq "$tmp/out" .sample.measured)
[ "$timed" -gt 0 ] && [ "$measured" -gt 0 ] || fail "timed $timed, measured $measured"
[ $((timed + measured)) -le "$(jsonq "$tmp/out" .sample.commits)" ] || fail "timed $timed, measured $measured"
claim "--sample reaches the program, and estimates are marked"

cd_run 3 "$stmlog" record -o kept.data sh -c 'echo out; echo err >&2; exit 3'
same "stdout" out "$(cat "$tmp/out")"
same "first line of stderr" err "$(head -n 1 "$tmp/err")"
same "lines on stderr" 2 "$(wc -l <"$tmp/err")"
cd_run 137 "$stmlog" record -o kept.data sh -c 'kill -KILL $$'
one_line "signal 9"
cd_run 143 "$stmlog" record -o kept.data sh -c 'kill -TERM $$'
one_line "signal 15"
only "other.data other.data.old stmlog.data "
claim "the exit status is the program's, 128 and the signal's number when one ended it"

cd_run 127 "$stmlog" record ./no-such-program
one_line "cannot be run: No such file"
cp "$bank" "$work/shop"
cd_run 127 "$stmlog" record shop
one_line "it is not in PATH (did you mean './shop'?)"
rm "$work/shop"
mkdir "$work/bin" "$work/bin/shop" # a directory of this name is no program
cd_run 127 env PATH="$work/bin:$PATH" "$stmlog" record shop
one_line "cannot be run: No such file"
chmod 0 "$work/bin" # may not be searched, unless by root
cd_run 127 env PATH="$work/bin:$PATH" "$stmlog" record no-such-program
one_line "cannot be run: No such file"
chmod 700 "$work/bin"
rm -r "$work/bin"
cd_run 126 "$stmlog" record /etc/passwd
one_line "cannot be run: Permission denied"
cd_run 126 "$stmlog" record "$work"
one_line "cannot be run"
only "other.data other.data.old stmlog.data "
claim "127 says that there is no such program, 126 that it cannot be run"

before=$(cksum <"$work/stmlog.data")
cd_run 0 "$stmlog" record true
one_line "not built with gcc -fgnu-tm"
same "the older file" "$before" "$(cksum <"$work/stmlog.data")"
claim "where nothing was recorded an older recording stays as it was"

cp "$(command -v env)" "$work/set"
chmod 4755 "$work/set"
cd_run 0 "$stmlog" record ./set
one_line "setuid"
printf '#!/bin/sh\nexit 0\n' >"$work/script"
chmod 755 "$work/script"
cd_run 0 "$stmlog" record ./script
one_line "record that program directly"
rm "$work/set" "$work/script"
echo 'int main(void) { return 0; }' >"$tmp/empty.c"
if ${CC:-cc} -static -o "$tmp/static" "$tmp/empty.c" 2>/dev/null; then
	cd_run 0 "$stmlog" record "$tmp/static"
	one_line "no libitm linked in, so it was not built with gcc -fgnu-tm"
	strip "$tmp/static"
	cd_run 0 "$stmlog" record "$tmp/static"
	one_line "statically linked"
	one_line "@${stmlog%/*}/stmlog-itm.wrap"
fi
cat >"$tmp/own.c" <<'EOF'
static int counter;
int main(void) { __transaction_atomic { counter++; } return counter - 1; }
EOF
if ${CC:-cc} -fgnu-tm -O2 -o "$tmp/own" "$tmp/own.c" -l:libitm.a -pthread 2>/dev/null; then
	cd_run 0 "$stmlog" record "$tmp/own"
	one_line "a libitm of its own"
	one_line "@${stmlog%/*}/stmlog-itm.wrap"
fi
only "other.data other.data.old stmlog.data "
claim "a program that cannot be recorded is one line that says why and what to do"

for files in 4 5 6; do
	cd_run 3 sh -c "ulimit -n $files; exec \"\$@\"" sh "$stmlog" record -- sh -c 'ulimit -n; exit 3'
	same "files that may be open" $files "$(cat "$tmp/out")"
	one_line "sh: is not recorded: too few files can be open; allow more (ulimit -n)"
	cd_run 127 sh -c "ulimit -n $files; exec \"\$@\"" sh "$stmlog" record -- no-such-program
	grep -q '^stmlog: no-such-program: cannot be run: ' "$tmp/err" || fail "$(cat "$tmp/err")"
	cd_run 0 "$stmlog" record -o few --no-report -- sh -c "ulimit -n $files; exec \"\$@\"" sh \
		"$bank" --threads=2 --operations=5000
	run 0 "$stmlog" check "$work/few"
done
rm "$work/few" "$work/few.old"
claim "with few files that can be open a program runs, and is recorded where only it has so few"

cd_run 2 "$stmlog" record -o /nowhere/file true
one_line "cannot make a directory beside it"
cd_run 2 "$stmlog" record -o "$work" true
one_line "no regular file"
cd_run 2 "$stmlog" record -o /dev/null true
one_line "no regular file"
cd_run 2 "$stmlog" record -o "" touch ran
one_line "FILE is empty"
only "other.data other.data.old stmlog.data "
claim "a FILE that cannot be written is refused before the program runs"

if [ "$(id -u)" = 0 ]; then
	for_everybody
	mkdir -m 1777 "$tmp/sticky"
	touch "$tmp/sticky/data"
	# shellcheck disable=SC2086 # words
	run 2 $nobody "$everybodys/stmlog" record -o "$tmp/sticky/data" touch "$tmp/sticky/ran"
	one_line "cannot be replaced: Operation not permitted"
	same "what is left" data "$(ls -A "$tmp/sticky")"
	claim "so is another user's file in a sticky directory"
else
	echo "skipped: only root can become another user"
fi

rm "$work"/*
cd_run 4 "$stmlog" record -o two.data sh -c "'$bank' --threads=1 --operations=10; '$bank' --threads=1 --operations=5000; exit 4"
only "two.data "
"$stmlog" report --json "$work/two.data" >"$tmp/json"
same "commits of the processes" "10 5000" "$(jsonq "$tmp/json" '.processes[].commits' | sort -n | paste -sd ' ')"
same "the command" --operations=5000 "$(jsonq "$tmp/json" '.command[2]')"
claim "several processes are one FILE, whose command is that of the process with the largest number of transactions"

rm "$work"/*
odd="$work/a:b 100%p\\=x"
mkdir "$odd"
run 0 "$stmlog" record --no-report -o "$odd/f:%n" "$bank" --threads=1 --operations=10
same "files" "f:%n" "$(ls "$odd")"
claim "any path will do"

rm -r "$odd"
STMLOG_OPTIONS=depth=1:report=stderr:out=$work/mine cd_run 0 "$stmlog" record --no-report "$bank" --threads=2 --operations=10
silent
only "stmlog.data "
"$stmlog" info "$work/stmlog.data" >"$tmp/info"
grep -q '^option *depth=1$' "$tmp/info" || fail "depth=1 is not in: $(cat "$tmp/info")"
claim "the user's STMLOG_OPTIONS are passed on, where to write is ours"

rm "$work"/*
for kib in 64 128; do
	cd_run 0 sh -c 'ulimit -s "$1" && shift && exec "$@"' sh $kib "$stmlog" record --no-report -o small.data "$bank" --threads=1 --operations=10
	silent
	run 0 sh -c 'ulimit -s "$1" && shift && exec "$@"' sh $kib "$stmlog" report "$work/small.data"
done
claim "record and report need no large stack"

rm "$work"/*
# Each program begins when all recorders have.
# shellcheck disable=SC2016
together='until [ "$(find "$1" -name "begun.*" | wc -l)" -eq 4 ]; do sleep 0.01; done; exec "$2" --threads=1 --operations=10'
for i in 1 2 3 4; do
	(cd "$work" && "$stmlog" record --no-report -o same.data sh -c ": >'$tmp/begun.$i'; $together" sh "$tmp" "$bank") \
		>/dev/null 2>"$tmp/err.$i" &
done
wait
only "same.data same.data.2 same.data.3 same.data.4 "
same "lines" 3 "$(cat "$tmp"/err.? | grep -c 'has the recording, because another one was put at same.data meanwhile$')"
claim "of several recorders with one file none loses its recording"

if unshare -m umount -l /proc 2>/dev/null; then
	cd_run 0 unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$stmlog" record --no-report -o bare.data "$bank" --threads=1 --operations=10
	silent
	run 0 "$stmlog" check "$work/bare.data"
	claim "record needs no /proc"
fi

rm "$work"/*
cd_run 8 "$stmlog" record --sample=1 --no-report --fail-if=aborts:0 --fail-if=aborts:99% -- "$bank" --threads=2 --meet=50 --operations=2000
one_line "--fail-if=aborts:0: "
contended "$work/stmlog.data"
cd_run 0 "$stmlog" record --sample=1 --no-report --fail-if=aborts:0 --fail-if=lost:99% -- "$bank" --threads=1 --operations=10
silent
cd_run 4 "$stmlog" record --no-report --fail-if=lost:99% -- sh -c "'$bank' --threads=1 --operations=10; exit 4"
cd_run 2 "$stmlog" record --no-report --fail-if=lost:5% -- true
one_line "nothing was recorded"
cd_run 2 "$stmlog" record --fail-if=lost:5 -- "$bank"
one_line "--fail-if=lost:5: not understood; use lost:5%"
cd_run 2 "$stmlog" record --runs=2 --fail-if=lost:5% -- "$bank"
one_line "leave out --runs"
claim "a run that loses more than --fail-if allows ends with 8, one that fails with its own status"
