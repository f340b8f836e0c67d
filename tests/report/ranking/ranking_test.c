/* SPDX-License-Identifier: MIT
 * Rows have all lost time, sorted; and what each says. */
#include "child.h"
#include "random.h"
#include "ranked.h"
#include "utf8.h"

enum { PERCENT = LOST / 100 };

/* ---- of any recording ---- */

/* Entries of any numbers, as a damaged file may have. */
static void lose_at_random(struct random *random)
{
	static const char *const details[] = {"", "COMMIT_WAIT", "RETRY", "RETRY_IN_VAIN", "cancel"};
	uint32_t tracebacks[8] = {0, 1};
	for (uint32_t i = 2; i < 8; i++)
		tracebacks[i] =
			made_traceback(&made, made_site(&made, i == 3 ? "(starved: \033[1m" : "f\xff<int>(int)", i),
				i > 4 ? 0 : STMLOG_NO_SITE);
	tracebacks[7] = made_traceback(&made, made_site(&made, "f", 7), made_site(&made, "(preempted: \033[1m", 0));
	for (uint32_t i = random_below(random, 20); i > 0; i--) {
		struct stmlog_entry_record *entry = made_loss(&made, random_below(random, STMLOG_REASONS + 1),
			random_below(random, STMLOG_CONTENTIONS + 1),
			details[random_below(random, sizeof details / sizeof details[0])],
			random_below(random, 3) == 0 ? random_next(random) >> random_below(random, 64)
						     : random_below(random, 100),
			random_next(random) >> (8 + random_below(random, 50)));
		entry->local = tracebacks[random_below(random, 8)];
		entry->remote = tracebacks[random_below(random, 8)];
		entry->site = random_below(random, 2) ? STMLOG_NO_SITE : random_below(random, 6);
		entry->false_conflicts = random_below(random, 100);
		entry->descheduled_ns = random_below(random, 2) ? 0 : random_next(random) >> random_below(random, 64);
		entry->estimated_ns *= 1 + random_below(random, 4);
		double error_ns = entry->estimated_ns / (1 + random_below(random, 8));
		entry->variance_ns2 = random_below(random, 2) ? 0 : error_ns * error_ns;
		for (size_t k = 0; k < RECORDING_OBJECTS; k++) {
			entry->objects[k].address = random_below(random, 64);
			entry->objects[k].count = random_below(random, 100);
			entry->object_others[k] = random_below(random, 64);
		}
	}
}

static void make_at_random(struct random *random)
{
	begin();
	made.recording.info.sampled = random_below(random, 2);
	made.recording.info.descheduled_known = 1;
	made.threads[0].descheduled_ns = random_below(random, MADE_THREADS_NS);
	lose_at_random(random);
	rank();
}

static void assert_plain(const char *text)
{
	uint32_t point = 0;
	for (size_t len; *text != '\0'; text += len) {
		len = utf8_read(text, &point);
		assert_true(len > 0);
		assert_false(utf8_acts(point));
	}
}

enum { RANDOM_RECORDINGS = 3000 };
#define ROUNDING 1e-9

static bool is_near(double left, double right)
{
	double difference = left > right ? left - right : right - left;
	return difference <= left * ROUNDING + MADE_MAX;
}

TEST(rows_and_what_is_beside_them_add_up_to_all_lost_time)
{
	struct random random = {1};
	size_t count = 0;
	for (int i = 0; i < RANDOM_RECORDINGS; i++) {
		make_at_random(&random);
		double sum = (double)ranked.small.ns + (double)ranked.off_ns + (double)ranked.unmeasured_ns;
		for (size_t k = 0; k < ranked.len; k++)
			sum += (double)ranked.rows[k].lost.ns;
		double all = (double)estimate_of_total(&made.recording).ns;
		assert_true(is_near(all, (double)ranked.total.ns + (double)ranked.retried_ns));
		/* The entries of a sample that was made up do not fit its totals. */
		assert_true(made.recording.info.sampled ? sum >= (double)ranked.total.ns * (1 - ROUNDING)
							: is_near(sum, (double)ranked.total.ns));
		count += ranked.len;
	}
	assert_true(count > RANDOM_RECORDINGS);
}

/* A row that names no transaction stands where its lower end belongs. */
static uint64_t sorted_by_ns(const struct ranking_row *row)
{
	return row->kind == RANKING_UNKNOWN ? row->lost.low_ns : row->lost.ns;
}

