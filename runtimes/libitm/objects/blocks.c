/* SPDX-License-Identifier: MIT
 * The table of blocks, and that of the places where they were allocated. Pages of them that are never touched take no
 * memory. */
#include "blocks.h"

#include <stddef.h>
#include <unwind.h>

#include "requires.h"

/* ---- the table of blocks ---- */

/* Memory is divided into units; a hash table has a chain of blocks for each unit in which they start. The block of an
 * address is searched in the chains of that unit and of those below, as far as blocks smaller than LARGE reach. Larger
 * blocks are also in a list of their own. */

#define UNIT 256u
#define LARGE 65536u

/* The neighbours in a list, as numbers of records; 0: none. */
struct links {
	uint32_t prev;
	uint32_t next;
};

/* Invariants: a record that was ever used is in the chain of its unit; if is_freed, in the list of freed blocks; if
 * size
 * >= LARGE, in the list of large blocks. Of records with the same start, the newest is the first one in the chain, and
 * all others are freed. */
struct record {
	uintptr_t start;
	size_t size;
	uint64_t order; /* the newer the higher */
	uint32_t place;
	uint32_t is_freed;
	uint32_t next; /* in the chain */
	struct links freed;
	struct links large;
};

enum list { FREED, LARGES, LISTS };

/* Record 0 is the anchor of both lists: the first record is behind it, the last one before it. */
struct table {
	uint32_t cap;
	uint32_t used; /* records 1 .. used have been used */
	uint32_t mask; /* for the number of a chain */
	uint64_t order;
	struct objects_counts counts;
	uint32_t *chains;
	struct record *records;
};

/* ---- memory ---- */

static uint32_t chain_count(uint32_t cap)
{
	uint32_t count = 1;
	while (count < cap && count < UINT32_MAX / 2)
		count *= 2;
	return count;
}

