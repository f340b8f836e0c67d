/* SPDX-License-Identifier: MIT
 *
 * Tracebacks: the functions (or other named places) that a thread is in, captured within a nanosecond or two,
 * however many they are, so that each write of a transaction can keep its own.
 *
 * A *site* is a place in code. A *frame* is one immutable, reference-counted
 * node: a site, and the frame below it. A *traceback* is a reference to a frame
 * and so to all frames below it. A *stack* is a thread's shadow stack, an array of
 * sites. The user pushes a site when the thread enters a function, say, and pops it
 * when the thread leaves. A push makes no frame: a capture makes frames of the sites that have
 * none yet. The stack keeps these until a capture finds other sites in their places. So a loop that pushes, captures
 * and pops the same sites gets the same frames again.
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
 *   unwind restore       yes            no
 *   capture current      yes            no
 *   ref unref            yes            no
 *   walk (site, down)    yes            while its owner cannot release the frame
 *   clone                into the caller's own stack, from a frame that it may walk
 *   tb_copy_take         yes            yes; the copy is valid only if the owner had not released a frame
 *                                        meanwhile, which the caller must check afterwards
 *   tb_live_frames       any thread; exact while no stack is in use
 *
 * Ownership. tb_capture(), tb_ref(), tb_build(), tb_clone() and tb_copy_build() return
 * an owned reference, which the same thread must release by tb_unref(). tb_current()
 * and tb_down() return a borrowed one.
 *
 * A caller's mistake (a pop of an empty stack, an unwind to a mark that is not
 * on it) changes nothing. It is counted, and the first one is reported on stderr.
 *
 * Signals. A handler may interrupt any of these calls. On the stack of the interrupted thread it may push
 * and pop, provided that it pops all that it has pushed, and that it goes no deeper than the stack was before
 * (otherwise the stack may have to grow). All else it may do only if the thread is known to be outside these calls.
 */
#ifndef STMLOG_TRACEBACK_H
#define STMLOG_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

/* A source line that is known at compile time. It lives as long as its code. When the first frame is made of it, it is
 * copied for reports that are made later (tb_place_text()). */
struct tb_place {
	const char *function;
	const char *file;
	uint32_t line;
};

/* A site is a place in code, as a pair of words. `code` says what `position` means: it
 * is one of the first two constants below, a number that tb_code_intern() has returned, or another
 * number, which the runtime chooses. A site with a number of the runtime's is opaque to the library;
 * the runtime names it when a report is made (`expand` of struct stmlog_setup in setup.h). Equal
 * sites have equal words. */
struct tb_site {
	uintptr_t code;
	uintptr_t position;
};
/* Enumerators, so that other languages have them, too. ISO C has none above INT_MAX. */
__extension__ enum {
	TB_CODE_ADDRESS = 0,        /* position: a return address */
	TB_CODE_PLACE = 0x504c4143, /* position: a const struct tb_place * */
	/* position: a line. tb_code_intern() returns this number, or one of the TB_CODES numbers after it, which are
	 * not addresses. A runtime's own numbers must not be among them. */
	TB_CODE_UNKNOWN = (uintptr_t)0xc0de << (8 * sizeof(uintptr_t) - 16)
};
#define TB_CODES 262144

/* Private: the function's name. That of each lambda is "operator()": there the function around it belongs to the name.
 */
#ifdef __cplusplus
#define TB_FUNCTION_ (__func__[sizeof __func__ - 2] == ')' ? __PRETTY_FUNCTION__ : __func__)
#else
#define TB_FUNCTION_ __func__
#endif

/* The source line of the macro's use, as a site. Costs nothing at run time.
 * (A statement expression: gcc and clang, C and C++.) */
#define TB_HERE()                                                                           \
	__extension__({                                                                     \
		static const struct tb_place tb_here_ = {TB_FUNCTION_, __FILE__, __LINE__}; \
		tb_place_site(&tb_here_);                                                   \
	})

/* The site of two words. */
STMLOG_INLINE struct tb_site tb_site_make(uintptr_t code, uintptr_t position)
{
	struct tb_site site;
	site.code = code;
	site.position = position;
	return site;
}

/* No site. */
#define TB_NO_SITE tb_site_make(0, 0)

