/* SPDX-License-Identifier: MIT
 * What recording costs: the real hooks, timed on a thread that does not exist. */
#ifndef STMLOG_PROBE_H
#define STMLOG_PROBE_H

#include <stdint.h>

/* The cost of so many events, estimated by running some; takes below a millisecond. 0 when the clock is
 * the caller's own, since then there is nothing to measure with. */
uint64_t probe_cost_ns(uint64_t events);

#endif
