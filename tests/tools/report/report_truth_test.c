/* SPDX-License-Identifier: MIT
 * What must hold of every report, whatever the recording: no row is more than there was time, no part more than its
 * whole, each estimate lies in its interval, and all outputs say the same. Random recordings: right ones, and spoilt
 * ones. */
#include "loaded.h"

#include <jansson.h>
#include <valgrind/valgrind.h>

#include <stmlog/read.h>

#include "recorded_account.h"
#include "number.h"
#include "random_recording.h"
#include "verify.h"
#include "text_has.h"

#define RECORDINGS (RUNNING_ON_VALGRIND ? 1000u : 10000u)
enum { WITH_OUTPUTS = 100 }; /* one in so many has its outputs compared as well */

typedef void make_random(struct writer *writer, struct random *random);

static void load_random(struct recording *recording, make_random *make, struct random *random)
{
	struct writer writer;
	make(&writer, random);
	assert_int_equal(load_written(recording, &writer), RECORDING_WHOLE);
}

static void assert_interval(const struct estimate *estimate)
{
	assert_true(estimate->low_ns <= estimate->ns);
	assert_true(estimate->ns <= estimate->high_ns);
	if (estimate->is_exact)
		assert_true(estimate->low_ns == estimate->high_ns);
}

/* Rows, which are unsigned, cannot be below 0. */
static void assert_rows(const struct account_rows *rows, uint64_t attached_ns, uint64_t open_ns)
{
	uint64_t sum_ns = open_ns;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		assert_interval(&rows->at[row]);
		assert_true(rows->at[row].high_ns <= attached_ns);
		sum_ns += rows->at[row].ns;
	}
	assert_int_equal(sum_ns, attached_ns);
}

static void assert_measured_is_a_part(const struct account_rows *rows)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_OUTSIDE; row++)
		assert_true(rows->at[row].measured_ns <= rows->at[row].low_ns);
}

static void assert_accounts(const struct recording *recording)
{
	uint64_t sums_ns[STMLOG_ACCOUNT_ROWS] = {0};
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		struct account_rows rows = account_rows(recording, thread);
		assert_rows(&rows, thread->attached_ns, thread->open_ns);
		assert_measured_is_a_part(&rows);
		for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
			sums_ns[row] += rows.at[row].ns;
	}
	struct recorded_account total = account_total(recording);
	struct account_rows rows = account_rows_total(recording);
	assert_rows(&rows, total.attached_ns, total.open_ns);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		assert_int_equal(rows.at[row].ns, sums_ns[row]);
}

/* No loss is more than the row that it is a part of. */
static void assert_losses(const struct recording *recording)
{
	struct account_rows rows = account_rows_total(recording);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		size_t row = entry->reason == STMLOG_PAUSE ? STMLOG_ACCOUNT_PAUSED : STMLOG_ACCOUNT_ABORTED;
		struct tally_sum sum = tally_sum_of(entry);
		struct estimate estimate = estimate_of(recording, &sum);
		assert_interval(&estimate);
		assert_true(entry->lost_ns <= estimate.low_ns);
		assert_true(estimate.high_ns <= rows.at[row].high_ns);
	}
}

/* All that was lost is the sum of three rows. Its interval is no wider than all of theirs together, and no end is one
 * that the other rows exclude. */
static void assert_one_sum(const struct recording *recording)
{
	static const size_t lost[] = {STMLOG_ACCOUNT_ABORTED, STMLOG_ACCOUNT_PAUSED, STMLOG_ACCOUNT_WAITING};
	struct account_rows rows = account_rows_total(recording);
	struct recorded_account account = account_total(recording);
	struct estimate total = estimate_of_total(recording), sum = {0};
	uint64_t others_ns = 0;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		others_ns += rows.at[row].low_ns;
	for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
		const struct estimate *row = &rows.at[lost[i]];
		struct account_unexplained rest = account_unexplained(recording, lost[i]);
		sum.ns += row->ns;
		sum.low_ns += row->low_ns;
		sum.high_ns += row->high_ns;
		others_ns -= row->low_ns;
		assert_true(rest.time.low_ns <= rest.time.ns && rest.time.ns <= row->ns);
		assert_true(rest.time.ns <= rest.time.high_ns && rest.time.high_ns <= row->high_ns);
	}
	assert_interval(&total);
	assert_int_equal(total.ns, sum.ns);
	assert_true(total.low_ns >= sum.low_ns && total.high_ns <= sum.high_ns);
	assert_true(total.high_ns <= account.attached_ns - account.open_ns - others_ns);
}

