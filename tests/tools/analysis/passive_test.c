/* SPDX-License-Identifier: MIT
 * A passive recording, by itself and beside another one; and which totals are exact. */
#include "loaded.h"

#include <stmlog/read.h>

#include "passive.h"
#include "text_has.h"

/* What a recording says of itself, and its only thread. */
struct made {
	const char *info[12];
	struct stmlog_thread_record thread;
	uint64_t user_aborts; /* of the thread's, in the totals */
};

static struct recording load(const struct made *made)
{
	struct writer writer;
	struct recording recording;
	static const struct stmlog_module_record others = {.build_id_len = 1, .build_id = {7}},
						 libitm = {.build_id_len = 2, .build_id = {0xab, 0x0c}};
	struct stmlog_module_record module = others;
	writer_init(&writer);
	for (const char *const *line = made->info; *line != NULL; line++)
		writer_info(&writer, *line);
	module.path = writer_string(&writer, "/lib/libitmus.so");
	writer_module(&writer, &module);
	module = libitm;
	module.path = writer_string(&writer, "/lib/libitm.so.1");
	writer_module(&writer, &module);
	writer_thread(&writer, &made->thread);
	if (made->user_aborts != 0)
		writer_total(&writer, STMLOG_USER_ABORT, STMLOG_NONE, made->user_aborts, 1);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	return recording;
}

#define COMMAND "program=/bin/bank", "arg=bank", "arg=-n", "wall_ns=2000000000"

/* Of a program that lost 1,000 attempts unseen, by the STM's count. */
static const struct made passive = {
	{COMMAND, "passive=1", "commits_known=0", "counters_known=1", "restarts_LOCKED_READ=900",
		"restarts_LOCKED_WRITE=100", "restarts_SERIAL_IRR=0"},
	{.id = 1, .attached_ns = 5, .outside_ns = 5, .unmeasured_aborts = 1000},
	0,
};

/* And 800 with the agent, of 870 with those that the program asked for. */
static const struct made active = {
	{COMMAND, "sample_every=16", "counters_known=1", "unmeasured_cancels=50"},
	{.id = 1, .commits = 10, .aborts = {100, 0, 0, 20}, .unmeasured_commits = 90, .unmeasured_aborts = 750},
	20,
};

