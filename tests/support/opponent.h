/* SPDX-License-Identifier: MIT
 *
 * A second thread that transacts as the test tells it, so that conflicts of two transactions are made step by step.
 * "It" is that thread, "we" and "us" is the test's. Both have a session with a fake clock (session_fixture.h).
 */
#ifndef TESTS_OPPONENT_H
#define TESTS_OPPONENT_H

#include "session_fixture.h"

#define OBJECT ((uintptr_t)0x1000)
#define NEIGHBOUR (OBJECT + 8)

/* What the thread is told, and tells. */
struct opponent {
	struct stmlog_thread *thread;
	uint64_t attempt;           /* under way, or the last */
	struct stmlog_other target; /* our attempt, for it_has_us_abort() */
	struct stmlog_entry entry;  /* its own costliest */
	struct stmlog_timelog *log;
};

extern struct opponent it;
extern const struct stmlog_other nobody;

/* At first it has pushed the sites 500 and 501, and we have pushed 1. */
extern const struct test_fixture opponent_fixture;

/* Its functions, for fixtures that do more. */
void opponent_set_up(void);
void opponent_tear_down(void);

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
void it_becomes_inevitable(void *unused); /* at 520 */
void it_commits(void *unused);
void it_gives_up(void *unused);
void it_has_us_abort(void *conflict); /* at 530, over OBJECT: that it writes now, or wrote */
void it_is_aborted_by_us(void *unused);

/* Its attempt. */
struct stmlog_other it_now(void);

struct stmlog_thread *self(void);
void we_start(void);
void we_write_at(uintptr_t place, uintptr_t object);

/* We begin an attempt, meet the other transaction's write of OBJECT, and abort after 5 us. */
void lose_to_its_write(struct stmlog_other other);

#endif
