/* SPDX-License-Identifier: MIT
 * The section OPEN: what the accounts tell of transactions and waits that are under way, and what runtimes tell. */
#include "fixture.h"

#include "sections.h"

#include <errno.h>

#include <stmlog/format.h>

#include "losses.h"
#include "peer.h"
#include "session_fixture.h"

#define BEGIN BYTECODE_SITE(10, 0)
#define WRITE BYTECODE_SITE(20, 0)
#define OBJECT ((uintptr_t)0x1000)

static struct intern intern;
static struct buffer records;

/* How many records there are now. */
static size_t look(void)
{
	buffer_fini(&records);
	intern_fini(&intern);
	intern_init(&intern, 8, 8, 64);
	records = (struct buffer){.len = 0};
	under_way_record(&intern, &records);
	return records.len / sizeof(struct stmlog_open_record);
}

static struct stmlog_open_record record_at(size_t i)
{
	return ((const struct stmlog_open_record *)(const void *)records.bytes)[i];
}

static void assert_site(uint32_t site, struct tb_site expected)
{
	assert_true(site != STMLOG_NO_SITE);
	const struct stmlog_site_record *all = (const void *)intern.sites.bytes;
	assert_int_equal(all[site].code, expected.code);
	assert_int_equal(all[site].position, expected.position);
}

static void end(void)
{
	buffer_fini(&records);
	intern_fini(&intern);
	records = (struct buffer){.len = 0};
	intern = (struct intern){.depth = 0};
}

TEST_WITH(session_fixture, a_transaction_is_there_from_a_millisecond_on)
{
	assert_int_equal(look(), 0);
	stmlog_start_at(me(), stmlog_now_ns(), BEGIN, TB_UNKNOWN);
	fake_clock_advance(MS - 1);
	assert_int_equal(look(), 0);
	fake_clock_advance(1);
	assert_int_equal(look(), 1);
	struct stmlog_open_record record = record_at(0);
	assert_int_equal(record.thread, stmlog_thread_id(me()));
	assert_int_equal(record.kind, STMLOG_OPEN_TRANSACTION);
	assert_int_equal(record.open_ns, MS);
	assert_site(record.site, BEGIN);
	assert_int_equal(record.other_thread, 0);
	assert_int_equal(record.other_site, STMLOG_NO_SITE);
	assert_int_equal(record.grade, STMLOG_GRADE_UNKNOWN);
	stmlog_commit(me());
	fake_clock_advance(MS);
	assert_int_equal(look(), 0);
	end();
}

static struct stmlog_thread *writer;
static uint64_t written;

static void begin_writing(void *unused)
{
	(void)unused;
	writer = stmlog_thread_open(NULL);
	stmlog_start(writer);
	written = stmlog_origin(writer, WRITE);
}

static void end_writing(void *unused)
{
	(void)unused;
	stmlog_commit(writer);
	stmlog_thread_close(&writer);
}

TEST_WITH(session_fixture, a_wait_has_the_transaction_that_it_is_for)
{
	struct peer peer;
	peer_start(&peer);
	peer_do(&peer, begin_writing, NULL);
	fake_clock_advance(5 * MS);
	stmlog_start_at(me(), stmlog_now_ns(), BEGIN, TB_UNKNOWN);
	pause_over_write(me(), OBJECT, written, NULL);
	fake_clock_advance(2 * MS);
	assert_int_equal(look(), 2);
	assert_int_equal(record_at(0).thread, stmlog_thread_id(writer));
	assert_int_equal(record_at(0).open_ns, 7 * MS);
	struct stmlog_open_record pause = record_at(1);
	assert_int_equal(pause.thread, stmlog_thread_id(me()));
	assert_int_equal(pause.kind, STMLOG_OPEN_PAUSE);
	assert_int_equal(pause.open_ns, 2 * MS);
	assert_int_equal(pause.other_thread, stmlog_thread_id(writer));
	assert_int_equal(pause.grade, STMLOG_GRADE_CERTAIN);
	assert_site(pause.site, BEGIN);
	assert_site(pause.other_site, WRITE);
	stmlog_wait_end(me());
	stmlog_commit(me());
	peer_do(&peer, end_writing, NULL);
	peer_end(&peer);
	end();
}

/* ---- a runtime that tells ---- */

static struct stmlog_open_transaction told;

static size_t find_open(struct stmlog_open_transaction *open, size_t max, void *arg)
{
	assert_ptr_equal(arg, &told);
	assert_true(max > 0);
	*open = told;
	return 1;
}

TEST_WITH(session_fixture, what_a_runtime_tells_goes_before_the_account_which_knows_since_when_a_transaction_is_open)
{
	struct stmlog_setup setup = {.runtime = "telling", .find_open = find_open, .find_open_arg = &told};
	assert_int_equal(stmlog_open(&setup), -EALREADY);
	stmlog_start(me());
	fake_clock_advance(3 * MS);
	told = (struct stmlog_open_transaction){.thread = stmlog_thread_id(me()),
		.kind = STMLOG_OPEN_TRANSACTION,
		.since_ns = stmlog_now_ns() - MS,
		.site = BEGIN,
		.other_thread = 77,
		.other_site = WRITE,
		.grade = STMLOG_GRADE_CANDIDATE};
	assert_int_equal(look(), 1);
	assert_int_equal(record_at(0).open_ns, 3 * MS);
	told.kind = STMLOG_OPEN_COMMIT;
	assert_int_equal(look(), 1);
	assert_int_equal(record_at(0).kind, STMLOG_OPEN_COMMIT);
	assert_int_equal(record_at(0).open_ns, MS);
	assert_int_equal(record_at(0).other_thread, 77);
	assert_int_equal(record_at(0).grade, STMLOG_GRADE_CANDIDATE);
	assert_site(record_at(0).other_site, WRITE);
	stmlog_commit(me());
	assert_int_equal(look(), 1);
	assert_int_equal(record_at(0).open_ns, MS);
	assert_true(stmlog_leave(&setup));
	assert_int_equal(look(), 0);
	end();
}
