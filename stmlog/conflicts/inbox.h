/* SPDX-License-Identifier: MIT
 *
 * The letters that other threads leave for one: "I am making your attempt N abort, over
 * this object, and here is where I was". Whoever aborts another writes the letter into
 * one of the victim's few slots; the victim takes it when it aborts.
 *
 * A letter is plain data in memory of the victim's record: no frame changes hands, so a
 * thread that ends with a full inbox has nothing to release. Lock-free: a sender tries
 * each slot once, and counts a letter that it cannot leave; the receiver never waits for a
 * sender who stands in the middle of writing. NOTES.txt, claims I1 to I4.
 *
 *                 FREE --claim (sender, CAS)--> WRITING --post (sender)--> FULL
 *                 FREE <--clear (receiver)------------------------------- FULL
 */
#ifndef STMLOG_INBOX_H
#define STMLOG_INBOX_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#define INBOX_LETTERS 4

enum letter_state { LETTER_FREE, LETTER_WRITING, LETTER_FULL };

/* All but `state` belongs to the sender while WRITING, to the receiver while FULL, to nobody while FREE. */
struct letter {
	volatile AO_t state;
	uint64_t attempt; /* of the receiver: the one to be aborted */
	struct stmlog_other from;
	uint32_t from_thread;
	enum stmlog_conflict conflict; /* as the sender met it */
	uintptr_t object;
	const char *word;
	struct tb_copy traceback; /* where the sender is, or was when it wrote the object */
};

/* Invariant: while mail == 0 and no sender is between its two stores, no letter is FULL. */
struct inbox {
	volatile AO_t mail; /* something has come since the receiver last looked */
	struct letter letters[INBOX_LETTERS];
};

/* ---- sender: any thread ---- */

/* Returns a letter to fill in and post, or NULL when no slot is free. */
struct letter *inbox_claim(struct inbox *inbox);
void inbox_post(struct inbox *inbox, struct letter *letter);

/* ---- receiver ---- */

static inline bool inbox_has_mail(const struct inbox *inbox)
{
	return AO_load(&inbox->mail) != 0;
}

/* The letter to that attempt, from that other one if it is known (thread not NULL). The letter stays the
 * receiver's until inbox_clear(). NULL when there is none. */
const struct letter *inbox_find(struct inbox *inbox, uint64_t attempt, struct stmlog_other from);

/* Throws away all letters that have come: their attempts are over. */
void inbox_clear(struct inbox *inbox);

/* In a forked child: a sender that stood in the middle of writing does not exist any more. */
void inbox_reset(struct inbox *inbox);

#endif
