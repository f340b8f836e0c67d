/* SPDX-License-Identifier: MIT
 *
 * Hooks of the functions whose work libitm does at the end of a commit, after the commit's wait: the program's own
 * commit actions, and freeing memory. Such a transaction gets a commit action of the agent, before that work: it reads
 * the time when the wait is over. In others the wait is over when libitm's commit returns (wait.h).
 */
#include <stdint.h>

#include "entries.h"
#include "thread.h"
#include "wait.h"

STMLOG_API void _ITM_addUserCommitAction(void (*action)(void *), uint64_t transaction, void *argument);

/* libitm executes actions in the order in which they were added. */
void _ITM_addUserCommitAction(void (*action)(void *), uint64_t transaction, void *argument)
{
	itm_wait_add_commit_action(&itm_self);
	itm_real_add_commit(action, transaction, argument);
}

/* libitm frees after all actions, so that the hook of commit can add the agent's (itm_wait_timer_start_commit()). The
 * functions have up to three arguments, each in a register of its own. */
#define HOOK(name)                                                   \
	STMLOG_API void name(uintptr_t a, uintptr_t b, uintptr_t c); \
	void name(uintptr_t a, uintptr_t b, uintptr_t c)             \
	{                                                            \
		itm_self.flags |= ITM_HAS_FREED;                     \
		itm_real_free[ITM_FREE##name](a, b, c);              \
	}
ITM_FREES(HOOK)
