/* SPDX-License-Identifier: MIT */
#include "weigh.h"

struct weight weigh(
	struct running *running, uint64_t transaction, uint32_t extra, const struct stmlog_cause *cause, uint64_t ns)
{
	/* Sums that nothing will ask for are not kept: without weight there is no variance. */
	if (extra == 0)
		return (struct weight){.transaction = transaction};
	if (running->transaction != transaction)
		*running = (struct running){.transaction = transaction};
	uint64_t *of_cause_ns = &running->cause_ns[cause->reason][cause->contention];
	struct weight weight = {extra, transaction, *of_cause_ns, running->all_ns};
	*of_cause_ns += ns;
	running->all_ns += ns;
	return weight;
}
