/* SPDX-License-Identifier: MIT
 * Looks up libitm's entries by name, once. Chooses whether modules call the agent's hooks or libitm's barriers. */
#include "entries.h"

#include <string.h>

#include "asm_shared.h"
#include "real_functions.h"
#include "requires.h"
#include "slots.h"

struct barrier {
	const char *name;
	uint32_t kind;
};

static const struct barrier barriers[] = {
#define BARRIER(kind, leaves, address, size, name) {#name, ITM_KIND_##kind},
#include "barriers.def"
#undef BARRIER
};
#define BARRIERS (sizeof barriers / sizeof *barriers)

/* libitm's data barriers, to which barriers.S jumps, in the order of barriers.def. NULL: libitm has no such barrier. */
extern void *itm_real_barriers[BARRIERS];
void *itm_real_barriers[BARRIERS];

/* For each barrier: what modules may call by that name, indexed by enum itm_barriers. */
static struct native_slot_choice choices[BARRIERS];

itm_begin_function *itm_real_begin;
void (*itm_real_commit)(void);
void (*itm_real_commit_eh)(void *);
void (*itm_real_abort)(uint32_t);
void (*itm_real_change_mode)(uint32_t);
void *(*itm_real_clone_or_irrevocable)(void *);
int (*itm_real_in_transaction)(void);
void (*itm_real_add_undo)(void (*)(void *), void *);
void (*itm_real_add_commit)(void (*)(void *), uint64_t, void *);
itm_free_function *itm_real_free[ITM_FREE_FUNCTIONS];

/* `place` is the address of a pointer to a function. dlsym() returns functions as void *, which POSIX allows. */
static const struct {
	const char *name;
	void *place;
} entries[] = {
	{"_ITM_beginTransaction", &itm_real_begin},
	{"_ITM_commitTransaction", &itm_real_commit},
	{"_ITM_commitTransactionEH", &itm_real_commit_eh},
	{"_ITM_abortTransaction", &itm_real_abort},
	{"_ITM_changeTransactionMode", &itm_real_change_mode},
	{"_ITM_getTMCloneOrIrrevocable", &itm_real_clone_or_irrevocable},
	{"_ITM_inTransaction", &itm_real_in_transaction},
	{"_ITM_addUserUndoAction", &itm_real_add_undo},
	{"_ITM_addUserCommitAction", &itm_real_add_commit},
};

#define NAME(name) #name,
static const char *const frees[] = {ITM_FREES(NAME)};
#undef NAME

static void make_choices(void)
{
	for (size_t i = 0; i < BARRIERS && itm_own_barriers != NULL; i++)
		choices[i] = (struct native_slot_choice){barriers[i].name, {itm_own_barriers[i], itm_real_barriers[i]}};
}

bool itm_resolve(void)
{
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		void *found = itm_real_of_libitm(entries[i].name);
		if (found == NULL)
			return false;
		memcpy(entries[i].place, &found, sizeof found);
	}
	for (size_t i = 0; i < BARRIERS; i++)
		itm_real_barriers[i] = itm_real_of_libitm(barriers[i].name);
	for (size_t i = 0; i < ITM_FREE_FUNCTIONS; i++) {
		void *found = itm_real_of_libitm(frees[i]);
		memcpy(&itm_real_free[i], &found, sizeof found);
	}
	make_choices();
	return true;
}

bool itm_point_barriers(enum itm_barriers whose)
{
	REQUIRES(itm_is_preloaded);
	return native_slots_point(choices, BARRIERS, whose);
}

uint32_t itm_kind_of(const void *code)
{
	for (size_t i = 0; i < BARRIERS && code != NULL; i++)
		if (itm_real_barriers[i] == code || choices[i].functions[ITM_BARRIERS_OWN] == code)
			return barriers[i].kind;
	return ITM_KIND_NONE;
}
