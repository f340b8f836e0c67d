/* SPDX-License-Identifier: MIT
 *
 * The shadow stack: creating and destroying it, how it grows, and the slow paths of push, pop and update. A capture
 * makes frames for the levels that have none. Pushes, pops and updates leave frames alone, so a site that no capture
 * sees costs no frame: a pop or an update lowers the floor to tell the next capture from which level on it must check
 * frames.
 *
 * A frame outlives the pop of its site. If the next capture finds the same site in the same level, above the same
 * sites, it uses the frame again; otherwise it releases the frame. So equal tracebacks that a loop captures are the
 * same frame, even while others, such as a timelog, have references to it, and these can compare addresses first.
 *
 * Lost pushes. From the first push that finds no room until its pop, pushes and pops only count. Even if memory comes
 * back meanwhile, a new site would stand in the place of a lost one. The array is full then, so each push takes the
 * slow path; and so does each pop, because `floor` lies above all sites.
 *
 * Signal handlers pop what they have pushed. They change sites at `next` and above, and the floor only if it lies above
 * `next`. So only the push needs an order: `next` is advanced before the site is stored.
 */
#include "frame.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "mem.h"
#include "misuse.h"
#include "place.h"
#include "supply.h"
#include "undisturbed.h"

/* 16 KiB of frames: enough for full timelogs without the depot. */
#define CAP_DEFAULT 512u

/* Of a stack with its first array, and of each larger array at least: a page is allocated in any case. */
#define CREATED_BYTES 1024u
#define GROWN_LEVELS_MIN (4096 / sizeof(struct tb_level))

static bool is_losing(const struct tb_stack *stack)
{
	return stack->lost_now > 0;
}

/* ---- the array ---- */

/* How many levels the array has. The first one is the bottom. The last one is never used, so that the floor may be end
 * + 1. */
static size_t levels_len(const struct tb_stack *stack)
{
	return (size_t)(stack->end - stack->bottom) + 1;
}

/* The first array lies behind the stack. */
static struct tb_level *first_levels(struct tb_stack *stack)
{
	return (struct tb_level *)(stack + 1);
}

static void free_levels(struct tb_stack *stack)
{
	if (stack->bottom != first_levels(stack))
		mem_free(stack->bottom, levels_len(stack) * sizeof *stack->bottom);
}

/* Requires: no push is lost. */
static void use_levels(struct tb_stack *stack, struct tb_level *levels, size_t len)
{
	REQUIRES(stack->lost_now == 0);
	stack->next = levels + (stack->next - stack->bottom);
	stack->floor = levels + (stack->floor - stack->bottom);
	stack->made = levels + (stack->made - stack->bottom);
	stack->bottom = levels;
	stack->limit = levels + 1;
	stack->end = levels + len - 1;
}

static bool move_levels(struct tb_stack *stack, size_t len)
{
	size_t larger_len = 2 * len > GROWN_LEVELS_MIN ? 2 * len : GROWN_LEVELS_MIN;
	struct tb_level *larger = mem_alloc(larger_len * sizeof *larger);
	if (larger == NULL)
		return false;
	memcpy(larger, stack->bottom, len * sizeof *larger);
	free_levels(stack);
	use_levels(stack, larger, larger_len);
	return true;
}

/* With all signals blocked, so that a handler finds either the old array or the new one. */
static bool grow(struct tb_stack *stack)
{
	int saved = errno;
	sigset_t before = signals_block();
	bool has_grown = move_levels(stack, levels_len(stack));
	signals_restore(&before);
	errno = saved;
	return has_grown;
}

/* ---- frames ---- */

/* Releases the frames of `level` and of all levels above. Those below keep theirs. Requires: bottom < level. The
 * stack's reference moves down from frame to frame. If nobody else has a reference to the frame, the frame's own
 * reference to the frame below becomes the stack's. */
static void release_frames(struct tb_stack *stack, const struct tb_level *level)
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

/* ---- create and destroy ---- */

