/* SPDX-License-Identifier: MIT
 *
 * smallstm: a software transactional memory that is made to be read. It shows where each
 * hook of <stmlog/runtime.h> belongs in a runtime, and can be brought into each situation
 * that stmlog has a name for. profile.h is the file to begin with: all contact with stmlog.
 *
 * An *object* is a few words. A *transaction* is a function that reads and writes objects
 * and is called again until it commits. It runs in a *segment*, of which there is a fixed
 * number: who finds none free waits. The first write of an object locks it and makes a
 * copy that nobody else sees before the commit; the first read registers the reader with
 * the object, and a writer meets it there when it commits. An *inevitable* transaction
 * cannot be aborted; there is one at most.
 *
 * When two transactions meet, the *manager* says who gives way.
 *
 * Threads: each calls stm_thread_begin() for itself and uses what it returns on no other
 * thread. stm_open() and stm_close() while no thread has begun. All others on any thread.
 * Transactions within transactions are flattened: the inner one is part of the outer.
 */
#ifndef SMALLSTM_H
#define SMALLSTM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

#define STM_SEGMENTS_MOST 64

/* Who gives way. An inevitable or committing transaction never does; then the other one has to. */
enum stm_manager {
	STM_ABORT_SELF,    /* who finds the conflict */
	STM_ABORT_OTHER,   /* who is found */
	STM_ABORT_YOUNGER, /* who began its transaction later; retries do not make it younger */
	STM_PAUSE          /* who finds it stands still until the other has ended; aborts if that stands still too */
};

struct stm_setup {
	unsigned segments; /* 1 to STM_SEGMENTS_MOST */
	enum stm_manager manager;
	bool readers_detect; /* reading what somebody is writing is a conflict at once, found by the reader */
};

/* Opens the profiler too, unless the program has done it. Returns 0, or -1 and errno: EINVAL, ENOMEM. */
int stm_open(const struct stm_setup *setup);

/* Destroys the objects that are left, and closes the profiler if it was stm_open() that opened it. */
void stm_close(void);

/* Changes the setup while no transaction runs. Returns 0, or -1 and EINVAL. */
int stm_configure(const struct stm_setup *setup);

/* How many threads stand still now: paused, waiting for a segment, or for others to end. */
unsigned stm_waiting(void);

/* ---- threads ---- */

struct stm_thread;

/* NULL when there is no memory. */
struct stm_thread *stm_thread_begin(void);

/* Not within a transaction. Nulls *thread. */
void stm_thread_end(struct stm_thread **thread);

/* Names the line that this stands on in tracebacks, until the matching leave. An abort leaves by itself. */
#define stm_enter(thread) stm_enter_at(thread, TB_HERE())
void stm_enter_at(struct stm_thread *thread, struct tb_site here);
void stm_leave(struct stm_thread *thread);

/* ---- objects ---- */

struct stm_object;

/* All words 0. `name` is shown in reports and has to live as long as the object. NULL when there is no memory. */
struct stm_object *stm_object_create(const char *name, size_t words);

/* Waits until every attempt that is under way now has ended, since it may hold the object. Not within a
 * transaction. Nulls *object. */
void stm_object_destroy(struct stm_thread *thread, struct stm_object **object);

/* ---- transactions ---- */

typedef void stm_body(struct stm_thread *thread, void *arg);

/* Calls body(thread, arg) until an attempt commits, and returns true; or false when the program gave the
 * transaction up (stm_abort). An attempt that aborts leaves `body` by longjmp: it must hold nothing then. */
#define stm_run(thread, body, arg) stm_run_at(thread, TB_HERE(), body, arg)
bool stm_run_at(struct stm_thread *thread, struct tb_site here, stm_body *body, void *arg);

/* Within a transaction only; each may end the attempt. */
#define stm_read(thread, object, word) stm_read_at(thread, TB_HERE(), object, word)
#define stm_write(thread, object, word, value) stm_write_at(thread, TB_HERE(), object, word, value)
#define stm_become_inevitable(thread) stm_become_inevitable_at(thread, TB_HERE())
uint64_t stm_read_at(struct stm_thread *thread, struct tb_site here, struct stm_object *object, size_t word);
void stm_write_at(
	struct stm_thread *thread, struct tb_site here, struct stm_object *object, size_t word, uint64_t value);
void stm_become_inevitable_at(struct stm_thread *thread, struct tb_site here);

/* The program's own wish: gives the transaction up, or begins it again. `why` is a string literal, shown in
 * reports. An inevitable transaction cannot: then they do nothing. */
#define stm_abort(thread, why) stm_abort_at(thread, TB_HERE(), why)
#define stm_retry(thread, why) stm_retry_at(thread, TB_HERE(), why)
void stm_abort_at(struct stm_thread *thread, struct tb_site here, const char *why);
void stm_retry_at(struct stm_thread *thread, struct tb_site here, const char *why);

#endif
