/* SPDX-License-Identifier: MIT
 * Facts and figures in the file, and what was not recorded. */
#include "written_file.h"

#include <errno.h>

#include "child.h"
#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "peer.h"
#include "session.h"

/* ---- facts of the runtime's, and the machine's ---- */

TEST_WITH(session_fixture, facts_are_there_as_they_were_told_last)
{
	char key[] = "method"; /* the same key at another address */
	stmlog_set_fact("stripe_bytes", 32);
	stmlog_set_fact("stripe_bytes", 64);
	stmlog_set_word("method", "ml_wt");
	stmlog_set_word(key, "htm");
	make_file();
	assert_true(has_info("stripe_bytes=64"));
	assert_false(has_info("stripe_bytes=32"));
	assert_true(has_info("method=htm"));
	assert_false(has_info("method=ml_wt"));
}

TEST_WITH(session_fixture, a_fact_that_has_words_has_no_number)
{
	stmlog_set_fact("method", 7);
	stmlog_set_word("method", "htm");
	stmlog_set_fact("method", 8);
	make_file();
	assert_true(has_info("method=htm"));
	assert_false(has_info("method=7"));
	assert_false(has_info("method=8"));
}

TEST_WITH(session_fixture, more_facts_than_there_is_room_for_are_refused)
{
	static char keys[STMLOG_FACTS + 2][8];
	for (size_t i = 0; i < STMLOG_FACTS + 2; i++)
		snprintf(keys[i], sizeof keys[i], "fact%zu", i);
	size_t before = misuse_total();
	for (size_t i = 0; i < STMLOG_FACTS; i += 2) {
		stmlog_set_fact(keys[i], i);
		stmlog_set_word(keys[i + 1], "word");
	}
	assert_int_equal(misuse_total(), before);
	stmlog_set_fact(keys[STMLOG_FACTS], 1);
	stmlog_set_word(keys[STMLOG_FACTS + 1], "word");
	stmlog_set_word(keys[1], NULL);
	assert_int_equal(misuse_total(), before + 3);
	stmlog_set_fact(keys[0], 5); /* one that is there can still be told */
	stmlog_set_word(keys[1], "other");
	assert_int_equal(misuse_total(), before + 3);
	make_file();
	assert_true(has_info("fact0=5"));
	assert_true(has_info("fact1=other"));
	assert_true(has_info("fact63=word"));
	assert_false(has_info("fact64=1"));
	assert_false(has_info("fact65=word"));
}

TEST_WITH(session_fixture, processors_are_there_where_they_are_known)
{
	session.processors = 0;
	make_file();
	assert_false(has_info("processors=0"));
	session.processors = 3;
	make_file();
	assert_true(has_info("processors=3"));
}

static bool has_number_of(const char *key)
{
	struct stmlog_section_header header;
	const char *info = section(STMLOG_SECTION_INFO, &header);
	size_t key_len = strlen(key);
	for (size_t at = 0; at < header.length; at += strlen(info + at) + 1)
		if (strncmp(info + at, key, key_len) == 0 && info[at + key_len] == '=')
			return true;
	return false;
}

TEST_WITH(session_fixture, the_time_of_a_forked_child_is_not_said_to_be_that_of_others)
{
	session.machine = machine_time_now(getpid());
	if (session.machine.all_ns == 0)
		skip(); /* there is no /proc */
	session.machine.all_ns = session.machine.idle_ns = 1;
	for (int has_forked = 0; has_forked < 2; has_forked++) {
		make_file();
		assert_true(has_number_of("machine_ns") && has_number_of("process_ns"));
		assert_int_equal(has_number_of("machine_others_ns"), !has_forked);
		if (!has_forked && in_forked_child())
			_exit(0);
	}
}

/* ---- figures ---- */

static bool count_one(void *unused, struct stmlog_unmeasured_counts *counts)
{
	(void)unused;
	*counts = (struct stmlog_unmeasured_counts){.aborts = 1};
	return true;
}

TEST_WITH(session_fixture, a_recording_with_an_unmeasured_attempt_says_that_it_is_sampled)
{
	stmlog_read_unmeasured_by(me(), count_one, NULL);
	make_file();
	assert_true(has_info("sampled=1"));
}

