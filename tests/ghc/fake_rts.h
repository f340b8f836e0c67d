/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the functions of GHC's run-time system (RTS) that the module calls and hooks (`ghc_real`), on objects
 * as the RTS has them (fake_objects.h). They do what the threaded RTS does to TVars, entries, chunks and locks; a test
 * may stop them while a lock is held, or while another one's lock is waited for.
 */
#ifndef FAKE_RTS_H
#define FAKE_RTS_H

#include "fake_objects.h"

/* What a test is called for; each is called once, and set anew. NULL: nothing. */
struct fake_script {
	void (*holding)(void);  /* a commit has locked all that it writes */
	void (*spinning)(void); /* an access has met a lock; the lock must be let go meanwhile */
	void (*reading)(void);  /* a read is about to take the value of a TVar */
	void (*has_read)(void); /* it has taken it */
	/* The next commit fails as if it had met the lock of a commit that did not come about. */
	bool is_momentary;
	/* Where a TVar is after the garbage collection; NULL: it has died. */
	struct hs_tvar *(*moved)(struct hs_tvar *tvar);
};
extern struct fake_script fake_script;

/* Makes ghc_rts tell of the RTS with this way of scheduling. */
void fake_rts_open(bool is_threaded);

/* All TVars have died. */
struct hs_tvar *fake_died(struct hs_tvar *tvar);

/* Begins an attempt. Its code begins as that of the RTS. */
struct hs_trec *fake_start(struct hs_capability *capability, struct hs_trec *outer, uintptr_t, uintptr_t);

/* Instructions as those at the beginning of `atomically`. */
extern unsigned char fake_atomically_code[GHC_ATOMICALLY_BYTES];

#endif
