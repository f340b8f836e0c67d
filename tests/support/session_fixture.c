/* SPDX-License-Identifier: MIT */
#include "session_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

struct stmlog_timelog *fixture_log;

static size_t bytes_before;

static bool name_object(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)arg;
	if (object == ENDLESS)
		memset(name, 'x', size);
	else
		snprintf(name, size, "accounts+%u", (unsigned)(object - ACCOUNTS));
	return object == ENDLESS || (object >= ACCOUNTS && object < ACCOUNTS_END);
}

static bool find_block(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)arg;
	if (object < NODE || object >= IMPOSSIBLE_NODE + NODE_SIZE)
		return false;
	block->is_freed = object >= FREED_NODE;
	block->start = block->is_freed ? FREED_NODE : NODE;
	block->size = NODE_SIZE;
	block->allocated = (struct tb_copy){
		.len = 2,
		.is_whole = !block->is_freed,
		.sites = {BYTECODE_SITE(7, 0), BYTECODE_SITE(9, 0)},
	};
	return true;
}

static bool expand(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)arg;
	if (site.code != BYTECODE)
		return false;
	strcpy(name->function, "bytecode");
	strcpy(name->file, "prog.py");
	name->line = (uint32_t)(site.position / 10);
	return true;
}

static void open_session(void)
{
	static const struct stmlog_setup setup = {
		.runtime = "test",
		.report = "none",
		.expand = expand,
		.name_object = name_object,
		.find_block = find_block,
	};
	bytes_before = mem_live_bytes();
	fake_clock_set(1000);
	stmlog_set_clock(fake_clock_now_ns);
	assert_int_equal(stmlog_open(&setup), 0);
	assert_non_null(stmlog_thread_open(NULL));
	fixture_log = stmlog_timelog_create(64);
	assert_non_null(fixture_log);
	stmlog_timelog_activate(fixture_log);
}

static void close_session(void)
{
	stmlog_timelog_destroy(&fixture_log);
	stmlog_close();
	stmlog_set_clock(NULL);
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(mem_live_bytes(), bytes_before);
}

void session_set_up(void)
{
	unsetenv("STMLOG_OPTIONS");
	open_session();
}

void session_tear_down(void)
{
	close_session();
}

const struct test_fixture session_fixture = {session_set_up, session_tear_down};

void session_open_with(const char *options)
{
	close_session();
	setenv("STMLOG_OPTIONS", options, 1);
	open_session();
	unsetenv("STMLOG_OPTIONS");
}

void lose(struct stmlog_thread *thread, uint64_t ns, const struct stmlog_loss *loss)
{
	stmlog_start(thread);
	fake_clock_advance(ns);
	stmlog_abort(thread, loss);
}

void lose_1_ms(const struct stmlog_loss *loss)
{
	lose(me(), 1 * MS, loss);
	stmlog_retry(me());
	stmlog_commit(me());
}

struct stmlog_entry entry_at(struct stmlog_timelog *log, size_t rank)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(log);
	struct stmlog_entry entry;
	for (size_t i = 0; i <= rank; i++)
		assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_ENTRY);
	return entry;
}

void assert_conserved(struct stmlog_timelog *log)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(log);
	struct stmlog_entry entry;
	struct stmlog_totals totals;
	stmlog_timelog_totals(log, &totals);
	uint64_t count = totals.evicted.count, lost_ns = totals.evicted.lost_ns;
	while (stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY) {
		count += entry.count;
		lost_ns += entry.lost_ns;
	}
	for (unsigned r = 0; r < STMLOG_REASONS; r++) {
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
			count -= totals.by_cause[r][c].count;
			lost_ns -= totals.by_cause[r][c].lost_ns;
		}
	}
	assert_int_equal(count, 0);
	assert_int_equal(lost_ns, 0);
}

void assert_no_residual(const struct stmlog_thread *thread)
{
	struct stmlog_account a;
	stmlog_account_read(thread, &a);
	uint64_t sum = a.outside_ns + a.committed_ns + a.paused_ns + a.waiting_inevitable_ns + a.waiting_none_ns +
		       a.other_ns + a.blocked_ns + a.descheduled_ns + a.open_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += a.aborted_ns[c];
	assert_int_equal(a.attached_ns, sum);
}
