#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each function of the command, of the library and below it that requires something of its callers checks it
# (base/check.h), but those of contracts.known. First, a made-up file shows that a missing check is found.

. "$(dirname "$0")/house.inc"

contracts=$PWD/tests/house/contracts.py
cat >"$tmp/made.h" <<'END'
/* Requires a > 0. */
int made(int a);

int checked(int a);
END
printf 'int checked(int a)\n{\n\tREQUIRES(a > 0);\n\treturn a;\n}\n' >"$tmp/checked.c"
: >"$tmp/known"

# contracts STATUS WORDS: contracts.py exits with this status and says the words.
contracts() {
	wants "$1" "$2" python3 "$contracts" "$tmp/known" "$tmp/made.h" "$tmp/made.c" "$tmp/checked.c"
}

printf 'int made(int a)\n{\n\tREQUIRES(a > 0);\n\treturn a;\n}\n' >"$tmp/made.c"
contracts 0 "1 requirements are checked, 0 are not"
echo made >"$tmp/known"
contracts 1 "made() checks what it requires, or is gone"
: >"$tmp/known"
printf 'int made(int a)\n{\n\treturn a;\n}\n' >"$tmp/made.c"
contracts 1 "made() says what it requires"
echo made >"$tmp/known"
contracts 0 "0 requirements are checked, 0 are not"

# shellcheck disable=SC2046
python3 "$contracts" tests/house/contracts.known \
	$(git ls-files 'base/*.[ch]' 'traceback/*.[ch]' 'stmlog/*.[ch]' 'report/*.[ch]' 'format/*.[ch]' 'tools/*.[ch]')
