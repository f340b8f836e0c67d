#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The static probes of the library: the library, each agent that records, and a program linked with the archive have
# them, each with its arguments, and each is one nop until somebody traces it.

. "$(dirname "$0")/cli.inc"

# arguments FILE: "NAME NUMBER" of each probe of the provider, sorted; further ones of a name are left out.
arguments() {
	readelf -n "$1" 2>/dev/null | awk '$1 == "Provider:" { is_ours = $2 == "stmlog" } $1 == "Name:" { name = $2 }
		$1 == "Arguments:" && is_ours { print name, NF - 1 }' | sort -u
}

# operands FILE: where the arguments of our probes are.
operands() {
	readelf -n "$1" 2>/dev/null | awk '$1 == "Provider:" { is_ours = $2 == "stmlog" }
		$1 == "Arguments:" && is_ours { for (i = 2; i <= NF; i++) print $i }'
}

# instructions FILE: what stands where our probes are.
instructions() {
	for at in $(readelf -n "$1" 2>/dev/null | awk '$1 == "Provider:" { is_ours = $2 == "stmlog" }
			$1 == "Location:" && is_ours { sub(",", "", $2); print $2 }'); do
		objdump -d --no-show-raw-insn --start-address="$at" --stop-address=$((at + 1)) "$1" | sed -n '$s/.*\t//p'
	done | sort -u
}

for name in libstmlog.so libstmlog-itm.so every-cause; do
	file=$O/$name
	same "probes of $name and their arguments" "abort 7 commit 3 event 6 pause 7" "$(arguments "$file" | tr '\n' ' ' | sed 's/ $//')"
	same "what stands at the probes of $name" nop "$(instructions "$file" | sed 's/ *$//')"
	! operands "$file" | grep '@\$' || fail "an argument of $name is a constant"
done
claim "each probe is there, with its arguments, and is a nop"

# ---- what the arguments hold ----

# A debugger stops at each probe and prints it; the report of the same run has the same numbers. ptrace may be forbidden.
{
	echo 'set pagination off'
	echo 'set debuginfod enabled off'
	for name in abort pause; do
		printf 'break -probe-stap stmlog:%s\ncommands\nsilent\n' $name
		printf 'printf "%s %%ld %%d %%d %%ld\\n", (long)$_probe_arg0, (int)$_probe_arg1, (int)$_probe_arg2, (long)$_probe_arg3\n' $name
		printf 'continue\nend\n'
	done
	printf 'break -probe-stap stmlog:event\ncommands\nsilent\nprintf "event %%ld %%d\\n", (long)$_probe_arg0, (int)$_probe_arg1\n'
	printf 'continue\nend\nbreak -probe-stap stmlog:commit\ncommands\nsilent\n'
	printf 'printf "commit %%ld %%ld %%ld\\n", (long)$_probe_arg0, (long)$_probe_arg1, (long)$_probe_arg2\ncontinue\nend\nrun\n'
} >"$tmp/script"
STMLOG_OPTIONS=report=none:timeline=100000,grow:out=$tmp/data timeout 300 gdb -nx -batch -x "$tmp/script" "$O/every-cause" >"$tmp/trace" 2>&1 || :
if ! grep -q '^commit ' "$tmp/trace"; then
	echo "no debugger that stops at probes: what the arguments hold was not looked at"
	exit 0
fi
"$stmlog" report --json "$tmp/data" >"$tmp/json"

# traced NAME FIELD: the sum of a field of all lines of a probe; field 0: their number. Thread 0 is no thread: the library
# measures with it what a hook costs.
traced() {
	awk -v name="$1" -v field="$2" '$1 == name && $2 != 0 { sum += field ? $field : 1 } END { printf "%.0f", sum }' "$tmp/trace"
}
same "commits" "$(jsonq "$tmp/json" .totals.commits)" "$(traced commit 0)"
same "aborts" "$(jsonq "$tmp/json" .totals.aborts)" "$(traced abort 0)"
same "time aborted" "$(jsonq "$tmp/json" .totals.aborted_ns)" "$(traced abort 5)"
same "time paused and waiting" "$(($(jsonq "$tmp/json" .totals.paused_ns) + $(jsonq "$tmp/json" .totals.waiting_ns)))" "$(traced pause 5)"
same "time aborted, of transactions that committed and of those given up" "$(traced abort 5)" \
	"$(awk '$1 == "abort" { lost[$2] += $5 } $1 == "commit" { sum += $4; lost[$2] = 0 } END {
		for (thread in lost) sum += lost[thread]; printf "%.0f", sum }' "$tmp/trace")"
claim "counts and times of the probes are those of the report"

"$stmlog" export --format=text "$tmp/data" | awk '$3 ~ /^[0-9]+$/ && $1 ~ /^[0-9]+$/ { print $3 }' | sort | uniq -c >"$tmp/events"
awk '$1 == "event" && $2 != 0 { print $2 }' "$tmp/trace" | sort | uniq -c >"$tmp/probed"
same "events by thread" "$(cat "$tmp/events")" "$(cat "$tmp/probed")"
claim "each event of the timeline has come by a probe"
