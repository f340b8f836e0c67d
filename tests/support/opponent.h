/* SPDX-License-Identifier: MIT
 *
 * A second thread that transacts as the test tells it, so that conflicts of two transactions are made step by step.
 * "It" is that thread, "we" and "us" is the test's. Both have a session with a fake clock (session_fixture.h).
 */
#ifndef TESTS_OPPONENT_H
#define TESTS_OPPONENT_H

#include "losses.h"
#include "session_fixture.h"

#define OBJECT ((uintptr_t)0x1000)
#define NEIGHBOUR (OBJECT + 8)

struct opponent {
	struct stmlog_thread *thread;
	uint64_t origin; /* of its last write, or of where it became inevitable, or had us abort */
};

extern struct opponent it;

/* At first it has pushed the sites 500 and 501, and we have pushed 1. */
extern const struct test_fixture opponent_fixture;

/* A site by its position. */
static inline struct tb_site at(uintptr_t place)
{
	return tb_site_make(77, place);
}

/* Has it call what(NULL), or what(arg), and returns when it has. */
void tell(void (*what)(void *arg));
void tell_with(void (*what)(void *arg), uintptr_t arg);

/* What it can be told. */
void it_attaches(void *unused);
void it_leaves(void *unused);
void it_starts(void *unused);
void it_writes_at(void *place);           /* OBJECT */
void it_starts_and_writes(void *unused);  /* at 510 */
void it_becomes_inevitable(void *unused); /* at 520 */
void it_has_us_abort(void *unused);       /* at 530, because of OBJECT */
void it_commits(void *unused);
void it_gives_up(void *unused);

/* We read or write at this place. Returns the origin. */
uint64_t we_touch_at(uintptr_t place);

/* We begin an attempt, meet the write of OBJECT that has this origin, and abort after 5 us. */
void lose_to(uint64_t origin);

#endif
