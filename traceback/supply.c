/* SPDX-License-Identifier: MIT
 *
 * Moves free frames between stacks and the depot. A stack gets a batch from the depot when its free list is empty, and
 * gives half its cap back when the list is full. So a thread whose list stays nearly empty or nearly full takes the
 * lock once per batch, not once per frame. A thread that only frees frames keeps no more than its cap.
 *
 * A signal handler may have interrupted a thread at the depot, and use another stack (a lane's). Then that stack gets
 * no frames, as if there were no memory, and keeps the frames that it would give to the depot.
 *
 * Locks: `stacks_lock`, then the depot's. In a forked child (locks.h) stacks of threads that it does not have stay in
 * the list: their frames count as live.
 */
#include "supply.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "check.h"
#include "freelist.h"
#include "locks.h"
#include "place.h"

#define BATCH_MAX 64u

/* Never written. Not const, because a traceback is a pointer to frames that are not const. */
struct tb_frame tb_empty_frame;
struct tb_frame tb_unknown_frame;

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
	return half < BATCH_MAX ? half : BATCH_MAX;
}

/* A chain ends in NULL, a free list in TB_EMPTY. The walk costs little, because the frames will be used soon. */
static void end_in_empty(struct freelist_chain chain)
{
	struct tb_frame *last = chain.head;
	while (last->down != NULL)
		last = last->down;
	tb_frame_link(last, TB_EMPTY);
}

/* 1 while the thread is in a function of the depot, whose lock it may hold. */
static _Thread_local volatile sig_atomic_t is_at_depot __attribute__((tls_model("initial-exec")));

bool supply_refill(struct tb_stack *stack)
{
	REQUIRES(!tb_is_frame(stack->free));
	if (is_at_depot)
		return false;
	forks_look(FORKS_FRAMES);
	is_at_depot = 1;
	struct freelist_chain chain = freelist_depot_get(&depot, batch_len(stack));
	is_at_depot = 0;
	if (chain.len == 0)
		return false;
	end_in_empty(chain);
	stack->free = chain.head;
	supply_count(stack, chain.len);
	return true;
}

/* Gives all but `keep` free frames to the depot. Requires: keep < spare. */
static void spill(struct tb_stack *stack, uint32_t keep)
{
	REQUIRES(keep < stack->spare);
	struct freelist_chain chain = {stack->free, stack->spare};
	struct freelist_chain cut = freelist_cut(&chain, stack->spare - keep);
	stack->free = chain.head;
	supply_count(stack, keep);
	forks_look(FORKS_FRAMES);
	is_at_depot = 1;
	freelist_depot_put(&depot, cut);
	is_at_depot = 0;
}

void supply_spill(struct tb_stack *stack)
{
	REQUIRES(stack->spare >= stack->cap);
	if (!is_at_depot)
		spill(stack, stack->cap / 2);
}

/* ---- the list of all stacks ---- */

/* In a forked child. The links to the next stack are right at any moment, those to the one before only while nobody has
 * the lock. A depot that is locked may be half changed, unless it is by this thread, whose signal handler forks: then
 * its free frames are not used any more. */
static void begin_anew(void)
{
	struct tb_stack *before = NULL;
	pthread_mutex_init(&stacks_lock, NULL);
	for (struct tb_stack *stack = stacks; stack != NULL; before = stack, stack = stack->successor)
		stack->predecessor = before;
	if (!is_at_depot && pthread_mutex_trylock(&depot.lock) != 0) {
		size_t out = depot.out;
		depot = (struct freelist_depot)FREELIST_DEPOT(sizeof(struct tb_frame), make_frame);
		depot.out = out;
	} else if (!is_at_depot) {
		pthread_mutex_unlock(&depot.lock);
	}
}

static void lock_stacks(void)
{
	forks_look(FORKS_FRAMES);
	locks_lock(&stacks_lock);
}

void supply_join(struct tb_stack *stack)
{
	forks_watch(FORKS_FRAMES, begin_anew);
	lock_stacks();
	stack->successor = stacks;
	stack->predecessor = NULL;
	if (stacks != NULL)
		stacks->predecessor = stack;
	__atomic_store_n(&stacks, stack, __ATOMIC_RELEASE); /* last; partner: begin_anew() */
	locks_unlock(&stacks_lock);
}

static void unlink_stack(struct tb_stack *stack)
{
	if (stack->successor != NULL)
		stack->successor->predecessor = stack->predecessor;
	if (stack->predecessor != NULL)
		stack->predecessor->successor = stack->successor;
	else
		stacks = stack->successor;
}

void supply_leave(struct tb_stack *stack)
{
	if (stack->spare > 0)
		spill(stack, 0);
	lock_stacks();
	unlink_stack(stack);
	if (stacks == NULL && freelist_depot_trim(&depot))
		place_forget();
	locks_unlock(&stacks_lock);
}

/* The owner may change its stack meanwhile: the count is exact only while no stack is in use.
 * Partner: supply_count() of the stack's owner. */
size_t tb_live_frames(void)
{
	size_t spare = 0;
	lock_stacks();
	for (const struct tb_stack *stack = stacks; stack != NULL; stack = stack->successor)
		spare += STMLOG_LOAD_RELAXED(&stack->spare);
	size_t out = freelist_depot_out(&depot);
	locks_unlock(&stacks_lock);
	return out > spare ? out - spare : 0;
}
