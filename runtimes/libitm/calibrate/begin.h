/* SPDX-License-Identifier: MIT
 * begin.S: libitm's begin under another name, which can be declared as returning twice. */
#ifndef ITM_CALIBRATE_BEGIN_H
#define ITM_CALIBRATE_BEGIN_H

#include <stdint.h>

/* libitm's begin, which may return again until the transaction ends. */
uint32_t transact_begin(uint32_t properties, ...) __attribute__((returns_twice));

/* libitm's begin, to be set before the first transact_begin(). */
extern uint32_t (*transact_real_begin)(uint32_t properties, ...);

#endif
