/* SPDX-License-Identifier: MIT
 * The timeline in the file, and how much of it is missing. */
#include "written_file.h"

#include <stmlog/timeline.h>

TEST_WITH(session_fixture, a_timeline_is_there_as_it_would_be_taken_and_stays_to_be_taken)
{
	struct stmlog_section_header header;
	struct stmlog_place_record place;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_NONE, "WORD");
	loss.local = TB_EMPTY;
	assert_int_equal(stmlog_timeline_start(), 0);
	lose(stmlog_thread_self(), MS, &loss);
	stmlog_timeline_stop();
	make_file();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
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
}

TEST_WITH(session_fixture, missing_events_are_added_up)
{
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

TEST_WITH(session_fixture, without_a_timeline_there_is_none_in_the_file)
{
	struct stmlog_section_header header;
	make_file();
	for (size_t at = sizeof(struct stmlog_file_header); at < bytes_len;) {
		memcpy(&header, bytes + at, sizeof header);
		assert_int_not_equal(header.type, STMLOG_SECTION_EVENTS);
		at += sizeof header + ((header.length + 7) & ~(uint64_t)7);
	}
}
