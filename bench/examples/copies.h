/* SPDX-License-Identifier: MIT
 *
 * Copies of lazystm in one program, so that they can be compared in alternating slices. Each copy is compiled with its
 * own hooks or without, has its own words and locks, and does the same transactions.
 */
#ifndef LAZYSTM_COPIES_H
#define LAZYSTM_COPIES_H

#include <stdint.h>

struct copy {
	void (*begin)(void);                                   /* begins the calling thread; to be called once */
	void (*tiny)(uint64_t times, void *unused);            /* transactions that read and write two words */
	void (*tiny_with_clock)(uint64_t times, void *unused); /* with two clock readings around each */
	void (*bank)(uint64_t times, void *unused);            /* transfers between 1,024 accounts: four words */
	void (*bank_with_clock)(uint64_t times, void *unused);
};

extern const struct copy off;      /* STMLOG_OFF: without hooks */
extern const struct copy idle;     /* with hooks; begun while no profiler is open */
extern const struct copy recorded; /* with hooks; everything recorded */

#endif
