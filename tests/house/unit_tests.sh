#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Unit tests as tests/support/test.h makes them run in the order of the source, and fail where they should.

. "$(dirname "$0")/../helpers/shell.inc"

# build TEXT: makes $tmp/program of tests with this text.
build() {
	printf '#include "test.h"\n%b\n' "$1" >"$tmp/program.c"
	"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -Itests/support -o "$tmp/program" "$tmp/program.c" "$O/libsupport.a" -lcmocka \
		2>"$tmp/errors"
}

# ends STATUS TEXT: the program of this text exits with this status.
ends() {
	build "$2" || fail "does not compile: $(cat "$tmp/errors")"
	status=0
	"$tmp/program" >"$tmp/said" 2>&1 || status=$?
	same "exit status of $2" "$1" "$status"
}

# said: what ran, by the lines that the tests print, on one line.
said() {
	sed -n 's/^says //p' "$tmp/said" | tr '\n' ' '
}

says='#include <stdio.h>\n#define SAYS(word) puts("says " word)\n'
around='static void begin(void) { SAYS("begin"); }\nstatic void end(void) { SAYS("end"); }\n
static const struct test_fixture around = { begin, end };\n'

ends 0 "$says TEST(b) { SAYS(\"b\"); }\nTEST(a) { SAYS(\"a\"); }\nTEST(c) { SAYS(\"c\"); }\n"
same "order" "b a c " "$(said)"
grep -q '3 test(s) run' "$tmp/said" || fail "not three tests: $(cat "$tmp/said")"
ends 0 "$says$around TEST_WITH(around, a) { SAYS(\"a\"); }\nTEST(b) { SAYS(\"b\"); }\n"
same "a fixture of one test" "begin a end b " "$(said)"
ends 0 "$says$around TEST(a) { SAYS(\"a\"); }\nTEST(b) { SAYS(\"b\"); }\nGROUP_WITH(around);\n"
same "a fixture of all tests" "begin a b end " "$(said)"
ends 0 "$says$around TEST_TWICE(around, around, again, a) { SAYS(\"a\"); }\n"
same "a test with two fixtures" "begin a end begin a end " "$(said)"
grep -q ' a_again$' "$tmp/said" || fail "no a_again: $(cat "$tmp/said")"
no='static bool no(void) { return false; }\n'
ends 0 "$says$no TEST_IF(no, a) { SAYS(\"a\"); }\nTEST(b) { SAYS(\"b\"); }\n"
same "a test that is not possible" "b " "$(said)"

ends 1 "TEST(a) { }\nTEST(b) { fail(); }\nTEST(c) { }\n"
grep -q 'FAILED.* b$' "$tmp/said" || fail "not b: $(cat "$tmp/said")"
wrong='static void wrong(void) { assert_true(false); }\n'
ends 1 "$says$wrong static const struct test_fixture bad = {wrong, NULL};\nTEST_WITH(bad, a) { SAYS(\"a\"); }\n"
same "a test whose set-up has failed" "" "$(said)"
ends 1 "$wrong static const struct test_fixture bad = {NULL, wrong};\nTEST_WITH(bad, a) { }\n"
ends 1 "$wrong static const struct test_fixture bad = {wrong, NULL};\nTEST(a) { }\nGROUP_WITH(bad);\n"
ends 1 ""
grep -q 'program has no tests' "$tmp/said" || fail "no word of it: $(cat "$tmp/said")"
ends 1 "$no TEST_IF(no, a) { }\n"

! build "TEST(a) { }\nTEST(a) { }\n" || fail "two tests of one name compile"
grep -q "redefinition of .a" "$tmp/errors" || fail "$(cat "$tmp/errors")"
