/* SPDX-License-Identifier: MIT */

#include <stmlog/read.h>

#include "records.h"
#include "test.h"

/* ---- INFO ---- */

static struct recording_info info;

#define PARSE(text) recording_info_parse(&info, text, sizeof(text) - 1)

TEST(each_line_goes_to_its_member)
{
	assert_null(PARSE("version=0.1.0\0runtime=libitm\0clock=tsc\0pid=12\0program=/bin/x\0began_ns=1\0"
			  "wall_ns=18446744073709551615\0unix_ns=3\0sample_every=16\0probe_events=4\0probe_cost_ns=5\0"
			  "events_missing=6\0tracebacks_unavailable=7\0misuses=8\0threads_dropped=9\0logs_unread=10\0"
			  "writes_unrecorded=11\0wasted_aborts=12\0wasted_ns=13\0undecided_aborts=14\0"
			  "commits_known=0\0counters_known=0\0"));
	assert_string_equal(info.version, "0.1.0");
	assert_string_equal(info.runtime, "libitm");
	assert_string_equal(info.clock, "tsc");
	assert_string_equal(info.program, "/bin/x");
	assert_int_equal(info.pid, 12);
	assert_int_equal(info.began_ns, 1);
	assert_true(info.wall_ns == UINT64_MAX);
	assert_int_equal(info.unix_ns, 3);
	assert_int_equal(info.sample_every, 16);
	assert_int_equal(info.probe_events, 4);
	assert_int_equal(info.probe_cost_ns, 5);
	assert_int_equal(info.events_missing, 6);
	assert_int_equal(info.tracebacks_unavailable, 7);
	assert_int_equal(info.misuses, 8);
	assert_int_equal(info.threads_dropped, 9);
	assert_int_equal(info.logs_unread, 10);
	assert_int_equal(info.writes_unrecorded, 11);
	assert_int_equal(info.wasted_aborts, 12);
	assert_int_equal(info.wasted_ns, 13);
	assert_int_equal(info.undecided_aborts, 14);
	assert_int_equal(info.commits_known, 0);
	assert_int_equal(info.counters_known, 0);
	recording_info_fini(&info);
}

TEST(arguments_and_options_keep_their_order)
{
	assert_null(PARSE("arg=x\0option=out\0value=a=b\0arg=\0arg=-n=3\0option=top\0value=\0"));
	assert_int_equal(info.args.len, 3);
	assert_string_equal(info.args.at[0], "x");
	assert_string_equal(info.args.at[1], "");
	assert_string_equal(info.args.at[2], "-n=3");
	assert_int_equal(info.options.len, 4);
	assert_string_equal(info.options.at[1], "a=b");
	assert_string_equal(info.options.at[2], "top");
	assert_string_equal(info.options.at[3], "");
	recording_info_fini(&info);
}

TEST(nothing_at_all_is_right)
{
	assert_null(recording_info_parse(&info, NULL, 0));
	assert_string_equal(info.runtime, "");
	assert_int_equal(info.sample_every, 1);
	assert_int_equal(info.commits_known, 1);
	assert_true(info.counters_known == RECORDING_UNSAID);
	assert_true(info.hardware_commits == RECORDING_UNSAID);
	assert_string_equal(info.method, "");
	assert_int_equal(info.processors, 0);
	recording_info_fini(&info);
}

TEST(the_method_and_commits_in_hardware_go_to_their_members)
{
	assert_null(PARSE("method=htm\0processors=1\0hardware_commits=3\0hardware_fallbacks=5\0"));
	assert_string_equal(info.method, "htm");
	assert_int_equal(info.processors, 1);
	assert_int_equal(info.hardware_commits, 3);
	assert_int_equal(info.hardware_fallbacks, 5);
	recording_info_fini(&info);
}

TEST(keys_of_earlier_and_later_versions_are_skipped)
{
	assert_null(PARSE("pidgin=dove\0pi=3\0=\0hardware_HTM_CONFLICT=6\0bind_now=1\0pid=7\0"));
	assert_int_equal(info.pid, 7);
	recording_info_fini(&info);
}

TEST(lines_that_cannot_be_are_named)
{
	assert_string_equal(PARSE("pid=7"), "its last line has no end");
	assert_string_equal(PARSE("pid\0"), "a line that is no key=value");
	assert_string_equal(PARSE("\0"), "a line that is no key=value");
	assert_string_equal(PARSE("pid=x\0"), "a number that is none");
	assert_string_equal(PARSE("pid=18446744073709551616\0"), "a number that is none");
	assert_string_equal(PARSE("sample_every=0\0"), "sample_every is 0");
	assert_string_equal(PARSE("value=x\0"), "an option without its value");
	assert_string_equal(PARSE("option=x\0"), "an option without its value");
	recording_info_fini(&info);
	assert_string_equal(PARSE("option=x\0option=y\0"), "an option without its value");
	recording_info_fini(&info);
}

/* ---- causes ---- */

TEST(numbers_of_a_later_version_have_a_name)
{
	assert_string_equal(stmlog_reason_name(UINT32_MAX), "?");
	assert_string_equal(stmlog_contention_name(STMLOG_CONTENTIONS), "?");
	assert_string_equal(stmlog_grade_name(UINT32_MAX), "?");
}

TEST(what_aborts_is_an_abort)
{
	assert_true(cause_is_abort(STMLOG_SELF_ABORT));
	assert_true(cause_is_abort(STMLOG_ABORTED_BY_OTHER));
	assert_true(cause_is_abort(STMLOG_USER_ABORT));
	assert_false(cause_is_abort(STMLOG_PAUSE));
	assert_false(cause_is_abort(STMLOG_WAIT));
	assert_false(cause_is_abort(STMLOG_REASONS));
}
