/* SPDX-License-Identifier: MIT
 *
 * Tracebacks: where a thread is, kept cheaply enough to be kept often.
 *
 * A *site* is a place in code. A *frame* is one immutable, reference-counted
 * node: a site, and the frame below it. A *traceback* is a reference to a frame
 * and so to the whole stack under it; taking one costs one increment. A *stack*
 * is a thread's shadow stack together with the free frames it draws from: the
 * user pushes a site when entering something worth naming and pops it when
 * leaving.
 *
 * Two tracebacks are no stacks at all: TB_EMPTY, the known bottom of every
 * stack, and TB_UNKNOWN, "nobody knows where". They are never NULL, need no
 * reference and may be passed wherever a traceback may.
 *
 * Threads. A stack, its frames and their counts belong to one thread; counts
 * are plain integers. A frame is never written once a second reference to it
 * exists. What another thread is to keep is cloned into that thread's stack.
 *
 *                     own thread   another thread
 *   push pop update      yes            no
 *   capture ref unref    yes            no
 *   walk (site, down)    yes            while its owner cannot release the frame
 *   clone                into the caller's own stack, from a frame that it may walk
 *   tb_copy_take         yes            yes; who may have recycled a frame must be asked afterwards
 *   tb_live_frames       any thread; exact while no stack is in use
 *
 * Ownership. `capture`, `ref`, `push_all` and `clone` return an owned reference,
 * to be released by tb_unref() on the same thread; `current` and `down` return
 * a borrowed one.
 *
 * A caller's mistake (a pop of an empty stack, an unwind to a mark that is not
 * on it) changes nothing, is counted, and is told once on stderr.
 *
 * Signals. A stack is not re-entrant: a handler must not use the stack of the
 * thread that it interrupts unless that thread is known to be outside these calls.
 */
#ifndef STMLOG_TRACEBACK_H
#define STMLOG_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

/* A place known when the program is built; lives as long as the program. */
struct tb_place {
	const char *function;
	const char *file;
	uint32_t line;
};

/* A site is a pair whose meaning the first word gives: one of the two constants
 * below, or anything else, and then the pair is opaque to us: whoever pushed it
 * names it when a report is made (stmlog.h, struct stmlog_setup). Two sites are
 * the same place when both words are equal. */
struct tb_site {
	uintptr_t code;
	uintptr_t position;
};
#define TB_CODE_ADDRESS ((uintptr_t)0) /* position: a return address */
#define TB_CODE_PLACE ((uintptr_t)1)   /* position: a const struct tb_place * */

/* The line this stands on, as a site. Costs nothing at run time.
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
 *              refs == captures + frames directly above + (1 if top of its stack)
 *                      + (1 if its stack is losing pushes, see below);
 *              a free frame has refs == 1, and down links it to the next free one.
 * Another thread may be copying a frame that its owner has released, and finds out afterwards (tb_copy_take):
 * `down` and `site` are stored by tb_frame_link() and tb_frame_name() only. The owner's loads are plain ones.
 * The fields are private; the layout is public for the inline functions only. */
struct tb_frame {
	struct tb_frame *down;
	struct tb_site site;
	uint32_t refs;
};

/* Private, as the fields are. Partner of both: tb_copy_take(). */
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

/* Invariants:  `top` and `free` both end in TB_EMPTY, so that "no free frame" and "nothing
 *              pushed" need no test of their own;
 *              held == length of `free` + depth of `top`: what is the stack's own. A push or pop
 *              only moves a frame between the two, so neither has to count;
 *              held <= limit == cap + the depth at some time before: so `free` is no longer than
 *              cap plus what the stack was deep, and a release that finds held == limit looks
 *              and brings it below cap;
 *              while pushes that got no frame are not popped yet (lost_now > 0), `free` is empty,
 *              limit 0, and `top` has one more reference, so that each push, pop, update and
 *              release takes the slow way and all come back in order. Private, as above.
 * `free` and `held` are stored whole, for tb_live_frames() of another thread. */
struct tb_stack {
	struct tb_frame *top;
	struct tb_frame *free;
	uint32_t held;
	uint32_t limit;
	uint32_t cap;
	uint32_t lost_now;
	uint64_t lost; /* pushes, updates and builds that got no frame, ever */
	struct tb_stack *next;
	struct tb_stack *previous;
};

/* ---- life ---- */

/* Makes a stack that keeps up to `cap` free frames for itself (0: the default);
 * more go, in batches, to a depot all threads share. Memory goes back to the system
 * when no stack exists and no frame is live.
 * Returns NULL with errno set when there is no memory. */
STMLOG_API struct tb_stack *tb_stack_create(uint32_t cap);

/* Releases what is still pushed and gives all free frames to the depot; nulls
 * *stack. Tracebacks captured from it stay valid: release them with tb_unref()
 * on another stack that this thread owns. NULL is no mistake. */
STMLOG_API void tb_stack_destroy(struct tb_stack **stack);

/* How many frames are referenced by anybody in this process. Slow: takes a lock. */
STMLOG_API size_t tb_live_frames(void);

