/* SPDX-License-Identifier: MIT
 *
 * smallstm: a software transactional memory that is made to be read. It shows where each hook of <stmlog/runtime.h>
 * belongs in a runtime, and it can be brought into each situation for which stmlog has a cause. Begin with profile.h,
 * which has all that smallstm knows of stmlog.
 *
 * An *object* is a few words. A *transaction* is a function that reads and writes objects; it is called again until it
 * commits. It runs in a *segment*. The number of segments is fixed; a transaction that finds none free waits. The first
 * write of an object locks the object and makes a copy, which other transactions do not see before the commit. The
 * first read registers the reader with the object, so that a writer detects the conflict when it commits. An
 * *inevitable* transaction cannot be aborted; there is at most one.
 *
 * When two transactions conflict, the *manager* decides which one gives way.
 *
 * Threads: each calls stm_thread_begin() for itself, and uses the result on no other thread. stm_open() and stm_close()
 * require that no thread has begun. All other functions may be called on any thread. Nested transactions are flattened:
 * the inner one is part of the outer one.
 */
#ifndef SMALLSTM_H
#define SMALLSTM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

#define STM_SEGMENTS_MAX 64

/* The managers: which of two transactions gives way. An inevitable transaction never does; then the other one has to.
 */
enum stm_manager {
	STM_ABORT_SELF,    /* the one that detects the conflict aborts */
	STM_ABORT_OTHER,   /* the other one aborts */
	STM_ABORT_YOUNGER, /* the one that began later aborts; retries do not make it younger */
	STM_PAUSE /* the one that detects it pauses until the other one has ended; it aborts if that one is paused, too
		   */
};

struct stm_setup {
	unsigned segments; /* 1 to STM_SEGMENTS_MAX */
	enum stm_manager manager;
	bool readers_detect; /* reading an object that another transaction has locked is a conflict at once */
};

/* Opens the profiler too, unless the program has done it. Returns 0, or -1 and errno: EINVAL, ENOMEM. */
int stm_open(const struct stm_setup *setup);

/* Destroys the objects that are left, and closes the profiler if it was stm_open() that opened it. */
void stm_close(void);

/* Changes the setup while no transaction runs. Returns 0, or -1 and EINVAL. */
int stm_configure(const struct stm_setup *setup);

/* How many threads wait now: paused, waiting for a segment, or waiting for attempts to end. */
unsigned stm_waiting(void);

/* ---- threads ---- */

struct stm_thread;

/* NULL: no memory. */
struct stm_thread *stm_thread_begin(void);

/* Not to be called within a transaction. Nulls *thread. */
void stm_thread_end(struct stm_thread **thread);

/* Tracebacks show the line of this call until the matching stm_leave(). An abort needs no stm_leave(). */
#define stm_enter(thread) stm_enter_at(thread, TB_HERE())
void stm_enter_at(struct stm_thread *thread, struct tb_site here);
void stm_leave(struct stm_thread *thread);

/* ---- objects ---- */

struct stm_object;

/* Creates an object whose words are 0. Reports show `name`, which must live as long as the object. NULL: no memory. */
struct stm_object *stm_object_create(const char *name, size_t words);

/* Waits until all attempts under way have ended, since they may hold the object; then destroys it. Not to be called
 * within a transaction. Nulls *object. */
void stm_object_destroy(struct stm_thread *thread, struct stm_object **object);

/* ---- transactions ---- */

typedef void stm_body(struct stm_thread *thread, void *arg);

/* Calls body(thread, arg) until an attempt commits, and returns true; or false if the program has given the transaction
 * up (stm_abort). An attempt that aborts leaves `body` by longjmp(): it must own nothing then. */
#define stm_run(thread, body, arg) stm_run_at(thread, TB_HERE(), body, arg)
bool stm_run_at(struct stm_thread *thread, struct tb_site here, stm_body *body, void *arg);

/* Only within a transaction. Each may abort the attempt. */
#define stm_read(thread, object, word) stm_read_at(thread, TB_HERE(), object, word)
#define stm_write(thread, object, word, value) stm_write_at(thread, TB_HERE(), object, word, value)
#define stm_become_inevitable(thread) stm_become_inevitable_at(thread, TB_HERE())
uint64_t stm_read_at(struct stm_thread *thread, struct tb_site here, struct stm_object *object, size_t word);
void stm_write_at(
	struct stm_thread *thread, struct tb_site here, struct stm_object *object, size_t word, uint64_t value);
void stm_become_inevitable_at(struct stm_thread *thread, struct tb_site here);

/* The program itself aborts the attempt, and gives the transaction up or retries it. Reports show `why`, a string
 * literal. In an inevitable transaction they do nothing. */
#define stm_abort(thread, why) stm_abort_at(thread, TB_HERE(), why)
#define stm_retry(thread, why) stm_retry_at(thread, TB_HERE(), why)
void stm_abort_at(struct stm_thread *thread, struct tb_site here, const char *why);
void stm_retry_at(struct stm_thread *thread, struct tb_site here, const char *why);

#endif
