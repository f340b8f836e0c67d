/* SPDX-License-Identifier: MIT
 * The table by which stubs.S finds the hooks. */
#include "hooks.h"

#include <string.h>

#include "tvars.h"
#include "sampling.h"

_Static_assert(offsetof(struct ghc_hooks, compacting) == 88, "stubs.S has the places of the members");
_Static_assert(offsetof(struct ghc_rts, no_trec) == 16, "stubs.S has the place of the member");
_Static_assert(offsetof(struct ghc_capability, left) == 8, "stubs.S has the place of the member");
_Static_assert(offsetof(struct ghc_capability, is_due) == 44, "stubs.S has the place of the member");
_Static_assert(offsetof(struct ghc_capability, awaits_start) == 45, "stubs.S looks at both members at once");
_Static_assert(offsetof(struct capability_held, mine) == 8, "stubs.S has the place of the member");
_Static_assert(offsetof(struct hs_trec, mark) == 28, "stubs.S has the place of the mark");

struct ghc_hooks ghc_hooks;

void hooks_set(void)
{
	ghc_hooks = (struct ghc_hooks){
		.start = hook_start,
		.read = hook_read,
		.write = hook_write,
		.commit = hook_commit,
		.commit_nested = hook_commit_nested,
		.validate = hook_validate,
		.abort = hook_abort,
		.wait = hook_wait,
		.rewait = hook_rewait,
		.run = hook_run,
		.collected = moves_collected,
		.compacting = moves_compacting,
	};
	watch_add(-WATCH_OTHER);
}

/* Both tables begin with the same functions in the same order. */
void hooks_clear(void)
{
	memcpy((void *)&ghc_hooks, (const void *)&ghc_real, sizeof ghc_hooks);
}
