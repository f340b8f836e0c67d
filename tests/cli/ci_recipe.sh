#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The recipe for CI in docs/ci.md, word for word, in a made-up repository. It fails if contention has become worse, and
# names the place, even if lines have moved. It passes if lines have moved and nothing else has changed.
#
# Alone: it compares how long programs wait.

. "$(dirname "$0")/cli.inc"

command -v git >/dev/null || skip "no git"
sed -n '/^```sh$/,/^```$/p' docs/ci.md | sed '/^```/d' >"$tmp/recipe"
[ -s "$tmp/recipe" ] || fail "docs/ci.md has no recipe"

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

ends 8 longer base
grep -q '^regression: restock longer.c:[0-9]*.*, blocked by sell longer.c:' "$tmp/err" || fail "not named: $(cat "$tmp/err")"
same "files" 20 "$(ls "$tmp/clone/runs" | wc -l)"
claim "the recipe in docs/ci.md fails where a critical section has become longer, and names it"

# The steps for GitHub's Actions that docs/ci.md has behind the recipe.
sed -n '/^```yaml$/,/^```$/p' docs/ci.md | sed '/^```/d' >"$tmp/steps"
# step N: the commands of the N-th step that has some
step() {
	awk -v wanted="$1" '/^- / { is_in = 0 } is_in { sub(/^    /, ""); print } /^  run: \|$/ { is_in = ++steps == wanted }' "$tmp/steps"
}

# GitHub's shell ends at the first command that fails, as set -e does; the comparison is a step of its own.
same "the commands that record" "$(sed '1d; s/ --vs/ --no-report --vs/' "$tmp/recipe")" "$(step 1)"
step 2 >"$tmp/compare"
[ -s "$tmp/compare" ] || fail "docs/ci.md has no step that compares"
# The same runs again.
status=0
(cd "$tmp/clone" && PATH="${stmlog%/*}:$PATH" GITHUB_STEP_SUMMARY="$tmp/summary" sh -e "$tmp/compare") >"$tmp/out" 2>&1 || status=$?
same "exit status of the step" 1 "$status"
grep -q '^### stmlog diff: [1-9]' "$tmp/summary" || fail "no summary: $(cat "$tmp/summary")"
claim "the steps in docs/ci.md do so, too, and write the summary"

python=/usr/bin/python3
if [ -x "$python" ] && "$python" -c 'import yaml' 2>/dev/null; then
	run 0 "$python" tests/helpers/ci_steps.py "$tmp/steps"
	same "steps" "steps 3" "$(cat "$tmp/out")"
	sed 's/^- uses: actions.checkout/- run: make\n  uses: checkout/' "$tmp/steps" >"$tmp/wrong"
	run 1 "$python" tests/helpers/ci_steps.py "$tmp/wrong"
	says "step 1: neither a command nor an action, or both"
	sed 's/^- name:/ - name:/' "$tmp/steps" >"$tmp/wrong"
	run 1 "$python" tests/helpers/ci_steps.py "$tmp/wrong"
	says "no YAML"
	claim "the steps are YAML, each with a command or an action"
else
	echo "not tried: whether the steps are YAML, for want of python3 with yaml"
fi

ends 0 moved base
grep -q '^no regression' "$tmp/err" || fail "no verdict: $(cat "$tmp/err")"
claim "it passes where lines have moved"
