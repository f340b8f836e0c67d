/* SPDX-License-Identifier: MIT
 * What hooks cost, measured where it is needed. */
#ifndef STMLOG_PROBE_H
#define STMLOG_PROBE_H

#include <stdint.h>

/* How long an attempt lasts in which nothing is done, by its own account: the hooks at its ends take that of each
 * measured attempt. 0: not known. Takes some tens of microseconds. */
uint64_t probe_within_ns(void);

#endif
