/* SPDX-License-Identifier: MIT
 * Notes about sides that are not comparable. */
#include "loaded.h"

#include "diff.h"
#include "timeline_text.h"

/* Adds a run with these lines of INFO (ended by NULL), so many threads, and a library of this name. */
static void add_run(
	struct diff_facts *facts, const char *path, const char *const *lines, uint32_t threads, const char *library)
{
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	writer_init(&writer);
	for (; *lines != NULL; lines++)
		writer_info(&writer, *lines);
	for (uint32_t i = 0; i < threads; i++)
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 1 + i});
	struct stmlog_module_record module = {.start = 16, .end = 32, .path = writer_string(&writer, library)};
	writer_module(&writer, &module);
	if (load_written(&recording, &writer) != RECORDING_WHOLE)
		fail_msg("%s", recording.fault);
	diff_facts_add(facts, &recording, path);
}

static void keep(const char *line, void *out)
{
	fprintf(out, "%s\n", line);
}

static void expect(const struct diff_facts *old, const struct diff_facts *new, const char *expected)
{
	OWNED(owned_free) char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	diff_facts_compare(old, new, keep, out);
	fclose(out);
	assert_string_equal(text, expected);
}

static const char *const nothing[] = {NULL};

/* One run a side. */
static void expect_of(const char *const *old_lines, const char *const *new_lines, const char *expected)
{
	OWNED(diff_facts_fini) struct diff_facts old = diff_facts_init(1), new = diff_facts_init(1);
	add_run(&old, "o", old_lines, 1, "/lib/libc.so.6");
	add_run(&new, "n", new_lines, 1, "/opt/libc.so.7");
	expect(&old, &new, expected);
}

TEST(runs_of_one_kind_need_no_word)
{
	static const char *const old[] = {"program=/bank", "arg=bank", "arg=-x", "pid=1", "unix_ns=5", "option=out",
		"value=a", "option=depth", "value=9", NULL};
	static const char *const new[] = {"program=/bank", "arg=/bank", "arg=-x", "pid=1", "unix_ns=6", "option=depth",
		"value=9", "option=out", "value=b", NULL};
	expect_of(nothing, nothing, "");
	expect_of(old, new, "");
}

TEST(each_fact_that_differs_has_a_line)
{
	static const char *const program[] = {"program=/bank", NULL}, *const argument[] = {"arg=x", "arg=-n 5", NULL};
	static const char *const runtime[] = {"runtime=libitm", NULL}, *const tsc[] = {"clock=tsc", NULL};
	static const char *const option[] = {"option=depth", "value=3", NULL}, *const sampled[] = {"sampled=1", NULL};
	static const char *const timeless[] = {"commits_known=0", NULL};
	static const char *const before[] = {"program=/old/bank", NULL}, *const now[] = {"program=/new/bank", NULL};
	expect_of(program, nothing, "the programs differ: OLD bank, NEW none\n");
	expect_of(before, now, ""); /* two builds of it */
	expect_of(nothing, argument, "the arguments differ: OLD none, NEW '-n 5'\n");
	expect_of(runtime, nothing, "the runtimes differ: OLD libitm, NEW none\n");
	expect_of(tsc, nothing, "the clocks differ: OLD tsc, NEW none\n");
	expect_of(nothing, option, "the options differ: OLD none, NEW depth=3\n");
	expect_of(nothing, sampled, "the measured transactions differ: OLD every transaction, NEW some transactions\n");
	expect_of(timeless, nothing, "the measured transactions differ: OLD nothing, NEW every transaction\n");
}

/* A run with a region, or none, of which so many events are missing. */
static void add_incomplete(struct diff_facts *facts, bool has_region, const char *missing)
{
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	timeline_text(&writer, 1, has_region ? "1 1 region-begin 1 a\n2 1 region-end\n" : "1 1 mark 1 a\n");
	writer_info(&writer, missing);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	diff_facts_add(facts, &recording, "run");
}

TEST(runs_whose_regions_lack_events_are_told)
{
	OWNED(diff_facts_fini) struct diff_facts whole = diff_facts_init(2), cut = diff_facts_init(2);
	add_incomplete(&whole, true, "events_missing=0");
	add_incomplete(&whole, false, "events_missing=7");
	add_incomplete(&cut, true, "events_missing=7");
	add_incomplete(&cut, true, "events_missing=1");
	assert_int_equal(whole.incomplete, 0);
	assert_int_equal(cut.incomplete, 2);
	expect(&whole, &whole, "");
	expect(&whole, &cut,
		"events are missing in 0 OLD and 2 NEW runs, and with them time and work of regions; "
		"record with --timeline=unbounded\n");
}

TEST(other_methods_and_machines_are_told)
{
	static const char *const htm[] = {"method=htm", NULL}, *const ml_wt[] = {"method=ml_wt", NULL};
	static const char *const two[] = {"processors=2", NULL}, *const many[] = {"processors=64", NULL};
	expect_of(htm, ml_wt, "the methods differ: OLD htm, NEW ml_wt\n");
	expect_of(nothing, htm, "the methods differ: OLD not known, NEW htm\n");
	expect_of(two, many, "the numbers of processors differ: OLD 2, NEW 64\n");
	expect_of(two, nothing, "the numbers of processors differ: OLD 2, NEW not known\n");
	expect_of(htm, htm, "");
	expect_of(many, many, "");
}

