/* SPDX-License-Identifier: MIT
 *
 * Tracebacks: the functions (or other named places) that a thread is in, captured at the cost of one
 * increment, so that each write of a transaction can keep its own.
 *
 * A *site* is a place in code. A *frame* is one immutable, reference-counted
 * node: a site, and the frame below it. A *traceback* is a reference to a frame
 * and so to all frames below it. A *stack* is a thread's shadow stack together
 * with the free frames for later pushes. The user pushes a site when the thread
 * enters a function, say, and pops it when the thread leaves.
 *
 * Two tracebacks have no frames: TB_EMPTY, the bottom of every stack, and
 * TB_UNKNOWN. Neither is NULL. They need no reference and may be passed wherever a
 * traceback may.
 *
 * Threads. A stack, its frames and their counts belong to one thread; counts
 * are plain integers. A frame is never written once a second reference to it
 * exists. To keep another thread's traceback, a thread clones it into its own stack.
 *
 *                     own thread   another thread
 *   push pop update      yes            no
 *   capture ref unref    yes            no
 *   walk (site, down)    yes            while its owner cannot release the frame
 *   clone                into the caller's own stack, from a frame that it may walk
 *   tb_copy_take         yes            yes; the copy is valid only if the owner had not released a frame
 *                                       meanwhile, which the caller must find out afterwards
 *   tb_live_frames       any thread; exact while no stack is in use
 *
 * Ownership. tb_capture(), tb_ref(), tb_build(), tb_clone() and tb_copy_build() return
 * an owned reference, which the same thread must release by tb_unref(). tb_current()
 * and tb_down() return a borrowed one.
 *
 * A caller's mistake (a pop of an empty stack, an unwind to a mark that is not
 * on it) changes nothing. It is counted, and the first one is reported on stderr.
 *
 * Signals. A stack is not re-entrant: a signal handler may use the stack of the
 * thread that it interrupts only if that thread is known to be outside these calls.
 */
#ifndef STMLOG_TRACEBACK_H
#define STMLOG_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

/* A source line that is known at compile time. It lives as long as the program. */
struct tb_place {
	const char *function;
	const char *file;
	uint32_t line;
};

/* A site is a place in code, as a pair of words. `code` says what `position` means: it
 * is one of the two constants below, or another number, which the runtime chooses. A site
 * with a number of the runtime's is opaque to the library; the runtime names it when a
 * report is made (`expand` of struct stmlog_setup in stmlog.h). Equal sites have equal
 * words. */
struct tb_site {
	uintptr_t code;
	uintptr_t position;
};
#define TB_CODE_ADDRESS ((uintptr_t)0) /* position: a return address */
#define TB_CODE_PLACE ((uintptr_t)1)   /* position: a const struct tb_place * */

/* The source line of the macro's use, as a site. Costs nothing at run time.
 * (A statement expression: gcc and clang, C and C++.) */
#define TB_HERE()                                                                       \
	__extension__({                                                                 \
		static const struct tb_place tb_here_ = {__func__, __FILE__, __LINE__}; \
		tb_place_site(&tb_here_);                                               \
	})

static inline struct tb_site tb_site_make(uintptr_t code, uintptr_t position)
{
	struct tb_site site;
	site.code = code;
	site.position = position;
	return site;
}

static inline struct tb_site tb_place_site(const struct tb_place *place)
{
	return tb_site_make(TB_CODE_PLACE, (uintptr_t)place);
}

static inline struct tb_site tb_address_site(const void *return_address)
{
	return tb_site_make(TB_CODE_ADDRESS, (uintptr_t)return_address);
}

/* Invariants:  down == NULL  <=>  this is TB_EMPTY or TB_UNKNOWN, static, never written, count 0;
 *              refs == captures + frames directly above
 *                      + (1 if it is the top of its stack, 2 if pushes are lost then, see below);
 *              a free frame has refs == 1, and down links it to the next free one.
 * Another thread may be copying a frame while its owner releases and reuses it (tb_copy_take()). So `down` and
 * `site` are stored by tb_frame_link() and tb_frame_name() only, whole words each. The owner's loads are plain.
 * The fields are private; they stand here for the inline functions only. */
struct tb_frame {
	struct tb_frame *down;
	struct tb_site site;
	uint32_t refs;
};

/* Both are private. Their partner is tb_copy_take(). */
static inline void tb_frame_link(struct tb_frame *frame, struct tb_frame *down)
{
	STMLOG_STORE_RELAXED(&frame->down, down);
}

static inline void tb_frame_name(struct tb_frame *frame, struct tb_site site)
{
	STMLOG_STORE_RELAXED(&frame->site.code, site.code);
	STMLOG_STORE_RELAXED(&frame->site.position, site.position);
}

