/* SPDX-License-Identifier: MIT
 * The functions of a libitm that a replay calls. */
#ifndef ITM_REPLAY_BARRIERS_H
#define ITM_REPLAY_BARRIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

/* A data barrier; its caller knows of which type it is. */
typedef void (*barriers_function)(void);

/* _ITM_commitTransaction, _ITM_abortTransaction, _ITM_changeTransactionMode, _ITM_inTransaction. */
extern void (*barriers_commit)(void);
extern void (*barriers_cancel)(uint32_t reason);
extern void (*barriers_change_mode)(uint32_t mode);
extern uint32_t (*barriers_state)(void);

/* Looks up all these functions, and libitm's begin for transact_begin(). Returns the name of a missing one; NULL: all
 * are there. */
const char *barriers_init(void *library);

/* The barrier for an access of this kind (enum stmlog_access_kind). For 1, 2, 4 and 8 bytes it reads or writes an
 * integer. For other sizes it is one of the memcpy family; then the other side is no transactional memory. */
barriers_function barriers_find(unsigned kind, size_t size);

#endif
