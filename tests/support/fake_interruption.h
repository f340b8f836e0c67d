/* SPDX-License-Identifier: MIT
 *
 * Interruptions as the test says, in the place of base/interruption.c: each thread has a word that no kernel clears.
 * For tests that tests/rules.mk links with it.
 */
#ifndef FAKE_INTERRUPTION_H
#define FAKE_INTERRUPTION_H

#include <stdint.h>

/* The calling thread was interrupted: its word is cleared. */
void fake_interruption(void);

/* The same, and it was off the processor for so long, because others ran; or because it slept. */
void fake_preemption(uint64_t ns);
void fake_sleep(uint64_t ns);

#endif
