/* SPDX-License-Identifier: MIT
 * Records and looks up the writes of an attempt. NOTES.txt, claims T1 to T6, has the argument. */
#include "trail.h"

#include "check.h"

const char trail_inevitable = 0;

/* ---- owner ---- */

static struct tb_frame *traceback_of(const struct trail_write *write)
{
	return (struct tb_frame *)AO_load(&write->traceback);
}

/* Whether the write has a reference of its own: a run of writes with the same traceback shares one. */
static bool has_reference(const struct trail *trail, AO_t at)
{
	return at == 0 || traceback_of(&trail->writes[at - 1]) != traceback_of(&trail->writes[at]);
}

static void release_all(struct trail *trail, struct tb_stack *stack)
{
	AO_t len = AO_load(&trail->len);
	for (AO_t i = 0; i < len; i++)
		if (has_reference(trail, i))
			tb_unref(stack, traceback_of(&trail->writes[i]));
}

/* Empties the trail: first it belongs to no attempt, and only then are its tracebacks released (claim T3). */
static void void_it(struct trail *trail, struct tb_stack *stack)
{
	AO_store(&trail->attempt, 0);
	AO_nop_write(); /* partner: the read barrier in copy_from() */
	release_all(trail, stack);
	AO_store(&trail->len, 0);
}

__attribute__((noinline)) static struct trail *open_next(struct trails *trails, uint64_t attempt, uint32_t thread)
{
	trails->newest = !trails->newest;
	struct trail *trail = &trails->trail[trails->newest];
	void_it(trail, trails->stack);
	AO_store(&trail->thread, thread);
	AO_store_release(&trail->attempt, attempt); /* partner: trail_find_remote() */
	return trail;
}

/* Objects are aligned, so their lower bits are mostly equal. The upper bits of a product depend on all bits. */
static AO_t home(uintptr_t object)
{
	return (AO_t)((uint64_t)object * 0x9e3779b97f4a7c15u >> 54);
}
_Static_assert(TRAIL_SLOTS == 1 << (64 - 54), "home() is a slot");

/* Returns the write that the slot refers to; NULL if the slot is free. */
static const struct trail_write *behind(const struct trail *trail, AO_t slot, AO_t len)
{
	AO_t at = trail->slots[slot];
	return at < len && trail->writes[at].slot == slot ? &trail->writes[at] : NULL;
}

/* Returns the write of the object; NULL if there is none. Sets *slot to the object's slot, or to the free slot for
 * it. */
static const struct trail_write *find(const struct trail *trail, uintptr_t object, AO_t *slot)
{
	AO_t len = AO_load(&trail->len);
	for (AO_t at = home(object);; at = (at + 1) % TRAIL_SLOTS) {
		const struct trail_write *write = behind(trail, at, len);
		if (write == NULL || AO_load(&write->object) == object) {
			*slot = at;
			return write;
		}
	}
}

static void append(struct trail *trail, AO_t slot, uintptr_t object, struct tb_frame *traceback)
{
	AO_t len = AO_load(&trail->len);
	struct trail_write *write = &trail->writes[len];
	AO_store(&write->object, object);
	AO_store(&write->traceback, (AO_t)traceback);
	if (has_reference(trail, len))
		tb_ref(traceback);
	write->slot = slot;
	trail->slots[slot] = (uint16_t)len;
	/* Release: the write and its frames are stored before they count (claim T2). Partner: look_up(). */
	AO_store_release(&trail->len, len + 1);
}

static bool has_room(const struct trail *trail, uintptr_t object)
{
	AO_t limit = object == TRAIL_INEVITABLE ? TRAIL_WRITES : STMLOG_WRITES;
	return AO_load(&trail->len) < limit;
}

void trail_leave(struct trails *trails, uint64_t attempt, uint32_t thread, uintptr_t object, struct tb_frame *traceback)
{
	struct trail *trail = &trails->trail[trails->newest];
	if (STMLOG_UNLIKELY(AO_load(&trail->attempt) != attempt))
		trail = open_next(trails, attempt, thread);
	AO_t slot;
	if (find(trail, object, &slot) != NULL)
		return;
	if (STMLOG_LIKELY(has_room(trail, object)))
		append(trail, slot, object, traceback);
	else
		AO_store(&trails->unrecorded, AO_load(&trails->unrecorded) + 1);
}

struct tb_frame *trail_find_own(const struct trails *trails, uint64_t attempt, uintptr_t object)
{
	const struct trail *trail = &trails->trail[trails->newest];
	if (AO_load(&trail->attempt) != attempt)
		return TB_UNKNOWN;
	AO_t slot;
	const struct trail_write *write = find(trail, object, &slot);
	return write != NULL ? traceback_of(write) : TB_UNKNOWN;
}

void trail_clear(struct trails *trails)
{
	void_it(&trails->trail[0], trails->stack);
	void_it(&trails->trail[1], trails->stack);
}

/* ---- readers ---- */

/* Returns the traceback of the object's write; NULL if the trail has no such write. The owner may reuse the trail
 * meanwhile. */
static const struct tb_frame *look_up(const struct trail *trail, uintptr_t object)
{
	AO_t len = AO_load_acquire(&trail->len); /* partner: the release in append() */
	for (AO_t i = 0; i < len; i++)
		if (AO_load(&trail->writes[i].object) == object)
			return traceback_of(&trail->writes[i]);
	return NULL;
}

/* Copies the traceback, unless *copy has the same frames already: these frames cannot have changed if the trail still
 * belongs to the attempt (claim T6). */
static void copy_traceback(
	struct trail_copy *copy, const struct trail *trail, uint64_t attempt, const struct tb_frame *traceback)
{
	if (copy->trail == trail && copy->attempt == attempt && copy->traceback == traceback)
		return;
	tb_copy_take(&copy->copy, traceback);
	copy->trail = trail;
	copy->attempt = attempt;
	copy->traceback = traceback;
}

static bool copy_from(
	const struct trail *trail, uint64_t attempt, uintptr_t object, struct trail_copy *copy, uint32_t *thread)
{
	const struct tb_frame *traceback = look_up(trail, object);
	if (traceback == NULL)
		return false;
	copy_traceback(copy, trail, attempt, traceback);
	*thread = (uint32_t)AO_load(&trail->thread);
	AO_nop_read(); /* partner: the write barrier in void_it() */
	return AO_load(&trail->attempt) == attempt;
}

bool trail_find_remote(
	const struct trails *trails, uint64_t attempt, uintptr_t object, struct trail_copy *copy, uint32_t *thread)
{
	REQUIRES(attempt != 0);
	for (int i = 0; i < 2; i++) {
		const struct trail *trail = &trails->trail[i];
		if (AO_load_acquire(&trail->attempt) == attempt && /* partner: open_next() */
			copy_from(trail, attempt, object, copy, thread))
			return true;
	}
	trail_copy_forget(copy);
	return false;
}