/* ---- outputs ---- */

static uint64_t number(const json_t *object, const char *row, const char *suffix)
{
	char name[64];
	snprintf(name, sizeof name, "%s%s_ns", row, suffix);
	const json_t *value = json_object_get(object, name);
	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static struct estimate estimate_in(const json_t *object, const char *row, bool is_exact)
{
	struct estimate estimate = {
		number(object, row, ""), number(object, row, "_low"), number(object, row, "_high"), 0, is_exact};
	assert_interval(&estimate);
	return estimate;
}

/* That the JSON has this estimate. */
static void assert_same(const json_t *object, const char *row, const struct estimate *expected)
{
	struct estimate found = estimate_in(object, row, expected->is_exact);
	assert_int_equal(found.ns, expected->ns);
	assert_int_equal(found.low_ns, expected->low_ns);
	assert_int_equal(found.high_ns, expected->high_ns);
}

/* The line of the account that begins with the word: a line of the first screen, above it, may begin alike. */
struct line {
	char text[256];
};

/* Inlined, gcc 12 takes `at` for a pointer to a variable of printed_report(). */
__attribute__((noinline)) static struct line line_of(const char *text, const char *word)
{
	struct line line = {""};
	char begin[64];
	snprintf(begin, sizeof begin, "\n%s ", word);
	const char *account = strstr(text, "\naccount "), *at = account != NULL ? strstr(account, begin) : NULL;
	if (at != NULL)
		snprintf(line.text, sizeof line.text, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
	return line;
}

static void assert_rows_are_printed(const struct recording *recording, const json_t *json, const char *text)
{
	const json_t *totals = json_object_get(json, "totals"), *threads = json_object_get(json, "threads");
	struct account_rows rows = account_rows_total(recording);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		assert_same(totals, account_row_name(row), &rows.at[row]);
		if (row == STMLOG_ACCOUNT_BLOCKED && account_total(recording).blocked == 0)
			continue;
		struct line line = line_of(text, account_row_name(row));
		assert_has(line.text, estimate_point(&rows.at[row]).text);
		assert_has(line.text, estimate_range(&rows.at[row]).text);
	}
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct account_rows of = account_rows(recording, &recording->threads[i]);
		for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
			assert_same(json_array_get(threads, i), account_row_name(row), &of.at[row]);
	}
}

/* "12.3" is 123. */
static unsigned tenths_at(const char *text)
{
	unsigned whole = 0, tenths = 0;
	if (sscanf(text, "%u.%1u", &whole, &tenths) != 2)
		fail_msg("no share: %s", text);
	return 10 * whole + tenths;
}

/* Of the bar of the first screen, " paused ### 8.7 %"; 0: it is not shown. */
static unsigned shown_tenths(const char *bar, const char *row)
{
	char words[64];
	snprintf(words, sizeof words, " %s ", row);
	const char *at = strstr(bar, words);
	return at != NULL ? tenths_at(at + strlen(words) + strspn(at + strlen(words), "# ")) : 0;
}