void tb_stack_init(struct tb_stack *stack, size_t size, uint32_t cap)
{
	REQUIRES(size >= sizeof *stack + 3 * sizeof *stack->bottom);
	stack->bottom = first_levels(stack);
	stack->bottom->frame = TB_EMPTY;
	stack->next = stack->floor = stack->limit = stack->made = stack->bottom + 1;
	stack->end = stack->bottom + (size - sizeof *stack) / sizeof *stack->bottom - 1;
	stack->free = TB_EMPTY;
	stack->cap = cap > 0 ? cap : CAP_DEFAULT;
	supply_join(stack);
}

struct tb_stack *tb_stack_create(uint32_t cap)
{
	struct tb_stack *stack = mem_alloc(CREATED_BYTES);
	if (stack != NULL)
		tb_stack_init(stack, CREATED_BYTES, cap);
	return stack;
}

void tb_stack_fini(struct tb_stack *stack)
{
	release_frames(stack, stack->bottom + 1);
	supply_leave(stack);
	free_levels(stack);
}

void tb_stack_destroy(struct tb_stack **stack)
{
	if (*stack == NULL)
		return;
	tb_stack_fini(*stack);
	mem_free(*stack, CREATED_BYTES);
	*stack = NULL;
}

/* ---- lost pushes ---- */

/* Requires: the array is full. */
static void lose_push(struct tb_stack *stack)
{
	REQUIRES(stack->next == stack->end);
	stack->floor = stack->limit = stack->end + 1;
	stack->lost_now++;
	stack->lost++;
}

/* Pops lost pushes. Requires: pushes <= lost_now. After the last one it is not known which frames are outdated: the
 * next capture checks all of them. */
static void find_again(struct tb_stack *stack, uint64_t pushes)
{
	REQUIRES(pushes <= stack->lost_now);
	stack->lost_now -= pushes;
	if (pushes > 0 && !is_losing(stack))
		stack->floor = stack->limit = stack->bottom + 1;
}

uint64_t tb_stack_lost(const struct tb_stack *stack)
{
	return stack->lost;
}

/* ---- push, pop, update ---- */

/* Large stacks are not checked, because tests would take too long. */
#define is_large(stack) ((stack)->next - (stack)->bottom > 64)

void tb_push_slow(struct tb_stack *stack, struct tb_site site)
{
	if (is_losing(stack) || !grow(stack))
		lose_push(stack);
	else
		tb_push(stack, site);
	ENSURES(is_large(stack) || shadow_is_valid(stack));
}

/* Requires: no push is lost. */
static void lower_floor(struct tb_stack *stack, struct tb_level *level)
{
	REQUIRES(!is_losing(stack));
	if (level < stack->floor)
		stack->floor = level;
}

void tb_pop_slow(struct tb_stack *stack)
{
	if (is_losing(stack))
		find_again(stack, 1);
	else
		misuse_count("tb_pop of an empty stack");
}

/* While pushes are lost, the top has no site to replace. */
void tb_update_slow(struct tb_stack *stack, struct tb_site site)
{
	struct tb_level *level = stack->next - 1;
	if (is_losing(stack))
		return;
	if (level == stack->bottom) {
		misuse_count("tb_update of an empty stack");
		return;
	}
	tb_level_name(level, site);
	STMLOG_SIGNAL_FENCE(); /* a handler that captures before the floor is lowered gets the old site; nothing else
				  goes wrong */
	lower_floor(stack, level);
}

/* ---- marks ---- */

static size_t pushed_len(const struct tb_stack *stack)
{
	return (size_t)(stack->next - stack->bottom) - 1;
}

struct tb_mark tb_stack_mark(const struct tb_stack *stack)
{
	return (struct tb_mark){.depth = stack != NULL ? pushed_len(stack) + stack->lost_now : 0};
}

void tb_unwind(struct tb_stack *stack, struct tb_mark mark)
{
	if (stack == NULL)
		return;
	size_t len = pushed_len(stack);
	if (mark.depth > len + stack->lost_now) {
		misuse_count("tb_unwind to a mark that is not on the stack");
		return;
	}
	find_again(stack, mark.depth > len ? len + stack->lost_now - mark.depth : stack->lost_now);
	if (mark.depth >= len)
		return;
	struct tb_level *level = stack->bottom + 1 + mark.depth;
	lower_floor(stack, level);
	stack->next = level;
	STMLOG_SIGNAL_FENCE(); /* as in tb_pop() */
	lower_floor(stack, level);
}

