#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The STM in Rust of examples/rust/ calls the library by what bindgen makes of its headers. Each commit and each abort of
# its run is recorded, with both sides. The constants that C has as macros are there, too.

. "$(dirname "$0")/cli.inc"

for command in rustc bindgen; do
	command -v $command >/dev/null || skip "no $command"
done
# Without rustfmt, which changes nothing of the bindings but their spaces, and may not be installed.
RUSTFMT=/bin/false sh examples/rust/build.sh "$O" "$tmp/rust" >"$tmp/built" 2>&1 || fail "it is not built: $(cat "$tmp/built")"

run 0 "$stmlog" record -o "$tmp/data" --no-report -- "$tmp/rust/small"
same "what it counts" "6000 commits, 2000 aborts" "$(cat "$tmp/out")"
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" report --json "$tmp/data"
same "runtime, commits and aborts" "small.rs 6000 2000" \
	"$(jsonq "$tmp/out" .runtime) $(jsonq "$tmp/out" .totals.commits) $(jsonq "$tmp/out" .totals.aborts)"
claim "each commit and each abort of an STM in Rust is recorded"

run 0 "$tmp/rust/small"
grep -q 'self-abort, write-read, CHANGED' "$tmp/err" || fail "no such abort: $(cat "$tmp/err")"
grep -q 'where  *main.rs:[0-9]*  *audit$' "$tmp/err" || fail "not where it lost: $(cat "$tmp/err")"
grep -A 1 'blocked by  thread [0-9]*, certain' "$tmp/err" | grep -q '^  *main.rs:[0-9]*  *pay$' ||
	fail "not because of whom: $(cat "$tmp/err")"
claim "its report names both sides of the conflict, for certain"

for name in TB_CODE_ADDRESS TB_CODE_PLACE TB_CODE_UNKNOWN TB_CODES STMLOG_ABI; do
	grep -q "pub const $name *:" "$tmp/rust/stmlog_sys.rs" || fail "no $name in the bindings"
done
for name in tb_empty tb_unknown tb_site_make stmlog_start stmlog_loss_of; do
	grep -q "pub fn $name\\b" "$tmp/rust/stmlog_sys.rs" || fail "no $name() in the bindings"
done
! grep -q 'pub fn [a-z_]*_on\b' "$tmp/rust/stmlog_sys.rs" || fail "the bindings have private functions"
claim "the bindings have the constants and all functions"
