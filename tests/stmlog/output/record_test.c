/* SPDX-License-Identifier: MIT
 * The file, read back by the letter of format.h. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stmlog/format.h>
#include <stmlog/timeline.h>

#include "mem.h"
#include "misuse.h"
#include "peer.h"
#include "session.h"
#include "session_fixture.h"

#define OBJECT ((uintptr_t)0x1000)

static char path[64];
static char bytes[1 << 16];
static size_t len;

static void make_file(void)
{
	snprintf(path, sizeof path, "/tmp/stmlog-record-%d", (int)getpid());
	assert_int_equal(stmlog_record(path), 0);
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, bytes, sizeof bytes);
	assert_true(got > 0 && (size_t)got < sizeof bytes);
	len = (size_t)got;
	close(fd);
	unlink(path);
}

/* The payload of a section of the file made last, and its header. */
static const char *section(uint32_t type, struct stmlog_section_header *header)
{
	for (size_t at = sizeof(struct stmlog_file_header); at < len;) {
		memcpy(header, bytes + at, sizeof *header);
		at += sizeof *header;
		if (header->type == type)
			return bytes + at;
		at += (header->length + 7) & ~(uint64_t)7;
	}
	fail_msg("there is no section %u", type);
	return NULL;
}

static struct stmlog_entry_record entry_record(size_t rank)
{
	struct stmlog_section_header header;
	struct stmlog_entry_record record;
	const char *records = section(STMLOG_SECTION_ENTRIES, &header);
	assert_int_equal(header.record_size, sizeof record);
	assert_true(header.length >= (rank + 1) * sizeof record);
	memcpy(&record, records + rank * sizeof record, sizeof record);
	return record;
}

static const char *string(uint32_t offset)
{
	struct stmlog_section_header header;
	const char *strings = section(STMLOG_SECTION_STRINGS, &header);
	assert_true(offset < header.length);
	return strings + offset;
}

static bool has_info(const char *line)
{
	struct stmlog_section_header header;
	const char *info = section(STMLOG_SECTION_INFO, &header);
	for (size_t at = 0; at < header.length; at += strlen(info + at) + 1)
		if (strcmp(info + at, line) == 0)
			return true;
	return false;
}

/* ---- facts of the runtime's, and the machine's ---- */

