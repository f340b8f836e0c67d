#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each function of the library and below it that requires something of its callers checks it (base/check.h). First, a
# made-up file shows that a missing check is found.

. "$(dirname "$0")/house.inc"

contracts=$PWD/tests/house/contracts.py
cat >"$tmp/made.h" <<'END'
/* Requires a > 0. */
int made(int a);
END
printf 'int made(int a)\n{\n\tREQUIRES(a > 0);\n\treturn a;\n}\n' >"$tmp/made.c"
wants 0 "1 requirements are checked, 0 are not" python3 "$contracts" "$tmp/made.h" "$tmp/made.c"
printf 'int made(int a)\n{\n\treturn a;\n}\n' >"$tmp/made.c"
wants 1 "made() says what it requires" python3 "$contracts" "$tmp/made.h" "$tmp/made.c"

# shellcheck disable=SC2046
python3 "$contracts" $(git ls-files 'base/*.[ch]' 'traceback/*.[ch]' 'stmlog/*.[ch]' 'report/*.[ch]' 'format/*.[ch]')
