/* SPDX-License-Identifier: MIT
 * Has a peer (peer.h) call the hooks. */
#include "opponent.h"

#include "peer.h"

static struct peer peer;

struct opponent it;

/* ---- the other thread ---- */

void it_attaches(void *unused)
{
	(void)unused;
	it.thread = stmlog_thread_open(NULL);
	stmlog_push(it.thread, at(500));
	stmlog_push(it.thread, at(501));
}

void it_leaves(void *unused)
{
	(void)unused;
	stmlog_thread_close(&it.thread);
}

void it_starts(void *unused)
{
	(void)unused;
	stmlog_start(it.thread);
}

void it_writes_at(void *place)
{
	stmlog_update(it.thread, at((uintptr_t)place));
	it.origin = stmlog_origin(it.thread, TB_NO_SITE);
	stmlog_update(it.thread, at(599));
}

void it_starts_and_writes(void *unused)
{
	it_starts(unused);
	it_writes_at((void *)510);
}

void it_becomes_inevitable(void *unused)
{
	(void)unused;
	stmlog_update(it.thread, at(520));
	it.origin = stmlog_became_inevitable(it.thread, TB_NO_SITE);
	stmlog_update(it.thread, at(599));
}

void it_has_us_abort(void *unused)
{
	(void)unused;
	stmlog_update(it.thread, at(530));
	const struct stmlog_loss loss = loss_over_write(STMLOG_ABORTED_BY_OTHER, OBJECT, 0, "WANTED");
	it.origin = stmlog_origin(it.thread, TB_NO_SITE);
	stmlog_abort_other(it.thread, &loss);
	stmlog_update(it.thread, at(599));
}

void it_commits(void *unused)
{
	(void)unused;
	stmlog_commit(it.thread);
}

void it_gives_up(void *unused)
{
	(void)unused;
	abort_asked(it.thread, NULL);
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

static void set_up(void)
{
	session_set_up();
	peer_start(&peer);
	tell(it_attaches);
	it.origin = 0;
	stmlog_push(me(), at(1));
}

static void tear_down(void)
{
	stmlog_pop(me());
	tell(it_leaves);
	peer_end(&peer);
	session_tear_down();
}

const struct test_fixture opponent_fixture = {set_up, tear_down};

uint64_t we_touch_at(uintptr_t place)
{
	stmlog_push(me(), at(place));
	uint64_t origin = stmlog_origin(me(), TB_NO_SITE);
	stmlog_pop(me());
	return origin;
}

void lose_to(uint64_t origin)
{
	stmlog_start(me());
	fake_clock_advance(5 * US);
	abort_over_write(me(), OBJECT, origin, "LOCKED");
}