/* The site of a source line. */
STMLOG_INLINE struct tb_site tb_place_site(const struct tb_place *place)
{
	return tb_site_make(TB_CODE_PLACE, (uintptr_t)place);
}

/* The site of a return address. */
STMLOG_INLINE struct tb_site tb_address_site(const void *return_address)
{
	return tb_site_make(TB_CODE_ADDRESS, (uintptr_t)return_address);
}

/* The number of a piece of code (a function, a module's top level), for a runtime whose code is data: an interpreter,
 * say, with code objects that its collector moves, or frees and reuses for other code. The address of such an object
 * must not be the number of a site, because a report that is made later would find a wrong name at the address. The
 * runtime calls this function when it makes the code object, and keeps the number in it. A site is the number and a
 * line: tb_site_make(number, line). The library names such a site itself in all outputs, without `expand`.
 *
 * Equal strings have the same number, which means these strings as long as the process lives; so it may outlast the
 * code object, the runtime's library, and the session. Both strings are copied, up to 255 bytes of each; longer ones
 * are distinguished by their first 255 bytes only. NULL is the empty string: the line of a site without a file stands
 * behind its name, as "transfer:12". Each line is a place of its own in reports, so let them be few.
 *
 * There are numbers for TB_CODES pieces of code, each of which needs some 24 bytes and its strings. A further piece of
 * code, or a piece of code without memory, has the number TB_CODE_UNKNOWN, and is counted (tb_codes_lost(); codes_lost
 * of the report's losses). Outputs call it "unknown code". Code that is made anew under the same names, as by `eval`,
 * needs no further number.
 *
 * Any thread; no lock; may be called before the profiler is open. Not for hot paths: it compares strings. Keeps errno.
 */
STMLOG_API uintptr_t tb_code_intern(const char *function, const char *file);

/* Finds function, file and line of a site whose code is a number of tb_code_intern(); the strings live as long as the
 * process. Returns false for all other sites. Any thread. */
STMLOG_API bool tb_code_place(struct tb_site site, struct tb_place *place);

/* How often tb_code_intern() has returned TB_CODE_UNKNOWN in this process. */
STMLOG_API uint64_t tb_codes_lost(void);

/* Invariants:  down == NULL  <=>  this is TB_EMPTY or TB_UNKNOWN, static, never written, count 0;
 *              refs == captures + frames directly above + (1 if it is the highest frame that its stack keeps);
 *              a free frame has refs == 1, and down links it to the next free one.
 * Another thread may be copying a frame while its owner releases and reuses it (tb_copy_take()). So `down` and
 * `site` are stored by tb_frame_link() and tb_frame_name() only, whole words each. The owner's loads are plain.
 * The fields are private; they stand here for the inline functions only. */
struct tb_frame {
	struct tb_frame *down;
	struct tb_site site;
	uint32_t refs;
};

/* Private. Partner: tb_copy_take(). */
STMLOG_PRIVATE_INLINE void tb_frame_link(struct tb_frame *frame, struct tb_frame *down)
{
	STMLOG_STORE_RELAXED(&frame->down, down);
}

/* Private. Partner: tb_copy_take(). */
STMLOG_PRIVATE_INLINE void tb_frame_name(struct tb_frame *frame, struct tb_site site)
{
	STMLOG_STORE_RELAXED(&frame->site.code, site.code);
	STMLOG_STORE_RELAXED(&frame->site.position, site.position);
}

STMLOG_API extern struct tb_frame tb_empty_frame;
STMLOG_API extern struct tb_frame tb_unknown_frame;
#ifdef STMLOG_OFF /* no code reads frames, and there is no library */
#define TB_EMPTY ((struct tb_frame *)0)
#define TB_UNKNOWN ((struct tb_frame *)0)
#else
#define TB_EMPTY (&tb_empty_frame)
#define TB_UNKNOWN (&tb_unknown_frame)
#endif

/* TB_EMPTY and TB_UNKNOWN, for other languages, which have no macros. */
STMLOG_INLINE struct tb_frame *tb_empty(void)
{
	return TB_EMPTY;
}
STMLOG_INLINE struct tb_frame *tb_unknown(void)
{
	return TB_UNKNOWN;
}

/* A place for a site in the array of a stack. */
struct tb_level {
	struct tb_site site;
	struct tb_frame *frame; /* below `made` only */
};

