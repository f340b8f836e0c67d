/* SPDX-License-Identifier: MIT
 * What is counted, kept and reported of tries in hardware. The tries are played here by calls; tests/helpers/rtm.c
 * plays whole transactions. */
#include <string.h>

#include "agent.h"
#include "alone.h"
#include "blame.h"
#include "cause.h"
#include "entries.h"
#include "hardware.h"
#include "hardware_code.h"
#include "remote.h"
#include "session_fixture.h"
#include "test.h"
#include "thread.h"
#include "trace.h"
#include "wait.h"

#define RETRY_CONFLICT (ITM_STATUS_RETRY | ITM_STATUS_CONFLICT)
#define HELD ((uint32_t)ITM_HELD_CODE << ITM_STATUS_CODE_SHIFT | ITM_STATUS_EXPLICIT)

/* The agent's own would unwind the stack, and hook this program. */
int (*itm_real_in_transaction)(void);
void (*itm_real_add_commit)(void (*)(void *), uint64_t, void *);

struct tb_frame *itm_trace_from(uintptr_t *slot)
{
	(void)slot;
	return TB_UNKNOWN;
}

struct tb_frame *itm_trace_unmeasured(uintptr_t site)
{
	(void)site;
	return TB_UNKNOWN;
}

struct tb_frame *itm_trace_begin(void)
{
	return tb_current(stmlog_thread_stack(itm_self.thread));
}

const uint64_t *itm_blame_reads(const struct itm_thread *self)
{
	(void)self;
	return NULL;
}

void itm_blame_forget_reads(struct itm_thread *self)
{
	(void)self;
}

static struct itm_serial_lock lock;
static struct itm_ring *ring, *others;

static void set_up(void)
{
	session_set_up();
	if (ring == NULL) {
		ring = itm_ring_acquire(1);
		others = itm_ring_acquire(7);
	}
	ring->hardware = others->hardware = (struct itm_hardware_counts){.commits = 0};
	lock = (struct itm_serial_lock){0, 2};
	itm_hardware = (struct itm_hardware_code){&lock, NULL};
	itm_agent.method = ITM_METHOD_HARDWARE;
	itm_agent.has_steady_tsc = false; /* stamps are the fake clock's */
	itm_self = (struct itm_thread){.thread = stmlog_thread_self(), .ring = ring, .depth = 1, .flags = ITM_MEASURED};
	itm_holder_set(NULL);
}

