/* SPDX-License-Identifier: MIT
 * Transactions that are under way, for a snapshot. Their rings tell which. Most transactions take no time stamp when
 * they begin, so each is known to be open since the first snapshot that has found it. A transaction that no earlier
 * snapshot has found is left out: it may be as short as any. Only of waits for the serial lock the beginning is known:
 * such a wait sleeps in the kernel, so the clock can be read before it. */
#ifndef ITM_OPEN_H
#define ITM_OPEN_H

#include <stmlog/stmlog.h>

/* As stmlog_setup.find_open. */
size_t itm_open_find(struct stmlog_open_transaction *open, size_t max, void *unused);

#endif