/* Invariants:
 *   - bottom < made <= end and bottom < next <= end. The levels in [bottom + 1, next) are pushed.
 *   - The levels in [bottom, made) have frames, each linked to the frame of the level below. The stack has one
 *     reference, to the highest of them. *bottom has TB_EMPTY, and the site of zeros: there is always a level on top.
 *   - Below `floor` the frames have the sites of their levels, so that a capture need not check them. A pop or an
 *     update below the floor lowers it.
 *   - If no push is lost (lost_now == 0): floor <= made, floor <= next, and limit == bottom + 1. A pop below the limit
 *     is a caller's mistake.
 *   - From a push that finds no room until its pop (lost_now > 0): next == end, and floor == limit == end + 1. So each
 *     push, pop, update and capture takes the slow path, and each pop ends the push that it matches.
 *   - `free` is a list of `spare` frames, and ends in TB_EMPTY. spare <= cap, unless a signal handler has released
 *     frames while its thread was giving frames to the depot: then spare may be higher until the thread's next release.
 *     `spare` is stored whole, for tb_live_frames() of another thread. All fields are private. */
struct tb_stack {
	struct tb_level *next; /* where the next push stores its site */
	struct tb_level *end;
	struct tb_level *floor;
	struct tb_level *limit;
	struct tb_level *made;
	struct tb_level *bottom;
	struct tb_frame *free;
	uint32_t spare;
	uint32_t cap;
	uint64_t lost_now; /* pushes that found no room, and are not popped yet */
	uint64_t lost;     /* pushes, captures and builds that got no memory, ever */
	/* In the list of all stacks, under its lock. */
	struct tb_stack *successor;
	struct tb_stack *predecessor;
};

/* ---- life ---- */

/* Creates a stack that keeps up to `cap` free frames for itself (0: the default). Further free frames go, in batches,
 * to a depot that all threads share. Memory is freed when no stack exists and no frame is live. Returns NULL with errno
 * ENOMEM when there is no memory. */
STMLOG_API struct tb_stack *tb_stack_create(uint32_t cap);

/* Pops all sites that are still pushed, gives all free frames to the depot, and sets *stack to NULL. Tracebacks
 * captured from it stay valid: release them with tb_unref() on another stack that this thread owns. NULL is allowed. */
STMLOG_API void tb_stack_destroy(struct tb_stack **stack);

/* The same for a stack in memory of the caller: `size` zeroed bytes, of which the levels have what the stack leaves. It
 * allocates more when it grows. Requires room for three levels. */
STMLOG_API void tb_stack_init(struct tb_stack *stack, size_t size, uint32_t cap);
STMLOG_API void tb_stack_fini(struct tb_stack *stack);

/* How many frames of the process have references: those of captures, and those that stacks keep. Slow: takes a lock. */
STMLOG_API size_t tb_live_frames(void);

/* How many mistakes of callers were counted in the process. Any thread. */
STMLOG_API size_t tb_misuses(void);

/* ---- the shadow stack; a nanosecond, no atomics, no allocation once warm ---- */

/* Private: the rare cases of the functions below. */
STMLOG_PRIVATE void tb_push_slow(struct tb_stack *stack, struct tb_site site);
STMLOG_PRIVATE void tb_pop_slow(struct tb_stack *stack);
STMLOG_PRIVATE void tb_update_slow(struct tb_stack *stack, struct tb_site site);

/* Private. Stores both words by one instruction, where the machine has one: so a signal handler that captures finds the
 * old site or the new one, and never half of each, which need not be a site at all. */
STMLOG_PRIVATE_INLINE void tb_level_name(struct tb_level *level, struct tb_site site)
{
	typedef uintptr_t tb_pair
		__attribute__((vector_size(2 * sizeof(uintptr_t)), aligned(sizeof(uintptr_t)), may_alias));
	const tb_pair both = {site.code, site.position};
	*(tb_pair *)(void *)&level->site = both;
}

/* Enters `site`. Where the stack must grow and finds no memory, the push is lost: it is counted
 * (tb_stack_lost()), as are all later pushes until it is popped. The stack stays
 * balanced, and tracebacks miss the sites of the lost pushes. */
