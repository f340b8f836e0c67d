/* SPDX-License-Identifier: MIT
 * Looks up libitm's entries by name, once. Chooses whether modules call the agent's hooks or libitm's barriers. Finds
 * the barrier that a module has called. */
#include "entries.h"

#include <stddef.h>
#include <string.h>

#include "asm_shared.h"
#include "loaded.h"
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

/* ---- the barrier that was called ---- */

/* Between two bursts, modules call libitm's barriers. Before the return address of the one in which an attempt failed
 * stands the call instruction, and that leads to the barrier. The instruction was executed, so lazy binding has filled
 * its slot. Each address is checked before it is read, since the bytes may be no call at all. */

/* gcc -fanalyzer does not see that memcpy() fills the array from the address of code, which is a number. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

#define PLT_ENTRY 16

/* The instructions that may stand in an entry of the linkage table before its jmp *slot(%rip). */
static const struct {
	uint8_t len, skip; /* bytes to compare, bytes to skip */
	uint8_t bytes[4];
} prefixes[] = {
	{4, 4, {0xf3, 0x0f, 0x1e, 0xfa}}, /* endbr64 */
	{2, 6, {0x41, 0xbb}},             /* mov $index, %r11d */
	{1, 1, {0xf2}},                   /* bnd */
};

static int32_t displacement(const uint8_t *bytes)
{
	int32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static const void *slot_content(uintptr_t next, const uint8_t *bytes)
{
	uintptr_t slot = next + (uintptr_t)(intptr_t)displacement(bytes);
	if (slot % sizeof(void *) != 0 || !native_module_is_readable(slot, sizeof(void *)))
		return NULL;
	return *(const void *const *)slot;
}

static const void *through_linkage_table(uintptr_t entry)
{
	uint8_t code[PLT_ENTRY] = {0};
	if (!native_module_is_readable(entry, sizeof code))
		return NULL;
	memcpy(code, (const void *)entry, sizeof code);
	size_t at = 0;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (memcmp(code + at, prefixes[i].bytes, prefixes[i].len) == 0)
			at += prefixes[i].skip;
	if (at + 6 > PLT_ENTRY || code[at] != 0xff || code[at + 1] != 0x25)
		return NULL;
	return slot_content(entry + at + 6, code + at + 2);
}

const void *itm_access_target(const void *return_address)
{
	uintptr_t next = (uintptr_t)return_address;
	uint8_t code[6];
	if (!native_module_is_readable(next - sizeof code, sizeof code))
		return NULL;
	memcpy(code, (const void *)(next - sizeof code), sizeof code);
	if (code[0] == 0xff && code[1] == 0x15) /* call *slot(%rip) */
		return slot_content(next, code + 2);
	if (code[1] == 0xe8) /* call entry */
		return through_linkage_table(next + (uintptr_t)(intptr_t)displacement(code + 2));
	return NULL;
}