/* How many caller's mistakes have been refused so far, in the whole process. */
STMLOG_API size_t tb_misuses(void);

/* ---- the shadow stack; nanoseconds, no atomics, no allocation once warm ---- */

STMLOG_API void tb_push_slow(struct tb_stack *stack, struct tb_site site);
STMLOG_API void tb_pop_slow(struct tb_stack *stack);
STMLOG_API void tb_update_slow(struct tb_stack *stack, struct tb_site site);

/* Enters `site`. When no frame can be had (memory ran out) the push is counted
 * (tb_stack_lost) and the matching pop knows it: the stack stays balanced and
 * only misses the names of what was entered meanwhile. */
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

/* Leaves what was entered last. A frame that somebody captured, and none at all, take the slow way. */
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

/* Moves on within what was entered last: later captures see `site`, earlier
 * ones keep what they saw. On an empty stack a caller's mistake. When no frame can be
 * had, what was entered last loses its name as a lost push does. */
static inline void tb_update(struct tb_stack *stack, struct tb_site site)
{
	if (STMLOG_UNLIKELY(stack->top->refs != 1)) {
		tb_update_slow(stack, site);
		return;
	}
	tb_frame_name(stack->top, site);
}

/* A mark to unwind to: the frame below the top one, which an update does not change. Valid until what
 * was on top is popped. All zero, it is the mark of an empty stack. */
struct tb_mark {
	const struct tb_frame *below;
	uint32_t lost;
};
STMLOG_API struct tb_mark tb_mark(const struct tb_stack *stack);

/* Pops all that was pushed since the mark, in one call: what a longjmp needs. */
STMLOG_API void tb_unwind(struct tb_stack *stack, struct tb_mark mark);

/* Pushes, updates and builds that found no memory: captures miss their names. */
STMLOG_API uint64_t tb_stack_lost(const struct tb_stack *stack);

/* ---- tracebacks ---- */

/* The stack as it is now, borrowed: valid until the next push, pop, update or unwind. */
static inline struct tb_frame *tb_current(const struct tb_stack *stack)
{
	return stack->top;
}

/* One more reference; returns its argument. One increment. */
static inline struct tb_frame *tb_ref(struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->down != NULL))
		traceback->refs++;
	return traceback;
}

/* The stack as it is now, owned. One increment. */
static inline struct tb_frame *tb_capture(const struct tb_stack *stack)
{
	return tb_ref(stack->top);
}

STMLOG_API void tb_unref_slow(struct tb_stack *stack, struct tb_frame *traceback);

/* Releases an owned traceback; frames nobody refers to any more become free
 * frames of `stack`, the caller's own. Constant C stack at any depth. */
static inline void tb_unref(struct tb_stack *stack, struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->refs > 1))
		traceback->refs--;
	else
		tb_unref_slow(stack, traceback);
}

/* Builds a traceback from `len` sites, innermost first, on top of `down` (a
 * traceback of this stack, borrowed; TB_EMPTY mostly). The shadow stack itself
 * does not change. Returns an owned reference, or TB_UNKNOWN when memory ran out. */
STMLOG_API struct tb_frame *tb_build(
	struct tb_stack *stack, const struct tb_site *sites, size_t len, struct tb_frame *down);

/* Copies a traceback into `stack`, at most `limit` innermost frames of it. If that is
 * not all of them the copy ends in TB_UNKNOWN instead of TB_EMPTY: it never looks whole.
 * Requires that nobody can release `traceback` meanwhile.
 * Returns an owned reference, or TB_UNKNOWN when memory ran out. */
STMLOG_API struct tb_frame *tb_clone(struct tb_stack *stack, const struct tb_frame *traceback, size_t limit);

/* Same sites, frame by frame; unknown equals only unknown. */
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

/* Copies the TB_COPY_FRAMES innermost frames. For a traceback of another thread's too, whose owner
 * may release it meanwhile: then the copy is worthless, which the caller has to find out by other means,
 * but nothing worse. Requires that some stack exists, so that the memory of frames stays. */
STMLOG_API void tb_copy_take(struct tb_copy *copy, const struct tb_frame *traceback);

/* Makes it the copy of TB_UNKNOWN. */
static inline void tb_copy_forget(struct tb_copy *copy)
{
	copy->len = 0;
	copy->is_whole = false;
}

/* The traceback that the copy is of, out of frames of `stack`; a cut one ends in TB_UNKNOWN.
 * Returns an owned reference, or TB_UNKNOWN when memory ran out. */
STMLOG_API struct tb_frame *tb_copy_build(const struct tb_copy *copy, struct tb_stack *stack);

/* As tb_equal() and tb_hash() of what tb_copy_build() would return. */
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

/* How many frames the traceback has. Counts them. */
static inline size_t tb_depth(const struct tb_frame *traceback)
{
	size_t depth = 0;
	for (; tb_is_frame(traceback); traceback = tb_down(traceback))
		depth++;
	return depth;
}

STMLOG_END_DECLS

#endif
