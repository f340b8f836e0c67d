/* SPDX-License-Identifier: MIT
 *
 * The cause of a failed attempt, from two facts: the entry of libitm that the transaction was in (the kind of access),
 * and the restart counter of libitm that has risen (libitm's reason), where the counters can be read. The two may
 * differ: a write barrier may find that an earlier read is out of date.
 */
#ifndef ITM_CAUSE_H
#define ITM_CAUSE_H

#include <stmlog/read.h>

#include "libitm_layout.h"
#include "asm_shared.h"

/* Whether the kind is that of a data barrier. */
static inline bool itm_kind_is_data(uint32_t kind)
{
	return kind == ITM_KIND_READ || kind == ITM_KIND_WRITE || kind == ITM_KIND_COPY;
}

/* The reason whose counter has risen between two readings; ITM_REASONS: none has. Under gl_wt a begin that waits counts
 * restarts of its own, as VALIDATE_READ, after the restart that led to it. So if another counter has risen too, that is
 * the reason. */
enum itm_reason itm_reason_moved(const uint32_t before[ITM_REASONS], const uint32_t after[ITM_REASONS]);

/* The cause of a restart. `kind`: ITM_KIND_*. `reason`: ITM_REASONS if it is not known. */
struct stmlog_cause itm_cause_of_restart(uint32_t kind, enum itm_reason reason, enum itm_method method);

/* The cause when the program cancels the outermost transaction. */
struct stmlog_cause itm_cause_of_cancel(void);

/* Where a transaction waits inside libitm. LAST: before an attempt that is to run alone, until all others are over. */
enum itm_wait { ITM_WAIT_BEGIN, ITM_WAIT_RESTART, ITM_WAIT_LAST, ITM_WAIT_UPGRADE, ITM_WAIT_COMMIT, ITM_WAITS };

/* The cause of a wait inside libitm. `is_serial`: a wait before an attempt was for the serial lock. */
struct stmlog_cause itm_cause_of_wait(enum itm_wait wait, enum itm_method method, bool is_serial);

/* By what the culprit can be found. Under ml_wt: by the lock that the access needed, or by all that the attempt has
 * read. NONE: the conflict was not over data, or (other methods) one lock guards all data. */
enum itm_evidence { ITM_EVIDENCE_NONE, ITM_EVIDENCE_LOCK, ITM_EVIDENCE_READS };
enum itm_evidence itm_evidence_of(uint32_t kind, enum itm_reason reason, enum itm_method method);

#endif