STMLOG_INLINE void tb_push(struct tb_stack *stack, struct tb_site site)
{
	struct tb_level *level = stack->next;
	if (STMLOG_UNLIKELY(level == stack->end)) {
		tb_push_slow(stack, site);
		return;
	}
	stack->next = level + 1;
	STMLOG_SIGNAL_FENCE(); /* a handler that pushes stores its site above this one */
	tb_level_name(level, site);
}

/* Leaves the site that was entered last. The slow path is for a site that the last capture saw. */
STMLOG_INLINE void tb_pop(struct tb_stack *stack)
{
	struct tb_level *level = stack->next - 1;
	if (STMLOG_UNLIKELY(level < stack->floor)) {
		if (STMLOG_UNLIKELY(level < stack->limit)) {
			tb_pop_slow(stack);
			return;
		}
		stack->floor = level;
		stack->next = level;
		STMLOG_SIGNAL_FENCE(); /* a handler that captured in between has raised the floor above the level */
		stack->floor = level;
		return;
	}
	stack->next = level;
}

/* Replaces the site on top, as when a thread goes on to another line of a function. Earlier captures keep the old site.
 * On an empty stack it is a caller's mistake. */
STMLOG_INLINE void tb_update(struct tb_stack *stack, struct tb_site site)
{
	struct tb_level *level = stack->next - 1;
	if (STMLOG_UNLIKELY(level < stack->floor)) {
		tb_update_slow(stack, site);
		return;
	}
	tb_level_name(level, site);
}

/* A mark remembers how deep the stack is. Valid until the top site is popped. All zero, it is the mark of an empty
 * stack, and of the stack NULL, as when no profiler is open. */
struct tb_mark {
	size_t depth;
};
STMLOG_API struct tb_mark tb_stack_mark(const struct tb_stack *stack);

/* Pops all that was pushed since the mark, as after a longjmp. A mark deeper than the stack is a caller's mistake. Does
 * nothing for NULL. */
STMLOG_API void tb_unwind(struct tb_stack *stack, struct tb_mark mark);

/* Makes the stack what it was when `traceback` was captured: for a runtime whose aborts bring functions back that have
 * returned since, as those of stmgc do. tb_unwind() cannot: a mark is valid only until the top site is popped.
 * `traceback` is an owned one (tb_capture()) of the same thread, and stays the caller's. Sites that were lost when it
 * was captured are not on the stack afterwards. TB_UNKNOWN, for which there was no memory, leaves the stack as it is,
 * and counts as a lost capture. Takes time proportional to the depth; the next capture checks all sites. Does nothing
 * for the stack NULL. */
STMLOG_API void tb_restore(struct tb_stack *stack, const struct tb_frame *traceback);

/* The site on top; all zero if the stack is empty. */
STMLOG_INLINE struct tb_site tb_top_site(const struct tb_stack *stack)
{
	return stack->next[-1].site;
}

/* How many pushes, captures and builds found no memory, ever: tracebacks miss their sites. */
STMLOG_API uint64_t tb_stack_lost(const struct tb_stack *stack);

/* ---- tracebacks ---- */

/* Private: the rare case of tb_current(). */
STMLOG_PRIVATE struct tb_frame *tb_current_slow(struct tb_stack *stack);

/* Private: whether the level's frame has the level's site. Requires: the frames of all levels below have theirs. */
STMLOG_PRIVATE_INLINE bool tb_has_frame(const struct tb_stack *stack, const struct tb_level *level)
{
	return level < stack->made && level->frame->site.code == level->site.code &&
	       level->frame->site.position == level->site.position;
}

/* The stack's present traceback, borrowed: valid until the top site is popped, updated or unwound. Costs one comparison
 * if nothing was pushed, popped or updated since the last capture; otherwise at most a frame for each site that was
 * pushed or updated. TB_UNKNOWN without memory for the frames. */
STMLOG_INLINE struct tb_frame *tb_current(struct tb_stack *stack)
{
	struct tb_level *level = stack->floor;
	if (STMLOG_LIKELY(level == stack->next))
		return level[-1].frame;
	if (level != stack->next - 1 || !tb_has_frame(stack, level))
		return tb_current_slow(stack);
	stack->floor = level + 1;
	return level->frame;
}

