/* SPDX-License-Identifier: MIT
 * Writes and reads messages. NOTES.txt, claims I1 to I4, has the argument. */
#include "inbox.h"

/* ---- senders ---- */

struct message *inbox_claim(struct inbox *inbox)
{
	for (size_t i = 0; i < INBOX_MESSAGES; i++)
		/* Acquire; partner: the release in inbox_clear(): the receiver has finished reading (claim I2). */
		if (AO_compare_and_swap_acquire(&inbox->messages[i].state, MESSAGE_FREE, MESSAGE_WRITING))
			return &inbox->messages[i];
	return NULL;
}

void inbox_post(struct inbox *inbox, struct message *message)
{
	AO_store_release(&message->state, MESSAGE_FULL); /* partner: is_full() (claim I1) */
	AO_store_release(&inbox->mail, 1);               /* after `state`; partner: inbox_clear() (claim I3) */
}

/* ---- the receiver ---- */

static bool is_full(const struct message *message)
{
	return AO_load_acquire(&message->state) == MESSAGE_FULL; /* partner: inbox_post() */
}

static bool is_from(const struct message *message, struct stmlog_other from)
{
	if (from.thread == NULL)
		return true;
	return message->from.thread == from.thread && (from.attempt == 0 || message->from.attempt == from.attempt);
}

const struct message *inbox_find(struct inbox *inbox, uint64_t attempt, struct stmlog_other from)
{
	for (size_t i = 0; i < INBOX_MESSAGES; i++) {
		const struct message *message = &inbox->messages[i];
		if (is_full(message) && message->attempt == attempt && is_from(message, from))
			return message;
	}
	return NULL;
}

void inbox_clear(struct inbox *inbox)
{
	AO_store(&inbox->mail, 0);
	AO_nop_full(); /* before the loads of `state`; partner: the order of the two stores in inbox_post() */
	for (size_t i = 0; i < INBOX_MESSAGES; i++)
		if (is_full(&inbox->messages[i]))
			AO_store_release(&inbox->messages[i].state, MESSAGE_FREE); /* partner: inbox_claim() */
}

void inbox_reset(struct inbox *inbox)
{
	AO_store(&inbox->mail, 0);
	for (size_t i = 0; i < INBOX_MESSAGES; i++)
		AO_store(&inbox->messages[i].state, MESSAGE_FREE);
}
