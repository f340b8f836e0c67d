/* SPDX-License-Identifier: MIT
 * Writing and reading letters. NOTES.txt, claims I1 to I4, has the argument. */
#include "inbox.h"

/* ---- senders ---- */

struct letter *inbox_claim(struct inbox *inbox)
{
	for (size_t i = 0; i < INBOX_LETTERS; i++)
		/* Acquire; partner: the release in inbox_clear(): the receiver has finished reading (claim I2). */
		if (AO_compare_and_swap_acquire(&inbox->letters[i].state, LETTER_FREE, LETTER_WRITING))
			return &inbox->letters[i];
	return NULL;
}

void inbox_post(struct inbox *inbox, struct letter *letter)
{
	AO_store_release(&letter->state, LETTER_FULL); /* partner: is_full() (claim I1) */
	AO_store_release(&inbox->mail, 1);             /* after `state`; partner: inbox_clear() (claim I3) */
}

/* ---- the receiver ---- */

static bool is_full(const struct letter *letter)
{
	return AO_load_acquire(&letter->state) == LETTER_FULL; /* partner: inbox_post() */
}

static bool is_from(const struct letter *letter, struct stmlog_other from)
{
	if (from.thread == NULL)
		return true;
	return letter->from.thread == from.thread && (from.attempt == 0 || letter->from.attempt == from.attempt);
}

const struct letter *inbox_find(struct inbox *inbox, uint64_t attempt, struct stmlog_other from)
{
	for (size_t i = 0; i < INBOX_LETTERS; i++) {
		const struct letter *letter = &inbox->letters[i];
		if (is_full(letter) && letter->attempt == attempt && is_from(letter, from))
			return letter;
	}
	return NULL;
}

void inbox_clear(struct inbox *inbox)
{
	AO_store(&inbox->mail, 0);
	AO_nop_full(); /* before the loads of `state`; partner: the order of the two stores in inbox_post() */
	for (size_t i = 0; i < INBOX_LETTERS; i++)
		if (is_full(&inbox->letters[i]))
			AO_store_release(&inbox->letters[i].state, LETTER_FREE); /* partner: inbox_claim() */
}

void inbox_reset(struct inbox *inbox)
{
	AO_store(&inbox->mail, 0);
	for (size_t i = 0; i < INBOX_LETTERS; i++)
		AO_store(&inbox->letters[i].state, LETTER_FREE);
}
