/* SPDX-License-Identifier: MIT
 * Which totals are exact, and what a report says of recordings that lack aborts or times. */
#include "report_words.h"

static void write_thread_with(const char *const *lines)
{
	writer_init(&writer);
	for (; *lines != NULL; lines++)
		writer_info(&writer, *lines);
	writer_thread(&writer,
		&(struct stmlog_thread_record){.id = 1, .attached_ns = 5, .outside_ns = 5, .unmeasured_aborts = 1000});
}

TEST(totals_are_exact_where_all_was_measured_or_counters_are_read)
{
	static const struct {
		const char *info[4];
		bool is_exact;
	} cases[] = {
		{{NULL}, true},
		{{"sample_every=1", "counters_known=0"}, true},
		{{"sample_every=4", "counters_known=1"}, true},
		{{"sample_every=4", "counters_known=0"}, false},
		{{"sample_every=4"}, true}, /* a runtime that tells of unmeasured ones by itself */
		{{"commits_known=0", "counters_known=1"}, true},
		{{"commits_known=0", "counters_known=0"}, false},
		{{"attaches_refused=1"}, false},
		{{"threads_uncounted=1"}, false},
		{{"method=htm"}, false},
		{{"method=htm", "hardware_commits=0", "counters_known=1"}, false},
		{{"method=ml_wt", "sample_every=4", "counters_known=1"}, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED(recording_fini) struct recording recording;
		write_thread_with(cases[i].info);
		assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
		assert_int_equal(recording_has_exact_totals(&recording), cases[i].is_exact);
	}
}

static void add_module(const char *path, uint8_t id)
{
	struct stmlog_module_record module = {.build_id_len = 2, .build_id = {id, 0x0c}};
	module.path = writer_string(&writer, path);
	writer_module(&writer, &module);
}

TEST(a_libitm_whose_counters_are_not_known_is_named_by_its_build_id)
{
	static const char *const lines[] = {"sample_every=4", "counters_known=0", NULL};
	write_thread_with(lines);
	add_module("/lib/libitmus.so", 7);
	expect_words(plain, (const char *const[]){"\naborts of transactions that were not measured are missing: the "
						  "counters of this libitm are not known\n",
				    NULL});
	write_thread_with(lines);
	add_module("/lib/libitmus.so", 7);
	add_module("/lib/libitm.so.1", 0xab);
	expect_words(plain, (const char *const[]){"the counters of this libitm (build-id ab0c) are not known\n", NULL});
}

TEST(where_only_aborts_were_counted_no_time_and_no_loss_is_told)
{
	write_thread_with((const char *const[]){
		"commits_known=0", "counters_known=1", "passive=1", "restarts_LOCKED_READ=1000", NULL});
	OWNED(owned_free) char *text = text_of(plain);
	assert_has(text, "\n1,000 aborts by libitm's own count; no time was measured, and no commit counted\n");
	assert_null(strstr(text, "committed"));
	assert_null(strstr(text, "exact"));
	assert_null(strstr(text, "lost"));
}
