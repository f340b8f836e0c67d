/* SPDX-License-Identifier: MIT
 *
 * Callers found by frame pointers. A function built with -fno-omit-frame-pointer keeps in rbp the address where its
 * caller's rbp is saved, and its return address lies directly above. So a stack is a list, and walking it costs a
 * nanosecond or two for each frame.
 *
 * In a function that was built otherwise, rbp may hold anything. Whether rbp is a frame pointer at a place in the code
 * was decided by the compiler. So the unwinder is asked once for each thread and place, and its answer is kept. A walk
 * ends at the first place where rbp is no frame pointer.
 */
#ifndef ITM_FRAME_POINTERS_H
#define ITM_FRAME_POINTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"

/* What rbp holds at a return address. */
enum itm_rbp {
	ITM_RBP_UNKNOWN, /* the unwinder was not asked yet */
	ITM_RBP_FRAME,   /* the function's frame pointer */
	ITM_RBP_OTHER,   /* something else; or there is no caller worth showing */
};

struct itm_frame_pair {
	uintptr_t next; /* the address of the caller's frame */
	uintptr_t return_address;
};

/* One step of a walk: the frame's address, and its contents at that time. */
struct itm_link {
	const struct itm_frame_pair *frame;
	struct itm_frame_pair held;
};

struct itm_frames;

/* Asks the unwinder what rbp holds at the return address in `slot`, where it is `frame`, and at those of the callers.
 * Stores the answers with itm_frames_note_rbp(). */
typedef void itm_frames_learn(struct itm_frames *frames, const uintptr_t *slot, const struct itm_frame_pair *frame);

#define ITM_PLACES 2048

/* Invariant: links[0 .. len) are the walk from `site` that gave `context`. */
struct itm_frames {
	uintptr_t low, high; /* of the thread's stack */
	itm_frames_learn *learn;
	uintptr_t places[ITM_PLACES]; /* a hash table of return addresses; top bit: rbp is no frame pointer there */
	uintptr_t site;
	uint32_t context;
	size_t len;
	size_t cap;
	struct itm_link links[];
};

size_t itm_frames_size(size_t cap);

/* Initializes the struct in zeroed memory of that size. The thread's stack is [low, high); at most `cap` callers are
 * looked for. */
struct itm_frames *itm_frames_init(void *memory, size_t cap, uintptr_t low, uintptr_t high, itm_frames_learn *learn);

enum itm_rbp itm_frames_rbp_at(const struct itm_frames *frames, uintptr_t place);
void itm_frames_note_rbp(struct itm_frames *frames, uintptr_t place, enum itm_rbp rbp);

/* The context of a transaction that begins. `slot` is where begin's return address lies, `frame` the value of rbp
 * there. Returns 0 if rbp is no frame pointer there, if the stack is not the thread's own, or if no number is left. */
uint32_t itm_frames_context(struct itm_frames *frames, struct itm_contexts *contexts, const uintptr_t *slot,
	const struct itm_frame_pair *frame);

#endif
