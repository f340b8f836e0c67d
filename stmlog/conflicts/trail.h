/* SPDX-License-Identifier: MIT
 *
 * The trail of an attempt: the objects that it wrote, with the traceback of each first
 * write, and the traceback of becoming inevitable. The owner records it. A thread that
 * conflicts with the attempt looks up the remote traceback of its loss there, while the
 * owner goes on.
 *
 * A thread has two trails and uses them in turn. An attempt uses the older one from its first write on. So a trail can
 * be read until the second attempt after its own that writes, even if its own attempt has ended.
 *
 * The protocol (NOTES.txt, "Finding the other transaction", claims T1 to T6, has the argument): the owner voids a trail
 * (attempt = 0) before it releases the tracebacks. A reader finds the trail of the attempt, copies, and checks that the
 * trail still belongs to the attempt: then nothing that it read had been released. Otherwise the attempt ended long
 * ago, and a second try cannot find it either. The owner never waits, and its stores are plain ones.
 */
#ifndef STMLOG_TRAIL_H
#define STMLOG_TRAIL_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

/* Stands for the object when an attempt becomes inevitable. A runtime's own objects may be any number. So this is the
 * address of an object of the library, which no runtime has. */
extern const char trail_inevitable;
#define TRAIL_INEVITABLE ((uintptr_t)&trail_inevitable)

struct trail_write {
	volatile AO_t object;
	volatile AO_t traceback; /* struct tb_frame *; consecutive writes of equal tracebacks share one reference */
	AO_t slot;               /* the index in `slots` that refers to this write; used by the owner only */
};

#define TRAIL_WRITES (STMLOG_WRITES + 1) /* one for becoming inevitable */
#define TRAIL_SLOTS 1024

/* Invariants, while attempt != 0: writes[0 .. len) are the writes of the attempt, of different objects.
 * slots[] is a hash table of them: slots[s] refers to writes[slots[s]] if slots[s] < len and that write has
 * slot == s. Otherwise slot s is free, whatever its value: so a trail is emptied without writing slots. */
struct trail {
	volatile AO_t attempt; /* the attempt that it belongs to; 0: none, it is being emptied */
	volatile AO_t thread;  /* number of the attempt's thread */
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

/* Records that the attempt, of thread number `thread`, writes `object` for the first time (or becomes inevitable).
 * Takes a reference to the traceback. Does nothing if the trail has the object. */
void trail_leave(
	struct trails *trails, uint64_t attempt, uint32_t thread, uintptr_t object, struct tb_frame *traceback);

/* Returns the traceback of the attempt's first write of the object, borrowed; TB_UNKNOWN if the trail has no such
 * write. */
struct tb_frame *trail_find_own(const struct trails *trails, uint64_t attempt, uintptr_t object);

/* Voids both trails and releases their tracebacks. */
void trail_clear(struct trails *trails);

/* ---- any thread ---- */

/* A copy of a write's traceback, and its source. A transaction may lose again and again because of one write of another
 * attempt: then the traceback is copied once only. All zero: no copy. */
struct trail_copy {
	struct tb_copy copy;
	const struct trail *trail; /* NULL: the copy is of no write */
	uint64_t attempt;
	const struct tb_frame *traceback;
};

/* Copies the traceback of the attempt's first write of the object, and the number of its thread. Returns false, with
 * *copy unknown, if the trail has no such write or was reused meanwhile. Requires: attempt != 0, and the caller is
 * attached (so that the other thread's record exists). */
bool trail_find_remote(
	const struct trails *trails, uint64_t attempt, uintptr_t object, struct trail_copy *copy, uint32_t *thread);

static inline void trail_copy_forget(struct trail_copy *copy)
{
	tb_copy_forget(&copy->copy);
	copy->trail = NULL;
}

#endif
