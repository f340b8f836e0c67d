/* SPDX-License-Identifier: MIT
 *
 * The trail of an attempt: which objects it wrote, where it first wrote each, and
 * where it became inevitable. The owner leaves it behind; whoever has met the attempt
 * looks up there what to show as the other side of a loss, while the owner goes on.
 *
 * A trail is opened at the first thing worth leaving in it, and two are kept in turn:
 * what one attempt left stays until the second next one that leaves anything. So the
 * other one may have ended by the time somebody looks.
 *
 * The protocol; NOTES.txt, "What another transaction did", has the argument, claims T1
 * to T5. The owner voids the trail (attempt = 0), and only then releases the tracebacks
 * in it. A reader finds the trail of the attempt that it has met, copies, and looks
 * whether it is still that attempt's: then nothing that it read had been released. If
 * not, the attempt has long been over and no further try could find it: one is enough.
 * The owner never waits, and pays plain stores only.
 */
#ifndef STMLOG_TRAIL_H
#define STMLOG_TRAIL_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

/* `object` of the place where the attempt became inevitable. No address: it is odd and in no page. */
#define TRAIL_INEVITABLE ((uintptr_t)1)

struct trail_write {
	volatile AO_t object;
	volatile AO_t traceback; /* the struct tb_frame *; one reference for a run of equal ones */
	AO_t slot;               /* owner's: the one of `slots` that leads here */
};

#define TRAIL_WRITES (STMLOG_WRITES + 1) /* and to have become inevitable */
#define TRAIL_SLOTS 1024

/* Invariants, while attempt != 0: writes[0 .. len) are what the attempt left, no object twice;
 * slots[s] leads to writes[slots[s]] if that is below len and has slot == s; else the slot is free,
 * whatever stands in it: so a trail is emptied without touching them. */
struct trail {
	volatile AO_t attempt; /* whose it is; 0: nobody's, being emptied */
	volatile AO_t thread;  /* the number of the thread, for reports */
	volatile AO_t len;
	struct trail_write writes[TRAIL_WRITES];
	uint16_t slots[TRAIL_SLOTS];
};

struct trails {
	struct trail trail[2];
	unsigned newest;
	volatile AO_t unrecorded; /* first writes that found the trail full */
	struct tb_stack *stack;
};

/* ---- owner ---- */

/* The attempt, of thread number `thread`, first writes `object` here (or becomes inevitable): takes a
 * reference to the traceback. Does nothing when the trail has the object. */
void trail_leave(
	struct trails *trails, uint64_t attempt, uint32_t thread, uintptr_t object, struct tb_frame *traceback);

/* Where the attempt wrote the object; TB_UNKNOWN if the trail does not say. Borrowed. */
struct tb_frame *trail_find_own(const struct trails *trails, uint64_t attempt, uintptr_t object);

/* Voids both trails and releases what is in them. */
void trail_clear(struct trails *trails);

/* ---- any thread ---- */

/* Copies where the attempt wrote the object, and the number of its thread. Returns false, and makes *copy
 * unknown, when the trail does not say or was recycled meanwhile. Requires: attempt != 0; the record of the
 * thread exists, which it does while the caller is attached. */
bool trail_find_remote(
	const struct trails *trails, uint64_t attempt, uintptr_t object, struct tb_copy *copy, uint32_t *thread);

#endif
