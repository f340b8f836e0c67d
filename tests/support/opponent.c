/* SPDX-License-Identifier: MIT
 * Has a peer (peer.h) call the hooks. */
#include "opponent.h"

#include "fixture.h"
#include "peer.h"

static struct peer peer;

struct opponent it;
const struct stmlog_other nobody;

/* ---- the other thread ---- */

void it_attaches(void *unused)
{
	(void)unused;
	it.thread = stmlog_thread_attach();
	it.log = stmlog_timelog_create(8, STMLOG_KEEP_COSTLIEST);
	stmlog_timelog_activate(it.log);
	tb_push(stmlog_thread_stack(it.thread), at(500));
	tb_push(stmlog_thread_stack(it.thread), at(501));
}

void it_leaves(void *unused)
{
	(void)unused;
	stmlog_timelog_destroy(&it.log);
	stmlog_thread_detach();
}

void it_starts(void *unused)
{
	(void)unused;
	stmlog_start(it.thread);
	it.attempt = stmlog_attempt(it.thread);
}

void it_writes_at(void *place)
{
	tb_update(stmlog_thread_stack(it.thread), at((uintptr_t)place));
	stmlog_wrote(it.thread, OBJECT);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

void it_becomes_inevitable(void *unused)
{
	(void)unused;
	tb_update(stmlog_thread_stack(it.thread), at(520));
	stmlog_became_inevitable(it.thread);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

void it_commits(void *unused)
{
	(void)unused;
	stmlog_commit(it.thread);
}

void it_gives_up(void *unused)
{
	(void)unused;
	stmlog_abort_asked(it.thread, NULL);
}

/* Makes this test's thread abort over what it now writes, or over what it wrote. */
void it_has_us_abort(void *conflict)
{
	tb_update(stmlog_thread_stack(it.thread), at(530));
	stmlog_contention(it.thread, (enum stmlog_conflict)(uintptr_t)conflict, OBJECT, it.target, "WANTED");
	stmlog_abort_other(it.thread);
}

void it_is_aborted_by_us(void *unused)
{
	(void)unused;
	stmlog_aborted_by(it.thread, it.target, STMLOG_WRITE_WRITE, NULL);
	it.entry = entry_at(it.log, 0);
}

void tell(void (*what)(void *arg))
{
	peer_do(&peer, what, NULL);
}

void tell_with(void (*what)(void *arg), uintptr_t arg)
{
	peer_do(&peer, what, (void *)arg);
}

/* ---- this thread ---- */

void opponent_set_up(void)
{
	session_set_up();
	peer_start(&peer);
	tell(it_attaches);
	tb_push(stmlog_thread_stack(stmlog_thread_self()), at(1));
	it.target = nobody;
}

void opponent_tear_down(void)
{
	tb_pop(stmlog_thread_stack(stmlog_thread_self()));
	tell(it_leaves);
	peer_end(&peer);
	session_tear_down();
}

const struct test_fixture opponent_fixture = {opponent_set_up, opponent_tear_down};

struct stmlog_thread *self(void)
{
	return stmlog_thread_self();
}

struct stmlog_other it_now(void)
{
	return stmlog_other_make(it.thread, it.attempt);
}

void we_start(void)
{
	stmlog_start(self());
	it.target = stmlog_other_make(self(), stmlog_attempt(self()));
}

void we_write_at(uintptr_t place, uintptr_t object)
{
	tb_push(stmlog_thread_stack(self()), at(place));
	stmlog_wrote(self(), object);
	tb_pop(stmlog_thread_stack(self()));
}

void lose_to_its_write(struct stmlog_other other)
{
	stmlog_start(self());
	fake_clock_advance(5 * US);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, other, "TAKEN");
	stmlog_abort_self(self());
}
