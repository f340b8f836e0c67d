/* SPDX-License-Identifier: MIT
 *
 * What an attempt has read, and what it will write: two arrays, which keep their memory from one attempt to the next.
 *
 * Invariants: len <= cap; writes[0 .. len) are of different words, and `filter` has the bit of each of them.
 */
#ifndef LAZYSTM_SETS_H
#define LAZYSTM_SETS_H

#include "hooks.h"
#include "lazystm.h"
#include "locks.h"

struct read {
	const uintptr_t *word;
	stm_line here;
};

struct write {
	uintptr_t *word;
	uintptr_t value;
	struct lock *lock;
	AO_t before;    /* while the commit holds the lock for this write: its version before */
	bool has_taken; /* the lock was taken for this write, and not for an earlier one */
	struct hook_write hook;
};

struct sets {
	struct read *reads;
	size_t reads_len, reads_cap;
	struct write *writes;
	size_t writes_len, writes_cap;
	uint64_t filter; /* a word whose bit is missing is not written */
};

/* Makes room for one more. False: no memory. */
bool sets_grow_reads(struct sets *sets);
bool sets_grow_writes(struct sets *sets);

void sets_fini(struct sets *sets);

static inline void sets_clear(struct sets *sets)
{
	sets->reads_len = sets->writes_len = 0;
	sets->filter = 0;
}

static inline uint64_t sets_bit(const uintptr_t *word)
{
	return (uint64_t)1 << ((uintptr_t)word / sizeof *word * 0x9e3779b97f4a7c15u >> 58);
}

/* The write of the word; NULL: there is none. */
static inline struct write *sets_find(const struct sets *sets, const uintptr_t *word)
{
	if ((sets->filter & sets_bit(word)) == 0)
		return NULL;
	for (size_t i = sets->writes_len; i-- > 0;)
		if (sets->writes[i].word == word)
			return &sets->writes[i];
	return NULL;
}

#endif
