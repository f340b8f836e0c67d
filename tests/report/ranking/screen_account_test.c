/* SPDX-License-Identifier: MIT
 * What the first screen says of the threads' time. */
#include <stdio.h>

#include "screened.h"

enum { MS = 1000000 };

/* One thread of a second; the test fills its rows. */
static struct stmlog_thread_record *begin_account(void)
{
	begin();
	made.has_own_account = true;
	made.recording.info.wall_ns = 1000 * MS;
	made.recording.thread_count = 1;
	made.threads[0] = (struct stmlog_thread_record){.id = 1, .attached_ns = 1000 * MS, .commits = 20000};
	return &made.threads[0];
}

/* ---- shares ---- */

/* Half of the time the thread had no processor; of the rest it has lost 20 %. */
TEST(lost_time_is_a_share_of_the_time_on_processors)
{
	struct stmlog_thread_record *thread = begin_account();
	thread->descheduled_ns = 500 * MS;
	thread->paused_ns = 100 * MS;
	thread->outside_ns = 400 * MS;
	thread->pauses = 10;
	lose(commit_wait, "put", "take", 10, 100 * MS);
	screen();
	assert_has(text, "20,000 commits/s; no attempt aborts; 20.0 % of the time on processors is lost");
	assert_has(text, "no processor for 50.0 % of the time");
	assert_has(text, "\n  paused ###### 20.0 %  outside ######################## 80.0 %\n");
}

TEST(time_without_a_processor_is_told_from_a_hundredth_on)
{
	for (uint64_t less = 0; less < 2; less++) {
		begin_account()->descheduled_ns = 10 * MS - less;
		assert_int_equal(strstr(screen(), "no processor for 1.0 % of the time") != NULL, !less);
	}
}

TEST(attempts_that_the_program_ends_by_a_retry_are_waits)
{
	struct stmlog_thread_record *thread = begin_account();
	thread->aborted_ns[STMLOG_NONE] = 300 * MS;
	thread->aborts[STMLOG_NONE] = 20;
	thread->outside_ns = 700 * MS;
	lose(retry, "put", NULL, 10, 200 * MS);
	lose(cancelled, "put", NULL, 10, 100 * MS);
	screen();
	assert_has(text, "; 1 attempt in 2,001 aborts\n10.0 % of the time on processors is lost");
	assert_has(text, "blocked ###### 20.0 %");
	assert_has(text, "aborted ### 10.0 %");
}