/* Takes one more reference; returns its argument. Costs one increment. */
STMLOG_INLINE struct tb_frame *tb_ref(struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->down != NULL))
		traceback->refs++;
	return traceback;
}

/* The stack's present traceback, owned. Costs one increment more than tb_current(). */
STMLOG_INLINE struct tb_frame *tb_capture(struct tb_stack *stack)
{
	return tb_ref(tb_current(stack));
}

/* Private: the rare case of tb_unref(). */
STMLOG_PRIVATE void tb_unref_slow(struct tb_stack *stack, struct tb_frame *traceback);

/* Releases an owned traceback. Frames without references become free frames of
 * `stack`, which must be the caller's own. Not recursive, however deep it is. */
STMLOG_INLINE void tb_unref(struct tb_stack *stack, struct tb_frame *traceback)
{
	if (STMLOG_LIKELY(traceback->refs > 1))
		traceback->refs--;
	else
		tb_unref_slow(stack, traceback);
}

/* Returns the place as it was when the first frame of it was made, even if its code is unloaded. If no frame was made,
 * returns the place itself, whose code must be loaded then. Valid as long as a stack exists. Any thread. */
STMLOG_API struct tb_place tb_place_text(const struct tb_place *place);

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

/* Copies the TB_COPY_FRAMES innermost frames. The traceback may be another thread's. If its owner releases it
 * meanwhile, the sites of the copy mean nothing, and the caller must find that out by other means. Requires that some
 * stack exists, so that the memory of frames is not freed. */
STMLOG_API void tb_copy_take(struct tb_copy *copy, const struct tb_frame *traceback);

/* Makes `copy` the copy of TB_UNKNOWN. */
STMLOG_INLINE void tb_copy_forget(struct tb_copy *copy)
{
	copy->len = 0;
	copy->is_whole = false;
}

/* Makes `to` equal to `from`. Each word is loaded and stored whole, so that others may do the same meanwhile, and check
 * afterwards. */
STMLOG_API void tb_copy_assign(struct tb_copy *to, const struct tb_copy *from);

/* Whether both are copies of equal tracebacks. */
STMLOG_API bool tb_copies_are_equal(const struct tb_copy *a, const struct tb_copy *b);

/* Builds the traceback of a copy from frames of `stack`; if it is not whole, it ends in TB_UNKNOWN.
 * Returns an owned reference; TB_UNKNOWN without memory. */
STMLOG_API struct tb_frame *tb_copy_build(const struct tb_copy *copy, struct tb_stack *stack);

/* As tb_equal() and tb_hash(), for the traceback that tb_copy_build() would return. */
STMLOG_API bool tb_copy_equal(const struct tb_copy *copy, const struct tb_frame *traceback);
STMLOG_API uint64_t tb_copy_hash(const struct tb_copy *copy);

/* ---- looking: for (f = traceback; tb_is_frame(f); f = tb_down(f)) ... tb_frame_site(f) ---- */

STMLOG_INLINE bool tb_is_frame(const struct tb_frame *frame)
{
	return frame->down != NULL;
}

STMLOG_INLINE bool tb_is_unknown(const struct tb_frame *traceback)
{
	return traceback == TB_UNKNOWN;
}

STMLOG_INLINE const struct tb_frame *tb_down(const struct tb_frame *frame)
{
	return frame->down;
}

STMLOG_INLINE struct tb_site tb_frame_site(const struct tb_frame *frame)
{
	return frame->site;
}

/* How many frames the traceback has. Takes time proportional to this number. */
STMLOG_INLINE size_t tb_depth(const struct tb_frame *traceback)
{
	size_t depth = 0;
	for (; tb_is_frame(traceback); traceback = tb_down(traceback))
		depth++;
	return depth;
}

STMLOG_END_DECLS

#ifdef STMLOG_OFF
#define tb_code_intern(function, file) STMLOG_OFF_VALUE(((void)(function), (file)), (uintptr_t)TB_CODE_UNKNOWN)
#define tb_stack_mark(stack)                  \
	__extension__({                       \
		struct tb_mark tb_off_ = {0}; \
		(void)(stack);                \
		tb_off_;                      \
	})
#define tb_unwind(stack, mark) ((void)(stack), (void)(mark))
#define tb_restore(stack, traceback) ((void)(stack), (void)(traceback))
#endif

#endif
