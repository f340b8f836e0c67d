/* SPDX-License-Identifier: MIT
 * A clock that only moves when told to, shared by all threads of a test. */
#ifndef FAKE_CLOCK_H
#define FAKE_CLOCK_H

#include <stdint.h>

/* As for stmlog_set_clock(). */
uint64_t fake_clock_now_ns(void);

void fake_clock_set(uint64_t now_ns);
void fake_clock_advance(uint64_t ns);

#endif
