/* SPDX-License-Identifier: MIT
 * The frames of a context, in `contexts`. */
#ifndef CONTEXT_FRAMES_H
#define CONTEXT_FRAMES_H

#include "context_tree.h"
#include "test.h"

enum { FRAMES_MAX = 64 };

static struct itm_contexts *contexts;

static inline void expect(uint32_t context, const uintptr_t *expected, size_t len)
{
	uintptr_t found[FRAMES_MAX];
	assert_int_equal(itm_context_frames(contexts, context, found, FRAMES_MAX), len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(found[i], expected[i]);
}

#endif
