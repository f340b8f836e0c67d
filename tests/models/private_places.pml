/* SPDX-License-Identifier: MIT
 *
 * A row of private places (stmlog/conflicts/private_places.h; NOTES.txt, claims O6 and O7): its owner fills it again and
 * again, and gives out origins of the traceback that it has cached; a reader looks up one of them at any later time. A
 * traceback is the number of its fill, which both words of the row have. As in origins.pml the order of the steps stands
 * for releases and acquires.
 *   NO_ATTEMPT      the reader does not compare attempts
 *   NO_TURN         the reader does not compare turns
 *   TURN_AGAIN      within an attempt the row has a turn twice
 *   CACHE_KEPT      the earlier traceback may stay in the cache
 *   NO_SECOND_LOOK  the reader does not look at the stamp again
 *   WORDS_FIRST     a word is stored before the stamp
 */
#define FILLS 6
#define ATTEMPTS 3
#define TURNS 3

byte stamp, word[2];                /* the stamp: attempt * TURNS + turn */
byte origin_attempt, origin_turn;   /* the origin that will be looked up: any of all */
byte origin_traceback;              /* 0: none yet. For the assert only: what it was made for */

inline fill()
{
	fills++;
	last = attempt * TURNS + turn;
#ifdef WORDS_FIRST
	word[0] = fills;
#endif
	stamp = last;
	word[0] = fills;
	word[1] = fills;
	if
	:: cached = fills; cached_turn = turn
#ifdef CACHE_KEPT
	:: cached != 0
#endif
	fi
}

active proctype owner()
{
	byte attempt = 1, fills, last, turn, before, cached, cached_turn;
	do
	:: attempt < ATTEMPTS -> attempt++
	:: cached != 0 && origin_traceback == 0 ->
		atomic { origin_attempt = attempt; origin_turn = cached_turn; origin_traceback = cached }
	:: fills < FILLS ->
		turn = (last + 1) % TURNS;
		before = (last / TURNS < attempt -> last % TURNS : before);
		if
		:: turn != before -> fill()
#ifdef TURN_AGAIN
		:: turn == before -> fill()
#endif
		:: else
		fi
	:: break
	od
}

active proctype reader()
{
	byte first, seen, also_seen, again;
	bool is_it;
end:	origin_traceback != 0; /* perhaps never */
	first = stamp;
	seen = word[0];
	also_seen = word[1];
	again = stamp;
	is_it = again == first && first % TURNS == origin_turn && first / TURNS <= origin_attempt;
#ifdef NO_ATTEMPT
	is_it = again == first && first % TURNS == origin_turn;
#endif
#ifdef NO_TURN
	is_it = again == first && first / TURNS <= origin_attempt;
#endif
#ifdef NO_SECOND_LOOK
	is_it = first % TURNS == origin_turn && first / TURNS <= origin_attempt;
#endif
	assert(!is_it || (seen == origin_traceback && also_seen == origin_traceback)) /* O6, O7 */
}
