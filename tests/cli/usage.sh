#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command's help and version; and each wrong use is one line on stderr and status 2.

. "$(dirname "$0")/cli.inc"

run 0 "$stmlog" --version
same "version" "stmlog $(sed -n 's/^.define STMLOG_VERSION "\(.*\)"/\1/p' include/stmlog/setup.h)" "$(cat "$tmp/out")"
claim "--version tells the version of the headers"

run 0 "$stmlog" help
cp "$tmp/out" "$tmp/overview"
for command in record report diff merge try check info anonymize help; do
	grep -q "^  $command " "$tmp/overview" || fail "help does not list $command"
	run 0 "$stmlog" help "$command"
	says "usage: stmlog $command"
	cp "$tmp/out" "$tmp/help"
	run 0 "$stmlog" "$command" --help
	cmp -s "$tmp/help" "$tmp/out" || fail "help $command and $command --help differ"
	run 0 "$stmlog" "$command" -h
	silent
done
run 0 "$stmlog" --help
cmp -s "$tmp/overview" "$tmp/out" || fail "help and --help differ"
claim "each command has its help, the same by both ways to ask"

run 2 "$stmlog"
one_line "no command"
for command in nonsense -x; do
	run 2 "$stmlog" $command
	one_line "unknown"
	same "stdout" "" "$(cat "$tmp/out")"
done
run 2 "$stmlog" help nonsense
one_line "unknown command 'nonsense'"
claim "what is no command is one line and status 2"

for options in "report --nonsense" "report --yaml=x" "report -x" "record --flames true" "record -o" "check --full x" \
	"info --json x"; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" $options
	one_line "see 'stmlog help"
done
for options in "report --sort=size" "report --by=nonsense" "report --top=many" "report --top=-1" "record --sample=often true" \
	"record --sample=0 true" "record --sample=4294967296 true"; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" $options
	one_line "not understood; use "
done
run 2 "$stmlog" record
one_line "no COMMAND"
run 2 "$stmlog" merge file
one_line "no -o OUT"
run 2 "$stmlog" merge -o "$tmp/merged"
one_line "no FILE"
run 2 "$stmlog" anonymize in
one_line "no OUT"
claim "a mistake in the options is one line that says what would do"

mkdir "$tmp/empty"
for command in check info report annotate "export --format=text"; do
	# shellcheck disable=SC2086
	run 2 env -C "$tmp/empty" "$stmlog" $command
	one_line "stmlog.data: cannot be opened"
done
claim "without the name of a file, the commands for one recording read stmlog.data"

# Each line: the words of a call, the word that was probably meant.
while read -r wrong meant; do
	# shellcheck disable=SC2046
	run 2 "$stmlog" $(echo "$wrong" | tr , ' ')
	one_line "(did you mean '$meant'?)"
done <<'END'
reprot report
exprt export
help,recrod record
--versoin --version
report,--bye=pair --by
report,--fulll --full
record,--timelin3=5,true --timeline
report,--by=piar pair
report,--sort=longst longest
export,--format=perfeto perfetto
diff,--metric=lots lost
merge,--outptu=x --output
END
claim "a mistyped command, option or value is answered with the one that was probably meant"

run 0 "$stmlog" help
[ ! -w /dev/full ] || {
	status=0
	"$stmlog" help >/dev/full 2>"$tmp/err" || status=$?
	same "exit status onto a full disk" 2 "$status"
	one_line "cannot write to stdout"
	claim "output that cannot be written is no success"
}