TEST(rows_are_sorted_by_their_time_which_lies_in_its_interval)
{
	struct random random = {2};
	for (int i = 0; i < RANDOM_RECORDINGS; i++) {
		make_at_random(&random);
		for (size_t k = 0; k < ranked.len; k++) {
			const struct estimate *lost = &ranked.rows[k].lost;
			assert_true(lost->low_ns <= lost->ns && lost->ns <= lost->high_ns);
			assert_true(lost->ns <= ranked.total.ns && lost->high_ns <= ranked.total.high_ns);
			assert_true(k == 0 || sorted_by_ns(&ranked.rows[k]) <= sorted_by_ns(&ranked.rows[k - 1]));
			assert_true(lost->ns >= (ranked.total.ns - ranked.off_ns) / 100 * RANKING_SMALL_PERCENT);
			assert_int_not_equal(ranked.rows[k].how, RANKING_PREEMPTED); /* never a cause of its own */
		}
	}
}

TEST(texts_of_any_names_are_plain)
{
	struct random random = {3};
	for (int i = 0; i < RANDOM_RECORDINGS; i++) {
		make_at_random(&random);
		for (size_t k = 0; k < ranked.len; k++) {
			const struct ranking_row *row = &ranked.rows[k];
			const char *const texts[] = {
				row->name, row->line, row->how_text, row->data_text, row->try_text};
			for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
				assert_plain(texts[t]);
			for (size_t t = 0; t < row->loser_count; t++)
				assert_plain(row->losers[t].text);
		}
	}
}

TEST(a_row_may_be_higher_exactly_if_its_interval_reaches_that_of_one_above)
{
	struct random random = {4};
	size_t count[2] = {0};
	for (int i = 0; i < RANDOM_RECORDINGS; i++) {
		make_at_random(&random);
		for (size_t k = 1; k < ranked.len; k++) {
			bool overlaps = false;
			for (size_t above = 0; above < k; above++)
				overlaps |= ranked.rows[k].lost.high_ns > ranked.rows[above].lost.low_ns;
			assert_int_equal(ranked.rows[k].may_be_higher, overlaps);
			count[overlaps]++;
		}
	}
	assert_true(count[0] > 100 && count[1] > 100);
}

TEST(a_recording_without_times_has_no_rows)
{
	BEGIN_WITH(conflict, "put", "take", 10, LOST);
	made.recording.info.commits_known = 0;
	rank();
	assert_int_equal(ranked.len, 0);
	assert_int_equal(ranked.total.ns, 0);
}

TEST(a_recording_without_losses_has_no_rows)
{
	begin();
	rank();
	assert_int_equal(ranked.len + ranked.small_count, 0);
}

/* ---- which losses are one row ---- */

/* Also those that are known to be in a helper that the transaction calls. */
TEST(losses_because_of_one_transaction_are_one_row)
{
	begin();
	lose(conflict, "get", NULL, 5, 40 * PERCENT)->remote =
		made_traceback(&made, made_site(&made, "helper", 70), made_site(&made, "take", BEGIN_LINE));
	lose(commit_wait, "get", "take", 7, 30 * PERCENT);
	lose(conflict, "put", "take", 10, 20 * PERCENT);
	lose(conflict, "take", "put", 4, 10 * PERCENT);
	rank();
	assert_int_equal(ranked.len, 2);
	assert_row("take", 22, 90 * PERCENT);
	assert_row("put", 4, 10 * PERCENT);
	assert_string_equal(ranked.rows[0].line, "a.c:10");
	assert_int_equal((int)(ranked.rows[0].share * 100 + 0.5), 90);
	assert_int_equal(ranked.rows[0].kind, RANKING_TRANSACTION);
	assert_int_equal(ranked.rows[0].traceback, made.entries[0].remote); /* of the costliest loss */
}

TEST(rows_below_two_percent_are_counted_as_others)
{
	for (uint64_t less = 0; less < 2; less++) {
		BEGIN_WITH(conflict, "put", "take", 10, 98 * PERCENT + less);
		lose(conflict, "put", "look", 10, 2 * PERCENT - less);
		rank();
		assert_int_equal(ranked.len, 2 - less);
		assert_int_equal(ranked.small_count, less);
		assert_int_equal(ranked.small.ns, less * (2 * PERCENT - less));
	}
}

