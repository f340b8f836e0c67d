/* SPDX-License-Identifier: MIT
 *
 * The accesses of a lane's attempt under way, with their places: a record for the first access of each TVar, and one
 * more for the first write of a TVar that was read before.
 */
#ifndef GHC_RECORDS_H
#define GHC_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"

/* Of further accesses, neither the place nor the version is known. */
#define RECORDS_MAX 4096

/* Each in a cache line of its own, since an access fills one of them. */
struct record {
	_Alignas(64) uintptr_t tvar; /* 0: the garbage collector has lost it */
	uint64_t version;            /* of the TVar (ring.h), before the access */
	uintptr_t sites[RING_SITES];
	bool is_write;
	bool is_unsure; /* commits came during the access: `version` may be lower than that of the value */
};

_Static_assert(sizeof(struct record) == 64, "a record fits a cache line");

struct records {
	uint32_t len;
	struct record at[RECORDS_MAX + 1]; /* the last one is never appended */
};

/* Where the next record may be filled in. Only records_append() makes it a record of the attempt. */
static inline struct record *records_next(struct records *records)
{
	return &records->at[records->len];
}

/* Appends the record of records_next(), unless there are RECORDS_MAX already. */
static inline void records_append(struct records *records)
{
	if (records->len < RECORDS_MAX)
		records->len++;
}

/* The first record of the TVar; NULL: none. */
static inline struct record *records_first(struct records *records, uintptr_t tvar)
{
	for (uint32_t i = 0; i < records->len; i++)
		if (records->at[i].tvar == tvar)
			return &records->at[i];
	return NULL;
}

/* The last record of a write of the TVar, among the latest ones; NULL: none. */
#define RECORDS_NEAR 64
static inline struct record *records_write_near(struct records *records, uintptr_t tvar)
{
	const struct record *first = records->at + (records->len > RECORDS_NEAR ? records->len - RECORDS_NEAR : 0);
	struct record *record = records->at + records->len;
	while (record != first)
		if ((--record)->tvar == tvar && record->is_write)
			return record;
	return NULL;
}

#endif
