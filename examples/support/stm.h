/* SPDX-License-Identifier: MIT
 *
 * The interface that smallstm and lazystm have in common. A program that includes no other header runs on both: it is
 * linked with libsmallstm.a or with liblazystm.a.
 *
 * An *object* is a few words. A *transaction* is a function that reads and writes words of objects. It is called again
 * until it commits; each call is an *attempt*. Even an attempt that will abort reads words of one moment only.
 *
 * Threads: each calls stm_thread_begin() for itself, and uses the result on no other thread. No thread has begun when
 * stm_open() or stm_close() is called. All other functions may be called on any thread. Nested transactions are
 * flattened: the inner one is part of the outer one. No thread ends in the middle of a transaction, or of another call
 * of the STM (pthread_exit(), cancellation).
 */
#ifndef EXAMPLES_STM_H
#define EXAMPLES_STM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

/* A line of the program. With STMLOG_OFF it is nothing, and takes no register. */
#ifdef STMLOG_OFF
typedef struct {
} stm_line;
#define STM_HERE() ((stm_line){})
#else
typedef const struct tb_place *stm_line;
#define STM_HERE() ((stm_line)TB_HERE().position)
#endif

/* Opens the profiler too, unless the program has done it. Returns 0 or a negative errno. */
int stm_open(void);

/* Destroys all objects, and closes the profiler if it was stm_open() that opened it. */
void stm_close(void);

/* How many threads wait within the STM now, for another thread. */
unsigned stm_waiting(void);

/* ---- threads ---- */

struct stm_thread;

/* NULL: no memory. */
struct stm_thread *stm_thread_begin(void);

/* Requires: the thread is in no transaction. Nulls *thread. */
void stm_thread_end(struct stm_thread **thread);

/* ---- objects ---- */

struct stm_object;

/* Creates an object whose words are 0. Reports show `name`, which must live as long as the object. NULL: no memory. */
struct stm_object *stm_object_create(const char *name, size_t words);

/* ---- transactions ---- */

typedef void stm_body(struct stm_thread *thread, void *arg);

/* Calls body(thread, arg) until an attempt commits, and returns true; or false if the transaction is given up, by
 * stm_abort() or for lack of memory. An attempt that aborts leaves `body` by longjmp(): it must own nothing then. */
#define stm_run(thread, body, arg) stm_run_at(thread, STM_HERE(), body, arg)
bool stm_run_at(struct stm_thread *thread, stm_line here, stm_body *body, void *arg);

/* Each may abort the attempt. Requires: the thread is in a transaction, and `word` is less than the object's words. */
#define stm_read(thread, object, word) stm_read_at(thread, STM_HERE(), object, word)
#define stm_write(thread, object, word, value) stm_write_at(thread, STM_HERE(), object, word, value)
uint64_t stm_read_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word);
void stm_write_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word, uint64_t value);

/* The program itself aborts the attempt, and gives the transaction up or retries it. Reports show `why`, a string
 * literal. In an inevitable transaction of smallstm they do nothing. Requires: the thread is in a transaction. */
#define stm_abort(thread, why) stm_abort_at(thread, STM_HERE(), why)
#define stm_retry(thread, why) stm_retry_at(thread, STM_HERE(), why)
void stm_abort_at(struct stm_thread *thread, stm_line here, const char *why);
void stm_retry_at(struct stm_thread *thread, stm_line here, const char *why);

#endif
