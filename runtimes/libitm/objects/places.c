/* SPDX-License-Identifier: MIT
 * An open hash table that only grows. Pages of it that are never touched take no memory. */
#include "places.h"

#include <stddef.h>
#include <unwind.h>

#include "requires.h"

#define PROBES 64u

/* Invariant: len == 0 <=> free. Number 0 is not used. */
static struct place places[PLACES_MAX];

static uint64_t hash_of(const struct place *place)
{
	uint64_t hash = place->len * 2 + place->is_whole;
	for (uint32_t i = 0; i < place->len; i++)
		hash = (hash ^ place->frames[i]) * 0x9e3779b97f4a7c15u;
	return hash >> 32;
}

static bool is_same(const struct place *a, const struct place *b)
{
	bool is_equal = a->len == b->len && a->is_whole == b->is_whole;
	for (uint32_t i = 0; i < a->len && is_equal; i++)
		is_equal = a->frames[i] == b->frames[i];
	return is_equal;
}

uint32_t places_number(const struct place *place)
{
	uint64_t hash = hash_of(place);
	if (place->len == 0)
		return 0;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t number = (uint32_t)(hash + i) % PLACES_MAX;
		if (number == 0)
			continue;
		if (places[number].len == 0)
			places[number] = *place;
		if (is_same(&places[number], place))
			return number;
	}
	return 0;
}

const struct place *places_at(uint32_t number)
{
	REQUIRES(number < PLACES_MAX);
	return number != 0 ? &places[number] : NULL;
}

/* ---- the place where the calling thread is: unwound, or recognised ---- */

/* How many stacks a thread remembers at a time. They are in thread-local storage, so that no destructor has to free
 * them. */
#define REMEMBERED 16u

static __thread struct where remembered[REMEMBERED] __attribute__((tls_model("initial-exec")));

/* ---- unwinding ---- */

struct walk {
	struct where *where;
	const uintptr_t *from;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	struct place *place = &walk->where->place;
	const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(context) - 1;
	if (_Unwind_GetIP(context) == 0) /* what a thread's first frame returns to */
		return _URC_NO_REASON;
	if (place->len == 0 && slot != walk->from)
		return _URC_NO_REASON;
	if (place->len == PLACES_FRAMES)
		return _URC_NORMAL_STOP;
	walk->where->slots[place->len] = slot;
	place->frames[place->len++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static void look(struct where *where, const uintptr_t *slot)
{
	struct walk walk = {where, slot};
	where->number = 0;
	where->place.len = 0;
	where->place.is_whole = _Unwind_Backtrace(note_frame, &walk) == _URC_END_OF_STACK;
}

/* ---- recognising it ---- */

/* The slots may be read: they lie further out than the first one, which is on the present stack. */
static bool is_there(const struct where *where, const uintptr_t *slot)
{
	bool is_same = where->place.len != 0 && where->slots[0] == slot;
	for (uint32_t i = 0; i < where->place.len && is_same; i++)
		is_same = *where->slots[i] == where->place.frames[i];
	return is_same;
}

/* Some frames do not keep their return address below their caller's, a signal's for example. A stack with such a frame
 * cannot be recognised. */
static bool is_regular(const struct where *where)
{
	for (uint32_t i = 0; i < where->place.len; i++)
		if (*where->slots[i] != where->place.frames[i] || (i > 0 && where->slots[i] <= where->slots[i - 1]))
			return false;
	return true;
}

struct where *where_now(const uintptr_t *slot)
{
	uint64_t hash = ((uintptr_t)slot ^ *slot) * 0x9e3779b97f4a7c15u;
	struct where *where = &remembered[(hash >> 32) % REMEMBERED];
	if (is_there(where, slot))
		return where;
	look(where, slot);
	if (!is_regular(where))
		where->slots[0] = NULL;
	return where;
}
