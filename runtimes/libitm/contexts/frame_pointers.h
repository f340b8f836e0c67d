/* SPDX-License-Identifier: MIT
 *
 * Callers by way of frame pointers: a function built with -fno-omit-frame-pointer keeps in rbp
 * the address of the saved rbp of its caller, above which its return address lies. So a stack
 * is a list, and walking it costs a nanosecond or two a frame.
 *
 * Where a function was built otherwise, rbp holds anything. Whether it is a frame pointer at a
 * given place in the code is decided when that is compiled; so each place is put to the
 * unwinder once per thread, and believed from then on. The walk ends at the first place
 * where it is none.
 */
#ifndef ITM_FRAME_POINTERS_H
#define ITM_FRAME_POINTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"

/* What rbp is at a return address. */
enum itm_rbp {
	ITM_RBP_UNKNOWN, /* nobody has looked yet */
	ITM_RBP_FRAME,   /* the function's frame pointer */
	ITM_RBP_OTHER,   /* not that; or there is no caller worth telling */
};

struct itm_frame_pair {
	uintptr_t next; /* the caller's frame: its address */
	uintptr_t return_address;
};

/* One step of the walk: a frame that was at `at`, and what it held. */
struct itm_link {
	const struct itm_frame_pair *at;
	struct itm_frame_pair held;
};

struct itm_frames;

/* Finds out what rbp is at `site`, whose frame is `frame`, and at its callers, and notes it. */
typedef void itm_frames_learn(struct itm_frames *frames, const uintptr_t *slot, const struct itm_frame_pair *frame);

#define ITM_PLACES 2048

/* Invariant: links[0 .. len) are the walk from `site` that gave `context`. */
struct itm_frames {
	uintptr_t low, high; /* of the thread's stack */
	itm_frames_learn *learn;
	uintptr_t places[ITM_PLACES]; /* return addresses; top bit: rbp is no frame pointer there */
	uintptr_t site;
	uint32_t context;
	size_t len;
	size_t cap;
	struct itm_link links[];
};

size_t itm_frames_size(size_t cap);

/* In zeroed memory of that size: a stack of [low, high), of which `cap` callers are told at most. */
struct itm_frames *itm_frames_init(void *memory, size_t cap, uintptr_t low, uintptr_t high, itm_frames_learn *learn);

enum itm_rbp itm_frames_rbp_at(const struct itm_frames *frames, uintptr_t place);
void itm_frames_note_rbp(struct itm_frames *frames, uintptr_t place, enum itm_rbp rbp);

/* The context of a transaction that begins: `slot` is where begin's return address lies, `frame` is rbp there.
 * Returns 0 if rbp is no frame pointer there, the stack is not the thread's own, or contexts are full. */
uint32_t itm_frames_context(struct itm_frames *frames, struct itm_contexts *contexts, const uintptr_t *slot,
	const struct itm_frame_pair *frame);

#endif
