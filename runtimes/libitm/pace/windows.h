/* SPDX-License-Identifier: MIT
 *
 * Windows: the short times in which transactions are logged access by access (access_log.h). The hooks of the log make
 * a transaction some times as long, so all windows together take a small part of the time: the first one begins soon
 * after the first transaction, and each time until the next is twice as long as the one before, so that short and long
 * runs have windows in all their parts.
 *
 * Only the thread that is switching (bursts.c) opens and closes windows.
 */
#ifndef ITM_WINDOWS_H
#define ITM_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

/* A window is over after so long at the latest; earlier if all threads that transact have logged enough. */
#define ITM_WINDOW_MAX_NS UINT64_C(20000000)

struct itm_windows {
	volatile AO_t open;    /* the number of the open window; 0: none is open */
	volatile AO_t logging; /* threads that log in it, and have not logged enough yet */
};
extern struct itm_windows itm_windows __attribute__((visibility("hidden")));

/* A burst waits so long for the window that is open: a transaction that the burst would cut off is not logged, and so
 * long ones would be too few. */
#define ITM_WINDOW_DELAY_MAX_NS UINT64_C(10000000)

/* Whether a window is to be opened at that time, and whether the open one is over. */
bool itm_windows_is_due(uint64_t now_ns);
bool itm_windows_is_over(uint64_t now_ns);

/* Whether a burst waits for the open window. */
bool itm_windows_delay_burst(uint64_t now_ns);

void itm_windows_open(uint64_t now_ns);

/* Requires that a window is open. */
void itm_windows_close(void);

/* In a forked child: there has been no window yet. */
void itm_windows_forget(void);

#endif
