/* SPDX-License-Identifier: MIT
 * The lines about objects under an entry of the text report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_fixture.h"
#include "own_report.h"
#include "test.h"
#include "text_has.h"

static char report[8192];

static void assert_report_has(const char *words)
{
	read_report(report, sizeof report);
	assert_has(report, words);
}

static void lose_pair(uintptr_t object, uintptr_t other, enum stmlog_overlap overlap)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	loss.object = object;
	loss.other_object = other;
	loss.overlap = overlap;
	lose_1_ms(&loss);
}

static void lose_over(uintptr_t object)
{
	lose_pair(object, 0, STMLOG_OVERLAP_SAME);
}

TEST_WITH(session_fixture, objects_that_stand_out_are_called_as_the_runtime_calls_them)
{
	for (int i = 0; i < 17; i++)
		lose_over(ACCOUNTS + 16);
	for (int i = 0; i < 3; i++)
		lose_over(0x4d20);
	lose_over(ACCOUNTS);
	assert_report_has(
		"\n     object      accounts+16 (at least 17 times), 0x4d20 (cache line 0x4d00) (at least 3 times)\n");
}

TEST_WITH(session_fixture, an_entry_without_objects_has_no_line_for_them)
{
	lose_over(0);
	read_report(report, sizeof report);
	assert_null(strstr(report, "     object "));
	assert_null(strstr(report, "     false "));
	assert_null(strstr(report, "for nothing"));
}

TEST_WITH(session_fixture, an_address_without_a_name_has_its_stripe)
{
	stmlog_set_fact("stripe_bytes", 32);
	lose_over(0x4d3f);
	assert_report_has("\n     object      0x4d3f (stripe 0x4d20) (at least 1 time)\n");
	stmlog_set_fact("stripe_bytes", 0);
	assert_report_has("\n     object      0x4d3f (cache line 0x4d00) (at least 1 time)\n");
}

TEST_WITH(session_fixture, a_block_is_its_size_and_where_it_was_allocated)
{
	lose_over(NODE + 16);
	assert_report_has(
		"\n     object      block of 64 bytes +16, allocated at bytecode prog.py:7 < bytecode prog.py:9 "
		"(at least 1 time)\n");
	lose_over(FREED_NODE);
	assert_report_has(", freed block of 64 bytes +0, allocated at bytecode");
	lose_over(IMPOSSIBLE_NODE);
	assert_report_has(", 0xb10c80 (cache line 0xb10c80) (at least 1 time)\n");
}

TEST_WITH(session_fixture, an_object_against_several_others_stands_there_once)
{
	lose_pair(ACCOUNTS, ACCOUNTS + 8, STMLOG_OVERLAP_STRIPE);
	lose_pair(ACCOUNTS, ACCOUNTS + 16, STMLOG_OVERLAP_STRIPE);
	assert_report_has("\n     object      accounts+0 (at least 2 times)\n");
}

TEST_WITH(session_fixture, neighbours_in_a_stripe_are_told_with_both_names)
{
	for (int i = 0; i < 3; i++)
		lose_pair(ACCOUNTS, ACCOUNTS + 16, STMLOG_OVERLAP_STRIPE);
	lose_over(ACCOUNTS + 16);
	assert_report_has("\n     false       75.0 % of these aborts touch different variables that are locked as one: "
			  "accounts+0 and accounts+16; pad or align\n");
	stmlog_set_fact("stripe_bytes", 32);
	assert_report_has("in one 32-byte stripe: accounts+0 and accounts+16; pad or align\n");
	assert_null(strstr(report, "far apart"));
}

TEST_WITH(session_fixture, aliases_are_told_with_both_names)
{
	lose_pair(ACCOUNTS, NODE, STMLOG_OVERLAP_ALIAS);
	assert_report_has("\n     false       100.0 % of these aborts touch two variables far apart that share one of "
			  "test's locks: "
			  "accounts+0 and "
			  "block of 64 bytes +0, allocated at bytecode prog.py:7 < bytecode prog.py:9; "
			  "moving either one helps\n");
	assert_null(strstr(report, "stripe"));
}

TEST_WITH(session_fixture, both_kinds_are_told_apart_by_their_stripes)
{
	stmlog_set_fact("stripe_bytes", 32);
	lose_pair(ACCOUNTS, 0x5000, STMLOG_OVERLAP_ALIAS);
	lose_pair(ACCOUNTS + 31, ACCOUNTS, STMLOG_OVERLAP_STRIPE);
	assert_report_has(
		"     false       50.0 % of these aborts touch different variables in one 32-byte stripe: "
		"accounts+31 and accounts+0; pad or align\n"
		"     false       50.0 % of these aborts touch two variables far apart that share one of test's locks: "
		"accounts+0 and 0x5000 (stripe 0x5000); moving either one helps\n");
}

TEST_WITH(session_fixture, false_conflicts_over_objects_that_are_not_known_are_told_without)
{
	lose_pair(0, 0, STMLOG_OVERLAP_STRIPE);
	lose_pair(0, 0, STMLOG_OVERLAP_ALIAS);
	assert_report_has(
		"     false       50.0 % of these aborts touch different variables that are locked as one; pad or "
		"align\n"
		"     false       50.0 % of these aborts touch two variables far apart that share one of test's locks; "
		"moving either one helps\n");
}