static void facts_are_there_as_they_were_told_last(void **state)
{
	(void)state;
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

static void a_fact_that_has_words_has_no_number(void **state)
{
	(void)state;
	stmlog_set_fact("method", 7);
	stmlog_set_word("method", "htm");
	stmlog_set_fact("method", 8);
	make_file();
	assert_true(has_info("method=htm"));
	assert_false(has_info("method=7"));
	assert_false(has_info("method=8"));
}

static void more_facts_than_there_is_room_for_are_refused(void **state)
{
	static char keys[STMLOG_FACTS + 2][8];
	(void)state;
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

static void processors_are_there_where_they_are_known(void **state)
{
	(void)state;
	session.processors = 0;
	make_file();
	assert_false(has_info("processors=0"));
	session.processors = 3;
	make_file();
	assert_true(has_info("processors=3"));
}

static void lose_over(uintptr_t object)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	loss.local = TB_EMPTY;
	loss.object = object;
	lose(stmlog_thread_self(), 1 * MS, &loss);
	stmlog_retry(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
}

/* ---- objects ---- */

static void objects_have_the_names_that_the_runtime_has_for_them(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		lose_over(ACCOUNTS + 16);
	lose_over(ACCOUNTS);
	lose_over(ACCOUNTS_END);
	make_file();
	struct stmlog_entry_record record = entry_record(0);
	assert_int_equal(record.count, 5);
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		const char *name = record.objects[i].address == ACCOUNTS + 16 ? "accounts+16"
				   : record.objects[i].address == ACCOUNTS    ? "accounts+0"
									      : "";
		assert_string_equal(string(record.object_names[i]), name);
	}
	assert_int_equal(record.objects[0].address, ACCOUNTS + 16);
}

static void what_was_measured_and_what_it_stands_for_are_both_there(void **state)
{
	(void)state;
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

static void transactions_that_were_timed_are_counted_if_they_committed(void **state)
{
	(void)state;
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

static void a_name_without_an_end_is_cut(void **state)
{
	(void)state;
	lose_over(ENDLESS);
	make_file();
	assert_int_equal(strspn(string(entry_record(0).object_names[0]), "x"), 127);
	assert_int_equal(strlen(string(entry_record(0).object_names[0])), 127);
}

static struct stmlog_block_record block_record(size_t i)
{
	struct stmlog_section_header header;
	struct stmlog_block_record record;
	const char *records = section(STMLOG_SECTION_BLOCKS, &header);
	assert_int_equal(header.record_size, sizeof record);
	assert_true(header.length >= (i + 1) * sizeof record);
	memcpy(&record, records + i * sizeof record, sizeof record);
	return record;
}

static size_t block_count(void)
{
	struct stmlog_section_header header;
	section(STMLOG_SECTION_BLOCKS, &header);
	return header.length / sizeof(struct stmlog_block_record);
}

/* Of a block's traceback: its flags, and the line of its site `i`. */
static uint32_t traceback_flags(uint32_t reference)
{
	struct stmlog_section_header header;
	const uint32_t *words = (const void *)section(STMLOG_SECTION_TRACEBACKS, &header);
	for (uint32_t i = 2; i < reference; i++)
		words += 2 + words[0];
	assert_int_equal(words[0], 2);
	return words[1];
}

static void lose_over_pair(uintptr_t object, uintptr_t other)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	loss.local = TB_EMPTY;
	loss.object = object;
	loss.other_object = other;
	lose(stmlog_thread_self(), 1 * MS, &loss);
	stmlog_retry(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
}

/* The fifth contention has members of its own, behind those of the first files. */
static void conflicts_over_data_have_their_place_in_threads_totals_and_entries(void **state)
{
	(void)state;
	struct stmlog_section_header header;
	struct stmlog_thread_record thread;
	struct stmlog_total_record total;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_DATA, "HTM_CONFLICT");
	stmlog_set_sampling(10);
	stmlog_set_weight(stmlog_thread_self(), 10);
	loss.local = TB_EMPTY;
	for (int i = 0; i < 4; i++) {
		lose(stmlog_thread_self(), 1 * MS, &loss);
		stmlog_retry(stmlog_thread_self());
		stmlog_commit(stmlog_thread_self());
	}
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
	assert_string_equal(string(entry.detail), "HTM_CONFLICT");
}

static void blocks_of_both_objects_are_there_once_each_and_in_order(void **state)
{
	(void)state;
	lose_over_pair(FREED_NODE + NODE_SIZE - 1, NODE);
	lose_over_pair(NODE + 8, NODE + NODE_SIZE - 1);
	make_file();
	assert_int_equal(block_count(), 2);
	struct stmlog_block_record first = block_record(0), second = block_record(1);
	assert_true(first.address == NODE && first.size == NODE_SIZE && first.flags == 0);
	assert_true(second.address == FREED_NODE && second.flags == STMLOG_BLOCK_FREED);
	assert_int_equal(traceback_flags(first.traceback), 0);
	assert_int_equal(traceback_flags(second.traceback), STMLOG_TRACEBACK_CUT);
}

static void what_lies_in_no_block_or_has_a_name_of_its_own_gets_none(void **state)
{
	(void)state;
	lose_over_pair(NODE - 1, IMPOSSIBLE_NODE);
	lose_over_pair(ACCOUNTS, 0);
	lose_over(0);
	make_file();
	assert_int_equal(block_count(), 0);
}

static void an_entry_without_an_object_has_no_name(void **state)
{
	(void)state;
	lose_over(0);
	make_file();
	for (size_t i = 0; i < STMLOG_OBJECTS; i++)
		assert_int_equal(entry_record(0).object_names[i], 0);
}

/* ---- for nothing ---- */

static struct {
	struct stmlog_thread *thread;
	uint64_t attempt;
	bool is_to_commit;
} it;

static void it_writes(void *unused)
{
	(void)unused;
	it.thread = stmlog_thread_attach();
	stmlog_start(it.thread);
	it.attempt = stmlog_attempt(it.thread);
	stmlog_wrote(it.thread, OBJECT);
}

static void it_ends(void *unused)
{
	(void)unused;
	if (it.is_to_commit)
		stmlog_commit(it.thread);
	else
		stmlog_abort_asked(it.thread, NULL);
	stmlog_thread_detach();
}

/* This thread loses 2 ms to a peer that commits, gives up, or is still at it when the file is made. */
static void lose_to_peer(bool is_over, bool is_to_commit)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct peer peer;
	it.is_to_commit = is_to_commit;
	peer_start(&peer);
	peer_do(&peer, it_writes, NULL);
	stmlog_start(me);
	fake_clock_advance(2 * MS);
	stmlog_contention(me, STMLOG_WRITE_MEETS_WRITE, OBJECT, stmlog_other_make(it.thread, it.attempt), NULL);
	stmlog_abort_self(me);
	if (is_over)
		peer_do(&peer, it_ends, NULL);
	stmlog_retry(me);
	stmlog_commit(me);
	make_file();
	if (!is_over)
		peer_do(&peer, it_ends, NULL);
	peer_end(&peer);
}

/* The entry of this thread's loss; what the peer gave up is one of its own. */
static struct stmlog_entry_record loss_to_peer(void)
{
	size_t rank = 0;
	while (entry_record(rank).contention != STMLOG_WRITE_WRITE)
		rank++;
	return entry_record(rank);
}

static void what_was_lost_to_one_that_gave_up_was_for_nothing(void **state)
{
	(void)state;
	lose_to_peer(true, false);
	struct stmlog_entry_record record = loss_to_peer();
	assert_int_equal(record.wasted, 1);
	assert_int_equal(record.wasted_ns, 2 * MS);
	assert_int_equal(record.undecided, 0);
	assert_true(has_info("wasted_aborts=1") && has_info("wasted_ns=2000000") && has_info("undecided_aborts=0"));
}

static void what_was_lost_to_one_that_committed_was_not(void **state)
{
	(void)state;
	lose_to_peer(true, true);
	struct stmlog_entry_record record = loss_to_peer();
	assert_int_equal(record.wasted + record.wasted_ns + record.undecided, 0);
	assert_true(has_info("wasted_aborts=0") && has_info("wasted_ns=0") && has_info("undecided_aborts=0"));
}

static void what_was_lost_to_one_that_is_at_it_is_undecided(void **state)
{
	(void)state;
	lose_to_peer(false, true);
	assert_int_equal(loss_to_peer().wasted, 0);
	assert_int_equal(loss_to_peer().undecided, 1);
	assert_true(has_info("wasted_aborts=0") && has_info("undecided_aborts=1"));
}

/* ---- threads ---- */

/* The record of the thread, in a file made now. */
static struct stmlog_thread_record thread_record(uint32_t id)
{
	struct stmlog_section_header header;
	struct stmlog_thread_record record;
	make_file();
	const char *records = section(STMLOG_SECTION_THREADS, &header);
	for (size_t at = 0; at < header.length; at += header.record_size) {
		memcpy(&record, records + at, sizeof record);
		if (record.id == id)
			return record;
	}
	fail_msg("there is no thread %u", id);
	return record;
}

struct visit {
	uint32_t id;
	uint32_t system_id;
};

static void come_and_go(void *arg)
{
	struct visit *visit = arg;
	visit->id = stmlog_thread_id(stmlog_thread_attach());
	visit->system_id = (uint32_t)gettid();
	stmlog_thread_detach();
}

static struct visit visit_of_a_peer(void)
{
	struct visit visit;
	struct peer peer;
	peer_start(&peer);
	peer_do(&peer, come_and_go, &visit);
	peer_end(&peer);
	return visit;
}

static void threads_have_the_numbers_of_the_system_also_when_they_have_ended(void **state)
{
	(void)state;
	struct visit visit = visit_of_a_peer();
	uint32_t me = stmlog_thread_id(stmlog_thread_self());
	assert_int_equal(thread_record(me).system_id, gettid());
	assert_int_equal(thread_record(visit.id).system_id, visit.system_id);
	assert_int_not_equal(visit.system_id, gettid());
}

static void a_lane_has_no_number_of_the_system(void **state)
{
	(void)state;
	struct stmlog_thread *lane = stmlog_lane_open("lane");
	assert_int_equal(thread_record(stmlog_thread_id(lane)).system_id, 0);
	stmlog_lane_close(&lane);
}

static void behind_a_filter_the_system_is_not_asked_for_numbers(void **state)
{
	(void)state;
	AO_store(&session.is_filtered, 1);
	struct visit visit = visit_of_a_peer();
	AO_store(&session.is_filtered, 0);
	assert_int_equal(thread_record(visit.id).system_id, 0);
}

/* The thread that goes on there has another number. */
static void in_a_forked_child_the_number_is_the_childs(void **state)
{
	(void)state;
	int status;
	pid_t child = fork();
	if (child == 0)
		_exit(thread_record(stmlog_thread_id(stmlog_thread_self())).system_id != (uint32_t)gettid());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- what was not recorded ---- */

static void write_too_much(void *unused)
{
	(void)unused;
	struct stmlog_thread *thread = stmlog_thread_attach();
	stmlog_start(thread);
	for (uintptr_t object = 1; object <= STMLOG_WRITES + 3; object++)
		stmlog_wrote(thread, 8 * object);
	stmlog_commit(thread);
	stmlog_thread_detach();
}

static void writes_beyond_what_an_attempt_remembers_are_counted_of_all_threads(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct peer peer;
	make_file();
	assert_true(has_info("writes_unrecorded=0"));
	peer_start(&peer);
	peer_do(&peer, write_too_much, NULL);
	peer_end(&peer);
	stmlog_start(me);
	for (uintptr_t object = 1; object <= STMLOG_WRITES + 1; object++)
		stmlog_wrote(me, 8 * object);
	stmlog_commit(me);
	make_file();
	assert_true(has_info("writes_unrecorded=4"));
}

static void each_failing_allocation_leaves_a_whole_file_or_none(void **state)
{
	(void)state;
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

/* ---- timelines ---- */

static size_t records_of(uint32_t type, size_t size)
{
	struct stmlog_section_header header;
	section(type, &header);
	assert_int_equal(header.record_size, size);
	return header.length / size;
}

static void a_timeline_is_there_as_it_would_be_taken_and_stays_to_be_taken(void **state)
{
	(void)state;
	struct stmlog_section_header header;
	struct stmlog_place_record place;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_NONE, "WORD");
	loss.local = TB_EMPTY;
	assert_int_equal(stmlog_timeline_start(), 0);
	lose(stmlog_thread_self(), MS, &loss);
	stmlog_timeline_stop();
	make_file();
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_int_equal(timeline->len, 3);
	assert_int_equal(records_of(STMLOG_SECTION_EVENTS, sizeof(struct stmlog_event_record)), timeline->len);
	const void *events = section(STMLOG_SECTION_EVENTS, &header);
	assert_memory_equal(events, timeline->events, header.length);
	assert_int_equal(records_of(STMLOG_SECTION_PLACES, sizeof place), timeline->place_count);
	memcpy(&place, section(STMLOG_SECTION_PLACES, &header) + timeline->events[2].place * sizeof place,
		sizeof place);
	assert_string_equal(string(place.word), "WORD");
	assert_int_equal(place.traceback, 1);
	memcpy(&place, section(STMLOG_SECTION_PLACES, &header), sizeof place);
	assert_int_equal(place.traceback, 0);
	assert_true(has_info("events_missing=0"));
	stmlog_timeline_destroy(&timeline);
}

static void missing_events_are_added_up(void **state)
{
	(void)state;
	stmlog_timeline_prepare(4, STMLOG_TIMELINE_RING);
	stmlog_timeline_start();
	for (int i = 0; i < 10; i++) {
		stmlog_start(stmlog_thread_self());
		stmlog_commit(stmlog_thread_self());
	}
	make_file();
	assert_int_equal(records_of(STMLOG_SECTION_EVENTS, sizeof(struct stmlog_event_record)), 5);
	assert_true(has_info("events_missing=17"));
	assert_true(has_info("events_unrecorded=0"));
}

static void without_a_timeline_there_is_none_in_the_file(void **state)
{
	(void)state;
	struct stmlog_section_header header;
	make_file();
	for (size_t at = sizeof(struct stmlog_file_header); at < len;) {
		memcpy(&header, bytes + at, sizeof header);
		assert_int_not_equal(header.type, STMLOG_SECTION_EVENTS);
		at += sizeof header + ((header.length + 7) & ~(uint64_t)7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(facts_are_there_as_they_were_told_last),
		SESSION_TEST(a_fact_that_has_words_has_no_number),
		SESSION_TEST(more_facts_than_there_is_room_for_are_refused),
		SESSION_TEST(processors_are_there_where_they_are_known),
		SESSION_TEST(objects_have_the_names_that_the_runtime_has_for_them),
		SESSION_TEST(a_name_without_an_end_is_cut),
		SESSION_TEST(what_was_measured_and_what_it_stands_for_are_both_there),
		SESSION_TEST(transactions_that_were_timed_are_counted_if_they_committed),
		SESSION_TEST(conflicts_over_data_have_their_place_in_threads_totals_and_entries),
		SESSION_TEST(blocks_of_both_objects_are_there_once_each_and_in_order),
		SESSION_TEST(what_lies_in_no_block_or_has_a_name_of_its_own_gets_none),
		SESSION_TEST(an_entry_without_an_object_has_no_name),
		SESSION_TEST(what_was_lost_to_one_that_gave_up_was_for_nothing),
		SESSION_TEST(what_was_lost_to_one_that_committed_was_not),
		SESSION_TEST(what_was_lost_to_one_that_is_at_it_is_undecided),
		SESSION_TEST(threads_have_the_numbers_of_the_system_also_when_they_have_ended),
		SESSION_TEST(a_lane_has_no_number_of_the_system),
		SESSION_TEST(behind_a_filter_the_system_is_not_asked_for_numbers),
		SESSION_TEST(in_a_forked_child_the_number_is_the_childs),
		SESSION_TEST(writes_beyond_what_an_attempt_remembers_are_counted_of_all_threads),
		SESSION_TEST(a_timeline_is_there_as_it_would_be_taken_and_stays_to_be_taken),
		SESSION_TEST(missing_events_are_added_up),
		SESSION_TEST(without_a_timeline_there_is_none_in_the_file),
		SESSION_TEST(each_failing_allocation_leaves_a_whole_file_or_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
