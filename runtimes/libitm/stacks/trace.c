/* SPDX-License-Identifier: MIT
 *
 * Makes tracebacks from the stack. libitm calls the agent's undo action on top of the stack of the access that failed;
 * the frames from there outwards are the traceback. The unwinder is libgcc's, linked into the agent. A cache saves most
 * of its work (native/cache.h).
 *
 * A stack is looked up in the cache by a slot: the slot of the access's return address; in a transaction between two
 * bursts (bursts.h), of which that slot is not known, the slot of the undo action's own return address.
 */

#include <errno.h>
#include <unwind.h>

#include "agent.h"
#include "cache.h"
#include "cause.h"
#include "entries.h"
#include "pages.h"
#include "requires.h"
#include "stacks.h"
#include "thread.h"

/* How many frames of libitm and of the agent may lie below the user's. */
#define INNER_FRAMES 16
/* _start is shorter, in every C library. */
#define ENTRY_SIZE 64

/* For static programs with a linked agent; NULL in a preloaded agent. */
extern int main(int argc, char **argv) __attribute__((weak));

/* Invariant: if the walk has reached the slot `from`, steps[0 .. len) run from there outwards. */
struct itm_walk {
	size_t cap;
	size_t len;
	const uintptr_t *from;
	size_t size; /* of the memory that holds this and the cache */
	struct tb_site *sites;
	struct native_step steps[];
};

