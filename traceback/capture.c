/* SPDX-License-Identifier: MIT
 *
 * The frames of a shadow stack. A capture makes frames for the levels that have none. Pushes, pops and updates leave
 * frames alone, so a site that no capture sees costs no frame.
 *
 * A frame outlives the pop of its site. If a capture finds the same site in its level again, on top of the same sites,
 * it is the right frame still; otherwise it is released now. So equal tracebacks that a loop captures are the same
 * frame, even while others have references to it, such as a timelog, and those need compare addresses only.
 */
#include "capture.h"

#include "check.h"
#include "place.h"
#include "shadow.h"
#include "supply.h"

/* The first level whose frame is not right, or is missing; `next` if there is none. */
static struct tb_level *find_outdated(const struct tb_stack *stack, struct tb_level *level)
{
	while (level < stack->next && tb_has_frame(stack, level))
		level++;
	return level;
}

/* The stack's reference moves down from frame to frame. If nobody else has the frame, the frame's own reference to the
 * frame below becomes the stack's. */
void capture_drop(struct tb_stack *stack, const struct tb_level *level)
{
	REQUIRES(level > stack->bottom);
	while (stack->made > level) {
		struct tb_frame *frame = (--stack->made)->frame;
		if (frame->refs == 1) {
			supply_free(stack, frame);
			continue;
		}
		frame->refs--;
		tb_ref(frame->down);
	}
}

/* Makes the frame of the lowest level that has none. The stack's reference to the frame below becomes the new
 * frame's. */
static bool make(struct tb_stack *stack)
{
	struct tb_level *level = stack->made;
	struct tb_frame *frame = supply_alloc(stack);
	if (frame == NULL)
		return false;
	place_keep(level->site);
	tb_frame_name(frame, level->site);
	tb_frame_link(frame, level[-1].frame);
	level->frame = frame;
	stack->made = level + 1;
	return true;
}

/* Makes the frames from `level` on. Returns the top frame; TB_UNKNOWN if memory is out, and keeps what was made before.
 */
static struct tb_frame *make_from(struct tb_stack *stack, struct tb_level *level)
{
	capture_drop(stack, level);
	while (stack->made != stack->next && make(stack))
		continue;
	if (stack->lost_now == 0)
		stack->floor = stack->made;
	ENSURES(stack->made - stack->bottom > 64 || shadow_is_valid(stack));
	if (stack->made == stack->next)
		return stack->made[-1].frame;
	stack->lost++;
	return TB_UNKNOWN;
}

/* While pushes are lost, the floor has to stay where it is, and no level is known to be right. */
struct tb_frame *tb_current_slow(struct tb_stack *stack)
{
	bool is_losing = stack->lost_now > 0;
	/* With the floor above `next`, as after two handlers within one pop, no level is known to be right either. */
	bool is_unsure = is_losing || stack->floor > stack->next;
	struct tb_level *level = find_outdated(stack, is_unsure ? stack->bottom + 1 : stack->floor);
	if (level != stack->next)
		return make_from(stack, level);
	if (!is_losing)
		stack->floor = level;
	return level[-1].frame;
}
