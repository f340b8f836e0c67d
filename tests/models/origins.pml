/* SPDX-License-Identifier: MIT
 *
 * Origins (stmlog/conflicts/origins.h; NOTES.txt, claims O1 to O5): threads that ask for origins of tracebacks, a reader
 * who looks one up at any later time, and sessions that are closed and opened again while no thread is attached.
 *
 * A traceback is a number, which each word of its row has. Two of the three tracebacks have the same hash, and there
 * are fewer rows than tracebacks. A thread has two frames, and a cache of one entry in front of the table. A thread may
 * end, as in a forked child, after it has claimed a row. The session that is open at first may be followed by another one.
 *
 * Spin interleaves but does not reorder: releases and acquires stand for the order in which the steps are written, and
 * the broken variants write them in an order that a missing one would allow. The origin itself is handed on without any
 * order: so it may be seen as soon as its row is claimed.
 *   HASH_FIRST     a row's hash is published before its words
 *   NO_HASH_LOOK   the reader does not look at the hash
 *   NO_CLAIM       a row is found free and taken in two steps
 *   NO_COMPARE     equal hashes are taken for equal tracebacks
 *   ROW_REPLACED   a traceback for which there is no row takes that of another one
 *   TABLE_CLEARED  a new session begins with an empty table
 *   NOT_HELD       the cache has no reference to its traceback's frame
 *   NO_SESSION     the reader does not compare sessions
 */
#define ADDERS 2
#define ADDS(adder) (2 - (adder)) /* the first one finds its traceback in its cache, perhaps */
#define ROWS 2     /* row 0 is not used: place 0 is the unknown one */

#define FREE 0
#define BEING_FILLED 1
#define FIRST_HASH 2
#define HASH(traceback) (FIRST_HASH + (traceback) / 3) /* tracebacks 1 to 3 */
#define PROBE(hash, i) (1 + ((hash) + (i)) % ROWS)
#define NONE 2 /* frames are 0 and 1 */

typedef row_type {
	byte hash;
	byte word[2];
};

typedef origin_type {
	byte session; /* 0: none is kept yet */
	byte place;
	byte traceback; /* for the asserts only: what it was made for */
};

row_type row[ROWS + 1];
origin_type origin; /* the one that will be looked up: any of all */
byte session = 1;
byte attached;

byte fillers[ROWS + 1]; /* for the asserts only */

/* ---- threads that ask for origins ---- */

/* One word, stored as a whole. The runtime keeps this origin, or another one. */
inline publish(number)
{
	if
	:: atomic { origin.session == 0 -> origin.session = base; origin.place = number; origin.traceback = traceback }
	:: skip
	fi
}

inline copy_words(at)
{
	row[at].word[0] = traceback;
	row[at].word[1] = traceback
}

inline fill(at)
{
	fillers[at]++;
	assert(fillers[at] == 1); /* O3 */
	if
	:: publish(at); is_published = true /* the stores of the row are seen after that of the origin */
	:: attached--; goto gone
	:: skip
	fi;
#ifdef HASH_FIRST
	row[at].hash = HASH(traceback);
	copy_words(at);
#else
	copy_words(at);
	row[at].hash = HASH(traceback); /* release */
#endif
	fillers[at]--
}

inline claim(at)
{
#ifdef NO_CLAIM
	if
	:: row[at].hash == FREE -> row[at].hash = BEING_FILLED; has_claimed = true
	:: else -> has_claimed = false
	fi
#else
	atomic { /* compare and swap */
		if
		:: row[at].hash == FREE -> row[at].hash = BEING_FILLED; has_claimed = true
		:: else -> has_claimed = false
		fi
	}
#endif
}

inline compare(at)
{
#ifdef NO_COMPARE
	is_same = row[at].hash == HASH(traceback)
#else
	is_same = row[at].hash == HASH(traceback); /* acquire */
	if
	:: is_same -> is_same = row[at].word[0] == traceback && row[at].word[1] == traceback
	:: else
	fi
#endif
}

