/* SPDX-License-Identifier: MIT
 * The clock and the locks of the process. */
#include "locks.h"

struct lock locks[LOCKS];
struct lock_clock lock_clock;
