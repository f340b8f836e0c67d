/* SPDX-License-Identifier: MIT
 *
 * How an attempt has ended (stmlog/conflicts/attempts.h; NOTES.txt, claims V1 and V2): one owner, whose attempts commit or
 * abort as they like, and a reader, who has met one of them and asks what became of it.
 *
 * Spin interleaves but does not reorder: releases and acquires stand for the order in which the steps are written,
 * and the broken variants write them in an order that a missing one would allow, or trust too much.
 *   ENDED_FIRST     an attempt is over before its abort is noted
 *   COUNTED_FIRST   an abort counts before it stands in the ring
 *   RING_FIRST      the reader loads the number of aborts before the word
 *   WHOLE_RING      the reader trusts the whole ring
 *   NO_SECOND_LOOK  the reader does not look at the number of aborts again
 */
#define ATTEMPTS 7
#define REMEMBERED 4
#ifdef WHOLE_RING
#define LOOKED_AT REMEMBERED
#else
#define LOOKED_AT (REMEMBERED / 2)
#endif

#define OPEN 0
#define COMMITTED 1
#define ABORTED 2
#define UNKNOWN 3

byte word; /* 2 * attempt + whether it is under way */
byte aborts;
byte aborted[REMEMBERED];

byte truth[ATTEMPTS + 1]; /* for the asserts only */

/* ---- the owner ---- */

inline note()
{
#ifdef COUNTED_FIRST
	aborts++;
	aborted[(aborts - 1) % REMEMBERED] = n
#else
	aborted[aborts % REMEMBERED] = n; /* release */
	aborts++                          /* release */
#endif
}

active proctype owner()
{
	byte n;
	do
	:: n < ATTEMPTS ->
		n++;
		word = 2 * n + 1;
		if
		:: truth[n] = COMMITTED; word = 2 * n
		:: truth[n] = ABORTED;
#ifdef ENDED_FIRST
			word = 2 * n;
			note()
#else
			note();
			word = 2 * n /* release */
#endif
		fi
	:: else -> break
	od
}

/* ---- a reader ---- */

/* The newest aborts, newest first; they are in the order of their attempts. */
inline find_abort()
{
	oldest = (count > LOOKED_AT -> count - LOOKED_AT : 0);
	i = count;
	do
	:: i > oldest ->
		entry = aborted[(i - 1) % REMEMBERED]; /* acquire */
		if
		:: entry == met -> outcome = ABORTED; break
		:: entry < met -> outcome = COMMITTED; break
		:: else -> i--
		fi
	:: else -> outcome = (oldest == 0 -> COMMITTED : UNKNOWN); break
	od
}

active proctype reader()
{
	byte met, count, oldest, i, entry, seen, outcome;
	word > 0;
	met = word / 2;
#ifdef RING_FIRST
	count = aborts;
	seen = word;
#else
	seen = word; /* acquire */
#endif
	if
	:: seen == 2 * met + 1 -> goto over
	:: else
	fi;
#ifndef RING_FIRST
	count = aborts; /* acquire */
#endif
	find_abort();
#ifndef NO_SECOND_LOOK
	if
	:: aborts - count >= LOOKED_AT -> outcome = UNKNOWN
	:: else
	fi;
#endif
	assert(truth[met] != OPEN);                                /* V1: it is over */
	assert(outcome == UNKNOWN || outcome == truth[met]);       /* V1, V2 */
	assert(outcome != UNKNOWN || aborts >= LOOKED_AT)          /* V2: undecided only for want of memory */
over:
	skip
}