inline replace(at)
{
	if
	:: row[at].hash >= FIRST_HASH -> copy_words(at); row[at].hash = HASH(traceback); place = at
	:: else
	fi
}

/* The place of the traceback; 0: there is no row. */
inline find_place()
{
	do
	:: i < ROWS && place == 0 ->
		claim(PROBE(HASH(traceback), i));
		if
		:: has_claimed -> place = PROBE(HASH(traceback), i); fill(place)
		:: else ->
			compare(PROBE(HASH(traceback), i));
			if
			:: is_same -> place = PROBE(HASH(traceback), i)
			:: else -> i++
			fi
		fi
	:: else -> break
	od;
#ifdef ROW_REPLACED
	if
	:: place == 0 -> replace(PROBE(HASH(traceback), 0))
	:: else
	fi
#endif
}

inline choose()
{
	if
	:: traceback = 1
	:: traceback = 2
	:: traceback = 3
	fi
}

/* The thread comes to a traceback. If the cache holds no frame with it, it takes a frame that nobody refers to. */
inline capture()
{
	if
	:: cached != NONE && frame[cached] == traceback
	:: else ->
#ifdef NOT_HELD
		taken = 0;
#else
		taken = (cached == 0 -> 1 : 0);
#endif
		frame[taken] = traceback
	fi
}

/* Of what belongs to the thread alone all is done in one step. */
inline ask_for_origin()
{
	atomic {
		choose();
		capture();
		is_hit = cached != NONE && frame[cached] == traceback;
		if
		:: is_hit ->
			assert(cached_for == traceback); /* O4 */
			place = cached_place
		:: else
		fi
	}
	if
	:: !is_hit -> find_place()
	:: else
	fi;
	if
	:: !is_published -> publish(place)
	:: else
	fi;
	atomic {
		if
		:: !is_hit -> cached = taken; cached_place = place; cached_for = traceback; frame[1 - taken] = 0
		:: else
		fi;
		traceback = 0; place = 0; i = 0; taken = 0;
		is_hit = false; has_claimed = false; is_same = false; is_published = false
	}
}

active [ADDERS] proctype adder()
{
	byte base, traceback, place, i, adds, frame[2], taken, cached = NONE, cached_place, cached_for;
	bool is_hit, has_claimed, is_same, is_published;
	do
	:: adds < ADDS(_pid) ->
		if
		:: base == 0 -> atomic { attached++; base = session }
		:: base != 0 && adds > 0 && session == 1 -> /* it ends, and another one begins with its record */
			atomic {
				attached--;
				base = 0; cached = NONE; cached_place = 0; cached_for = 0; frame[0] = 0; frame[1] = 0
			}
		:: base != 0 -> ask_for_origin(); adds++
		fi
	:: else -> break
	od;
	attached--;
gone:	skip
}

/* ---- sessions ---- */

/* stmlog_open() returns -EBUSY while threads are attached. */
active proctype opener()
{
	byte at = 1;
	atomic {
		attached == 0 -> session = 2;
#ifdef TABLE_CLEARED
		do
		:: at <= ROWS -> row[at].hash = FREE; fillers[at] = 0; at++
		:: else -> break
		od
#endif
	}
}

/* ---- any thread, at any time ---- */

active proctype reader()
{
	byte seen, also_seen;
	bool is_known;
	if
	:: origin.session == 0 /* it comes before there is one */
	:: origin.session != 0 ->
		atomic {
#ifdef NO_SESSION
			is_known = true;
#else
			is_known = origin.session == session;
#endif
			assert(!is_known || origin.session == session) /* O5 */
		}
		if
#ifdef NO_HASH_LOOK
		:: is_known && origin.place != 0 ->
#else
		:: is_known && origin.place != 0 && row[origin.place].hash >= FIRST_HASH -> /* acquire */
#endif
			seen = row[origin.place].word[0];
			also_seen = row[origin.place].word[1];
			assert(seen != 0 && also_seen != 0);                                 /* O2 */
			assert(seen == origin.traceback && also_seen == origin.traceback); /* O1 */
		:: else
		fi
	fi
}
