#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/haskell.md is true: its commands, copied from the text and run in an empty folder, print what the text shows, apart
# from figures, and its patch ends what it says.

. "$(dirname "$0")/ghc.inc"
. tests/cli/document.inc

# Without the part of which histories.sh is the test.
document=$tmp/page
sed '/^## A fault that was found by hand$/,/^## Your program$/d' docs/haskell.md >"$document"

# The text has the places of GHC 9.0. The write is the last statement of its function, and in code of newer versions the
# function is off the stack by then, so that its caller is shown; and the read's place is a range of lines.
case $(ghc --numeric-version) in
9.0.*) ;;
*)
	sed 's/^    because of Shop.hs:.*/.../; /^      lost   share lost to it   share  line$/,/^>.* writeTVar /d' "$document" \
		>"$tmp/document"
	document=$tmp/document
	;;
esac

excerpts haskell docs/Shop.hs

# conflicts DATA: attempts that were lost to other transactions, and to nothing else.
conflicts() {
	"$stmlog" report --json --top=1000 "$1" >"$tmp/report"
	entries_with reason self-abort
}

# holds FOLDER [VARIABLE=VALUE...]: the page is true in this new folder, with these variables.
holds() {
	folder=$1
	shift
	mkdir "$folder"
	cp docs/Shop.hs "$folder"
	save_patch "$folder"
	run_commands "$folder" 8 "$@"
	before=$(conflicts "$folder/stmlog.data")
	# Findings take what lies in the same 8 bytes for one word, so TVars must not.
	jsonq "$tmp/report" ".entries[0].objects[].address" >"$tmp/places"
	same "TVars of which the place is no word's" "" "$(grep -v '[08]$' "$tmp/places")"
	"$stmlog" report --full "$folder/stmlog.data" | grep -q ' stg_' || fail "no frame of GHC's run time to leave out"
	same "frames of GHC's run time" "" "$("$stmlog" report --top=100 "$folder/stmlog.data" | grep stg_)"
	after=$(conflicts "$folder/after.data")
	[ "$before" -ge 50 ] || fail "only $before attempts were lost before"
	[ "$((10 * after))" -lt "$before" ] || fail "$after attempts were lost after the patch, $before before"
}

# Linked with the module: by a ghc that adds the link file.
mkdir "$tmp/bin"
cat >"$tmp/bin/ghc" <<END
#!/bin/sh
exec $(command -v ghc) "\$@" "-optl@$PWD/$O/stmlog-ghc.wrap"
END
chmod +x "$tmp/bin/ghc"
holds "$tmp/linked" "PATH=$tmp/bin:${stmlog%/*}:$PATH"

# As GHC links programs.
[ ! -e "$O/libstmlog-ghc.so" ] || holds "$tmp/preloaded"
