/* SPDX-License-Identifier: MIT
 * Looks up the functions of a libitm that a replay calls. The kinds of accesses are those of libitm's ABI, so each kind
 * has barriers of its own. */
#include "barriers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "transact.h"

enum { SIZES = 4, NAME_ROOM = 32 };

static const unsigned sizes[SIZES] = {1, 2, 4, 8};

/* The middle of the names of the barriers for integers, and the end of the names of memcpy. There is no memcpy that
 * reads for a write. */
static const struct {
	const char *integer, *copy;
} names[STMLOG_ACCESS_KINDS] = {
	[STMLOG_ACCESS_READ] = {"R", "RtWn"},
	[STMLOG_ACCESS_READ_AFTER_READ] = {"RaR", "RtaRWn"},
	[STMLOG_ACCESS_READ_AFTER_WRITE] = {"RaW", "RtaWWn"},
	[STMLOG_ACCESS_READ_FOR_WRITE] = {"RfW", "RtWn"},
	[STMLOG_ACCESS_WRITE] = {"W", "RnWt"},
	[STMLOG_ACCESS_WRITE_AFTER_READ] = {"WaR", "RnWtaR"},
	[STMLOG_ACCESS_WRITE_AFTER_WRITE] = {"WaW", "RnWtaW"},
};

static barriers_function integers[STMLOG_ACCESS_KINDS][SIZES];
static barriers_function copies[STMLOG_ACCESS_KINDS];

void (*barriers_commit)(void);
void (*barriers_cancel)(uint32_t reason);
void (*barriers_change_mode)(uint32_t mode);
uint32_t (*barriers_state)(void);

/* ISO C has no conversion between a pointer to an object and one to a function. */
static bool look_up(void *library, const char *name, void *place)
{
	void *found = dlsym(library, name);
	memcpy(place, &found, sizeof found);
	return found != NULL;
}

static const char *look_up_calls(void *library)
{
	static const struct {
		const char *name;
		void *place;
	} calls[] = {
		{"_ITM_beginTransaction", &transact_real_begin},
		{"_ITM_commitTransaction", &barriers_commit},
		{"_ITM_abortTransaction", &barriers_cancel},
		{"_ITM_changeTransactionMode", &barriers_change_mode},
		{"_ITM_inTransaction", &barriers_state},
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (!look_up(library, calls[i].name, calls[i].place))
			return calls[i].name;
	}
	return NULL;
}

static const char *look_up_kind(void *library, unsigned kind)
{
	static char name[NAME_ROOM];
	for (size_t i = 0; i < SIZES; i++) {
		snprintf(name, sizeof name, "_ITM_%sU%u", names[kind].integer, sizes[i]);
		if (!look_up(library, name, &integers[kind][i]))
			return name;
	}
	snprintf(name, sizeof name, "_ITM_memcpy%s", names[kind].copy);
	return look_up(library, name, &copies[kind]) ? NULL : name;
}

const char *barriers_init(void *library)
{
	const char *missing = look_up_calls(library);
	for (unsigned kind = 0; kind < STMLOG_ACCESS_KINDS && missing == NULL; kind++) {
		if (names[kind].integer != NULL)
			missing = look_up_kind(library, kind);
	}
	return missing;
}

barriers_function barriers_find(unsigned kind, size_t size)
{
	for (size_t i = 0; i < SIZES; i++) {
		if (sizes[i] == size)
			return integers[kind][i];
	}
	return copies[kind];
}
