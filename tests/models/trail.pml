/* SPDX-License-Identifier: MIT
 *
 * The trail of an attempt (stmlog/conflicts/trail.h; NOTES.txt, claims T1 to T5): one owner, who leaves attempt after
 * attempt in two trails in turn, and a reader, who looks one attempt up there. Each load and store that the other
 * side can tell from its neighbours is a step of its own; what belongs to the owner alone is done on the way.
 * One reader stands for any number: readers store nothing, and so do not know of each other.
 *
 * A traceback has two frames. There are as many as two trails and the stack can hold at once, so that each
 * frame is recycled again and again. A released frame's words are links of the free list.
 *
 * Spin interleaves but does not reorder: barriers stand for the order in which the steps are written, and the
 * broken variants write them in an order that a missing barrier would allow.
 *   RELEASED_FIRST    frames are released before the trail is void
 *   NOT_HELD          the trail takes no reference
 *   NAMED_EARLY       the trail is the new attempt's before its old writes are gone from it
 *   COUNTED_FIRST     a write counts before it is there
 *   NO_SECOND_LOOK    the reader does not look whether it still is the attempt's
 *   SECOND_LOOK_EARLY it does, but before it copies
 *   ONE_TRAIL         each attempt takes the trail of the last one
 * UNWATCHED takes away the onlooker, who finds most of them before they do a reader any harm.
 */
#define ATTEMPTS 4
#define FRAMES 6
#define COPY_FRAMES 3

#define EMPTY 0 /* TB_EMPTY; frames are 1 to FRAMES */
#define NIL 255 /* `down` of TB_EMPTY */
#define LINK 255
#define SITE(attempt, depth) (2 * (attempt) + (depth))

#ifdef ONE_TRAIL
#define NEXT(trail) (trail)
#else
#define NEXT(trail) (1 - (trail))
#endif

typedef trail_type {
	byte attempt;
	byte length;
	byte object[2]; /* 1 and 2, if both */
	byte traceback[2];
};

trail_type trail[2];
byte site[FRAMES + 1];
byte down[FRAMES + 1];

/* Of the owner alone, but for the asserts. */
byte refs[FRAMES + 1]; /* 0: free */
byte opened;           /* the newest attempt for which a trail has been voided */

/* ---- the owner ---- */

/* Pushes a frame onto `top`; the stack's reference to the frame below becomes the frame's. */
inline push(value)
{
	d_step { frame = free; free = down[frame]; refs[frame] = 1 }
	site[frame] = value;
	d_step { down[frame] = top; top = frame; frame = 0 }
}

/* tb_unref(): a frame that nobody refers to any more goes to the free list and lets go of the one below. */
inline unref(traceback_of)
{
	frame = traceback_of;
	do
	:: frame == EMPTY -> break
	:: frame != EMPTY ->
		assert(refs[frame] > 0); /* T1 */
		if
		:: refs[frame] > 1 -> d_step { refs[frame]--; frame = EMPTY }
		:: refs[frame] == 1 ->
			site[frame] = LINK;
			d_step { below = down[frame]; refs[frame] = 0; down[frame] = free; free = frame; frame = below; below = 0 }
		fi
	od
}

inline release_all(t)
{
	i = 0;
	do
	:: i < trail[t].length -> unref(trail[t].traceback[i]); i++
	:: else -> i = 0; break
	od
}

inline void_it(t)
{
#ifdef RELEASED_FIRST
	release_all(t);
	trail[t].attempt = 0;
#else
	trail[t].attempt = 0;
	/* write barrier */
	release_all(t);
#endif
	trail[t].length = 0
}

inline open_next()
{
	d_step { newest = NEXT(newest); opened = n }
#ifdef NAMED_EARLY
	trail[newest].attempt = n;
	release_all(newest);
	trail[newest].length = 0;
#else
	void_it(newest);
	trail[newest].attempt = n; /* release */
#endif
}

inline append(what, where)
{
#ifdef COUNTED_FIRST
	trail[newest].length++;
#endif
	trail[newest].object[what - 1] = what;
	d_step {
		trail[newest].traceback[what - 1] = where;
#ifndef NOT_HELD
		refs[where]++;
#endif
	}
#ifndef COUNTED_FIRST
	trail[newest].length++ /* release */
#endif
}

