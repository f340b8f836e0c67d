#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/haskell.md is true: its commands, copied from the text and run in an empty folder, print what the text shows, apart
# from figures, and its patch ends what it says.

. "$(dirname "$0")/ghc.inc"
. tests/cli/document.inc

document=$PWD/docs/haskell.md

excerpts haskell docs/Shop.hs

# The link file of the source tree, until `record` needs none.
mkdir "$tmp/bin" "$tmp/empty"
cat >"$tmp/bin/ghc" <<END
#!/bin/sh
exec $(command -v ghc) "\$@" "-optl@$PWD/$O/stmlog-ghc.wrap"
END
chmod +x "$tmp/bin/ghc"
cp docs/Shop.hs "$tmp/empty"
save_patch "$tmp/empty"
run_commands "$tmp/empty" 8 "PATH=$tmp/bin:${stmlog%/*}:$PATH"

# conflicts DATA: attempts that were lost to other transactions, and nothing else.
conflicts() {
	"$stmlog" report --json --top=1000 "$1" >"$tmp/report"
	entries_with reason self-abort
}

before=$(conflicts "$tmp/empty/stmlog.data")
after=$(conflicts "$tmp/empty/after.data")
[ "$before" -ge 50 ] || fail "only $before attempts were lost before"
[ "$((10 * after))" -lt "$before" ] || fail "$after attempts were lost after the patch, $before before"
