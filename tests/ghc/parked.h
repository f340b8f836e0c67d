/* SPDX-License-Identifier: MIT
 *
 * Another Haskell thread, on an OS thread of its own, which stops in the middle of its commit: it holds the lock of a
 * TVar until the test says that it may go on.
 */
#ifndef GHC_PARKED_H
#define GHC_PARKED_H

#include <semaphore.h>

#include "functions.h"
#include "peer.h"

static struct {
	struct peer peer;
	struct haskell thread;
	struct hs_tvar *tvar;
	sem_t holds, may_go_on;
} parked;

static void parked_hold(void)
{
	sem_post(&parked.holds);
	sem_wait(&parked.may_go_on);
}

static void parked_commit(void *unused)
{
	(void)unused;
	haskell_poke(&parked.thread, &poke, parked.tvar);
	sem_post(&parked.peer.done);
}

/* Begins to commit a write of the TVar, and returns when it holds the lock. */
static inline void parked_begin(struct hs_tvar *locked)
{
	sem_init(&parked.holds, 0, 0);
	sem_init(&parked.may_go_on, 0, 0);
	parked.tvar = locked;
	parked.thread = haskell_thread();
	fake_script.holding = parked_hold;
	peer_start(&parked.peer);
	parked.peer.what = parked_commit;
	sem_post(&parked.peer.told);
	sem_wait(&parked.holds);
}

/* Goes on, and returns when it has committed. */
static inline void parked_end(void)
{
	sem_post(&parked.may_go_on);
	sem_wait(&parked.peer.done);
	peer_end(&parked.peer);
	sem_destroy(&parked.holds);
	sem_destroy(&parked.may_go_on);
}

#endif