TEST_WITH(session_fixture, what_was_measured_and_what_it_stands_for_are_both_there)
{
	struct stmlog_section_header header;
	struct stmlog_thread_record thread;
	struct stmlog_total_record total;
	stmlog_set_sampling(10);
	stmlog_set_weight(stmlog_thread_self(), 10);
	for (int i = 0; i < 4; i++)
		lose_over(ACCOUNTS);
	fake_clock_advance(100 * MS); /* the transactions that were not measured */
	make_file();
	assert_true(has_info("sample_every=10"));
	assert_true(has_info("sampled=1"));
	/* The root of 4 * 10 * 9 ms^2. */
	assert_true(has_info("lost_error_ns=18973665"));
	struct stmlog_entry_record entry = entry_record(0);
	assert_int_equal(entry.count, 4);
	assert_int_equal(entry.lost_ns, 4 * MS);
	assert_int_equal((uint64_t)entry.estimated_ns, 40 * MS);
	assert_int_equal((uint64_t)entry.variance_ns2, 360 * (uint64_t)MS * MS);
	memcpy(&total, section(STMLOG_SECTION_TOTALS, &header), sizeof total);
	assert_int_equal(header.record_size, sizeof total);
	assert_int_equal((uint64_t)total.estimated_ns, 40 * MS);
	assert_int_equal((uint64_t)total.variance_ns2, 360 * (uint64_t)MS * MS);
	memcpy(&thread, section(STMLOG_SECTION_THREADS, &header), sizeof thread);
	assert_int_equal(header.record_size, sizeof thread);
	assert_int_equal(thread.estimated_aborted_ns[STMLOG_WRITE_WRITE], 40 * MS);
	assert_int_equal(thread.aborted_ns[STMLOG_WRITE_WRITE], 4 * MS);
}

TEST_WITH(session_fixture, transactions_that_were_timed_are_counted_if_they_committed)
{
	struct stmlog_timed_transaction timed = {.weight = 2, .has_committed = true, .committed_ns = MS};
	for (int i = 0; i < 3; i++)
		stmlog_timed(stmlog_thread_self(), &timed);
	timed.has_committed = false;
	stmlog_timed(stmlog_thread_self(), &timed);
	stmlog_unmeasured(stmlog_thread_self(), 6, 2);
	fake_clock_advance(20 * MS);
	make_file();
	assert_true(has_info("timed_commits=3"));
}

/* The fifth contention has members of its own, behind those of the first files. */
TEST_WITH(session_fixture, conflicts_over_data_have_their_place_in_threads_totals_and_entries)
{
	struct stmlog_section_header header;
	struct stmlog_thread_record thread;
	struct stmlog_total_record total;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_DATA, "CHANGED");
	stmlog_set_sampling(10);
	stmlog_set_weight(stmlog_thread_self(), 10);
	loss.local = TB_EMPTY;
	for (int i = 0; i < 4; i++)
		lose_1_ms(&loss);
	fake_clock_advance(100 * MS); /* the transactions that were not measured */
	make_file();
	memcpy(&thread, section(STMLOG_SECTION_THREADS, &header), sizeof thread);
	assert_int_equal(thread.aborts_data, 4);
	assert_int_equal(thread.aborted_data_ns, 4 * MS);
	assert_int_equal(thread.estimated_aborted_data_ns, 40 * MS);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(thread.aborts[i] + thread.aborted_ns[i] + thread.estimated_aborted_ns[i], 0);
	memcpy(&total, section(STMLOG_SECTION_TOTALS, &header), sizeof total);
	assert_int_equal(total.contention, STMLOG_DATA);
	assert_int_equal(total.count, 4);
	struct stmlog_entry_record entry = entry_record(0);
	assert_int_equal(entry.contention, STMLOG_DATA);
	assert_string_equal(string(entry.detail), "CHANGED");
}

/* ---- what was not recorded ---- */

/* A loss to an origin that the library has not returned. */
static void lose_to_no_origin(struct stmlog_thread *thread)
{
	stmlog_start(thread);
	abort_over_write(thread, ACCOUNTS, 1, NULL);
}

static void lose_twice(void *unused)
{
	(void)unused;
	OWNED(stmlog_thread_close) struct stmlog_thread *thread = stmlog_thread_open(NULL);
	lose_to_no_origin(thread);
	stmlog_retry(thread);
	abort_over_write(thread, ACCOUNTS, 1, NULL);
}

TEST_WITH(session_fixture, tracebacks_that_could_not_be_found_are_counted_of_all_threads)
{
	struct peer peer;
	make_file();
	assert_true(has_info("tracebacks_unavailable=0"));
	peer_start(&peer);
	peer_do(&peer, lose_twice, NULL);
	peer_end(&peer);
	lose_to_no_origin(stmlog_thread_self());
	make_file();
	assert_true(has_info("tracebacks_unavailable=3"));
}

TEST_WITH(session_fixture, each_failing_allocation_leaves_a_whole_file_or_none)
{
	lose_over(ACCOUNTS);
	lose_over(NODE);
	make_file();
	lose_over(ACCOUNTS);
	size_t before = mem_live_bytes();
	size_t refused = 0;
	for (size_t n = 1; mem_fail_left() == 0; n++) {
		mem_fail_at(n);
		int error = stmlog_record(path);
		assert_true(error == 0 || (error == -ENOMEM && mem_fail_left() == 0));
		assert_int_equal(unlink(path), error == 0 ? 0 : -1);
		lose_over(ACCOUNTS); /* takes over what came meanwhile */
		assert_int_equal(mem_live_bytes(), before);
		refused += error != 0;
	}
	mem_fail_at(0);
	assert_true(refused > 3);
}
