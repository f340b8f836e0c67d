/* SPDX-License-Identifier: MIT
 *
 * Where an attempt failed. libitm calls our undo action while it still stands on the
 * stack of the access that lost; the frames from there outwards are the traceback. The
 * unwinder is libgcc's, linked into the agent; the cache spares us most of its work.
 *
 * The stack is recognised from a slot outwards: with barriers hooked, from where the
 * return address of the access lies; in the light agent, which does not know that slot,
 * from where the undo action's own return address lies.
 */
#include "trace.h"

#include <errno.h>
#include <unwind.h>

#include "access.h"
#include "agent.h"
#include "cache.h"
#include "cause.h"
#include "entries.h"
#include "pages.h"
#include "thread.h"

/* Frames of libitm and of the agent itself that may lie below the user's. */
#define INNER_FRAMES 16
/* _start is shorter, in every C library. */
#define ENTRY_SIZE 64

/* NULL in a preloaded agent, which has no need of it. */
extern int main(int argc, char **argv) __attribute__((weak));

/* Invariant: steps[0 .. len) run from the slot `from`, once it was met, outwards. */
struct itm_walk {
	size_t cap;
	size_t len;
	const uintptr_t *from;
	size_t size; /* of the mapping that this and the cache are in */
	struct tb_site *sites;
	struct native_step steps[];
};

static bool make_storage(struct itm_thread *self)
{
	size_t depth = itm_agent.options.depth, cap = depth + INNER_FRAMES;
	size_t walk_size = (sizeof *self->walk + cap * sizeof *self->walk->steps + 15) & ~(size_t)15;
	size_t sites_size = (depth + 1) * sizeof *self->walk->sites;
	size_t size = walk_size + sites_size + native_cache_size(cap);
	char *memory = native_pages(size);
	if (memory == NULL)
		return false;
	self->walk = (struct itm_walk *)(void *)memory;
	self->walk->cap = cap;
	self->walk->size = size;
	self->walk->sites = (struct tb_site *)(void *)(memory + walk_size);
	self->cache = native_cache_init(memory + walk_size + sites_size, cap);
	return true;
}

static void drop_loose(struct itm_thread *self, struct tb_stack *stack)
{
	if (self->loose != NULL)
		tb_unref(stack, self->loose);
	self->loose = NULL;
}

void itm_traces_destroy(struct tb_stack *stack)
{
	struct itm_thread *self = &itm_self;
	self->trace = NULL;
	drop_loose(self, stack);
	if (self->walk == NULL)
		return;
	native_cache_clear(self->cache, stack);
	native_pages_free(self->walk, self->walk->size);
	self->walk = NULL;
	self->cache = NULL;
}

/* ---- one walk ---- */

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *arg)
{
	struct itm_walk *walk = arg;
	const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(context) - 1;
	if (_Unwind_GetIP(context) == 0) /* what a thread's first frame returns to */
		return _URC_NO_REASON;
	if (slot == walk->from)
		walk->len = 0;
	if (walk->len == walk->cap)
		return _URC_NORMAL_STOP;
	walk->steps[walk->len++] = (struct native_step){slot, _Unwind_GetIP(context)};
	return _URC_NO_REASON;
}

static bool is_inner(uintptr_t address)
{
	return native_module_has(&itm_agent.self, address) || native_module_has(&itm_agent.libitm, address);
}

/* Of a static program, where the C library has no module of its own, main is known, and that a thread's outermost
 * frame is clone's. */
static size_t trim_static(const struct native_step *steps, size_t len, bool from_start)
{
	if (!from_start)
		return len > 1 ? len - 1 : len;
	for (size_t i = 0; i < len; i++)
		if (_Unwind_FindEnclosingFunction((void *)steps[i].return_address) == (const void *)main)
			return i + 1;
	return len;
}

/* Outermost is main or a thread's start: what the C library has around them says nothing. */
static size_t trim_outer(const struct native_step *steps, size_t len)
{
	bool from_start = len > 1 && steps[len - 1].return_address - itm_agent.entry < ENTRY_SIZE;
	if (from_start)
		len--;
	if (itm_agent.libc.end == 0)
		return trim_static(steps, len, from_start);
	while (len > 1 && native_module_has(&itm_agent.libc, steps[len - 1].return_address) &&
		(from_start || native_module_has(&itm_agent.libc, steps[len - 2].return_address)))
		len--;
	return len;
}