static bool make_storage(struct itm_thread *self)
{
	size_t depth = itm_agent.options.depth, cap = depth + INNER_FRAMES;
	size_t walk_size = (sizeof *self->walk + cap * sizeof *self->walk->steps + 15) & ~(size_t)15;
	size_t sites_size = (depth + 1) * sizeof *self->walk->sites;
	size_t size = walk_size + sites_size + native_cache_size(cap);
	char *memory = native_pages_unzeroed(size);
	if (memory == NULL)
		return false;
	self->walk = (struct itm_walk *)(void *)memory;
	*self->walk =
		(struct itm_walk){.cap = cap, .size = size, .sites = (struct tb_site *)(void *)(memory + walk_size)};
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

/* In a static program the C library has no module of its own. There the frames outside of main are cut, and in other
 * threads the outermost one, which is clone's. */
static size_t trim_static(const struct native_step *steps, size_t len, bool from_start)
{
	if (!from_start)
		return len > 1 ? len - 1 : len;
	for (size_t i = 0; i < len; i++)
		if (_Unwind_FindEnclosingFunction((void *)steps[i].return_address) == (const void *)main)
			return i + 1;
	return len;
}

/* Cuts the C library's frames outside of main, or of a thread's start. */
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

/* Walks the stack. Afterwards the user's frames are steps[*first .. walk->len). */
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

/* Some frames do not keep their return address below their caller's, a signal's for example. A stack with such a frame
 * cannot be recognised by its slots. */
static bool is_regular(const struct itm_walk *walk)
{
	for (size_t i = 0; i < walk->len; i++)
		if (*walk->steps[i].slot != walk->steps[i].return_address)
			return false;
	return true;
}

void itm_traces_create(void)
{
	struct itm_thread *self = &itm_self;
	size_t first;
	/* The first walk is many times as slow as later ones. Made later, it would count as time lost. */
	if (make_storage(self))
		walk_stack(self->walk, NULL, &first);
}

void itm_traces_reserve(struct tb_stack *stack)
{
	const struct tb_site site = tb_site_make(TB_CODE_ADDRESS, (uintptr_t)itm_traces_reserve);
	tb_unref(stack, tb_build(stack, &site, 1, TB_EMPTY));
}

/* ---- from a walk to a traceback ---- */

static struct tb_frame *build(struct tb_stack *stack, struct itm_walk *walk, size_t first, uintptr_t site)
{
	size_t len = 0, max = itm_agent.options.depth;
	if (site != 0)
		walk->sites[len++] = tb_site_make(TB_CODE_ADDRESS, site);
	for (size_t i = first; i < walk->len && len < max; i++)
		walk->sites[len++] = tb_site_make(TB_CODE_ADDRESS, walk->steps[i].return_address);
	return len != 0 ? tb_build(stack, walk->sites, len, TB_EMPTY) : TB_UNKNOWN;
}

/* Whether the data barriers of the transaction under way record their kinds and slots. */
static bool has_barriers(const struct itm_thread *self)
{
	return !(self->flags & ITM_BARE);
}

/* The kind of the entry that was called from the innermost frame `step`: the kind noted last, if it was noted in that
 * very call; otherwise the one that the call instruction leads to. */
static uint32_t kind_at(const struct itm_thread *self, const struct native_step *step)
{
	bool is_data = itm_kind_is_data(self->kind);
	if (self->slot == step->slot && (is_data ? has_barriers(self) : self->hook_return == step->return_address))
		return self->kind;
	return itm_kind_of(itm_access_target((const void *)step->return_address));
}

/* Returns the number that the cache keeps with the traceback: of a begin, that of its callers; otherwise the kind of
 * the access. */
static uint32_t look_anew(struct itm_thread *self, struct tb_stack *stack, const struct native_key *key, bool is_begin)
{
	struct itm_walk *walk = self->walk;
	size_t first;
	walk_stack(walk, key->innermost.slot, &first);
	/* Begin takes the place of the innermost frame, unless that is outside of the transaction's own frame. */
	bool is_instead = key->site != 0 && key->site == self->site && first < walk->len &&
			  walk->steps[first].slot <= self->site_slot;
	self->trace = build(stack, walk, first + is_instead, key->site);
	uint32_t number = is_begin            ? itm_callers_number(walk->steps + first, walk->len - first)
			  : first < walk->len ? kind_at(self, &walk->steps[first])
					      : self->kind;
	if (tb_is_unknown(self->trace))
		return number;
	if (!is_regular(walk) ||
		!native_cache_add(self->cache, stack, key, walk->steps, walk->len, self->trace, number))
		self->loose = self->trace;
	return number;
}

/* Begin's return address takes the place of a commit's, in all its tracebacks: compilers share one commit between
 * several transactions of a function, and give it the line of the code after it. Or the commit is a tail call, after
 * the transaction's own frame was left. Returns begin's return address; 0: the call is no commit. */
static uintptr_t commit_site(const struct itm_thread *self)
{
	return self->kind == ITM_KIND_COMMIT ? self->site : 0;
}

/* Sets `trace`. Returns the number that the cache keeps with it. */
static uint32_t find_trace(struct itm_thread *self, uintptr_t *slot, uintptr_t site, bool is_begin)
{
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	self->trace = TB_UNKNOWN;
	if (self->walk == NULL || stack == NULL)
		return is_begin ? 0 : self->kind;
	drop_loose(self, stack);
	struct native_key key = {{slot, *slot}, site};
	const struct native_trace *found = native_cache_find(self->cache, &key);
	if (found == NULL) {
		int saved = errno;
		uint32_t number = look_anew(self, stack, &key, is_begin);
		errno = saved;
		return number;
	}
	self->trace = found->frames;
	return is_begin || !has_barriers(self) ? found->kind : self->kind;
}

void itm_trace(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	/* A slot below the undo action's belongs to a call that is over. */
	bool is_outside = has_barriers(self) && self->slot > slot;
	self->trace_kind = find_trace(self, is_outside ? self->slot : slot, commit_site(self), false);
}

static struct tb_frame *detach_trace(struct itm_thread *self)
{
	struct tb_frame *found = self->trace;
	self->trace = NULL;
	return found;
}

struct tb_frame *itm_trace_entry(void)
{
	struct itm_thread *self = &itm_self;
	find_trace(self, self->slot, commit_site(self), false);
	return detach_trace(self);
}

/* The entry called last may have been the commit of the transaction before, from the same slot. */
struct tb_frame *itm_trace_begin(void)
{
	struct itm_thread *self = &itm_self;
	find_trace(self, self->site_slot, 0, true);
	return detach_trace(self);
}

uint32_t itm_trace_callers(void)
{
	struct itm_thread *self = &itm_self;
	uint32_t number = find_trace(self, self->site_slot, 0, true);
	self->trace = NULL;
	return number;
}

/* The functions between the transaction's and that of the read have returned. */
struct tb_frame *itm_trace_read(uintptr_t site)
{
	struct itm_thread *self = &itm_self;
	find_trace(self, self->site_slot, site, false);
	return detach_trace(self);
}

/* Where begin's return address lies is not known. It lies beside the commit's, unless the commit is a tail call. */
struct tb_frame *itm_trace_unmeasured(uintptr_t site)
{
	struct itm_thread *self = &itm_self;
	void *function = _Unwind_FindEnclosingFunction((void *)site);
	if (self->walk == NULL)
		itm_traces_create();
	self->site = site;
	self->site_slot = _Unwind_FindEnclosingFunction((void *)*self->slot) == function ? self->slot : self->slot - 1;
	find_trace(self, self->slot, site, false);
	return detach_trace(self);
}
