/* SPDX-License-Identifier: MIT
 *
 * Objects as GHC's run-time system (RTS) lays them out: info tables, values, TVars, Haskell threads and their stacks,
 * capabilities. All are given back by fake_objects_free(), but for capabilities: the module knows them by address.
 */
#ifndef FAKE_OBJECTS_H
#define FAKE_OBJECTS_H

#include "fixture.h"

#include "rts.h"

/* An info table; `code` follows it, and its address is the info pointer. */
struct fake_info {
	int32_t description; /* distance of a constructor's name from the code */
	uint32_t unused;
	uint64_t layout;
	uint32_t type;
	uint32_t unused_too;
	char code[16];
};

#define FAKE_INFO(info_type, info_layout)                    \
	{                                                    \
		.type = (info_type), .layout = (info_layout) \
	}

static inline uintptr_t fake_info(const struct fake_info *info)
{
	return (uintptr_t)info->code;
}

/* A state of TRecs that the module has no name for: the transaction sleeps. */
enum { FAKE_WAITING = 4 };

/* Types of closures, likewise. */
enum {
	FAKE_FUN = 8,
	FAKE_RET_SMALL = 30,
	FAKE_UPDATE_FRAME = 33,
	FAKE_CATCH_STM_FRAME = 57,
	FAKE_TVAR = 48,
	FAKE_MUTABLE = 53
};

extern const struct fake_info fake_trec_info, fake_chunk_info, fake_last_chunk_info, fake_tvar_info, fake_tso_info,
	fake_stack_info, fake_atomically_info, fake_catch_retry_info, fake_catch_stm_info, fake_stop_info,
	fake_underflow_info, fake_update_info, fake_waiter_info;

/* Zeroed, until fake_objects_free(). */
void *fake_take(size_t size);
void fake_objects_free(void);

/* A value, like the result of I# n: a pointer with a tag. Its constructor is named "ghc-prim:GHC.Types.I#". */
uintptr_t fake_value(void);
/* A closure with this info and these words; without a tag. */
struct hs_closure *fake_closure(const struct fake_info *info, size_t len, const uintptr_t *words);

struct hs_tvar *fake_tvar(void);

/* From now on a transaction sleeps until the TVar changes. */
void fake_add_waiter(struct hs_tvar *tvar);

/* A stack of so many words, which has a frame of the type STOP. */
struct hs_stack *fake_stack(uint32_t words);
void fake_push(struct hs_stack *stack, const uintptr_t *words, size_t len);
void fake_pop(struct hs_stack *stack, size_t len);
/* A frame without words. */
void fake_push_return(struct hs_stack *stack, const struct fake_info *info);

/* A capability, which was never used before, and the place of its first free TRec; FAKE_FREE_TRECS bytes behind it. */
#define FAKE_FREE_TRECS 0x4b8
struct hs_capability *fake_capability(void);
struct hs_trec **fake_free_trecs(struct hs_capability *capability);
/* A Haskell thread of the capability, which is in no transaction. */
struct hs_tso *fake_tso(struct hs_capability *capability);
static inline void fake_set_trec(struct hs_tso *tso, struct hs_trec *trec)
{
	tso->trec_ = trec;
}

#endif