STMLOG_API extern struct tb_frame tb_empty_frame;
STMLOG_API extern struct tb_frame tb_unknown_frame;
#define TB_EMPTY (&tb_empty_frame)
#define TB_UNKNOWN (&tb_unknown_frame)

/* Invariants:  `top` and `free` both end in TB_EMPTY, whose `down` is NULL and whose count is 0: the
 *              tests of the fast paths cover "no free frame" and "nothing pushed";
 *              held == length of `free` + depth of `top`: the frames that the stack owns. A push or
 *              pop only moves a frame between the two, so neither has to count;
 *              if lost_now == 0, held <= limit == cap + the depth at some earlier time. A release that
 *              finds held == limit counts the free frames, and sends some to the depot if there are cap
 *              or more;
 *              while a push that got no frame is not popped yet (lost_now > 0), `free` is empty,
 *              limit is 0, and `top` has one more reference: so each push, pop, update and release
 *              takes the slow path, and each pop ends the push that it belongs to.
 * `free` and `held` are stored whole, for tb_live_frames() of another thread. All fields are private. */
struct tb_stack {
	struct tb_frame *top;
	struct tb_frame *free;
	uint32_t held;
	uint32_t limit;
	uint32_t cap;
	uint32_t lost_now;
	uint64_t lost; /* pushes, updates and builds that got no frame, ever */
	/* In the list of all stacks, under its lock. */
	struct tb_stack *next;
	struct tb_stack *previous;
};

/* ---- life ---- */

/* Creates a stack that keeps up to `cap` free frames for itself (0: the default).
 * Further free frames go, in batches, to a depot that all threads share. Memory goes
 * back to the system when no stack exists and no frame is live.
 * Returns NULL with errno ENOMEM when there is no memory. */
STMLOG_API struct tb_stack *tb_stack_create(uint32_t cap);

/* Pops what is still pushed, gives all free frames to the depot, and nulls *stack.
 * Tracebacks captured from it stay valid: release them with tb_unref() on another
 * stack that this thread owns. NULL is no mistake. */
STMLOG_API void tb_stack_destroy(struct tb_stack **stack);

/* How many frames of the process have references. Slow: takes a lock. */
STMLOG_API size_t tb_live_frames(void);

/* How many mistakes of callers were counted in the process. Any thread. */
STMLOG_API size_t tb_misuses(void);

/* ---- the shadow stack; nanoseconds, no atomics, no allocation once warm ---- */

STMLOG_API void tb_push_slow(struct tb_stack *stack, struct tb_site site);
STMLOG_API void tb_pop_slow(struct tb_stack *stack);
STMLOG_API void tb_update_slow(struct tb_stack *stack, struct tb_site site);

/* Enters `site`. Without memory for a frame the push is lost: it is counted
 * (tb_stack_lost()), as are all later pushes until it is popped. The stack stays
 * balanced, and tracebacks miss the sites of the lost pushes. */
static inline void tb_push(struct tb_stack *stack, struct tb_site site)
{
	struct tb_frame *frame = stack->free;
	struct tb_frame *free_below = frame->down;
	if (STMLOG_UNLIKELY(free_below == NULL)) {
		tb_push_slow(stack, site);
		return;
	}
	STMLOG_STORE_RELAXED(&stack->free, free_below);
	tb_frame_name(frame, site);
	tb_frame_link(frame, stack->top);
	stack->top = frame;
}

/* Leaves the site that was entered last. The slow path is for a frame that was captured, and for an empty stack. */
static inline void tb_pop(struct tb_stack *stack)
{
	struct tb_frame *frame = stack->top;
	if (STMLOG_UNLIKELY(frame->refs != 1)) {
		tb_pop_slow(stack);
		return;
	}
	stack->top = frame->down;
	tb_frame_link(frame, stack->free);
	STMLOG_STORE_RELAXED(&stack->free, frame);
}

/* Replaces the site on top, as when a thread goes on to another line of a function.
 * Earlier captures keep the old site. On an empty stack a caller's mistake. Without
 * memory for a frame the top site becomes a lost push, as if tb_push() had failed. */
static inline void tb_update(struct tb_stack *stack, struct tb_site site)
{
	if (STMLOG_UNLIKELY(stack->top->refs != 1)) {
		tb_update_slow(stack, site);
		return;
	}
	tb_frame_name(stack->top, site);
}

/* A mark remembers how deep the stack is. It refers to the frame below the top frame, which an update does not
 * change. Valid until the top frame is popped. All zero, it is the mark of an empty stack. */
struct tb_mark {
	const struct tb_frame *below;
	uint32_t lost;
};
STMLOG_API struct tb_mark tb_mark(const struct tb_stack *stack);

/* Pops all that was pushed since the mark, as after a longjmp. */
STMLOG_API void tb_unwind(struct tb_stack *stack, struct tb_mark mark);