static size_t rounded(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

size_t table_size(uint32_t cap)
{
	size_t chains = rounded(chain_count(cap) * sizeof(uint32_t));
	return rounded(sizeof(struct table)) + chains + ((size_t)cap + 1) * sizeof(struct record);
}

struct table *table_init(void *memory, uint32_t cap)
{
	struct table *table = memory;
	char *chains = (char *)memory + rounded(sizeof *table);
	table->cap = cap;
	table->mask = chain_count(cap) - 1;
	table->chains = (uint32_t *)(void *)chains;
	table->records = (struct record *)(void *)(chains + rounded(chain_count(cap) * sizeof(uint32_t)));
	return table;
}

/* ---- the two lists ---- */

static struct links *links_of(struct table *table, uint32_t number, enum list list)
{
	struct record *record = &table->records[number];
	return list == FREED ? &record->freed : &record->large;
}

static void append(struct table *table, uint32_t number, enum list list)
{
	uint32_t last = links_of(table, 0, list)->prev;
	*links_of(table, number, list) = (struct links){.prev = last, .next = 0};
	links_of(table, last, list)->next = number;
	links_of(table, 0, list)->prev = number;
}

static void unlink_from_list(struct table *table, uint32_t number, enum list list)
{
	struct links links = *links_of(table, number, list);
	links_of(table, links.prev, list)->next = links.next;
	links_of(table, links.next, list)->prev = links.prev;
}

/* ---- chains ---- */

static uint32_t *chain_of(const struct table *table, uintptr_t unit)
{
	return &table->chains[(uint32_t)(unit * 0x9e3779b97f4a7c15u >> 32) & table->mask];
}

/* The newest record that starts there; 0: none. */
static uint32_t find_start(const struct table *table, uintptr_t start)
{
	uint32_t number = *chain_of(table, start / UNIT);
	while (number != 0 && table->records[number].start != start)
		number = table->records[number].next;
	return number;
}

static void link_into_chain(struct table *table, uint32_t number)
{
	uint32_t *chain = chain_of(table, table->records[number].start / UNIT);
	table->records[number].next = *chain;
	*chain = number;
}

static void unlink_from_chain(struct table *table, uint32_t number)
{
	uint32_t *link = chain_of(table, table->records[number].start / UNIT);
	while (*link != number)
		link = &table->records[*link].next;
	*link = table->records[number].next;
}

/* ---- blocks come and go ---- */

static void leave_lists(struct table *table, uint32_t number)
{
	if (table->records[number].is_freed)
		unlink_from_list(table, number, FREED);
	if (table->records[number].size >= LARGE)
		unlink_from_list(table, number, LARGES);
}

/* Returns a record that is in no chain and no list: an unused one, or else that of the block freed first. 0: there is
 * neither. */
static uint32_t alloc_record(struct table *table)
{
	if (table->used < table->cap)
		return ++table->used;
	uint32_t oldest = links_of(table, 0, FREED)->next;
	if (oldest == 0)
		return 0;
	leave_lists(table, oldest);
	unlink_from_chain(table, oldest);
	table->counts.forgotten++;
	return oldest;
}

/* Whether the new block covers all of the newest one with the same start. */
static bool is_replaced(const struct table *table, uint32_t number, size_t size)
{
	return number != 0 && table->records[number].size <= size;
}

/* A record in the chain for this start, and in no list. It is that of the former block, if the new one covers all of
 * it. */
static uint32_t record_for(struct table *table, uintptr_t start, size_t size)
{
	table_free(table, start); /* in case its free was not noted */
	uint32_t number = find_start(table, start);
	if (is_replaced(table, number, size)) {
		leave_lists(table, number);
		return number;
	}
	number = alloc_record(table);
	if (number == 0)
		return 0;
	table->records[number].start = start;
	link_into_chain(table, number);
	return number;
}

void table_add(struct table *table, uintptr_t start, size_t size, uint32_t place)
{
	uint32_t number = record_for(table, start, size);
	if (number == 0) {
		table->counts.missing++;
		return;
	}
	struct record *record = &table->records[number];
	record->size = size;
	record->place = place;
	record->order = ++table->order;
	record->is_freed = false;
	if (size >= LARGE)
		append(table, number, LARGES);
}

void table_free(struct table *table, uintptr_t start)
{
	uint32_t number = find_start(table, start);
	if (number == 0 || table->records[number].is_freed)
		return;
	table->records[number].is_freed = true;
	append(table, number, FREED);
}

void table_undo_free(struct table *table, uintptr_t start)
{
	uint32_t number = find_start(table, start);
	if (number == 0 || !table->records[number].is_freed)
		return;
	unlink_from_list(table, number, FREED);
	table->records[number].is_freed = false;
}

/* ---- search ---- */

/* `number`, if that record covers the address and is newer than `best`; otherwise `best`. */
static uint32_t better(const struct table *table, uint32_t best, uint32_t number, uintptr_t address)
{
	const struct record *record = &table->records[number];
	bool covers = address - record->start < record->size;
	return covers && (best == 0 || record->order > table->records[best].order) ? number : best;
}

bool table_find(const struct table *table, uintptr_t address, struct table_block *found)
{
	uint32_t best = 0;
	uintptr_t unit = address / UNIT;
	for (uintptr_t below = 0; below <= LARGE / UNIT && below <= unit; below++)
		for (uint32_t i = *chain_of(table, unit - below); i != 0; i = table->records[i].next)
			best = better(table, best, i, address);
	for (uint32_t i = table->records[0].large.next; i != 0; i = table->records[i].large.next)
		best = better(table, best, i, address);
	if (best == 0)
		return false;
	const struct record *record = &table->records[best];
	*found = (struct table_block){record->start, record->size, record->place, record->is_freed != 0};
	return true;
}

struct objects_counts table_counts(const struct table *table)
{
	return table->counts;
}

/* ---- places and their numbers ---- */

/* An open hash table that only grows. */

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