TEST(waits_for_a_processor_make_no_row_small)
{
	for (uint64_t less = 0; less < 2; less++) {
		BEGIN_WITH(conflict, "put", "take", 10, 98 * 1000 + less);
		lose(conflict, "put", "look", 10, 2 * 1000 - less);
		lose(commit_wait, "take", "get", 10, LOST);
		made_time(&made, at("get", BEGIN_LINE), 100, 100);
		rank();
		assert_int_equal(ranked.off_ns, LOST);
		assert_int_equal(ranked.len, 2 - less);
	}
}

/* Those of small rows, and attempts that the program has ended by a retry, are in none. */
TEST(an_entry_has_the_number_of_its_row)
{
	static const uint32_t numbers[] = {2, 1, 2, 0, 0};
	BEGIN_WITH(conflict, "put", "take", 10, 20 * PERCENT);
	lose(conflict, "take", "put", 10, 70 * PERCENT);
	lose(lock_wait, "get", "take", 10, 9 * PERCENT);
	lose(conflict, "put", "look", 10, PERCENT);
	lose(retry, "take", NULL, 10, PERCENT);
	rank();
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		assert_int_equal(ranked.row_numbers[i], numbers[i]);
}

TEST(a_sample_of_few_losses_counts_as_far_as_it_was_measured)
{
	for (uint64_t count = 9; count <= 10; count++) {
		begin();
		made.recording.info.sampled = 1;
		lose(conflict, "put", "take", count, PERCENT)->estimated_ns = 50.0 * PERCENT;
		made.totals[0].estimated_ns = 50.0 * PERCENT;
		assert_int_equal(only_row()->lost.ns, count == 9 ? PERCENT : 50 * PERCENT);
		assert_int_equal(ranked.unmeasured_ns, count == 9 ? 49 * PERCENT : 0);
	}
}

/* The agent adds a frame to the transaction that the waits were for. */
TEST(waits_for_a_processor_are_in_no_row_unless_the_transaction_in_the_way_is_long)
{
	for (uint64_t longer = 0; longer < 2; longer++) {
		BEGIN_WITH(conflict, "put", "take", 10, 40 * PERCENT);
		lose(commit_wait, "take", "put", 10, 60 * PERCENT)->remote =
			made_traceback(&made, made_site(&made, "put", BEGIN_LINE),
				made_site(&made, "(preempted: a thread had no processor)", 0));
		made_time(&made, at("put", BEGIN_LINE), 100, 100 * (9999 + longer));
		rank();
		assert_int_equal(ranked.off_ns, longer ? 0 : 60 * PERCENT);
		assert_int_equal(ranked.len, 1 + longer);
		assert_string_equal(ranked.rows[0].name, longer ? "put" : "take");
	}
}

/* A commit waits no longer than the attempt that it waits for; where that took so long, its thread was stopped. */
TEST(long_waits_for_the_end_of_short_transactions_are_for_a_processor)
{
	static const uint64_t mean_ns[] = {40000, 40001, 40001}, length_ns[] = {9999, 9999, 10000};
	for (int i = 0; i < 3; i++) {
		BEGIN_WITH(conflict, "put", "take", 10, 40 * PERCENT);
		lose(commit_wait, "take", "put", 10, 10 * mean_ns[i]);
		made_time(&made, at("put", BEGIN_LINE), 100, 100 * length_ns[i]);
		rank();
		assert_int_equal(ranked.off_ns, i == 1 ? 10 * mean_ns[i] : 0);
	}
}

TEST(waits_that_the_agent_calls_long_are_for_a_processor_if_other_programs_had_some_for_as_long)
{
	for (uint64_t more = 0; more < 2; more++) {
		BEGIN_WITH(conflict, "put", "take", 10, 40 * PERCENT);
		lose(alone_wait, "take", "put", 10, 60 * PERCENT)->remote = made_traceback(&made,
			made_site(&made, "put", BEGIN_LINE), made_site(&made, "(long: a wait of 0.4 ms or more)", 0));
		made_time(&made, at("put", BEGIN_LINE), 100, 100);
		made.recording.info.machine_others_ns = 60 * PERCENT - more;
		rank();
		assert_int_equal(ranked.off_ns, more ? 0 : 60 * PERCENT);
	}
}

TEST(long_waits_for_transactions_that_run_alone_are_because_of_these)
{
	begin();
	lose(alone_wait, "take", "put", 10, LOST);
	made_time(&made, at("put", BEGIN_LINE), 100, 100);
	assert_string_equal(only_row()->name, "put");
}

