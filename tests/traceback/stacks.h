/* SPDX-License-Identifier: MIT
 * Sites that are numbered, and the one on top of a stack. */
#ifndef STACKS_H
#define STACKS_H

#include <stmlog/traceback.h>

#include "fixture.h"

static inline struct tb_site site(uintptr_t position)
{
	return tb_site_make(7, position);
}

static inline uintptr_t top_position(struct tb_stack *stack)
{
	assert_true(tb_is_frame(tb_current(stack)));
	return tb_frame_site(tb_current(stack)).position;
}

#endif
