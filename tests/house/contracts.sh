#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each function of the product that requires something of its callers checks it (base/check.h,
# runtimes/native/requires.h; by assert in examples/). First, a made-up file shows that a missing check is found, also
# before another function of the same file.

. "$(dirname "$0")/house.inc"

contracts=$PWD/tests/house/contracts.py
cat >"$tmp/made.h" <<'END'
/* Requires a > 0. */
int made(int a);

/* Requires a > 1. */
int second(int a);
END
second='int second(int a)\n{\n\tREQUIRES(a > 1);\n\treturn a;\n}\n'
printf 'int made(int a)\n{\n\tREQUIRES(a > 0);\n\treturn a;\n}\n%b' "$second" >"$tmp/made.c"
wants 0 "2 requirements are checked, 0 are not" python3 "$contracts" "$tmp/made.h" "$tmp/made.c"
printf 'int made(int a)\n{\n\treturn a;\n}\n%b' "$second" >"$tmp/made.c"
wants 1 "made() says what it requires" python3 "$contracts" "$tmp/made.h" "$tmp/made.c"

# shellcheck disable=SC2046
python3 "$contracts" $(git ls-files 'base/*.[ch]' 'traceback/*.[ch]' 'format/*.[ch]' \
	'report/*.[ch]' 'stmlog/*.[ch]' 'runtimes/*.[ch]' 'tools/*.[ch]')
for stm in smallstm lazystm; do
	# shellcheck disable=SC2046
	python3 "$contracts" $(git ls-files 'examples/support/*.[ch]' "examples/$stm/*.[ch]")
done
