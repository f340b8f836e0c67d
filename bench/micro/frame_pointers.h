/* SPDX-License-Identifier: MIT
 * The cheapest traceback without pushes: the chain of frame pointers, on x86-64 and AArch64. */
#ifndef FRAME_POINTERS_H
#define FRAME_POINTERS_H

#include <stddef.h>

/* For each function that the chain leads through. */
#define WITH_FRAME_POINTER __attribute__((noinline, optimize("no-omit-frame-pointer")))

/* Where a function's frame pointer leads to. */
struct frame_record {
	const struct frame_record *caller;
	const void *return_address;
};

/* Walks from __builtin_frame_address(0). Returns the number of addresses. Each caller's record lies above its callee's,
 * or else the chain is broken. */
static inline int frame_pointers_walk(const struct frame_record *record, const void **addresses, int max)
{
	int len = 0;
	while (len < max) {
		const struct frame_record *caller = record->caller;
		addresses[len++] = record->return_address;
		if (caller <= record)
			break;
		record = caller;
	}
	return len;
}

#endif
