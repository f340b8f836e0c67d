/* SPDX-License-Identifier: MIT
 * When transactions that wait after a retry are a herd. */
#include "stories.h"

/* A run of 0.2 s: four transactions wait for one variable all the time, and a quarter of their wakes are in vain. */
enum { WAKES = 800, IN_VAIN = 200, WAITERS = 4, VAIN_NS = 20000 };

static struct stmlog_blocked_record blocked;
static uint32_t begin;

/* Attempts in vain because of `call`, over one of so many variables each. */
static void be_woken(uint64_t count, uint64_t variables)
{
	uint32_t local = made_traceback(&made, made_site(&made, "wait_turn", 31), begin), remote = at("call", 42);
	for (uint64_t i = 0; i < variables; i++) {
		struct stmlog_entry_record *entry = made_loss(
			&made, STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_HERD", count / variables, VAIN_NS / variables);
		entry->site = begin;
		entry->local = local;
		entry->remote = remote;
		entry->objects[0].address = WORD + 8 * i;
		entry->objects[0].count = entry->count;
	}
}

static void wait_for(uint64_t variables)
{
	made_begin(&made);
	begin = made_site(&made, "patient", 30);
	blocked = (struct stmlog_blocked_record){
		.site = begin, .count = WAKES, .in_vain = IN_VAIN, .blocked_ns = (uint64_t)WAITERS * MADE_THREADS_NS};
	made.recording.blocked = &blocked;
	made.recording.blocked_count = 1;
	be_woken(100, variables);
}

TEST(transactions_that_are_mostly_woken_in_vain_are_a_herd)
{
	wait_for(1);
	assert_found(FINDING_HERD, 100, VAIN_NS);
	const struct copied *copied = &found[0];
	assert_int_equal(copied->finding.rule, FINDING_HERD);
	assert_string_equal(copied->where, "a.c:31 wait_turn");
	assert_non_null(strstr(copied->because, ", written at a.c:42 call"));
	assert_non_null(strstr(copied->object, "0x10000"));
	assert_string_equal(copied->share, "4 wait, 200 of 800 wakes and 4.9 % of the attempts in vain");
}

TEST(the_part_of_all_attempts_that_was_in_vain_is_told)
{
	wait_for(1);
	for (int i = 0; i < MADE_THREADS; i++)
		made.threads[i].commits = made.threads[i].aborts[STMLOG_NONE] = made.threads[i].unmeasured_commits = 0;
	made.threads[0].commits = 100;
	made.threads[0].aborts[STMLOG_NONE] = 200; /* and the hundred over the variable */
	made.recording.info.blocked_spurious = 0;
	made.threads[0].blocked_unattached_in_vain = IN_VAIN;
	assert_non_null(finding_of(FINDING_HERD));
	assert_string_equal(found[0].share, "4 wait, 200 of 800 wakes and 50.0 % of the attempts in vain");
	made.recording.info.blocked_spurious = IN_VAIN / 2;
	assert_non_null(finding_of(FINDING_HERD));
	assert_string_equal(found[0].share, "4 wait, 200 of 800 wakes and 25.0 % of the attempts in vain");
}

/* They cost 0.01 % of the time. But little is lost in all, most of what a herd costs is elsewhere, and it does not
 * poll.
 */
TEST(a_herd_is_told_whatever_time_was_lost_and_nothing_else_is)
{
	wait_for(1);
	assert_non_null(finding_of(FINDING_HERD));
	assert_int_equal(found_len, 1);
	wait_for(1);
	blocked.in_vain = 0;
	assert_null(finding_of(FINDING_HERD));
	assert_int_equal(found[0].finding.rule, FINDING_LITTLE_LOST);
	made.entries[0].lost_ns = made.totals[0].lost_ns = LOST;
	assert_null(finding_of(FINDING_POLLING));
}

TEST(few_wakes_in_vain_are_no_herd)
{
	for (int i = 0; i < 5; i++) {
		wait_for(1);
		if (i == 1)
			strcpy(made.strings + made.entries[0].detail, "RETRY_IN_VAIN");
		blocked.count += i == 2;
		if (i == 3) /* too few a second */
			blocked.in_vain--, blocked.count -= 4;
		if (i == 4)
			made.entries[0].count = made.entries[0].objects[0].count = 9;
		assert_true((finding_of(FINDING_HERD) != NULL) == (i == 0));
	}
}

/* A hundred attempts were woken by a write that had woken others, and 150 by one that had not, or is not known. */
TEST(writes_that_wake_one_transaction_each_make_no_herd)
{
	for (int i = 0; i < 3; i++) {
		wait_for(1);
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_VAIN", i == 0 ? 150 : 151, VAIN_NS);
		entry->site = begin;
		entry->remote = i < 2 ? at("call", 42) : 0;
		entry->objects[0].address = WORD;
		entry->objects[0].count = entry->count;
		assert_true((finding_of(FINDING_HERD) != NULL) == (i != 1));
	}
}

/* Of ten the write has woken others that were measured, of 90 it has not; 100 of 400 are measured, and so 10 % suffice.
 */
TEST(in_a_sample_fewer_wakes_are_known_to_share_their_write)
{
	for (int i = 0; i < 2; i++) {
		wait_for(1);
		blocked.in_vain = i == 0 ? 400 : 399;
		made.entries[0].count = made.entries[0].objects[0].count = 10;
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_VAIN", 90, VAIN_NS);
		entry->site = begin;
		entry->remote = at("call", 42);
		entry->objects[0].address = WORD;
		entry->objects[0].count = entry->count;
		assert_true((finding_of(FINDING_HERD) != NULL) == (i == 0));
	}
}

TEST(where_those_that_were_woken_do_not_run_it_is_not_told_how_many_wait)
{
	wait_for(1);
	blocked.blocked_ns = 2 * (uint64_t)MADE_THREADS_NS - 1;
	assert_non_null(finding_of(FINDING_HERD));
	assert_string_equal(found[0].share, "200 of 800 wakes and 4.9 % of the attempts in vain");
}

TEST(transactions_that_wait_for_a_variable_each_are_no_herd)
{
	wait_for(2);
	assert_null(finding_of(FINDING_HERD));
	wait_for(2); /* two herds */
	blocked.blocked_ns *= 2;
	blocked.in_vain *= 2;
	assert_non_null(finding_of(FINDING_HERD));
	assert_int_equal(found_len, 2);
}

/* What the waiting ones lose over it, or make others lose, but not what others lose to each other. */
TEST(conflicts_over_the_variable_with_the_waiting_ones_are_part_of_it)
{
	for (int i = 0; i < 4; i++) {
		wait_for(1);
		struct stmlog_entry_record *entry = abort_over_data(ABORTS);
		entry->objects[0].address = WORD;
		entry->objects[0].count = ABORTS;
		if (i == 0)
			entry->site = begin;
		if (i == 3)
			entry->reason = made.totals[1].reason = STMLOG_PAUSE;
		if (i % 2 == 1)
			entry->remote = made_traceback(&made, made_site(&made, "leave", 33), begin);
		assert_found(FINDING_HERD, i != 2 ? 100 + ABORTS : 100, VAIN_NS + (i != 2 ? LOST : 0));
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (i == 2));
	}
}

TEST(the_writer_is_not_one_of_those_that_wait_if_another_is_known)
{
	wait_for(1);
	made.entries[0].remote = made_traceback(&made, made_site(&made, "leave", 33), begin);
	assert_non_null(finding_of(FINDING_HERD));
	assert_non_null(strstr(found[0].because, ", written at a.c:33 leave"));
	be_woken(10, 1);
	assert_non_null(finding_of(FINDING_HERD));
	assert_non_null(strstr(found[0].because, ", written at a.c:42 call"));
}