TEST(how_often_attempts_abort_is_told_by_a_number_or_by_a_share)
{
	static const struct {
		uint64_t aborts;
		const char *words;
	} cases[] = {{0, "; no attempt aborts"}, {1, "; 1 attempt in 20,001 aborts"},
		{2000, "; 1 attempt in 11 aborts"}, {2222, "; 1 attempt in 10 aborts"},
		{2223, "; 10.0 % of the attempts abort"}, {20000, "; 50.0 % of the attempts abort"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin_account()->aborts[STMLOG_NONE] = cases[i].aborts;
		assert_has(screen(), cases[i].words);
	}
}

/* A thread that has lost so many milliseconds, as timed transactions say. One loss of a millisecond was measured, or
 * none. */
static const struct {
	const char *name;
	const struct loss_kind *kind;
} rows[] = {{"aborted", &conflict}, {"paused", &commit_wait}, {"waiting", &alone_wait}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void lose_unexplained(size_t row, uint64_t ms, uint64_t losses)
{
	struct stmlog_thread_record *thread = begin_account();
	thread->committed_ns = 10 * MS;
	thread->estimated_committed_ns = 300 * MS;
	thread->outside_ns = (990 - losses) * MS;
	thread->commits = 100;
	thread->unmeasured_commits = 20000;
	uint64_t *const measured_ns[] = {thread->aborted_ns, &thread->paused_ns, &thread->waiting_inevitable_ns};
	uint64_t *const counts[] = {thread->aborts, &thread->pauses, &thread->waits_inevitable};
	uint64_t *const estimated_ns[] = {
		thread->estimated_aborted_ns, &thread->estimated_paused_ns, &thread->estimated_waiting_inevitable_ns};
	*measured_ns[row] = losses * MS;
	*counts[row] = losses;
	*estimated_ns[row] = ms * MS;
	made.recording.info.sampled = 1;
	made.recording.info.timed_commits = 500;
	if (losses > 0)
		lose(*rows[row].kind, "put", "take", 1, MS);
}

TEST(the_share_of_a_sample_has_an_interval)
{
	lose_unexplained(0, 100, 1);
	assert_has(screen(), "\n10.0 % (10.0 - 10.1 %) of the time on processors is lost");
}

TEST(how_often_transactions_were_blocked_is_told_if_any_was)
{
	for (uint64_t count = 0; count < 2; count++) {
		struct stmlog_thread_record *thread = begin_account();
		thread->blocked = thread->blocked_in_vain = count;
		thread->blocked_unattached = 4 * count;
		assert_int_equal(strstr(screen(), "5 times blocked after a retry, 1 in vain\n") != NULL, count);
		assert_int_equal(strstr(text, "blocked after a retry") != NULL, count);
	}
}

/* The waker has committed 50 times, of which `measured` were measured; 150 of 200 known wakes are its own. */
static const char *screen_of_wakes(uint64_t measured, uint64_t blocked)
{
	begin_account()->blocked = blocked;
	uint32_t waiter = made_site(&made, "take", 9), waker = made_site(&made, "put", 7);
	struct stmlog_blocked_record record = {.site = waiter, .count = blocked, .wakes_known = 200};
	record.wakers[0].site = waker;
	record.wakers[0].count = 150;
	made.recording.blocked = &record;
	made.recording.blocked_count = 1;
	made.transactions[made.recording.transaction_count++] = (struct stmlog_transaction_record){
		.site = waker, .commits = measured, .attempts = measured, .estimated_commits = 50};
	screen();
	made.recording.blocked_count = 0;
	return text;
}

TEST(a_transaction_that_wakes_several_each_time_is_named)
{
	assert_has(screen_of_wakes(10, 1000), " in vain\neach commit of put a.c:7 wakes 15\n");
	assert_has(screen_of_wakes(10, 134), "\neach commit of put a.c:7 wakes 2\n");
	assert_has_not(screen_of_wakes(10, 133), "wakes");
	assert_has_not(screen_of_wakes(9, 1000), "wakes");
}

TEST(hidden_losses_have_no_share)
{
	begin_account()->committed_ns = 10 * MS;
	made.recording.info.method = "htm";
	screen();
	assert_has(text, "20,000 commits/s\n");
	assert_has_not(text, "is lost");
	assert_has_not(text, "elsewhere");
}

/* ---- what no measured loss explains ---- */

TEST(time_that_no_measured_loss_explains_is_a_line_of_its_own)
{
	static const char *const of[] = {"no measured loss", "only 1 measured loss"};
	for (size_t row = 0; row < ROWS; row++) {
		for (uint64_t losses = 0; losses < 2; losses++) {
			char line[120];
			snprintf(line, sizeof line, "\n  %s 10.0 %%: of %s; record --sample=1 tells where\n",
				rows[row].name, of[losses]);
			lose_unexplained(row, 100, losses);
			assert_has(screen(), line);
			assert_has_not(text, "elsewhere");
		}
	}
}

TEST(below_a_hundredth_there_is_no_line_of_unexplained_time)
{
	for (uint64_t ms = 9; ms <= 10; ms++) {
		for (size_t row = 0; row < ROWS; row++) {
			lose_unexplained(row, ms, 0);
			assert_int_equal(strstr(screen(), "of no measured loss") != NULL, ms == 10);
		}
	}
}

/* ---- where little is lost ---- */

/* Lost, committed, and blocked time together make up so many milliseconds; or time without a processor does alone. Of
 * what little is lost there are rows. */
TEST(transactions_are_not_worth_a_look_below_a_tenth_of_the_time_all_together)
{
	for (uint64_t part = 0; part < 5; part++) {
		for (uint64_t less = 0; less < 2; less++) {
			struct stmlog_thread_record *thread = begin_account();
			uint64_t *const parts[] = {&thread->committed_ns, thread->aborted_ns, &thread->blocked_ns,
				&thread->open_ns, &thread->descheduled_ns};
			thread->committed_ns = 10 * MS;
			*parts[part] += ((part == 4 ? 100 : 90) - less) * MS;
			thread->outside_ns = (900 + less) * MS;
			if (part == 1) {
				thread->aborts[0] = 10;
				lose(conflict, "put", "take", 10, thread->aborted_ns[0]);
			}
			assert_int_equal(strstr(screen(), "look elsewhere") != NULL, less);
			assert_int_equal(
				strstr(text, " first, then at these rows.\n\n  # ") != NULL, part == 1 && less);
		}
	}
}

TEST(a_transaction_that_waits_for_ever_is_worth_a_look)
{
	struct stmlog_thread_record *thread = begin_account();
	thread->outside_ns = 1000 * MS;
	struct stmlog_blocked_record blocked = {
		.site = made_site(&made, "wait", BEGIN_LINE), .count = 1, .for_ever = 1};
	made.recording.blocked = &blocked;
	made.recording.blocked_count = 1;
	assert_has_not(screen(), "elsewhere");
	assert_has(text, "  1 wait  a.c:10");
	assert_has_not(text, "of no loss");
	begin();
}

TEST(where_little_is_lost_and_much_committed_the_longest_transactions_are_told)
{
	for (int i = 0; i < 3; i++) {
		struct stmlog_thread_record *thread = begin_account();
		thread->committed_ns = (i == 1 ? 99 : 480) * MS;
		thread->outside_ns = 420 * MS;
		made_time(&made, at("short", BEGIN_LINE), 1000, 80 * MS);
		struct stmlog_transaction_record *record = made_time(&made, at("anyOf", 31), 700, 400 * MS);
		record->reads = 3000;
		record->reads_known = 10;
		if (i == 2) {
			thread->aborted_ns[0] = 100 * MS;
			thread->aborts[0] = 10;
			lose(cancelled, "put", NULL, 10, 100 * MS);
		}
		screen();
		assert_int_equal(
			strstr(text, "\ncommitted 48.0 %: mostly anyOf a.c:31, 571.4 us each, 300 reads\n") != NULL,
			i == 0);
		assert_int_equal(strstr(text, "mostly") != NULL, i == 0);
	}
}

TEST(transactions_of_unknown_length_are_not_told)
{
	begin_account()->committed_ns = 480 * MS;
	screen();
	assert_has_not(text, "mostly");
	assert_has_not(text, "elsewhere");
}