static void tear_down(void)
{
	itm_remote_destroy(&itm_self, stmlog_thread_stack(itm_self.thread));
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static void start(void)
{
	itm_self.tries.len = 0;
	itm_self.flags = ITM_MEASURED;
	stmlog_start(itm_self.thread);
}

static struct stmlog_account account(void)
{
	struct stmlog_account figures;
	stmlog_account_read(itm_self.thread, &figures);
	return figures;
}

static uint64_t count(enum itm_hardware_cause cause)
{
	return AO_load(&ring->hardware.aborts[cause]);
}

/* ---- counting ---- */

TEST_WITH(fixture, each_abort_counts_under_its_cause)
{
	itm_self.flags = 0;
	itm_hardware_aborted(RETRY_CONFLICT);
	itm_hardware_aborted(RETRY_CONFLICT);
	itm_hardware_aborted(HELD);
	itm_hardware_aborted(0);
	assert_int_equal(count(ITM_HARDWARE_CONFLICT), 2);
	assert_int_equal(count(ITM_HARDWARE_LOCK_HELD), 1);
	assert_int_equal(count(ITM_HARDWARE_UNFRIENDLY), 1);
	assert_int_equal(itm_self.tries.len, 0); /* it is not measured */
}

TEST_WITH(fixture, an_inner_begin_that_finds_the_own_lock_held_has_lost_nothing)
{
	itm_self.depth = 2;
	itm_hardware_aborted(HELD);
	lock.writers = 1;
	itm_hardware_runs_alone(true);
	assert_int_equal(count(ITM_HARDWARE_LOCK_HELD), 0);
	assert_int_equal(itm_self.tries.len, 0);
	assert_int_equal(AO_load(&ring->hardware.fallbacks), 0);
	assert_int_equal(itm_holder, 0);
}

TEST_WITH(fixture, only_what_was_tried_in_hardware_falls_back)
{
	lock.writers = 1;
	itm_hardware_runs_alone(false);
	assert_int_equal(AO_load(&ring->hardware.fallbacks), 0);
	itm_hardware_runs_alone(true);
	assert_int_equal(AO_load(&ring->hardware.fallbacks), 1);
	lock.fastpath = 0; /* as before a second thread transacts */
	itm_hardware_runs_alone(true);
	assert_int_equal(AO_load(&ring->hardware.fallbacks), 1);
}

/* ---- who runs alone ---- */

TEST_WITH(fixture, who_runs_alone_is_named_until_it_lets_go)
{
	uintptr_t site = 0;
	AO_store(&ring->site, 0x1234);
	lock.writers = 1;
	itm_hardware_runs_alone(true);
	assert_true(itm_self.flags & ITM_HOLDS_SERIAL);
	assert_int_equal(itm_holder_find(&site), AO_load(&ring->thread));
	assert_int_equal(site, 0x1234);
	itm_hardware_release_serial(&itm_self);
	assert_false(itm_self.flags & ITM_HOLDS_SERIAL);
	assert_int_equal(itm_holder_find(&site), 0);
}

TEST_WITH(fixture, who_runs_in_software_beside_others_holds_no_lock)
{
	itm_hardware_runs_alone(false);
	assert_false(itm_self.flags & ITM_HOLDS_SERIAL);
	assert_int_equal(itm_holder, 0);
}

/* ---- reporting ---- */

/* Two tries fail, after 1 and 3 ms, with waits of 5 and 0 ms afterwards. Alone the transaction takes 7 ms. */
TEST_WITH(fixture, tries_are_told_after_commit_with_the_times_they_had)
{
	struct tb_stack *stack = stmlog_thread_stack(itm_self.thread);
	tb_push(stack, TB_HERE());
	start();
	fake_clock_advance(1 * MS);
	itm_hardware_aborted(RETRY_CONFLICT);
	fake_clock_advance(5 * MS);
	itm_hardware_tries_again();
	fake_clock_advance(3 * MS);
	itm_hardware_aborted(ITM_STATUS_CAPACITY);
	itm_hardware_runs_alone(true);
	assert_int_equal(account().open_ns, 9 * MS); /* nothing is reported yet */
	fake_clock_advance(7 * MS);
	itm_hardware_report(&itm_self);
	struct stmlog_account figures = account();
	assert_int_equal(figures.commits, 1);
	assert_int_equal(figures.committed_ns, 7 * MS);
	assert_int_equal(figures.aborted_ns[itm_cause_of_hardware(ITM_HARDWARE_CONFLICT).contention], 1 * MS);
	assert_int_equal(figures.aborted_ns[STMLOG_NONE], 3 * MS);
	assert_int_equal(figures.waiting_inevitable_ns, 5 * MS);
	assert_no_residual(itm_self.thread);
	assert_conserved(fixture_log);
	assert_string_equal(entry_at(fixture_log, 0).cause.detail, "RESTART_WAIT");
	assert_string_equal(entry_at(fixture_log, 1).cause.detail, "HTM_CAPACITY");
	assert_string_equal(entry_at(fixture_log, 2).cause.detail, "HTM_CONFLICT");
	assert_int_equal(tb_depth(entry_at(fixture_log, 2).local), 1);
	assert_int_equal(itm_self.tries.len, 0);
	tb_pop(stack);
}

/* The lock is held by thread 7, in a transaction that began at 0x4321. */
TEST_WITH(fixture, who_held_the_lock_is_certain_where_the_lock_was_the_matter)
{
	static const struct {
		uint32_t status;
		enum stmlog_grade grade;
	} rows[] = {
		{HELD, STMLOG_GRADE_CERTAIN},
		{RETRY_CONFLICT, STMLOG_GRADE_CANDIDATE},
		{0, STMLOG_GRADE_UNKNOWN},
	};
	AO_store(&others->site, 0x4321);
	itm_holder_set(others);
	lock.writers = 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		start();
		fake_clock_advance((3 - i) * MS);
		itm_hardware_aborted(rows[i].status);
		itm_hardware_tries_again();
		itm_hardware_report(&itm_self);
	}
	itm_holder_set(NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stmlog_entry entry = entry_at(fixture_log, i);
		bool is_named = rows[i].grade != STMLOG_GRADE_UNKNOWN;
		assert_int_equal(entry.grade, rows[i].grade);
		assert_int_equal(entry.cause.contention, is_named ? STMLOG_INEVITABLE : STMLOG_NONE);
		assert_int_equal(tb_depth(entry.remote), is_named);
		if (is_named)
			assert_int_equal(tb_frame_site(entry.remote).position, 0x4321);
	}
}

TEST_WITH(fixture, who_is_waited_for_is_named_if_it_was_there_when_the_try_failed)
{
	AO_store(&others->site, 0x4321);
	itm_holder_set(others);
	start();
	itm_hardware_aborted(HELD);
	itm_holder_set(NULL);
	fake_clock_advance(2 * MS);
	itm_hardware_tries_again();
	itm_hardware_report(&itm_self);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_string_equal(entry.cause.detail, "RESTART_WAIT");
	assert_int_equal(entry.lost_ns, 2 * MS);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(tb_frame_site(entry.remote).position, 0x4321);
}

TEST_WITH(fixture, more_tries_than_are_kept_are_counted)
{
	start();
	for (int i = 0; i < ITM_HARDWARE_TRIES_MAX + 3; i++) {
		fake_clock_advance(MS);
		itm_hardware_aborted(RETRY_CONFLICT);
	}
	itm_hardware_report(&itm_self);
	assert_int_equal(count(ITM_HARDWARE_CONFLICT), ITM_HARDWARE_TRIES_MAX + 3);
	assert_int_equal(account().unmeasured_aborts, 3);
	assert_int_equal(entry_at(fixture_log, 0).count, ITM_HARDWARE_TRIES_MAX);
	start();
	itm_hardware_aborted(0);
	itm_hardware_report(&itm_self);
	assert_int_equal(account().unmeasured_aborts, 3);
}
