/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed, from two facts: which entry of libitm the transaction was in
 * (the access), and which of libitm's counters moved (its own reason), where those can
 * be read. They differ: a write barrier may find that an earlier read is out of date.
 */
#ifndef ITM_CAUSE_H
#define ITM_CAUSE_H

#include <stmlog/stmlog.h>

#include "libitm_layout.h"
#include "asm_shared.h"
#include "method.h"

/* Whether a transaction that fails there fails in a data barrier. */
static inline bool itm_kind_is_data(uint32_t kind)
{
	return kind == ITM_KIND_READ || kind == ITM_KIND_WRITE || kind == ITM_KIND_COPY;
}

/* The reason whose counter moved between two readings; ITM_REASONS: none did. Under
 * gl_wt a begin that waits counts restarts (VALIDATE_READ) of its own after the one that
 * made it begin again: any other reason that moved was first. */
enum itm_reason itm_reason_moved(const uint32_t before[ITM_REASONS], const uint32_t after[ITM_REASONS]);

/* The cause of a restart. `kind`: ITM_KIND_*; `reason`: ITM_REASONS where unknown. */
struct stmlog_cause itm_cause_of_restart(uint32_t kind, enum itm_reason reason, enum itm_method method);

/* The cause of the program's own cancel of the outermost transaction. */
struct stmlog_cause itm_cause_of_cancel(void);

/* Why a transaction that was tried in hardware has failed, as far as the processor tells. */
enum itm_hardware_cause {
#define HARDWARE(name, contention) ITM_HARDWARE_##name,
#include "reasons.def"
	ITM_HARDWARE_CAUSES
};

/* Of the processor's status. */
enum itm_hardware_cause itm_hardware_cause(uint32_t status);

struct stmlog_cause itm_cause_of_hardware(enum itm_hardware_cause cause);

/* Where libitm lets a transaction stand still. */
enum itm_wait { ITM_WAIT_BEGIN, ITM_WAIT_RESTART, ITM_WAIT_UPGRADE, ITM_WAIT_COMMIT, ITM_WAITS };

/* The cause of such a pause or wait. `is_serial`: if it was before an attempt, it was for the serial lock. */
struct stmlog_cause itm_cause_of_wait(enum itm_wait wait, enum itm_method method, bool is_serial);

/* What tells who was in the way: under the locks' method, the lock that the access ran into, or all
 * that the attempt has read; nothing where data were not the matter, or one lock guards all of them. */
enum itm_evidence { ITM_EVIDENCE_NONE, ITM_EVIDENCE_LOCK, ITM_EVIDENCE_READS };
enum itm_evidence itm_evidence_of(uint32_t kind, enum itm_reason reason, enum itm_method method);

#endif
