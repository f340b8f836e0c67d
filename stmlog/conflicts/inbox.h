/* SPDX-License-Identifier: MIT
 *
 * Messages from transactions that make this thread's attempt abort: "your attempt N must
 * abort because of this object, and this is my traceback". The sender writes the message
 * into a free slot of the victim's inbox. The victim reads it when it aborts.
 *
 * A message is plain data in the victim's record, without references to frames: a thread
 * that ends with a full inbox has nothing to release. Lock-free: a sender tries each slot
 * once. The receiver never waits for a sender that is still writing. NOTES.txt, claims I1
 * to I4.
 *
 *                 FREE --claim (sender, CAS)--> WRITING --post (sender)--> FULL
 *                 FREE <--clear (receiver)------------------------------- FULL
 */
#ifndef STMLOG_INBOX_H
#define STMLOG_INBOX_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#define INBOX_MESSAGES 4

enum message_state { MESSAGE_FREE, MESSAGE_WRITING, MESSAGE_FULL };

/* The fields behind `state` belong to the sender while WRITING, to the receiver while FULL, to no thread while FREE. */
struct message {
	volatile AO_t state;
	uint64_t attempt; /* of the receiver: the attempt that must abort */
	struct stmlog_other from;
	uint32_t from_thread;
	enum stmlog_conflict conflict; /* as the sender reported it */
	uintptr_t object;              /* of the sender */
	uintptr_t other_object;        /* of the receiver; 0: the same, or not known */
	enum stmlog_overlap overlap;
	const char *word;
	struct tb_copy traceback; /* of the sender: where it is now, or where it wrote the object */
};

/* Invariant: if mail == 0 and no sender is between the two stores of inbox_post(), no message is FULL. */
struct inbox {
	volatile AO_t mail; /* a message may have been posted since the last inbox_clear() */
	struct message messages[INBOX_MESSAGES];
};

/* ---- sender: any thread ---- */

/* Returns a message, of which the sender must fill in all fields but `state` and then post it; NULL: no slot is free.
 */
struct message *inbox_claim(struct inbox *inbox);
void inbox_post(struct inbox *inbox, struct message *message);

/* ---- receiver: the thread that has the inbox ---- */

static inline bool inbox_has_mail(const struct inbox *inbox)
{
	return AO_load(&inbox->mail) != 0;
}

/* Returns a message to this attempt; if the other transaction is known (from.thread not NULL), a message from that
 * transaction. The message stays valid until inbox_clear(). NULL: there is no such message. */
const struct message *inbox_find(struct inbox *inbox, uint64_t attempt, struct stmlog_other from);

/* Frees the slots of all messages that were posted. Called when the attempt is over. */
void inbox_clear(struct inbox *inbox);

/* In a forked child: frees all slots, because a sender that was writing does not exist there. */
void inbox_reset(struct inbox *inbox);

#endif
