/* SPDX-License-Identifier: MIT
 *
 * A stack takes a batch from the depot when its free list is empty, and gives half its cap back when
 * the list is full. So a thread whose list is nearly empty or nearly full for long takes the lock
 * once per batch, not once per frame. A thread that only frees frames keeps no more than its cap.
 *
 * Locks: `stacks_lock`, then the depot's. Both are held across fork(): in the child the list and the depot
 * are consistent and unlocked. Stacks of threads that the child does not have stay in the list: their frames
 * count as live.
 */
#include "supply.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "check.h"
#include "freelist.h"

#define BATCH_MOST 64u

static_assert(offsetof(struct tb_frame, down) == offsetof(struct freelist_node, next), "down is the link");
static_assert(offsetof(struct tb_frame, refs) >= sizeof(struct freelist_node), "refs == 1 outlives the depot");

static void make_frame(void *node)
{
	struct tb_frame *frame = node;
	frame->refs = 1;
}

static struct freelist_depot depot = FREELIST_DEPOT(sizeof(struct tb_frame), make_frame);

static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tb_stack *stacks;

static uint32_t batch_len(const struct tb_stack *stack)
{
	uint32_t half = stack->cap / 2;
	if (half == 0)
		return 1;
	return half < BATCH_MOST ? half : BATCH_MOST;
}

/* A chain ends in NULL, a free list in TB_EMPTY. The walk costs little, because the frames will be used soon. */
static void end_in_empty(struct freelist_chain chain)
{
	struct tb_frame *last = chain.head;
	while (last->down != NULL)
		last = last->down;
	tb_frame_link(last, TB_EMPTY);
}

/* Without free frames `held` is the depth, which need not be counted. */
bool supply_refill(struct tb_stack *stack)
{
	REQUIRES(!tb_is_frame(stack->free));
	bool is_losing = stack->lost_now > 0;
	struct freelist_chain chain = freelist_depot_take(&depot, is_losing ? 1 : batch_len(stack));
	if (chain.len == 0)
		return false;
	end_in_empty(chain);
	supply_list(stack, chain.head);
	if (!is_losing)
		stack->limit = stack->held + stack->cap;
	supply_hold(stack, stack->held + chain.len);
	return true;
}

/* Gives all but `keep` of `spare` free frames to the depot. Requires: keep < spare, the length of the list.
 * The list loses the frames before the depot gets them. In the other order, a child that is forked in between would
 * have the frames in both, and no thread that takes them off the list. */
static void spill(struct tb_stack *stack, uint32_t spare, uint32_t keep)
{
	REQUIRES(keep < spare && spare == supply_spare(stack));
	struct freelist_chain chain = {stack->free, spare};
	struct freelist_chain cut = freelist_cut(&chain, spare - keep);
	supply_list(stack, chain.head);
	supply_hold(stack, stack->held - spare + keep);
	freelist_depot_give(&depot, cut);
}

/* Called when held == limit. Either the list is full, or the depth has changed since the limit was set: only counting
 * the list can tell. A full list gives away half the cap, so that the next count is that many releases away. */
static void make_room(struct tb_stack *stack)
{
	uint32_t spare = supply_spare(stack);
	uint32_t depth = stack->held - spare;
	if (spare >= stack->cap)
		spill(stack, spare, stack->cap / 2);
	stack->limit = depth + stack->cap;
}

void supply_give_slow(struct tb_stack *stack, struct tb_frame *frame)
{
	if (stack->lost_now > 0) {
		tb_frame_link(frame, NULL);
		freelist_depot_give(&depot, (struct freelist_chain){frame, 1});
		return;
	}
	make_room(stack);
	supply_give(stack, frame);
}

/* ---- the list of all stacks ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&stacks_lock);
	freelist_depot_lock(&depot);
}

static void after_fork(void)
{
	freelist_depot_unlock(&depot);
	pthread_mutex_unlock(&stacks_lock);
}

/* If this fails, a child that is forked while another thread uses the depot finds it locked for ever. It fails only
 * when the process has no memory for a few words, and then fork() is likely to fail, too. */
static void watch_forks(void)
{
	int saved = errno;
	(void)pthread_atfork(before_fork, after_fork, after_fork);
	errno = saved;
}

void supply_join(struct tb_stack *stack)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&stacks_lock);
	stack->next = stacks;
	stack->previous = NULL;
	if (stacks != NULL)
		stacks->previous = stack;
	stacks = stack;
	pthread_mutex_unlock(&stacks_lock);
}

static void unlink_stack(struct tb_stack *stack)
{
	if (stack->next != NULL)
		stack->next->previous = stack->previous;
	if (stack->previous != NULL)
		stack->previous->next = stack->next;
	else
		stacks = stack->next;
}

void supply_leave(struct tb_stack *stack)
{
	uint32_t spare = supply_spare(stack);
	if (spare > 0)
		spill(stack, spare, 0);
	pthread_mutex_lock(&stacks_lock);
	unlink_stack(stack);
	if (stacks == NULL)
		freelist_depot_trim(&depot);
	pthread_mutex_unlock(&stacks_lock);
}

/* The owner may change its stack meanwhile: the count is exact only while no stack is in use. At other times the walk
 * may follow frames that are not free any more. Their memory stays, because the stack is in the list, and the walk ends
 * after `held` frames.
 * Partners: supply_list(), supply_hold(), tb_frame_link() and tb_push() of the stack's owner. */
static size_t spare_shared(const struct tb_stack *stack)
{
	const struct tb_frame *frame = STMLOG_LOAD_RELAXED(&stack->free);
	size_t most = STMLOG_LOAD_RELAXED(&stack->held);
	size_t spare = 0;
	for (; spare < most; spare++) {
		frame = STMLOG_LOAD_RELAXED(&frame->down);
		if (frame == NULL)
			break;
	}
	return spare;
}

size_t tb_live_frames(void)
{
	size_t spare = 0;
	pthread_mutex_lock(&stacks_lock);
	for (const struct tb_stack *stack = stacks; stack != NULL; stack = stack->next)
		spare += spare_shared(stack);
	size_t out = freelist_depot_out(&depot);
	pthread_mutex_unlock(&stacks_lock);
	return out > spare ? out - spare : 0;
}
