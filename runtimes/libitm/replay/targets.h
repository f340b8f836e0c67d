/* SPDX-License-Identifier: MIT
 *
 * Memory of this process for the addresses of the recorded accesses. The low TARGETS_KEPT_BITS bits of each address
 * stay what they are: so cache lines, pages, and the numbers of libitm's locks, which are made of lower bits, are those
 * of the program. Addresses that differ only in the other bits stay different.
 */
#ifndef ITM_REPLAY_TARGETS_H
#define ITM_REPLAY_TARGETS_H

#include "recorded.h"

enum {
	TARGETS_KEPT_BITS = 37,
	TARGETS_REGIONS_MAX = 63, /* different values of the other bits */
};

struct targets {
	char *base; /* of the first region; the regions follow one another */
	uint64_t regions[TARGETS_REGIONS_MAX];
	size_t region_count;
	struct targets_range *ranges; /* what is mapped, by ascending places */
	size_t range_count;
	bool has_unused_pages; /* some of it is not accessed */
};

/* Maps zeroed memory for all accesses, and touches it, so that no access faults. The caller gives it back with
 * targets_fini(). Returns why it has failed, and leaves nothing to free; NULL: it has not. */
const char *targets_init(struct targets *targets, const struct recorded *recorded);
void targets_fini(struct targets *targets);

/* Where this address is in this process. Requires an address of an access of the recording. */
char *targets_find(const struct targets *targets, uint64_t address);

#endif