/* How many pushes, updates and builds found no memory, ever: tracebacks miss their sites. */
STMLOG_API uint64_t tb_stack_lost(const struct tb_stack *stack);

/* ---- tracebacks ---- */

/* The stack's present traceback, borrowed: valid until the next push, pop, update or unwind. */
static inline struct tb_frame *tb_current(const struct tb_stack *stack)
{
	return stack->top;
}

/* Takes one more reference; returns its argument. Costs one increment. */
static inline struct tb_frame *tb_ref(struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->down != NULL))
		traceback->refs++;
	return traceback;
}

/* The stack's present traceback, owned. Costs one increment. */
static inline struct tb_frame *tb_capture(const struct tb_stack *stack)
{
	return tb_ref(stack->top);
}

STMLOG_API void tb_unref_slow(struct tb_stack *stack, struct tb_frame *traceback);

/* Releases an owned traceback. Frames without references become free frames of
 * `stack`, which must be the caller's own. Not recursive, however deep it is. */
static inline void tb_unref(struct tb_stack *stack, struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->refs > 1))
		traceback->refs--;
	else
		tb_unref_slow(stack, traceback);
}

/* Builds a traceback from `len` sites, innermost first, on top of `down` (a
 * traceback of this stack, borrowed; mostly TB_EMPTY). The shadow stack itself
 * does not change. Returns an owned reference; TB_UNKNOWN without memory. */
STMLOG_API struct tb_frame *tb_build(
	struct tb_stack *stack, const struct tb_site *sites, size_t len, struct tb_frame *down);

/* Copies a traceback into frames of `stack`, at most the `limit` innermost ones. If it has
 * more, the copy ends in TB_UNKNOWN instead of TB_EMPTY. Requires that `traceback` is not
 * released meanwhile. Returns an owned reference; TB_UNKNOWN without memory. */
STMLOG_API struct tb_frame *tb_clone(struct tb_stack *stack, const struct tb_frame *traceback, size_t limit);

/* Whether all frames have equal sites. TB_UNKNOWN equals only itself. */
STMLOG_API bool tb_equal(const struct tb_frame *a, const struct tb_frame *b);

/* Equal tracebacks have equal hashes. */
STMLOG_API uint64_t tb_hash(const struct tb_frame *traceback);

/* ---- copies: a traceback as plain data, that belongs to no stack ---- */

#define TB_COPY_FRAMES 64

/* Invariant: len <= TB_COPY_FRAMES. With len 0: TB_EMPTY if is_whole, TB_UNKNOWN otherwise. */
struct tb_copy {
	uint32_t len;
	bool is_whole;                        /* no frame is missing at the outer end */
	struct tb_site sites[TB_COPY_FRAMES]; /* innermost first */
};

/* Copies the TB_COPY_FRAMES innermost frames. The traceback may be another thread's. If its owner
 * releases it meanwhile, the sites of the copy mean nothing, and the caller must find that out by other means.
 * Requires that some stack exists, so that frames are not given back to the system. */
STMLOG_API void tb_copy_take(struct tb_copy *copy, const struct tb_frame *traceback);

/* Makes `copy` the copy of TB_UNKNOWN. */
static inline void tb_copy_forget(struct tb_copy *copy)
{
	copy->len = 0;
	copy->is_whole = false;
}

/* Builds the traceback of a copy from frames of `stack`; if it is not whole, it ends in TB_UNKNOWN.
 * Returns an owned reference; TB_UNKNOWN without memory. */
STMLOG_API struct tb_frame *tb_copy_build(const struct tb_copy *copy, struct tb_stack *stack);

/* As tb_equal() and tb_hash(), for the traceback that tb_copy_build() would return. */
STMLOG_API bool tb_copy_equal(const struct tb_copy *copy, const struct tb_frame *traceback);
STMLOG_API uint64_t tb_copy_hash(const struct tb_copy *copy);

/* ---- looking: for (f = traceback; tb_is_frame(f); f = tb_down(f)) ... tb_site(f) ---- */

static inline bool tb_is_frame(const struct tb_frame *frame)
{
	return frame->down != NULL;
}

static inline bool tb_is_unknown(const struct tb_frame *traceback)
{
	return traceback == TB_UNKNOWN;
}

static inline const struct tb_frame *tb_down(const struct tb_frame *frame)
{
	return frame->down;
}

static inline struct tb_site tb_site(const struct tb_frame *frame)
{
	return frame->site;
}

/* How many frames the traceback has. Costs time in proportion. */
static inline size_t tb_depth(const struct tb_frame *traceback)
{
	size_t depth = 0;
	for (; tb_is_frame(traceback); traceback = tb_down(traceback))
		depth++;
	return depth;
}

STMLOG_END_DECLS

#endif
