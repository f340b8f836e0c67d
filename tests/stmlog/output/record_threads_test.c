/* SPDX-License-Identifier: MIT
 * The numbers that the system has for the threads in the file. */
#include "written_file.h"

#include "losses.h"
#include "peer.h"
#include "session.h"
#include "child.h"

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
	visit->id = stmlog_thread_id(stmlog_thread_open(NULL));
	visit->system_id = (uint32_t)gettid();
	close_own();
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

TEST_WITH(session_fixture, threads_have_the_numbers_of_the_system_also_when_they_have_ended)
{
	struct visit visit = visit_of_a_peer();
	uint32_t me = stmlog_thread_id(stmlog_thread_self());
	assert_int_equal(thread_record(me).system_id, gettid());
	assert_int_equal(thread_record(visit.id).system_id, visit.system_id);
	assert_int_not_equal(visit.system_id, gettid());
}

TEST_WITH(session_fixture, a_lane_has_no_number_of_the_system)
{
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	assert_int_equal(thread_record(stmlog_thread_id(lane)).system_id, 0);
}

TEST_WITH(session_fixture, a_spare_lane_is_marked_and_the_next_lane_is_not)
{
	struct stmlog_thread *spare = stmlog_thread_open("spare");
	assert_int_equal(thread_record(stmlog_thread_id(spare)).flags, 0);
	stmlog_set_spare(spare);
	assert_int_equal(thread_record(stmlog_thread_id(spare)).flags, STMLOG_THREAD_SPARE);
	uint32_t id = stmlog_thread_id(spare);
	stmlog_thread_close(&spare);
	assert_int_equal(thread_record(id).flags, STMLOG_THREAD_SPARE | STMLOG_THREAD_ENDED);
	struct stmlog_thread *next = stmlog_thread_open("next"); /* may have the memory of the other one */
	assert_int_equal(thread_record(stmlog_thread_id(next)).flags, 0);
	stmlog_thread_close(&next);
	stmlog_set_spare(NULL);
}

TEST_WITH(session_fixture, behind_a_filter_the_system_is_not_asked_for_numbers)
{
	AO_store(&session_is_filtered, 1);
	struct visit visit = visit_of_a_peer();
	AO_store(&session_is_filtered, 0);
	assert_int_equal(thread_record(visit.id).system_id, 0);
}

/* The thread that goes on there has another number. */
TEST_WITH(session_fixture, in_a_forked_child_the_number_is_the_childs)
{
	if (in_forked_child())
		_exit(thread_record(stmlog_thread_id(stmlog_thread_self())).system_id != (uint32_t)gettid());
}
