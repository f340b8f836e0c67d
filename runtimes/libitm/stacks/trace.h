/* SPDX-License-Identifier: MIT
 *
 * Tracebacks of the calling thread's stack: of the attempt that fails, of a transaction that begins, waits or commits.
 */
#ifndef ITM_TRACE_H
#define ITM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

struct native_step;

/* The calling thread's storage for tracebacks; without memory there are none. */
void itm_traces_create(void);
void itm_traces_destroy(struct tb_stack *stack);

/* Finds where the attempt that is being rolled back was: sets trace and trace_kind.
 * `slot` is where the undo action's own return address lies. */
void itm_trace(uintptr_t *slot);

/* The user's stack from `slot` outwards, as the unwinder finds it: how many steps, up to main or a
 * thread's start, at most options.depth of them; they last until the next walk or trace. */
size_t itm_walk_steps(const uintptr_t *slot, const struct native_step **steps);

/* The traceback of the stack from the return address in `slot` outwards, which is that of the entry noted last or of
 * the outermost begin; borrowed until the next one is made. */
struct tb_frame *itm_trace_from(uintptr_t *slot);

/* Within the hook of a commit: the traceback of where the transaction began; borrowed as above. */
struct tb_frame *itm_trace_begin(void);

#endif
