/* SPDX-License-Identifier: MIT
 *
 * Tracebacks of the calling thread's stack: where an attempt fails, and where a transaction begins, waits or commits.
 */
#ifndef ITM_TRACE_H
#define ITM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

/* Creates and destroys the calling thread's storage for tracebacks. Without memory all tracebacks are TB_UNKNOWN. */
void itm_traces_create(void);
void itm_traces_destroy(struct tb_stack *stack);

/* Has the thread's stack get free frames, which takes a lock: the first traceback is mostly taken within a transaction,
 * for which others wait. */
void itm_traces_reserve(struct tb_stack *stack);

/* To be called in libitm's undo action. Takes the traceback of the attempt that is being rolled back: sets trace and
 * trace_kind. `slot` is where the undo action's own return address lies. */
void itm_trace(uintptr_t *slot);

/* The traceback from the return address of the entry called last, and from that of the outermost begin. Borrowed until
 * the next traceback is taken. */
struct tb_frame *itm_trace_entry(void);
struct tb_frame *itm_trace_begin(void);

/* The number of the callers of the outermost begin (contexts.h); 0: not known. */
uint32_t itm_trace_callers(void);

/* The traceback of a read that the transaction under way made before: its return address, and the traceback of begin.
 * Borrowed as above. */
struct tb_frame *itm_trace_read(uintptr_t site);

/* To be called in the hook of a commit, for a transaction that is not measured closely, and began at `site`: the
 * traceback of the place where it began. Borrowed as above. */
struct tb_frame *itm_trace_unmeasured(uintptr_t site);

#endif
