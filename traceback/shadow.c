/* SPDX-License-Identifier: MIT
 *
 * The shadow stack: creating and destroying it, and the slow paths of the inline functions in
 * traceback.h: a push without a free frame, a pop of a frame that was captured, and all calls while
 * pushes are lost.
 *
 * Lost pushes. From the first push that gets no frame until its pop, pushes and pops only count. Even
 * if memory comes back meanwhile, a new frame would stand in the place of a lost one. Two means send
 * every call to the slow path: the free list stays empty, with a limit of 0, and the top frame has one
 * more reference, the *pin*. Without the pin, pops and updates would take the top frame for their own.
 */
#include "shadow.h"

#include "check.h"
#include "mem.h"
#include "misuse.h"
#include "supply.h"

/* 16 KiB of frames: enough for deep recursion and for full timelogs without the depot. */
#define CAP_DEFAULT 512u

/* ---- life ---- */

struct tb_stack *tb_stack_create(uint32_t cap)
{
	struct tb_stack *stack = mem_take(sizeof *stack);
	if (stack == NULL)
		return NULL;
	stack->top = TB_EMPTY;
	stack->free = TB_EMPTY;
	stack->cap = cap > 0 ? cap : CAP_DEFAULT;
	stack->limit = stack->cap;
	supply_join(stack);
	return stack;
}

void tb_stack_destroy(struct tb_stack **stack)
{
	if (*stack == NULL)
		return;
	tb_unwind(*stack, (struct tb_mark){.below = NULL, .lost = 0});
	supply_leave(*stack);
	mem_give(*stack, sizeof **stack);
	*stack = NULL;
}

/* ---- losing ---- */

static bool is_losing(const struct tb_stack *stack)
{
	return stack->lost_now > 0;
}

/* Requires: there is no free frame. */
static void lose_push(struct tb_stack *stack)
{
	REQUIRES(!tb_is_frame(stack->free));
	if (!is_losing(stack))
		tb_ref(stack->top);
	stack->limit = 0;
	stack->lost_now++;
	stack->lost++;
}

/* Pops lost pushes. Requires: is_losing(stack), pushes <= lost_now. The pin is never the last reference: the stack
 * has one of its own. Without free frames, `held` is the depth. */
static void find_again(struct tb_stack *stack, uint32_t pushes)
{
	REQUIRES(is_losing(stack) && pushes <= stack->lost_now);
	stack->lost_now -= pushes;
	if (is_losing(stack))
		return;
	tb_unref(stack, stack->top);
	stack->limit = stack->held + stack->cap;
}

uint64_t tb_stack_lost(const struct tb_stack *stack)
{
	return stack->lost;
}

/* ---- push, pop, update ---- */

/* The check of a large stack would take tests too long. */
#define is_large(stack) ((stack)->held > 64)

void tb_push_slow(struct tb_stack *stack, struct tb_site site)
{
	if (is_losing(stack) || !supply_refill(stack))
		lose_push(stack);
	else
		tb_push(stack, site);
	ENSURES(is_large(stack) || shadow_is_valid(stack));
}

/* Requires: the stack is empty, or refs > 1. Captures keep the frame, and the frame keeps its reference to the frame
 * below. The stack takes one more reference to the frame below. */
void tb_pop_slow(struct tb_stack *stack)
{
	struct tb_frame *frame = stack->top;
	if (is_losing(stack)) {
		find_again(stack, 1);
		return;
	}
	if (!tb_is_frame(frame)) {
		misuse_count("tb_pop of an empty stack");
		return;
	}
	REQUIRES(frame->refs > 1);
	frame->refs--;
	stack->top = tb_ref(frame->down);
	supply_hold(stack, stack->held - 1);
	ENSURES(is_large(stack) || shadow_is_valid(stack));
}

/* A captured frame stays as it is, and a new frame takes its place. Without memory a lost push takes its place: a
 * missing site is better than a wrong one. While pushes are lost, the top has no site to replace. */
void tb_update_slow(struct tb_stack *stack, struct tb_site site)
{
	if (is_losing(stack))
		return;
	if (!tb_is_frame(stack->top)) {
		misuse_count("tb_update of an empty stack");
		return;
	}
	tb_pop_slow(stack);
	tb_push(stack, site);
}

/* ---- marks ---- */

struct tb_mark tb_mark(const struct tb_stack *stack)
{
	return (struct tb_mark){.below = stack->top->down, .lost = stack->lost_now};
}

/* The frame that was on top at the mark, or the frame that an update put in its place: in both cases mark.below is
 * below it. NULL: there is none. */
static const struct tb_frame *find_mark(const struct tb_stack *stack, struct tb_mark mark)
{
	const struct tb_frame *frame = stack->top;
	while (frame != NULL && frame->down != mark.below)
		frame = frame->down;
	return frame;
}

/* How many lost pushes an unwind must keep. UINT32_MAX: the mark is not on the stack. Lost pushes lie on top of all
 * frames, so if there were any at the mark, the marked frame must still be the top frame. If the marked frame is gone,
 * an update without memory has made it a lost push, which is the first of the lost pushes. */
static uint32_t lost_to_keep(const struct tb_stack *stack, const struct tb_frame *marked, struct tb_mark mark)
{
	if (marked == stack->top)
		return mark.lost;
	if (mark.lost > 0)
		return UINT32_MAX;
	if (marked != NULL)
		return 0;
	return stack->top == mark.below ? 1 : UINT32_MAX;
}

void tb_unwind(struct tb_stack *stack, struct tb_mark mark)
{
	const struct tb_frame *marked = find_mark(stack, mark);
	uint32_t keep = lost_to_keep(stack, marked, mark);
	if (keep > stack->lost_now) {
		misuse_count("tb_unwind to a mark that is not on the stack");
		return;
	}
	if (keep < stack->lost_now)
		find_again(stack, stack->lost_now - keep);
	while (marked != NULL && stack->top != marked)
		tb_pop(stack);
	ENSURES(is_large(stack) || shadow_is_valid(stack));
}

size_t tb_misuses(void)
{
	return misuse_total();
}

/* ---- invariants ---- */

static bool free_list_is_valid(const struct tb_stack *stack)
{
	const struct tb_frame *frame = stack->free;
	for (uint32_t left = stack->held; tb_is_frame(frame); frame = frame->down, left--)
		if (frame->refs != 1 || left == 0)
			return false;
	return frame == TB_EMPTY;
}

static bool frames_are_valid(const struct tb_stack *stack)
{
	const struct tb_frame *frame = stack->top;
	for (; tb_is_frame(frame); frame = frame->down)
		if (frame->refs == 0)
			return false;
	return frame == TB_EMPTY && frame->refs == 0;
}

static bool limit_is_valid(const struct tb_stack *stack)
{
	if (!is_losing(stack))
		return stack->held <= stack->limit;
	return stack->limit == 0 && !tb_is_frame(stack->free) && (!tb_is_frame(stack->top) || stack->top->refs >= 2);
}

bool shadow_is_valid(const struct tb_stack *stack)
{
	return free_list_is_valid(stack) && frames_are_valid(stack) && limit_is_valid(stack) &&
	       stack->held == tb_depth(stack->free) + tb_depth(stack->top);
}
