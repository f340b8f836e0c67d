/* SPDX-License-Identifier: MIT
 * The two sources of tracebacks. The first return address of a walk is in the function of TinySTM that calls the
 * callback (its rollback, or its start), and is not shown. */
#include "tiny.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <unwind.h>

#include "cache.h"
#include "loaded.h"
#include "pages.h"
#include "requires.h"

#define STEPS (TINY_DEPTH + 1) /* with the one that is not shown */
/* An address less than ENTRY_SIZE bytes behind the entry point is in _start, which is shorter in every C library. */
#define ENTRY_SIZE 64

/* Invariant: steps[0 .. len) run from the slot `from` outwards. */
struct tiny_walk {
	const uintptr_t *from;
	size_t len;
	bool is_met;         /* the walk has reached `from` */
	bool is_interrupted; /* by a signal: the frame below it has no return address of its own */
	struct native_step steps[STEPS];
};

static const size_t walk_size = (sizeof(struct tiny_walk) + 63) & ~(size_t)63;

/* ---- one walk ---- */

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *arg)
{
	struct tiny_walk *walk = arg;
	int is_interrupted = 0;
	const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(context) - 1;
	uintptr_t address = _Unwind_GetIPInfo(context, &is_interrupted);
	walk->is_met |= slot == walk->from;
	if (!walk->is_met || address == 0) /* 0: what a thread's first frame returns to */
		return _URC_NO_REASON;
	if (walk->len == STEPS)
		return _URC_NORMAL_STOP;
	walk->is_interrupted |= is_interrupted != 0;
	walk->steps[walk->len++] = (struct native_step){slot, address};
	return _URC_NO_REASON;
}

/* Cuts the C library's frames outside of main, or of a thread's start. */
static void trim_outer(struct tiny_walk *walk)
{
	struct native_module libc = native_module_find((const void *)(uintptr_t)getpid);
	uintptr_t entry = getauxval(AT_ENTRY);
	for (; walk->len > 2; walk->len--) {
		uintptr_t outermost = walk->steps[walk->len - 1].return_address;
		if (!native_module_has(&libc, outermost) && outermost - entry >= ENTRY_SIZE)
			return;
	}
}

/* Returns whether the walk has reached the outer end of the stack. */
static bool walk_stack(struct tiny_walk *walk, const uintptr_t *from)
{
	walk->from = from;
	walk->len = 0;
	walk->is_met = false;
	walk->is_interrupted = false;
	bool is_whole = _Unwind_Backtrace(note_frame, walk) == _URC_END_OF_STACK;
	if (is_whole)
		trim_outer(walk);
	return is_whole;
}

/* A stack can be recognised only if each return address lies in its slot, directly below the frame of the caller. */
static bool is_regular(const struct tiny_walk *walk)
{
	if (walk->is_interrupted)
		return false;
	for (size_t i = 0; i < walk->len; i++)
		if (*walk->steps[i].slot != walk->steps[i].return_address)
			return false;
	return true;
}

/* ---- life ---- */

void tiny_where_open(struct tiny_where *where)
{
	REQUIRES(where->walk == NULL);
	int saved = errno;
	size_t size = walk_size + native_cache_size(STEPS);
	char *memory = native_pages(size);
	if (memory != NULL) {
		where->walk = (struct tiny_walk *)(void *)memory;
		where->cache = native_cache_init(memory + walk_size, STEPS);
		where->size = size;
		/* The first walk is many times as slow as later ones. Made later, it would count as time lost. */
		walk_stack(where->walk, NATIVE_RETURN_SLOT());
	}
	errno = saved;
}

static void drop_loose(struct tiny_where *where, struct tb_stack *stack)
{
	if (where->loose != NULL)
		tb_unref(stack, where->loose);
	where->loose = NULL;
}

void tiny_where_close(struct tiny_where *where, struct tb_stack *stack)
{
	drop_loose(where, stack);
	if (where->cache != NULL) {
		native_cache_clear(where->cache, stack);
		native_pages_free(where->walk, where->size);
	}
	memset(where, 0, sizeof *where);
}

/* ---- from a walk to a traceback ---- */

static struct tb_frame *build(const struct tiny_walk *walk, struct tb_stack *stack, bool is_whole)
{
	struct tb_site sites[TINY_DEPTH];
	size_t len = 0;
	for (size_t i = 1; i < walk->len; i++)
		sites[len++] = tb_site_make(TB_CODE_ADDRESS, walk->steps[i].return_address);
	return len != 0 ? tb_build(stack, sites, len, is_whole ? TB_EMPTY : TB_UNKNOWN) : TB_UNKNOWN;
}

/* Unwinds the stack. */
static struct tb_frame *look_anew(struct tiny_where *where, struct tb_stack *stack, const struct native_key *key)
{
	struct tiny_walk *walk = where->walk;
	bool is_whole = walk_stack(walk, key->innermost.slot);
	struct tb_frame *traceback = build(walk, stack, is_whole);
	if (tb_is_unknown(traceback))
		return traceback;
	if (!is_regular(walk) || !native_cache_add(where->cache, stack, key, walk->steps, walk->len, traceback, 0))
		where->loose = traceback;
	return traceback;
}

static struct tb_frame *unwound(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot)
{
	if (where->walk == NULL)
		return TB_UNKNOWN;
	drop_loose(where, stack);
	struct native_key key = {{slot, *slot}, 0};
	const struct native_trace *found = native_cache_find(where->cache, &key);
	if (found == NULL) {
		int saved = errno;
		struct tb_frame *traceback = look_anew(where, stack, &key);
		errno = saved;
		return traceback;
	}
	return found->frames;
}

struct tb_frame *tiny_where(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot)
{
	struct tb_frame *pushed = tb_current(stack);
	return tb_is_frame(pushed) ? pushed : unwound(where, stack, slot);
}