TEST(totals_are_exact_where_all_was_measured_or_counters_are_read)
{
	static const struct {
		const char *info[5];
		bool is_exact;
	} cases[] = {
		{{NULL}, true},
		{{"sample_every=1", "counters_known=0"}, true},
		{{"sample_every=4", "counters_known=1"}, true},
		{{"sample_every=4", "counters_known=0"}, false},
		{{"sample_every=4"}, true}, /* a runtime that tells of unmeasured ones by itself */
		{{"passive=1", "counters_known=1"}, true},
		{{"passive=1", "counters_known=0"}, false},
		{{"passive=1", "counters_known=1", "threads_unseen=1"}, false},
		{{"attaches_refused=1"}, false},
		{{"threads_uncounted=1"}, false},
		{{"method=htm"}, false},
		{{"method=htm", "counters_known=1"}, false},
		{{"method=htm", "passive=1", "counters_known=1"}, false},
		{{"method=htm", "hardware_commits=0", "counters_known=1"}, false},
		{{"method=ml_wt", "sample_every=4", "counters_known=1"}, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made made = {.thread = {.id = 1}};
		memcpy(made.info, cases[i].info, sizeof cases[i].info);
		struct recording recording = load(&made);
		assert_int_equal(recording_has_exact_totals(&recording), cases[i].is_exact);
		recording_fini(&recording);
	}
}

TEST(what_the_program_cancelled_is_no_restart)
{
	struct recording with = load(&active), without = load(&passive);
	assert_int_equal(passive_restarts(&with), 800);
	assert_int_equal(passive_restarts(&without), 1000);
	assert_true(passive_ratio(&without, &with) == 0.8);
	assert_null(passive_mismatch(&with, &without));
	assert_null(passive_mismatch(&without, &with));
	recording_fini(&with);
	recording_fini(&without);
}

TEST(more_cancels_than_aborts_leave_none)
{
	struct made made = active;
	made.info[6] = "unmeasured_cancels=1000000";
	struct recording recording = load(&made);
	assert_int_equal(passive_restarts(&recording), 0);
	recording_fini(&recording);
}

TEST(without_exact_counts_there_is_no_ratio)
{
	struct made unknown = active, none = passive;
	unknown.info[5] = "counters_known=0";
	none.thread.unmeasured_aborts = 0;
	struct recording with = load(&active), without = load(&passive), inexact = load(&unknown), calm = load(&none);
	assert_true(passive_ratio(&without, &inexact) < 0);
	assert_true(passive_ratio(&calm, &with) < 0);
	recording_fini(&with);
	recording_fini(&without);
	recording_fini(&inexact);
	recording_fini(&calm);
}

static void mismatch(const struct made *a, const struct made *b, const char *why)
{
	struct recording one = load(a), two = load(b);
	assert_string_equal(passive_mismatch(&one, &two), why);
	recording_fini(&one);
	recording_fini(&two);
}

TEST(only_two_of_one_command_go_beside_each_other)
{
	struct made other = active;
	mismatch(&passive, &passive, "both are passive");
	mismatch(&active, &active, "neither is passive");
	other.info[0] = "program=/bin/list";
	mismatch(&passive, &other, "they are of different programs or arguments");
	other = active;
	other.info[2] = "arg=-m";
	mismatch(&passive, &other, "they are of different programs or arguments");
	other.info[2] = "of_the_future=1";
	mismatch(&other, &passive, "they are of different programs or arguments");
	/* By another name it is the same program. */
	other = active;
	other.info[1] = "arg=./bank";
	struct recording one = load(&other), two = load(&passive);
	assert_null(passive_mismatch(&one, &two));
	recording_fini(&one);
	recording_fini(&two);
}

TEST(unknown_counters_are_named_by_build_id)
{
	struct recording recording = load(&passive);
	char *why = passive_why_unknown(&recording);
	assert_string_equal(why, "the counters of this libitm (build-id ab0c) are not known");
	free(why);
	recording.module_count = 1; /* without libitm */
	why = passive_why_unknown(&recording);
	assert_string_equal(why, "the counters of this libitm are not known");
	free(why);
	recording_fini(&recording);
}

TEST(hardware_transactions_leave_no_counts)
{
	struct made unseen = passive;
	unseen.info[4] = "method=htm";
	unseen.info[5] = "passive=1";
	struct recording recording = load(&unseen);
	char *why = passive_why_unknown(&recording);
	assert_string_equal(why, "hardware transactions leave no counts in libitm");
	free(why);
	recording_fini(&recording);
}

/* The report of one, beside the other if there is one; the caller frees it. */
static char *report_of(const struct made *one, const struct made *beside, void (*make)(const struct report *report))
{
	struct recording recording = load(one), other;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	if (beside != NULL)
		other = load(beside);
	struct symbols *symbols = symbols_create(&recording);
	struct printer printer = file_printer(out);
	struct report report = {
		&recording, symbols, {.top = 5}, &printer, beside != NULL ? &other : NULL, REPORT_USUAL_FILE, NULL};
	make(&report);
	symbols_destroy(&symbols);
	fclose(out);
	recording_fini(&recording);
	if (beside != NULL)
		recording_fini(&other);
	return text;
}

static void expect(char *text, const char *words)
{
	assert_has(text, words);
	free(text);
}

TEST(a_passive_report_has_no_times_and_no_commits)
{
	char *text = report_of(&passive, NULL, report_text);
	assert_non_null(strstr(text, "passive: no entry of the STM was hooked"));
	assert_non_null(strstr(text, "LOCKED_READ     900   90.0 %         450\n"));
	assert_non_null(strstr(text, "all           1,000  100.0 %         500\n"));
	assert_non_null(strstr(text, "this count is exact"));
	assert_null(strstr(text, "SERIAL_IRR"));
	assert_null(strstr(text, "committed"));
	assert_null(strstr(text, "Nothing was lost"));
	free(text);
}

TEST(the_passive_run_stands_beside_the_other)
{
	struct made unknown = active;
	expect(report_of(&active, &passive, report_text),
		"aborts without the agent / with it: 1,000 / 800 (with it 0.80 times as many)\n"
		"run time without the agent / with it: 2.00 s / 2.00 s (with it 1.00 times as long)\n"
		"counts of commits and aborts are exact");
	unknown.info[5] = "counters_known=0";
	expect(report_of(&unknown, &passive, report_text), "with it: 1,000 / not known\n");
	expect(report_of(&unknown, NULL, report_text), "not measured are missing: the counters of this libitm");
}

TEST(the_json_tells_the_same)
{
	struct made unknown = active;
	expect(report_of(&passive, NULL, report_json),
		"\"passive\": {\"aborts\": 1000, \"wall_ns\": 2000000000, "
		"\"restarts\": {\"LOCKED_READ\": 900, \"LOCKED_WRITE\": 100, \"SERIAL_IRR\": 0}}");
	expect(report_of(&passive, NULL, report_json), "\"exact\": true, \"commits_known\": false}");
	expect(report_of(&active, &passive, report_json), "\"aborts_with_agent\": 800, \"ratio\": 0.8}");
	expect(report_of(&active, NULL, report_json), "\"passive\": null");
	expect(report_of(&active, NULL, report_json), "\"exact\": true, \"commits_known\": true}");
	unknown.info[5] = "counters_known=0";
	expect(report_of(&unknown, &passive, report_json), "\"aborts_with_agent\": null, \"ratio\": null}");
	expect(report_of(&unknown, NULL, report_json), "\"exact\": false, \"commits_known\": true}");
}

TEST(a_word_that_is_too_long_is_cut)
{
	char line[200], word[64];
	memset(line, 'x', sizeof line);
	strcpy(line + 190, "=12");
	assert_int_equal(report_restarts(line, word), 12);
	assert_int_equal(strlen(word), 63);
}
