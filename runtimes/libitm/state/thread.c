/* SPDX-License-Identifier: MIT
 * The state of the calling thread. Asserts that its members lie where assembly looks for them. */
#include "thread.h"

#include <stddef.h>

_Static_assert(offsetof(struct itm_read, site) == 8 && sizeof(struct itm_read) == 16, "barriers.S");
struct itm_read itm_reads_dummy;
volatile uint64_t itm_never_interrupted = 1;

__thread struct itm_thread itm_self __attribute__((tls_model("initial-exec"))) = {
	.ring = &itm_ring_dummy,
	.reads_at = &itm_reads_dummy,
	.reads_limit = &itm_reads_dummy + 1,
	.reads_end = &itm_reads_dummy + 1,
	.critical = &itm_never_interrupted,
};

#define STANDS_AT(member, offset) _Static_assert(offsetof(struct itm_thread, member) == (offset), "asm_shared.h")
STANDS_AT(depth, ITM_DEPTH);
STANDS_AT(flags, ITM_FLAGS);
STANDS_AT(countdown, ITM_COUNTDOWN);
STANDS_AT(kind, ITM_KIND);
STANDS_AT(slot, ITM_SLOT);
STANDS_AT(hook_return, ITM_RETURN);
STANDS_AT(address, ITM_ADDRESS);
STANDS_AT(source, ITM_SOURCE);
STANDS_AT(user_r15, ITM_USER_R15);
STANDS_AT(size, ITM_KIND + 2);
STANDS_AT(ring, ITM_RING);
STANDS_AT(reads_at, ITM_READS_AT);
STANDS_AT(reads_limit, ITM_READS_LIMIT);
STANDS_AT(length, ITM_LENGTH);
STANDS_AT(context, ITM_CONTEXT);
STANDS_AT(is_exact, ITM_EXACT);
STANDS_AT(lock_word, ITM_LOCK_WORD);
STANDS_AT(word_table, ITM_WORD_TABLE);
STANDS_AT(critical, ITM_CRITICAL);
STANDS_AT(reads_end, ITM_READS_END);
STANDS_AT(watch.began, ITM_BEGAN);
STANDS_AT(watch.returned, ITM_RETURNED);
STANDS_AT(watch.restarted, ITM_RESTARTED);
STANDS_AT(watch.is_next, ITM_TIME_NEXT);
STANDS_AT(watch.countdown, ITM_COUNTDOWN_NEXT);
STANDS_AT(watch.site, ITM_WATCH_SITE);
STANDS_AT(watch.weight, ITM_WEIGHT);
STANDS_AT(watch.weight_next, ITM_WEIGHT_NEXT);
STANDS_AT(watch.failed, ITM_FAILED);
STANDS_AT(watch.late_from, ITM_LATE_FROM);
STANDS_AT(watch.half_from, ITM_HALF_FROM);
STANDS_AT(watch.look_from, ITM_LOOK_FROM);
STANDS_AT(watch.before, ITM_BEFORE);
_Static_assert(ITM_SIZE_SHIFT == 16, "asm_shared.h");
