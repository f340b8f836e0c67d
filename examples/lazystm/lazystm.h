/* SPDX-License-Identifier: MIT
 *
 * lazystm: a small lazy STM, of the kind that most STMs are today (TL2). The second example of a runtime that embeds
 * stmlog, beside smallstm: here a conflict is mostly with a transaction that has committed long before. Begin with
 * profile.h, which has all that lazystm knows of stmlog.
 *
 * A *transaction* is a function that reads and writes words of the program's memory; it is called again until it
 * commits. Each word belongs to one of a fixed number of *locks*. A lock has the version of its words: the time of the
 * global clock when they were written last. A transaction begins by reading the clock, its *snapshot*, and reads only
 * words that are no newer. Its writes go into a buffer. Only the commit takes locks: those of the words to be written.
 * Then it advances the clock, checks that all words it has read are still no newer than the snapshot, and writes. So
 * even a transaction that will abort has seen the memory of one moment. A transaction that only reads takes no lock.
 *
 * No transaction waits for another one because of a conflict: the one that detects it aborts itself, and begins again.
 *
 * Threads: each calls lazy_thread_begin() for itself, and uses the result on no other thread. lazy_open() and
 * lazy_close() require that no thread has begun. Nested transactions are flattened. Words that transactions write are
 * accessed in transactions only, unless no transaction can reach them. They are not given back to the system while
 * transactions run. A thread may end in the middle of a transaction, which then has not happened: it holds no lock.
 */
#ifndef LAZYSTM_H
#define LAZYSTM_H

#include <stdbool.h>
#include <stdint.h>

/* With STMLOG_OFF there are no hooks, and nothing of stmlog is needed. */
#ifdef STMLOG_OFF
#include "no_profile.h"
#else
#include "profile.h"
#endif

/* Opens the profiler too, unless the program has done it. Returns 0 or a negative errno. */
int lazy_open(void);
void lazy_close(void);

/* ---- threads ---- */

struct lazy_thread;

/* NULL: no memory. */
struct lazy_thread *lazy_thread_begin(void);

/* Nulls *thread. */
void lazy_thread_end(struct lazy_thread **thread);

/* From now on the thread's commits call `call` right before they write, while they hold their locks. NULL: they call
 * nothing. For tests, which make conflicts by it. */
void lazy_while_locked(struct lazy_thread *thread, void (*call)(void *arg), void *arg);

/* ---- transactions ---- */

typedef void lazy_body(struct lazy_thread *thread, void *arg);

/* Calls body(thread, arg) until an attempt commits, and returns true; or false if the transaction is given up, by
 * lazy_abort() or for lack of memory. An attempt that aborts leaves `body` by longjmp(): it must own nothing then. */
#define lazy_run(thread, body, arg) lazy_run_at(thread, PROFILE_HERE(), body, arg)
bool lazy_run_at(struct lazy_thread *thread, profile_line here, lazy_body *body, void *arg);

/* Only within a transaction. The first may abort the attempt because of a conflict, the second for lack of memory. */
#define lazy_read(thread, word) lazy_read_at(thread, PROFILE_HERE(), word)
#define lazy_write(thread, word, value) lazy_write_at(thread, PROFILE_HERE(), word, value)
uintptr_t lazy_read_at(struct lazy_thread *thread, profile_line here, const uintptr_t *word);
void lazy_write_at(struct lazy_thread *thread, profile_line here, uintptr_t *word, uintptr_t value);

/* The program itself aborts the attempt, and gives the transaction up or tries again. Reports show `why`, a string
 * literal. */
#define lazy_abort(thread, why) lazy_abort_at(thread, PROFILE_HERE(), why)
#define lazy_retry(thread, why) lazy_retry_at(thread, PROFILE_HERE(), why)
_Noreturn void lazy_abort_at(struct lazy_thread *thread, profile_line here, const char *why);
_Noreturn void lazy_retry_at(struct lazy_thread *thread, profile_line here, const char *why);

/* As lazy_retry(), but the next attempt begins when another transaction has written something that this one has read:
 * until then the thread sleeps, for good if the transaction has read nothing. */
#define lazy_await(thread, why) lazy_await_at(thread, PROFILE_HERE(), why)
_Noreturn void lazy_await_at(struct lazy_thread *thread, profile_line here, const char *why);

/* How often a thread has gone to sleep in lazy_await(). For tests, which wait for that. */
unsigned long lazy_waits_begun(void);

#endif
