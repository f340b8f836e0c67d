/* SPDX-License-Identifier: MIT
 *
 * smallstm: a software transactional memory that is made to be read. It shows where each hook of <stmlog/runtime.h>
 * belongs in a runtime, and it can be brought into each situation for which stmlog has a cause. stm.h has most of its
 * interface.
 *
 * A transaction runs in a *segment*. The number of segments is fixed; a transaction that finds none free waits. The
 * first write of an object locks the object and makes a copy, which other transactions do not see before the commit.
 * The first read registers the reader with the object, so that a writer detects the conflict when it commits. An
 * *inevitable* transaction cannot be aborted; there is at most one.
 *
 * When two transactions conflict, the *manager* decides which one gives way.
 */
#ifndef SMALLSTM_H
#define SMALLSTM_H

#include "stm.h"

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

/* Changes the setup. Requires: no transaction runs. After stm_open() it is STM_SEGMENTS_MAX segments,
 * STM_ABORT_YOUNGER, and no detection by readers. Returns 0 or -EINVAL. */
int stm_configure(const struct stm_setup *setup);

/* Waits until all attempts under way have ended, since they may hold the object; then destroys it. Requires: the
 * thread is in no transaction. Nulls *object. */
void stm_object_destroy(struct stm_thread *thread, struct stm_object **object);

/* May abort the attempt. Requires: the thread is in a transaction. */
#define stm_become_inevitable(thread) stm_become_inevitable_at(thread, STM_HERE())
void stm_become_inevitable_at(struct stm_thread *thread, stm_line here);

#endif
