/* SPDX-License-Identifier: MIT
 *
 * The program's own eventlog, which GHC's RTS writes with the option -l: losses of measured transactions are user
 * messages there, beside what Haskell threads do. An RTS without an eventlog has none of this.
 */
#ifndef GHC_EVENTLOG_H
#define GHC_EVENTLOG_H

#include "lane.h"
#include "real.h"

/* Writes "stm abort INVALID transfer: savings (TVar #1 of Types.I#), 1234 ns": the event, the word, the
 * transaction's name, the object and the time of the attempt; the name and the object are left out where they are not
 * known. To be called by the OS thread that holds capability_held.real. */
void eventlog_write(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss);

/* The attempt of the lane has ended. Costs two loads if there is no eventlog. To be called as above. */
static inline void eventlog_tell(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss)
{
	if (STMLOG_UNLIKELY(
		    ghc_real.eventlog_is_on != NULL && *ghc_real.eventlog_is_on && ghc_real.user_message != NULL))
		eventlog_write(lane, event, loss);
}

#endif