/* Makes room for `len` pushed sites. Returns for how many there is room: fewer without memory. */
static size_t reserve(struct tb_stack *stack, size_t len)
{
	while (levels_len(stack) - 2 < len && grow(stack))
		continue;
	size_t room = levels_len(stack) - 2;
	return len < room ? len : room;
}

/* Names the pushed levels by the frames of a traceback, from its innermost one on. */
static void name_levels(struct tb_stack *stack, const struct tb_frame *frame)
{
	for (struct tb_level *level = stack->next - 1; level > stack->bottom; level--, frame = tb_down(frame))
		tb_level_name(level, tb_frame_site(frame));
}

/* It is not compared which levels keep their sites: the next capture checks all frames. As in tb_push(), `next` is
 * advanced before the sites are stored. A handler that captures in between finds outdated sites, and raises the floor:
 * so the floor is lowered last, too. */
void tb_restore(struct tb_stack *stack, const struct tb_frame *traceback)
{
	if (stack == NULL)
		return;
	if (tb_is_unknown(traceback)) {
		stack->lost++;
		return;
	}
	find_again(stack, stack->lost_now);
	size_t depth = tb_depth(traceback), len = reserve(stack, depth);
	for (size_t i = depth; i > len; i--)
		traceback = tb_down(traceback);
	lower_floor(stack, stack->bottom + 1);
	stack->next = stack->bottom + 1 + len;
	STMLOG_SIGNAL_FENCE();
	name_levels(stack, traceback);
	STMLOG_SIGNAL_FENCE();
	lower_floor(stack, stack->bottom + 1);
	for (size_t i = depth; i > len; i--)
		lose_push(stack);
	ENSURES(is_large(stack) || shadow_is_valid(stack));
}

size_t tb_misuses(void)
{
	return misuse_total();
}

/* ---- capture ---- */

/* Returns the first level whose frame is outdated or missing; `next` if there is none. */
static struct tb_level *find_outdated(const struct tb_stack *stack, struct tb_level *level)
{
	while (level < stack->next && tb_has_frame(stack, level))
		level++;
	return level;
}

/* Makes the frame of the lowest level that has none. The stack's reference to the frame below becomes the new
 * frame's. */
static bool make(struct tb_stack *stack)
{
	struct tb_level *level = stack->made;
	struct tb_frame *frame = supply_alloc(stack);
	if (frame == NULL)
		return false;
	place_intern(level->site);
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
	release_frames(stack, level);
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

/* ---- invariants ---- */

static bool free_list_is_valid(const struct tb_stack *stack)
{
	const struct tb_frame *frame = stack->free;
	uint32_t left = stack->spare;
	for (; tb_is_frame(frame); frame = frame->down, left--)
		if (frame->refs != 1 || left == 0)
			return false;
	return frame == TB_EMPTY && left == 0 && stack->spare <= stack->cap;
}

static bool frames_are_valid(const struct tb_stack *stack)
{
	for (const struct tb_level *level = stack->bottom + 1; level < stack->made; level++)
		if (level->frame->down != level[-1].frame || level->frame->refs == 0)
			return false;
	return stack->bottom->frame == TB_EMPTY && stack->bottom->site.position == 0 && stack->made <= stack->end;
}

static bool floor_is_valid(const struct tb_stack *stack)
{
	if (is_losing(stack))
		return stack->next == stack->end && stack->floor == stack->end + 1;
	for (const struct tb_level *level = stack->bottom + 1; level < stack->floor; level++)
		if (!frame_same_site(level->frame->site, level->site))
			return false;
	return stack->floor <= stack->made && stack->floor <= stack->next && stack->next <= stack->end;
}

bool shadow_is_valid(const struct tb_stack *stack)
{
	return frames_are_valid(stack) && floor_is_valid(stack) && free_list_is_valid(stack);
}
