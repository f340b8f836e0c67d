/* SPDX-License-Identifier: MIT
 *
 * For one test: the STM is open, with a profiler that prints nothing, and the test's thread has begun. Afterwards all
 * is closed, and no frame is live. */
#ifndef STM_SESSION_H
#define STM_SESSION_H

#include "fixture.h"

#include "stm.h"

extern struct stm_thread *stm_self;

extern const struct test_fixture stm_session;

#endif
