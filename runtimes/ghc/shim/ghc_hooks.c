/* SPDX-License-Identifier: MIT
 * The table by which stubs.S finds the hooks; the hook of StgRun; and the function by which the program gives names. */
#include "ghc_hooks.h"

#include <errno.h>
#include <string.h>

#include <stmlog/compiler.h>

#include "sampling.h"
#include "tvars.h"
#include "walk.h"

/* ---- the table ---- */

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

/* ---- a Haskell thread begins to run on a capability, or stops ----
 *
 * While it does not run, in the middle of an attempt, its lane is idle: the attempt loses no time to what others do
 * meanwhile.
 */

static bool is_in_attempt(const struct hs_tso *tso)
{
	return tso != NULL && hs_trec(tso) != ghc_rts.no_trec;
}

/* The lane of the attempt that the current Haskell thread is in; NULL: none. */
static struct ghc_lane *lane_of_current(const struct hs_capability *real)
{
	const struct hs_tso *tso = real->current;
	return is_in_attempt(tso) && mark_is_lane(hs_trec(tso)->mark) ? lane_of(hs_trec(tso)->mark) : NULL;
}

static void begin_run(struct hs_capability *real)
{
	struct ghc_capability *mine = capability_find(real);
	moves_are_over();
	if (mine != NULL) {
		mine->validated = NULL;
		gap_run(mine, real->current, is_in_attempt(real->current));
		lane_attach_if_used(mine);
	}
	struct ghc_lane *lane = lane_of_current(real);
	if (lane != NULL)
		lane_claim(lane);
}

static void stop(struct ghc_capability *mine, const struct hs_tso *tso)
{
	if (!is_in_attempt(tso)) {
		gap_stop(mine, NULL);
		return;
	}
	const struct hs_trec *trec = hs_trec(tso);
	gap_stop(mine, !mark_is_lane(trec->mark) && trec->state <= HS_CONDEMNED ? tso : NULL);
}

static void end_run(struct hs_capability *real)
{
	struct ghc_capability *mine = capability_find(real);
	if (mine != NULL)
		stop(mine, real->current);
	struct ghc_lane *lane = lane_of_current(real);
	if (lane == NULL)
		return;
	trace_callers(lane, real->current, NULL);
	lane_stop(lane);
}

void *hook_run(void *code, void *registers)
{
	begin_run(hs_capability_of(registers));
	void *stopped = ghc_real.run(code, registers); /* a call of C may have moved the thread to another capability */
	end_run(hs_capability_of(stopped));
	return stopped;
}

/* ---- names ----
 *
 * TVars are labelled, and names of transactions are looked for from the first call on. haskell/StmlogNames.hs looks for
 * stmlog_ghc_names() by dlsym(), and so a program runs without stmlog, too.
 */

/* GHC passes arrays of bytes to C by the address behind their header. */
#define HEADER_OF_BYTES 16

/* Gives a label to a TVar. `payload`: the bytes behind the header of a MutableByteArray#, for which Haskell has passed
 * the TVar: its address plus 16. Called by Haskell code, which holds a capability. */
typedef void naming_label(void *payload, const char *label);

/* The program gives names from now on. Returns the function that labels TVars; NULL: nothing is recorded. Any thread.
 */
STMLOG_API naming_label *stmlog_ghc_names(void);

static void label(void *payload, const char *text)
{
	int saved = errno;
	objects_label((const struct hs_tvar *)(const void *)((const char *)payload - HEADER_OF_BYTES), text);
	errno = saved;
}

naming_label *stmlog_ghc_names(void)
{
	if (ghc_hooks.start != hook_start)
		return NULL;
	transaction_names = true;
	return label;
}
