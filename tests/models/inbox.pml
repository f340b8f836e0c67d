/* SPDX-License-Identifier: MIT
 *
 * The inbox (stmlog/conflicts/inbox.h; NOTES.txt, claims I1 to I4): senders, who make an attempt of the receiver abort and
 * leave a message for it, and the receiver, who looks for its mail at the end of each attempt.
 *
 * Spin interleaves but does not reorder: barriers stand for the order in which the steps are written, and the
 * broken variants write them in an order that a missing barrier would allow.
 *   POSTED_EARLY   a message is FULL before it is written
 *   NO_CLAIM       a slot is found free and taken in two steps
 *   FREED_EARLY    a slot is FREE again before its message is read
 *   CLEARED_LATE   mail is cleared after the slots were looked at
 *   MAIL_FIRST     there is mail before the message is FULL
 *   NO_NUMBER      the receiver takes any message for its attempt's
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#define LETTERS_EACH 2
#define SLOTS 2
#define ATTEMPTS 3

#define FREE 0
#define WRITING 1
#define FULL 2

typedef message_type {
	byte state;
	byte attempt;
	byte word[2]; /* the message's number, twice: one that is torn has two */
};

message_type message[SLOTS];
bool mail;
byte attempt = 1; /* the receiver's, which senders meet */

/* For the asserts only. */
byte writers[SLOTS];
byte aim[SENDERS * LETTERS_EACH + 1]; /* the attempt that each message is for */
byte finished;                        /* senders that are */

/* ---- senders ---- */

inline write_message(i)
{
	message[i].attempt = aim[number];
	message[i].word[0] = number;
	message[i].word[1] = number
}

inline post(i)
{
#ifdef MAIL_FIRST
	mail = true;
	d_step { writers[i]--; message[i].state = FULL }
#else
	d_step { writers[i]--; message[i].state = FULL } /* release */
	mail = true /* release */
#endif
}

/* Finds a slot, or SLOTS if none is free. */
inline claim()
{
	slot = 0;
	do
	:: slot < SLOTS ->
#ifdef NO_CLAIM
		if
		:: message[slot].state == FREE -> message[slot].state = WRITING; break
		:: else -> slot++
		fi
#else
		atomic { /* compare and swap, acquire */
			if
			:: message[slot].state == FREE -> message[slot].state = WRITING; break
			:: else -> slot++
			fi
		}
#endif
	:: else -> break
	od
}

active [SENDERS] proctype sender()
{
	byte number = _pid * LETTERS_EACH, last = (_pid + 1) * LETTERS_EACH, slot;
	do
	:: number < last ->
		d_step { number++; aim[number] = attempt } /* meets the receiver in this attempt */
		claim();
		if
		:: slot < SLOTS ->
			writers[slot]++;
#ifdef POSTED_EARLY
			message[slot].state = FULL;
#endif
			assert(writers[slot] == 1); /* I2 */
			write_message(slot);
			assert(writers[slot] == 1 && message[slot].word[0] == number); /* I2 */
			post(slot)
		:: else /* no slot: the message is counted, and not sent */
		fi
	:: else -> break
	od;
	finished++
}

/* ---- the receiver ---- */

inline read_message(i)
{
	assert(writers[i] == 0);                             /* I1 */
	number = message[i].word[0];
	assert(number != 0 && number == message[i].word[1]);  /* I1 */
	assert(aim[number] == attempt);                      /* I4 */
	number = 0
}

inline find()
{
	i = 0;
	do
	:: i < SLOTS ->
		if
		:: message[i].state == FULL -> /* acquire */
#ifdef FREED_EARLY
			message[i].state = FREE;
#endif
			if
#ifdef NO_NUMBER
			:: true -> read_message(i)
#else
			:: message[i].attempt == attempt -> read_message(i)
			:: else
#endif
			fi
		:: else
		fi;
		i++
	:: else -> break
	od
}

inline look_at_slots()
{
	i = 0;
	do
	:: i < SLOTS ->
		if
		:: message[i].state == FULL -> message[i].state = FREE /* acquire; release */
		:: else
		fi;
		i++
	:: else -> break
	od
}

inline clear()
{
#ifdef CLEARED_LATE
	look_at_slots();
	mail = false
#else
	mail = false;
	/* full barrier */
	look_at_slots()
#endif
}

inline end_attempt()
{
	if
	:: mail ->
		if
		:: find() /* it aborts */
		:: skip   /* it commits: whatever came is late */
		fi;
		clear()
	:: else
	fi
}

#define NONE_IS_FULL (message[0].state != FULL && message[1].state != FULL)
#define ALL_ARE_FREE (message[0].state == FREE && message[1].state == FREE)

active proctype receiver()
{
	byte i, number;
	do
	:: attempt < ATTEMPTS -> end_attempt(); attempt++
	:: else -> break
	od;
	finished == SENDERS;
	assert(NONE_IS_FULL || mail); /* I3 */
	end_attempt();
	assert(ALL_ARE_FREE) /* I3: no slot is lost, and nothing is left in one (I4: wherever it ends) */
}