/* Walks the stack; the user's frames are steps[*first .. walk->len) then. */
static void walk_stack(struct itm_walk *walk, const uintptr_t *from, size_t *first)
{
	walk->from = from;
	walk->len = 0;
	bool is_whole = _Unwind_Backtrace(note_frame, walk) == _URC_END_OF_STACK;
	size_t inner = 0;
	while (inner < walk->len && is_inner(walk->steps[inner].return_address))
		inner++;
	if (is_whole)
		walk->len = inner + trim_outer(walk->steps + inner, walk->len - inner);
	if (walk->len - inner > itm_agent.options.depth)
		walk->len = inner + itm_agent.options.depth;
	*first = inner;
}

/* A frame that does not keep its return address below its caller's, such as a signal's,
 * cannot be recognised by its slots. */
static bool is_regular(const struct itm_walk *walk)
{
	for (size_t i = 0; i < walk->len; i++)
		if (*walk->steps[i].slot != walk->steps[i].return_address)
			return false;
	return true;
}

size_t itm_walk_steps(const uintptr_t *slot, const struct native_step **steps)
{
	struct itm_walk *walk = itm_self.walk;
	size_t first;
	if (walk == NULL)
		return 0;
	walk_stack(walk, slot, &first);
	*steps = walk->steps + first;
	return walk->len - first;
}

void itm_traces_create(void)
{
	struct itm_thread *self = &itm_self;
	size_t first;
	/* The first walk is many times as slow as later ones, and would count as time lost. */
	if (make_storage(self))
		walk_stack(self->walk, NULL, &first);
}

/* ---- from a walk to a traceback ---- */

static struct tb_frame *build(struct tb_stack *stack, struct itm_walk *walk, size_t first, uintptr_t site)
{
	size_t len = 0, most = itm_agent.options.depth;
	if (site != 0)
		walk->sites[len++] = tb_site_make(TB_CODE_ADDRESS, site);
	for (size_t i = first; i < walk->len && len < most; i++)
		walk->sites[len++] = tb_site_make(TB_CODE_ADDRESS, walk->steps[i].return_address);
	return len != 0 ? tb_build(stack, walk->sites, len, TB_EMPTY) : TB_UNKNOWN;
}

/* Which entry the transaction was in when its innermost frame is `step`: what was noted,
 * if it was noted for that very call, otherwise what the call instruction says. */
static uint32_t kind_at(const struct itm_thread *self, const struct native_step *step)
{
	if (self->slot == step->slot && (itm_kind_is_data(self->kind) || self->hook_return == step->return_address))
		return self->kind;
	return itm_kind_of(itm_access_target((const void *)step->return_address));
}

static void look_anew(struct itm_thread *self, struct tb_stack *stack, const struct native_key *key)
{
	struct itm_walk *walk = self->walk;
	size_t first;
	walk_stack(walk, key->innermost.slot, &first);
	/* The site stands for the call that the stack begins with, unless that has left the transaction's own frame. */
	bool is_instead = key->site != 0 && key->innermost.slot <= self->site_slot && first < walk->len;
	self->trace = build(stack, walk, first + is_instead, key->site);
	self->trace_kind = first < walk->len ? kind_at(self, &walk->steps[first]) : self->kind;
	if (tb_is_unknown(self->trace))
		return;
	if (is_regular(walk) &&
		native_cache_add(self->cache, stack, key, walk->steps, walk->len, self->trace, self->trace_kind))
		return;
	self->loose = self->trace;
}

/* A commit that was a tail call has left the transaction's own frame already: its return
 * address lies above that of begin. Then begin stands in for it. */
static uintptr_t lost_site(const struct itm_thread *self)
{
	return self->kind == ITM_KIND_COMMIT && self->slot > self->site_slot ? self->site : 0;
}

static void trace(struct itm_thread *self, uintptr_t *slot, uintptr_t site)
{
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	self->trace = TB_UNKNOWN;
	self->trace_kind = self->kind;
	if (self->walk == NULL || stack == NULL)
		return;
	drop_loose(self, stack);
	struct native_key key = {{slot, *slot}, site};
	const struct native_trace *found = native_cache_find(self->cache, &key);
	if (found == NULL) {
		int saved = errno;
		look_anew(self, stack, &key);
		errno = saved;
		return;
	}
	self->trace = found->frames;
	if (!itm_has_barriers())
		self->trace_kind = found->kind;
}

void itm_trace(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	/* Below the undo action it would be a slot of a call that is over. */
	trace(self, itm_has_barriers() && self->slot > slot ? self->slot : slot, lost_site(self));
}

static struct tb_frame *take(struct itm_thread *self)
{
	struct tb_frame *found = self->trace;
	self->trace = NULL;
	return found;
}

struct tb_frame *itm_trace_from(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	trace(self, slot, slot == self->slot ? lost_site(self) : 0);
	return take(self);
}

struct tb_frame *itm_trace_begin(void)
{
	struct itm_thread *self = &itm_self;
	trace(self, self->slot, self->site);
	return take(self);
}
