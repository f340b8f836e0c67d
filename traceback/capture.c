/* SPDX-License-Identifier: MIT
 *
 * Captures tracebacks: makes frames for the levels of a shadow stack that have none. Pushes, pops and updates leave
 * frames alone, so a site that no capture sees costs no frame.
 *
 * A frame outlives the pop of its site. If the next capture finds the same site in the same level, above the same
 * sites, it uses the frame again; otherwise it releases the frame. So equal tracebacks that a loop captures are the
 * same frame, even while others, such as a timelog, have references to it, and these can compare addresses first.
 */
#include "capture.h"

#include "check.h"
#include "place.h"
#include "shadow.h"
#include "supply.h"

/* Returns the first level whose frame is outdated or missing; `next` if there is none. */
static struct tb_level *find_outdated(const struct tb_stack *stack, struct tb_level *level)
{
	while (level < stack->next && tb_has_frame(stack, level))
		level++;
	return level;
}

/* The stack's reference moves down from frame to frame. If nobody else has a reference to the frame, the frame's own
 * reference to the frame below becomes the stack's. */
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

/* While pushes are lost, the floor has to stay where it is, and the frames of all levels must be checked. */
struct tb_frame *tb_current_slow(struct tb_stack *stack)
{
	bool is_losing = stack->lost_now > 0;
	/* They must be checked as well if the floor is above `next`, as after two signal handlers within one pop. */
	bool is_unsure = is_losing || stack->floor > stack->next;
	struct tb_level *level = find_outdated(stack, is_unsure ? stack->bottom + 1 : stack->floor);
	if (level != stack->next)
		return make_from(stack, level);
	if (!is_losing)
		stack->floor = level;
	return level[-1].frame;
}
