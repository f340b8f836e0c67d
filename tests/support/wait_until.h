/* SPDX-License-Identifier: MIT
 *
 * Waits for what another thread or process does, however long that takes on a busy machine. A wait of minutes has hung:
 * then the test says what it waited for, and aborts.
 */
#ifndef WAIT_UNTIL_H
#define WAIT_UNTIL_H

#include <stdbool.h>
#include <sys/types.h>

#define WAIT_UNTIL(condition)                                           \
	do {                                                            \
		for (unsigned naps = 0; !(condition); naps++)           \
			wait_nap(naps, #condition, __FILE__, __LINE__); \
	} while (0)

/* Sleeps for a millisecond. Aborts after so many naps that the condition will not come true. */
void wait_nap(unsigned naps, const char *condition, const char *file, int line);

/* Whether the thread or process sleeps: it waits for a lock, say. False for one that is about to. Always true where the
 * kernel does not tell. */
bool is_asleep(pid_t thread);

/* Between the two a process that is stuck is ended by a signal, after as long. */
void hang_guard_begin(void);
void hang_guard_end(void);

#endif
