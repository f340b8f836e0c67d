/* SPDX-License-Identifier: MIT
 * The table of streams: how many there may be, and when they are forgotten. */
#include "fixture.h"

#include "access_streams.h"

#include <pthread.h>
#include <unistd.h>

#include "child.h"
#include "misuse.h"
#include "session_fixture.h"

static const struct stmlog_access_record records[4] = {{.kind = STMLOG_ACCESS_BEGIN}, {.kind = STMLOG_ACCESS_COMMIT},
	{.kind = STMLOG_ACCESS_BEGIN}, {.kind = STMLOG_ACCESS_COMMIT}};
static size_t len;

static struct access_stream streams[STMLOG_ACCESS_STREAMS];

TEST_WITH(session_fixture, a_stream_is_as_long_as_its_runtime_says_at_the_moment)
{
	assert_int_equal(access_streams_look(streams), 0);
	len = 0;
	assert_true(stmlog_accesses_share(7, records, &len));
	assert_int_equal(access_streams_look(streams), 1);
	assert_int_equal(streams[0].thread_id, 7);
	assert_ptr_equal(streams[0].at, records);
	assert_int_equal(streams[0].len, 0);
	len = 4;
	assert_int_equal(streams[0].len, 0);
	assert_int_equal(access_streams_look(streams), 1);
	assert_int_equal(streams[0].len, 4);
}

TEST_WITH(session_fixture, the_seventeenth_is_refused_however_often_it_comes)
{
	for (uint32_t id = 1; id <= STMLOG_ACCESS_STREAMS; id++)
		assert_true(stmlog_accesses_share(id, records, &len));
	for (int i = 0; i < 3; i++)
		assert_false(stmlog_accesses_share(99, records, &len));
	assert_int_equal(access_streams_look(streams), STMLOG_ACCESS_STREAMS);
	for (uint32_t id = 1; id <= STMLOG_ACCESS_STREAMS; id++)
		assert_int_equal(streams[id - 1].thread_id, id);
}

static void *share_four(void *ids)
{
	for (size_t i = 0; i < 4; i++)
		if (!stmlog_accesses_share(((const uint32_t *)ids)[i], records, &len))
			return (void *)1;
	return NULL;
}

/* With the ones of four threads the table is full. */
TEST_WITH(session_fixture, threads_may_share_at_the_same_time)
{
	uint32_t ids[4][4], seen = 0;
	pthread_t threads[4];
	for (uint32_t i = 0; i < 16; i++)
		ids[i / 4][i % 4] = i;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, share_four, ids[i]), 0);
	while (access_streams_look(streams) < STMLOG_ACCESS_STREAMS)
		for (size_t i = 0; i < access_streams_look(streams); i++)
			assert_ptr_equal(streams[i].at, records);
	for (size_t i = 0; i < 4; i++) {
		void *refused;
		assert_int_equal(pthread_join(threads[i], &refused), 0);
		assert_null(refused);
	}
	for (size_t i = 0; i < STMLOG_ACCESS_STREAMS; i++)
		seen |= 1u << streams[i].thread_id;
	assert_int_equal(seen, 0xffff);
}

TEST_WITH(session_fixture, what_is_no_stream_is_a_mistake)
{
	size_t before = misuse_total();
	assert_false(stmlog_accesses_share(1, NULL, &len));
	assert_false(stmlog_accesses_share(1, records, NULL));
	assert_int_equal(misuse_total(), before + 2);
	assert_int_equal(access_streams_look(streams), 0);
}

TEST_WITH(session_fixture, a_new_session_has_none_of_the_one_before)
{
	assert_true(stmlog_accesses_share(1, records, &len));
	session_open_with("");
	assert_int_equal(access_streams_look(streams), 0);
}

TEST_WITH(session_fixture, a_forked_child_has_its_own_alone)
{
	for (uint32_t id = 1; id <= STMLOG_ACCESS_STREAMS; id++)
		assert_true(stmlog_accesses_share(id, records, &len));
	pid_t child = fork();
	if (child == 0) {
		bool is_empty = access_streams_look(streams) == 0;
		bool has_own = stmlog_accesses_share(50, records, &len) && access_streams_look(streams) == 1;
		_exit(is_empty && has_own && streams[0].thread_id == 50 ? 0 : 1);
	}
	assert_child_succeeds(child);
	assert_int_equal(access_streams_look(streams), STMLOG_ACCESS_STREAMS);
}
