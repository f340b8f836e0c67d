/* SPDX-License-Identifier: MIT
 *
 * What Haskell code does, and the run-time system's code in Cmm: transactions of a Haskell thread, whose steps go to
 * the module as they do in a program that is linked with it, through stubs.S.
 */
#ifndef TESTS_HASKELL_H
#define TESTS_HASKELL_H

#include "fake_rts.h"
#include "seen_loss.h"
#include "session_fixture.h"

#include "lane.h"

/* A Haskell thread and the capability that it runs on. */
struct haskell {
	struct hs_capability *capability;
	struct hs_tso *tso;
};

/* The module in a session with a fake clock, which measures all transactions. Afterwards nothing of it is left: no
 * frame, no byte, and no TVar is known. The module has called each hook as the library requires. */
extern const struct test_fixture haskell_fixture;
/* The same, with the RTS that has one OS thread. */
extern const struct test_fixture haskell_single_fixture;

/* Their functions, for fixtures that do more. */
void haskell_set_up(void);
/* The same, with the threaded RTS and STMLOG_OPTIONS. */
void haskell_set_up_with(const char *options);
void haskell_tear_down(void);

/* Closes all lanes; no TVar is known any more. */
void haskell_forget(void);

/* A new Haskell thread on a new capability. */
struct haskell haskell_thread(void);
/* Another one on the same. */
struct haskell haskell_thread_on(struct hs_capability *capability);

/* Functions of the program: a closure, and the address by which reports name its code. */
struct haskell_function {
	struct fake_info info;
};
uintptr_t haskell_code(const struct haskell_function *function);

/* The thread calls the function, and returns from it: no more than a frame on its stack. */
void haskell_call_begin(const struct haskell *thread, const struct haskell_function *function);
void haskell_call_end(const struct haskell *thread);

/* ---- a transaction ---- */

/* `atomically` of the function: the first attempt begins. */
void haskell_atomically(const struct haskell *thread, const struct haskell_function *function);
uintptr_t haskell_read(const struct haskell *thread, struct hs_tvar *tvar);
/* Writes a new value. */
void haskell_change(const struct haskell *thread, struct hs_tvar *tvar);

/* The attempt is over. Returns whether it has committed; otherwise the next one has begun. */
bool haskell_commit(const struct haskell *thread);

/* `retry`. Returns whether the thread sleeps now; otherwise the next attempt has begun. */
bool haskell_retry(const struct haskell *thread);
/* It wakes up. Returns whether the next attempt has begun; otherwise it sleeps on. */
bool haskell_wake(const struct haskell *thread);

/* An exception. Returns whether it has left the transaction; otherwise the next attempt has begun. */
bool haskell_throw(const struct haskell *thread);
/* Another thread sends an exception, which ends the transaction, asleep or awake. */
void haskell_kill(const struct haskell *thread);

/* Begins an alternative of `orElse`, or the body of `catchSTM`; then ends it. Returns whether it is a part of the
 * attempt now; otherwise the attempt, or the body, has begun again. */
void haskell_or_else(const struct haskell *thread);
bool haskell_or_else_end(const struct haskell *thread);
void haskell_catch(const struct haskell *thread);
bool haskell_catch_end(const struct haskell *thread);

/* The thread stops running; its next step is where it runs again. Within an attempt the RTS looks whether that is still
 * valid. A thread stops as well when another one of its capability makes a step. */
void haskell_stop(const struct haskell *thread);

/* A transaction of the function which writes a new value to the TVar, and must commit. */
void haskell_poke(const struct haskell *thread, const struct haskell_function *function, struct hs_tvar *tvar);

/* A collection; where TVars are by then, the script tells. */
void haskell_collect(void);
/* A compaction behind it, which tells the function of each slot that holds the address of an object. */
void haskell_compact(void (*announce)(void *user, uintptr_t *slot), void *user);

/* ---- what the library knows ---- */

/* The account of the capability's first lane, whose times add up. */
struct stmlog_account haskell_account(const struct haskell *thread);

#endif