/* A run of a second, so many ms of which a thread was off the processor. */
static void add_descheduled(struct diff_facts *facts, uint64_t ms, bool is_known)
{
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	writer_init(&writer);
	writer_info(&writer, is_known ? "descheduled_known=1" : "descheduled_known=0");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1,
				       .attached_ns = 1000000000,
				       .outside_ns = 1000000000 - ms * 1000000,
				       .descheduled_ns = ms * 1000000});
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	diff_facts_add(facts, &recording, "run");
}

TEST(time_off_the_processor_is_told_if_the_sides_are_apart)
{
	static const struct {
		uint64_t old[2], new[2];
		bool is_known;
		const char *expected;
	} cases[] = {{{0, 20}, {30, 30}, true, ""},
		{{0, 20}, {31, 150}, true,
			"the times off the processor differ: OLD 0.0 to 2.0 % of the threads' time, NEW 3.1 to 15.0 "
			"%\n"},
		{{150, 31}, {20, 0}, true,
			"the times off the processor differ: OLD 3.1 to 15.0 % of the threads' time, NEW 0.0 to 2.0 "
			"%\n"},
		{{0, 900}, {500, 400}, true, ""}, {{150, 150}, {0, 0}, false, ""}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED(diff_facts_fini) struct diff_facts old = diff_facts_init(2), new = diff_facts_init(2);
		for (size_t k = 0; k < 2; k++) {
			add_descheduled(&old, cases[i].old[k], true);
			add_descheduled(&new, cases[i].new[k], cases[i].is_known);
		}
		expect(&old, &new, cases[i].expected);
	}
}

TEST(another_library_that_was_preloaded_is_named)
{
	OWNED(diff_facts_fini) struct diff_facts old = diff_facts_init(1), new = diff_facts_init(1);
	add_run(&old, "o", nothing, 1, "/lib/libstmlog-itm.so");
	add_run(&new, "n", nothing, 1, "/usr/lib/libstmlog-ghc.so");
	expect(&old, &new, "the agents differ: OLD libstmlog-itm.so, NEW libstmlog-ghc.so\n");
}

TEST(threads_differ_where_no_number_is_on_both_sides)
{
	OWNED(diff_facts_fini)
	struct diff_facts few = diff_facts_init(2), more = diff_facts_init(1), many = diff_facts_init(1);
	add_run(&few, "a", nothing, 1, "");
	add_run(&few, "b", nothing, 3, "");
	add_run(&more, "c", nothing, 3, "");
	add_run(&many, "d", nothing, 4, "");
	expect(&few, &more, "");
	expect(&few, &many, "the numbers of threads differ: OLD 1 to 3, NEW 4 to 4\n");
}

TEST(a_side_of_many_kinds_is_told_in_short)
{
	static const char *const names[] = {"clock=a", "clock=b", "clock=a", "clock=c", "clock=d", "clock=e"};
	OWNED(diff_facts_fini) struct diff_facts old = diff_facts_init(6), new = diff_facts_init(1);
	for (size_t i = 0; i < 6; i++)
		add_run(&old, "o", (const char *const[]){names[i], NULL}, 1, "");
	add_run(&new, "n", (const char *const[]){names[0], NULL}, 1, "");
	expect(&old, &new, "the clocks differ: OLD a and b and c and ..., NEW a\n");
}

TEST(a_run_counts_once)
{
	static const char *const run[] = {"unix_ns=9", "pid=7", NULL}, *const other[] = {"unix_ns=9", "pid=8", NULL};
	OWNED(diff_facts_fini) struct diff_facts old = diff_facts_init(3), new = diff_facts_init(1);
	add_run(&old, "a", run, 1, "");
	add_run(&old, "b", other, 1, "");
	add_run(&old, "c", run, 1, "");
	add_run(&new, "d", run, 1, "");
	expect(&old, &new, "OLD has one run twice: a, c\none run is on both sides: OLD a, NEW d\n");
}

TEST(sides_look_swapped_if_all_new_runs_are_older)
{
	static const char swapped[] = "the NEW runs were all made before the OLD ones: the sides look swapped\n";
	static const char *const early[] = {"unix_ns=5", NULL}, *const late[] = {"unix_ns=8", NULL};
	OWNED(diff_facts_fini) struct diff_facts both = diff_facts_init(2), one = diff_facts_init(1);
	expect_of(late, early, swapped);
	expect_of(early, late, "");
	expect_of(late, nothing, "");
	add_run(&both, "a", late, 1, "");
	add_run(&both, "b", (const char *const[]){"unix_ns=4", NULL}, 1, "");
	add_run(&one, "c", early, 1, "");
	expect(&both, &one, "");
}