/* ---- who loses ---- */

TEST(those_that_lose_most_are_named_with_their_parts)
{
	static const char *const names[] = {"put", "get", "look", "list"};
	static const uint64_t percent[] = {10, 60, 25, 5};
	begin();
	for (size_t i = 0; i < 4; i++)
		for (int half = 0; half < 2; half++)
			lose(conflict, names[i], "take", 10, percent[i] * PERCENT / 2);
	const struct ranking_row *row = only_row();
	assert_int_equal(row->loser_count, RANKING_LOSERS_MAX);
	for (size_t i = 0; i < RANKING_LOSERS_MAX; i++) {
		static const char *const texts[] = {"get :10", "look :10", "put :10"};
		static const int parts[] = {60, 25, 10};
		assert_string_equal(row->losers[i].text, texts[i]);
		assert_int_equal((int)(row->losers[i].part * 100 + 0.5), parts[i]);
	}
}

TEST(whoever_loses_less_than_a_hundredth_of_a_row_is_not_named)
{
	for (uint64_t less = 0; less < 2; less++) {
		BEGIN_WITH(conflict, "put", "take", 10, 99 * PERCENT + less);
		lose(conflict, "get", "take", 10, PERCENT - less);
		assert_int_equal(only_row()->loser_count, 2 - less);
	}
}

TEST(whoever_loses_in_another_file_or_an_unknown_one_is_named_so)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		begin();
		struct stmlog_entry_record *entry = lose(conflict, is_known ? "put" : NULL, "take", 10, LOST);
		if (is_known)
			made.sites[entry->site].file = made_string(&made, "other.c");
		assert_string_equal(only_row()->losers[0].text, is_known ? "put other.c:10" : "not known");
	}
}

/* ---- how ---- */

TEST(a_row_says_how_most_of_it_was_lost_and_its_part)
{
	for (uint64_t less = 0; less < 2; less++) {
		BEGIN_WITH(lock_wait, "put", "take", 10, (60 + less) * PERCENT);
		lose(conflict, "put", "take", 10, (40 - less) * PERCENT);
		const struct ranking_row *row = only_row();
		assert_int_equal(row->how, less ? RANKING_WAIT : RANKING_CONFLICT);
		assert_int_equal((int)(row->how_part * 100 + 0.5), less ? 61 : 40);
		assert_string_not_equal(row->try_text, "");
	}
}

TEST(what_makes_it_run_alone_stands_before_waits_of_about_the_same_time)
{
	for (uint64_t less = 0; less < 2; less++) {
		BEGIN_WITH(lock_wait, "put", "take", 10, 60 * PERCENT + less);
		lose(alone_wait, "put", "take", 10, 40 * PERCENT - less);
		assert_int_equal(only_row()->how, less ? RANKING_WAIT : RANKING_ALONE);
	}
}

TEST(others_wait_for_a_transaction_that_polls_because_it_polls)
{
	for (uint64_t commits = 10; commits <= 11; commits++) {
		BEGIN_WITH(commit_wait, "put", "take", 10000, LOST);
		lose(cancelled, "take", NULL, 90, LOST / 4);
		made_time(&made, at("take", BEGIN_LINE), commits, 1000);
		assert_int_equal(only_row()->how, commits == 10 ? RANKING_POLL : RANKING_WAIT);
	}
}

/* Four times as much in all as was measured. Of an abort no such time is known. */
TEST(waits_tell_how_long_the_thread_had_no_processor_meanwhile)
{
	begin();
	made.recording.info.sampled = 1;
	lose(commit_wait, "put", "take", 10, PERCENT)->descheduled_ns = PERCENT;
	lose(conflict, "put", "take", 10, PERCENT)->descheduled_ns = PERCENT;
	for (size_t i = 0; i < 2; i++)
		made.entries[i].estimated_ns = made.totals[i].estimated_ns = 4.0 * PERCENT;
	assert_int_equal(only_row()->off_processor_ns, 4 * PERCENT);
}

