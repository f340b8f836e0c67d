/* SPDX-License-Identifier: MIT
 *
 * How near two processors are to each other. On a virtual machine the host moves them: for a while they share a cache,
 * and then they do not, and the same program with conflicts is some times as slow.
 */
#ifndef LINE_TRANSFER_H
#define LINE_TRANSFER_H

#include <stdbool.h>

/* How long a cache line takes from the first processor of this process to the second one and back: the shortest of some
 * measurements, which take a tenth of a millisecond. 0: not known, as with one processor, or where other processes have
 * the processors. */
double line_transfer_ns(void);

/* Whether the two times are those of processors as near to each other. A time that is not known is like any. */
bool line_transfers_are_alike(double line_ns, double other_ns);

#endif
