/* SPDX-License-Identifier: MIT
 *
 * Tracebacks of other transactions, made of places that a ring or libitm's data have told. The latest ones are kept: a
 * thread mostly loses to the same few transactions, and a traceback with the same address is found without reading its
 * frames (timelog_select()).
 */
#ifndef ITM_REMOTE_H
#define ITM_REMOTE_H

#include <stddef.h>

#include <stmlog/traceback.h>

struct itm_thread;

/* The traceback of these sites, innermost first. Borrowed: it lasts until the next call of the thread. Requires that
 * the thread is attached. Allocates only where the thread's stack has no free frames; TB_UNKNOWN: there is no memory.
 */
struct tb_frame *itm_remote_traceback(const struct tb_site *sites, size_t len);

/* Releases the kept ones into `stack`. */
void itm_remote_destroy(struct itm_thread *self, struct tb_stack *stack);

#endif