/* "12.3 % (10.0 - 15.0 %) of the time on processors is lost" above the bars, which are shares of the same time. */
static void assert_shares_add_up(const struct recording *recording, const char *text)
{
	static const char words[] = " of the time on processors is lost";
	char *copy = strdup(text), *end = strstr(copy, words), *bar, *headline;
	assert_non_null(end);
	bar = strstr(end, "\n  ");
	*strstr(bar, "\n\n") = '\0';
	*end = '\0';
	for (headline = end; headline[-1] != '\n' && headline[-2] != ';';)
		headline--;
	unsigned aborted = shown_tenths(bar, "aborted"), paused = shown_tenths(bar, "paused"), sum = 0;
	assert_int_equal(tenths_at(headline), aborted + paused + shown_tenths(bar, "waiting"));
	if (recording_is_sampled(recording)) {
		unsigned low = tenths_at(strchr(headline, '(') + 1), high = tenths_at(strchr(headline, '-') + 2);
		assert_true(low <= tenths_at(headline) && tenths_at(headline) <= high && low < high);
	}
	for (size_t row = 0; row <= STMLOG_ACCOUNT_ROWS; row++)
		sum += shown_tenths(bar, row < STMLOG_ACCOUNT_ROWS ? account_row_name(row) : "open");
	assert_int_equal(sum, 1000);
	free(copy);
}

/* The text lists the entries of the JSON in the same order, up to those that are too few to say. */
static void assert_entries_are_printed(const json_t *json, const char *text, bool is_sampled)
{
	const json_t *entries = json_object_get(json, "entries");
	size_t few = 0;
	uint64_t before_ns = UINT64_MAX;
	for (size_t i = 0; i < json_array_size(entries); i++) {
		const json_t *entry = json_array_get(entries, i);
		struct estimate lost = estimate_in(entry, "lost", !is_sampled);
		char words[128];
		few += json_is_true(json_object_get(entry, "too_few"));
		assert_int_equal(few > 0, json_is_true(json_object_get(entry, "too_few")));
		if (few > 0)
			continue;
		assert_true(lost.low_ns <= before_ns);
		before_ns = lost.low_ns;
		snprintf(words, sizeof words, "\n%2zu.  %s  ", i + 1, estimate_number(&lost).text);
		assert_has(text, words);
	}
	if (few > 0)
		assert_has(text, "\ntoo few to say: ");
	else
		assert_null(strstr(text, "too few to say: "));
}

static void assert_outputs_say_the_same(struct recording *recording)
{
	struct report_options all = {.top = REPORT_ALL};
	char *text = printed_report(recording, all, report_text),
	     *json_text = printed_report(recording, all, report_json);
	json_error_t error;
	json_auto_t *json = json_loads(json_text, JSON_REJECT_DUPLICATES, &error);
	if (json == NULL)
		fail_msg("line %d: %s in:\n%s", error.line, error.text, json_text);
	assert_rows_are_printed(recording, json, text);
	assert_shares_add_up(recording, text);
	assert_entries_are_printed(json, text, recording_is_sampled(recording));
	free(json_text);
	free(text);
}

/* ---- the tests ---- */

static void print_violation(const char *text, void *arg)
{
	(void)arg;
	print_message("%s\n", text);
}

static void check_many(make_random *make, uint64_t seed, size_t recordings, bool is_right)
{
	struct random random = {seed};
	for (size_t i = 0; i < recordings; i++) {
		OWNED(recording_fini) struct recording recording;
		load_random(&recording, make, &random);
		assert_accounts(&recording);
		assert_losses(&recording);
		assert_one_sum(&recording);
		if (is_right)
			assert_int_equal(verify_recording(&recording, print_violation, NULL), 0);
		if (i % WITH_OUTPUTS == 0)
			assert_outputs_say_the_same(&recording);
	}
}

TEST(a_recording_of_all_transactions_is_exact)
{
	check_many(random_recording, 1, RECORDINGS / 10, true);
}

TEST(a_recording_of_some_transactions_says_nothing_impossible)
{
	check_many(random_recording_sampled, 2, RECORDINGS, true);
}

TEST(not_even_a_spoilt_recording_says_anything_impossible)
{
	check_many(random_recording_spoilt, 3, RECORDINGS / 2, false);
}