active proctype owner()
{
	byte n = 1, newest, i, free, frame, below, top;
	d_step {
		down[EMPTY] = NIL;
		do
		:: free < FRAMES -> down[free + 1] = free; free++
		:: else -> break
		od
	}
	do
	:: n <= ATTEMPTS ->
		push(SITE(n, 0));
		push(SITE(n, 1));
		open_next();
		append(1, top);
		if
		:: append(2, down[top])
		:: skip
		fi;
		unref(top); /* what the attempt entered, it leaves */
		top = EMPTY;
		n++
	:: else -> break
	od;
	opened = ATTEMPTS + 1;
	void_it(NEXT(newest)); /* trail_clear() */
	opened = ATTEMPTS + 2;
	void_it(newest);
	assert(trail[0].attempt == 0 && trail[1].attempt == 0 &&
	       refs[1] + refs[2] + refs[3] + refs[4] + refs[5] + refs[6] == 0) /* nothing leaks */
}

/* ---- T1, at any time ---- */

#define HOLDS(t, i, depth) (refs[trail[t].traceback[i]] > 0 && site[trail[t].traceback[i]] == SITE(trail[t].attempt, depth))
#define IS_HELD(t)                                                                                                      \
	(trail[t].attempt == 0 ||                                                                                       \
		(trail[t].length < 1 ||                                                                                    \
			HOLDS(t, 0, 1) && refs[down[trail[t].traceback[0]]] > 0 &&                                      \
				site[down[trail[t].traceback[0]]] == SITE(trail[t].attempt, 0)) &&                      \
			(trail[t].length < 2 || HOLDS(t, 1, 0)))

#ifndef UNWATCHED
active proctype onlooker()
{
	assert(IS_HELD(0) && IS_HELD(1)) /* T1 */
}
#endif

/* ---- the reader ---- */

/* tb_copy_take(), of frames that may be recycled meanwhile. */
inline copy_take()
{
	do
	:: length < COPY_FRAMES ->
		assert(frame <= FRAMES); /* T4: `down` is a frame at any time, or NIL */
		d = down[frame];
		if
		:: d == NIL -> break
		:: else
		fi;
		copy[length] = site[frame];
		d_step { frame = d; length++ }
	:: else -> break
	od;
	assert(length <= COPY_FRAMES) /* T4: the walk ends */
}

inline second_look()
{
#ifdef NO_SECOND_LOOK
	is_vouched = true
#else
	is_vouched = (trail[t].attempt == n)
#endif
}

inline copy_from()
{
	m = trail[t].length; /* acquire */
	i = 0;
	do
	:: i < m && trail[t].object[i] != object -> i++
	:: i < m && trail[t].object[i] == object -> break
	:: i >= m -> goto not_here
	od;
	frame = trail[t].traceback[i];
#ifdef SECOND_LOOK_EARLY
	second_look();
	copy_take();
#else
	copy_take();
	/* read barrier */
	second_look();
#endif
	if
	:: is_vouched ->
		assert(length > 0 && frame == EMPTY);                        /* T2: the write was there */
		assert(length == 3 - object && copy[length - 1] == SITE(n, 0)); /* T3: the copy is right */
		assert(object == 2 || copy[0] == SITE(n, 1));                /* T3 */
		goto found
	:: else -> assert(opened >= n + 2) /* T5: over, and two trails begun since: no other try would find it */
	fi
}

active proctype reader()
{
	byte n, object, t, m, i, frame, d, length;
	byte copy[COPY_FRAMES];
	bool is_vouched;
	select(n : 1 .. ATTEMPTS);
	select(object : 1 .. 2);
	do
	:: t < 2 ->
		if
		:: trail[t].attempt == n -> copy_from() /* acquire */
		:: else
		fi;
not_here:
		skip;
		d_step { m = 0; i = 0; frame = 0; d = 0; length = 0; t++ }
	:: else -> break
	od;
found:
	skip
}