TEST(a_row_without_a_transaction_stands_behind_one_that_may_have_been_costlier)
{
	for (int is_sure = 0; is_sure < 2; is_sure++) {
		BEGIN_WITH(conflict, "put", NULL, 10, PERCENT);
		lose(conflict, "put", "take", 10, PERCENT);
		made.recording.info.sampled = 1;
		made.entries[0].estimated_ns = 60.0 * PERCENT;
		made.entries[1].estimated_ns = 40.0 * PERCENT;
		made.totals[0].estimated_ns = 100.0 * PERCENT;
		made.entries[0].variance_ns2 = is_sure ? 0 : 30.0 * PERCENT * 30.0 * PERCENT;
		rank();
		assert_int_equal(ranked.len, 2);
		assert_string_equal(ranked.rows[0].name, is_sure ? "not known" : "take");
	}
}

/* ---- for ever ---- */

static struct stmlog_blocked_record blocked[2];

/* A transaction that has slept twice, and was ended so often since nothing could wake it. */
static void sleep_in(const char *transaction, uint64_t for_ever)
{
	struct stmlog_blocked_record *record = &blocked[made.recording.blocked_count++];
	*record = (struct stmlog_blocked_record){
		.site = made_site(&made, transaction, BEGIN_LINE), .count = 2, .for_ever = for_ever};
	made.recording.blocked = blocked;
}

TEST(a_transaction_that_waits_for_ever_has_the_first_row)
{
	BEGIN_WITH(conflict, "put", "take", 10, LOST);
	sleep_in("sleep", 0);
	sleep_in("wait", 2);
	rank();
	assert_int_equal(ranked.len, 2);
	assert_string_equal(ranked.rows[0].name, "wait");
	assert_string_equal(ranked.rows[0].line, "a.c:10");
	assert_int_equal(ranked.rows[0].how, RANKING_FOREVER);
	assert_int_equal(ranked.rows[0].lost.ns, 0);
	assert_string_equal(ranked.rows[1].name, "take");
	assert_false(ranked.rows[1].may_be_higher);
}

TEST(a_transaction_that_waits_for_ever_keeps_what_others_have_lost_because_of_it)
{
	BEGIN_WITH(conflict, "put", "take", 10, 10 * PERCENT);
	lose(conflict, "put", "get", 10, 90 * PERCENT);
	sleep_in("take", 1);
	rank();
	assert_int_equal(ranked.len, 2);
	assert_string_equal(ranked.rows[0].name, "take");
	assert_int_equal(ranked.rows[0].lost.ns, 10 * PERCENT);
	assert_int_equal(ranked.rows[0].how, RANKING_FOREVER);
}

TEST(its_row_has_the_traceback_of_a_retry_if_one_was_measured)
{
	for (int is_measured = 0; is_measured < 2; is_measured++) {
		begin();
		struct stmlog_entry_record *entry = is_measured ? lose(retry, "wait", NULL, 1, 1) : NULL;
		sleep_in("wait", 1);
		assert_int_equal(only_row()->traceback, is_measured ? entry->local : 0);
	}
}

/* ---- names ---- */

TEST(names_are_short)
{
	BEGIN_WITH(conflict, "put", "void market::Book<unsigned long>::take<int>(int) const", 10, LOST);
	assert_string_equal(only_row()->name, "market::Book::take");
}

TEST(a_culprit_that_is_not_known_has_a_reason)
{
	static const struct {
		const struct loss_kind *kind;
		const char *method, *reason;
	} cases[] = {{&conflict, "", "no write was recorded"}, {&lock_wait, "", "nobody was seen"},
		{&retry_in_vain, "", "waker was not measured"}, {&conflict, "htm", "hardware does not say"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		made.recording.info.runtime = cases[i].method[0] != '\0' ? "libitm" : "ghc";
		made.recording.info.method = cases[i].method;
		lose(*cases[i].kind, "put", NULL, 10, LOST);
		assert_string_equal(only_row()->name, "not known");
		assert_string_equal(ranked.rows[0].line, cases[i].reason);
	}
}

static void ask_for_no_how(void)
{
	ranking_how_name(RANKING_HOWS);
}

static void ask_for_no_data(void)
{
	ranking_data_name(RANKING_DATA_KINDS);
}

TEST(each_how_and_each_kind_of_data_has_a_name)
{
	for (int how = 0; how < RANKING_HOWS; how++)
		assert_true(ranking_how_name((enum ranking_how)how)[0] != '\0');
	for (int data = 0; data < RANKING_DATA_KINDS; data++)
		assert_true(ranking_data_name((enum ranking_data)data)[0] != '\0');
}

TEST(no_other_number_has_a_name)
{
	child_is_stopped(ask_for_no_how, "ranking.c");
	child_is_stopped(ask_for_no_data, "ranking.c");
}
