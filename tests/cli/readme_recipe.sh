#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The recipe for CI in README.md, word for word, in a made-up repository. It fails if contention has become worse, and
# names the place, even if lines have moved. It passes if lines have moved and nothing else has changed.

. "$(dirname "$0")/cli.inc"

command -v git >/dev/null || skip "no git"
sed -n '/^## Keep contention/,/^## Embed/p' README.md | sed -n '/^```sh$/,/^```$/p' | sed '/^```/d' >"$tmp/recipe"
[ -s "$tmp/recipe" ] || fail "README.md has no recipe"

# The commit "base": a program of which 15 runs take half a second.
mkdir "$tmp/repository"
sed 's/argv, 2, 3)/argv, 2, 15)/' tests/programs/longer.c >"$tmp/repository/longer.c"
! cmp -s tests/programs/longer.c "$tmp/repository/longer.c" || fail "longer.c has other rounds"
cp tests/programs/support/program.[ch] "$tmp/repository"
cat >"$tmp/repository/Makefile" <<'END'
program: longer.c program.c
	cc -O2 -g -std=gnu11 -D_GNU_SOURCE -fgnu-tm -pthread -o $@ longer.c program.c
END
in_repository() {
	git -C "$tmp/repository" -c user.name=test -c user.email=test@localhost "$@" >"$tmp/git" 2>&1 || fail "git $*: $(cat "$tmp/git")"
}
in_repository init
in_repository add .
in_repository commit -m base
in_repository tag base
sed -i '1i /* Moves each line. */' "$tmp/repository/longer.c"
in_repository commit -a -m moved
in_repository tag moved
sed -i 's/^TAKE(sell, sold, selling_us)/TAKE(sell, sold, selling_us + HOLD_US)/' "$tmp/repository/longer.c"
in_repository commit -a -m longer
in_repository tag longer

# recipe COMMIT BASE: the exit status of the recipe in a clone at COMMIT
recipe() {
	rm -rf "$tmp/clone"
	in_repository clone "$tmp/repository" "$tmp/clone"
	(cd "$tmp/clone" && git checkout -q "$1") >"$tmp/git" 2>&1 || fail "git checkout: $(cat "$tmp/git")"
	status=0
	(cd "$tmp/clone" && env -u ITM_DEFAULT_METHOD PATH="${stmlog%/*}:$PATH" BASE="$2" sh "$tmp/recipe") >"$tmp/out" 2>"$tmp/err" </dev/null ||
		status=$?
}

# ends STATUS COMMIT BASE: the recipe ends with this status in one of two trials. By chance it does not in one of
# twenty.
ends() {
	recipe "$2" "$3"
	[ "$status" = "$1" ] || recipe "$2" "$3"
	[ "$status" = "$1" ] || fail "status $status of $2 after $3: $(cat "$tmp/out" "$tmp/err")"
}

ends 1 longer base
grep -q '^regression: restock longer.c:[0-9]*.*, blocked by sell longer.c:' "$tmp/out" || fail "not named: $(cat "$tmp/out")"
same "files" 20 "$(ls "$tmp/clone/runs" | wc -l)"
claim "the recipe in README.md fails where a critical section has become longer, and names it"

# The step for GitHub's Actions that README.md has behind the recipe, for the same runs.
sed -n '/^## Keep contention/,/^## Embed/p' README.md | sed -n '/^  run: |$/,/^- /p' | sed -n 's/^    //p' >"$tmp/step"
[ -s "$tmp/step" ] || fail "README.md has no step"
status=0
(cd "$tmp/clone" && PATH="${stmlog%/*}:$PATH" GITHUB_STEP_SUMMARY="$tmp/summary" sh -e "$tmp/step") >"$tmp/out" 2>&1 || status=$?
same "exit status of the step" 1 "$status"
grep -q '^### stmlog diff: [1-9]' "$tmp/summary" || fail "no summary: $(cat "$tmp/summary")"
grep -q '<failure ' "$tmp/clone/contention.xml" || fail "no failure: $(cat "$tmp/clone/contention.xml")"
same "sources" longer.c "$(jsonq "$tmp/clone/contention.sarif" \
	'.runs[].results[].locations[].physicalLocation.artifactLocation.uri' | sort -u)"
claim "the step in README.md does so, too, and writes the summary, JUnit's XML and SARIF"

ends 0 moved base
says "no regression"
claim "it passes where lines have moved"
