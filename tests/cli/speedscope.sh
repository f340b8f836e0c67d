#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog export --format=speedscope` keeps to speedscope's own schema and has the figures of the recording.
# `--format=folded` has the same figures, and each of its lines is well-formed.

. "$(dirname "$0")/cli.inc"
. "$(dirname "$0")/package.inc"

# sum_of FOLDED: the sum of the values. Each line must be frames without control characters and one number.
sum_of() {
	LC_ALL=C awk '
	$0 !~ /^[^;\001-\037\177]+(;[^;\001-\037\177]+)* [0-9]+$/ { print "line " NR ": " $0; exit }
	{ sum += $NF }
	END { printf "%.0f\n", sum }' "$1"
}

printf 'a;b 1\na;;b 2\n' >"$tmp/bad"
same "a line with an empty frame" "line 2: a;;b 2" "$(sum_of "$tmp/bad" | head -n 1)"

record "$tmp/cause" -- "$O/every-cause" >/dev/null
record "$tmp/bank" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=30000 >/dev/null
contended "$tmp/bank"
record "$tmp/sampled" --sample=7 -- "$O/bench/bank" --meet=800 --threads=2 --operations=30000 >/dev/null
contended "$tmp/sampled"
for name in cause bank sampled; do
	"$stmlog" report --json "$tmp/$name" >"$tmp/$name.json"
	run 0 "$stmlog" export --format=folded -o "$tmp/$name.folded" "$tmp/$name"
	silent
	same "ns in the folded stacks of $name" "$(jsonq "$tmp/$name.json" .totals.explained.lost_ns)" "$(sum_of "$tmp/$name.folded")"
done
grep -q '^run_second;read_second;--;write_first;run_first [0-9]*$' "$tmp/cause.folded" ||
	fail "no victim with its culprit: $(cat "$tmp/cause.folded")"
grep -q '^run_second;give_up [0-9]*$' "$tmp/cause.folded" || fail "nobody was to blame: $(cat "$tmp/cause.folded")"
claim "folded stacks have what was lost, and the culprits"

# Debian's own python3: Debian's packages of modules are for no other one.
python=/usr/bin/python3
"$python" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema to ask"
schema=package/dist/release/file-format-schema.json
package "schema of speedscope" https://registry.npmjs.org/speedscope/-/speedscope-1.25.0.tgz \
	2831f1e0d26df914b477e522d78b8485511495a6af81a0b88158f8b48f9e0d03 "$schema"

# valid FILE: whether the file keeps to the schema; prints why not
valid() {
	"$python" - "$tmp/$schema" "$1" <<-'EOF'
		import json, sys
		import jsonschema
		schema, ours = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
		error = jsonschema.Draft7Validator(schema).iter_errors(ours)
		sys.exit(next((e.message for e in error), 0))
	EOF
}

# weights FILE PROFILE: the sum of the profile's weights
weights() {
	total "$1" ".profiles[$2].weights[]"
}

for name in cause bank sampled; do
	run 0 "$stmlog" export --format=speedscope -o "$tmp/$name.speedscope" "$tmp/$name"
	silent
	valid "$tmp/$name.speedscope" 2>"$tmp/err" || fail "$name is not what speedscope reads: $(cat "$tmp/err")"
	lost_ns=$(jsonq "$tmp/$name.json" .totals.explained.lost_ns)
	same "ns of $name" "$lost_ns" "$(weights "$tmp/$name.speedscope" 0)"
	same "ns of $name, by culprit" "$lost_ns" "$(weights "$tmp/$name.speedscope" 1)"
	same "losses of $name" "$(jsonq "$tmp/$name.json" .totals.lost.count)" "$(weights "$tmp/$name.speedscope" 2)"
done
# The causes of every-cause, each with its ns, from the report and from the profiles.
causes=$(jsonq "$tmp/cause.json" '.causes#')
for i in $(seq 0 $((causes - 1))); do
	echo "$(jsonq "$tmp/cause.json" ".causes[$i].reason"), $(jsonq "$tmp/cause.json" ".causes[$i].contention")" \
		"$(jsonq "$tmp/cause.json" ".causes[$i].lost_ns")"
done | sort -t ' ' -k 3nr >"$tmp/causes"
profiles=$(jsonq "$tmp/cause.speedscope" '.profiles#')
for i in $(seq 3 $((profiles - 1))); do
	echo "$(jsonq "$tmp/cause.speedscope" ".profiles[$i].name")" "$(weights "$tmp/cause.speedscope" "$i")"
done | sed 's/^time lost: //' >"$tmp/lanes"
[ "$causes" -ge 5 ] || fail "few causes: $(cat "$tmp/causes")"
same "causes of every-cause" "$(cat "$tmp/causes")" "$(cat "$tmp/lanes")"
jsonq "$tmp/cause.speedscope" '.shared.frames[].name' | grep -q '^write_first smallstm_scenarios\.c:[0-9][0-9]*$' ||
	fail "no frame with its line: $(jsonq "$tmp/cause.speedscope" '.shared.frames[].name')"
claim "each cause has a profile with its time, and frames have their lines"
same "name" every-cause "$(jsonq "$tmp/cause.speedscope" .name)"
claim "speedscope's schema has them, and the figures are those of the report"

broken() {
	sed "$1" "$tmp/cause.speedscope" >"$tmp/broken"
	cmp -s "$tmp/broken" "$tmp/cause.speedscope" && fail "nothing to break by $1"
	valid "$tmp/broken" 2>/dev/null && fail "the schema accepts $1"
	return 0
}
broken 's/"unit": "nanoseconds"/"unit": "hours"/'
broken 's/"type": "sampled"/"type": "drawn"/'
broken 's/"weights"/"weight"/'
broken 's/"shared"/"private"/'
broken 's/"name":"run_second[^"]*"/"name":7/'
claim "and would have told what is wrong"
