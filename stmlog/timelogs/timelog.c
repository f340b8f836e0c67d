/* SPDX-License-Identifier: MIT
 * Adds groups to a timelog and its totals, decides which groups are kept and which are evicted, and reads them in the
 * order of their losses. */
#include "timelog.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "mem.h"
#include "pending.h"
#include "radix.h"

/* How a timelog gets its own tracebacks of a new group. */
enum keeping { BY_REFERENCE, BY_CLONE };

/* Clones have at most so many frames, so that endless recursion in the program costs bounded memory. Two entries may
 * have clones that do not differ up to this depth. */
#define CLONE_DEPTH 4096

/* For how many groups a timelog that grows has memory at first, and the factor by which this grows until the capacity
 * is reached. */
enum { ROOM_AT_FIRST = 16, ROOM_FACTOR = 4 };

struct layout {
	size_t heap, index, order, size; /* groups come first */
};

static size_t up(size_t offset)
{
	return (offset + 15) & ~(size_t)15;
}

static struct layout lay_out(uint32_t room)
{
	struct layout at;
	at.heap = up(room * sizeof(struct group));
	at.index = up(at.heap + heap_storage_size(room));
	at.order = up(at.index + index_storage_size(room));
	at.size = at.order + room * sizeof(uint32_t);
	return at;
}

/* Allocates memory for so many groups. The caller frees the timelog's former memory. */
static bool alloc_room(struct stmlog_timelog *log, uint32_t room)
{
	struct layout at = lay_out(room);
	char *memory = mem_alloc(at.size);
	if (memory == NULL)
		return false;
	log->groups = (struct group *)(void *)memory;
	heap_init(&log->heap, room, memory + at.heap);
	index_init(&log->index, room, memory + at.index);
	log->order = (uint32_t *)(void *)(memory + at.order);
	log->room = room;
	log->size = at.size;
	return true;
}

/* Puts each group into the heap and the index. */
static void enlist_all(struct stmlog_timelog *log)
{
	for (uint32_t slot = 0; slot < log->len; slot++) {
		heap_push(&log->heap, log->groups[slot].entry.lost_ns, slot);
		index_add(&log->index, log->groups[slot].hash, slot);
	}
}

/* Allocates more room, also in a hook while the thread is not warm yet. Returns whether there is room for one more
 * group. */
static bool grow(struct stmlog_timelog *log)
{
	size_t room = log->room > 0 ? log->room * ROOM_FACTOR : ROOM_AT_FIRST, size = log->size;
	struct group *groups = log->groups;
	int saved = errno;
	if (log->room == log->capacity)
		return false;
	bool has_grown = alloc_room(log, (uint32_t)(room < log->capacity ? room : log->capacity));
	if (has_grown) {
		if (log->len > 0)
			memcpy(log->groups, groups, log->len * sizeof *groups);
		enlist_all(log);
		mem_free(groups, size);
	}
	errno = saved;
	return has_grown;
}

void timelog_init(struct stmlog_timelog *log, size_t capacity, struct tb_stack *stack)
{
	REQUIRES(capacity <= UINT32_MAX / 4);
	*log = (struct stmlog_timelog){.capacity = capacity, .stack = stack, .version = 1};
}

void timelog_fini(struct stmlog_timelog *log)
{
	timelog_clear(log);
	mem_free(log->groups, log->size);
	log->groups = NULL;
	log->order = NULL;
	log->heap = (struct heap){.len = 0};
	log->index = (struct index){.size = 0};
	log->room = log->size = 0;
}

struct stmlog_timelog *timelog_create(size_t capacity, struct tb_stack *stack)
{
	if (capacity > UINT32_MAX / 4) {
		errno = ENOMEM;
		return NULL;
	}
	struct stmlog_timelog *log = mem_alloc(sizeof *log);
	if (log == NULL)
		return NULL;
	timelog_init(log, capacity, stack);
	if (!alloc_room(log, (uint32_t)capacity)) {
		mem_free(log, sizeof *log);
		return NULL;
	}
	return log;
}

void timelog_clear(struct stmlog_timelog *log)
{
	for (size_t i = 0; i < log->len; i++)
		group_fini(&log->groups[i], log->stack);
	log->len = 0;
	log->totals = (struct stmlog_totals){.evicted = {0}};
	if (log->room > 0) {
		heap_clear(&log->heap);
		index_clear(&log->index);
	}
	log->version++;
}

void timelog_destroy(struct stmlog_timelog **log)
{
	if (*log == NULL)
		return;
	timelog_fini(*log);
	mem_free(*log, sizeof **log);
	*log = NULL;
}

static void cost_add(struct stmlog_cost *sum, struct stmlog_cost more)
{
	sum->count += more.count;
	sum->lost_ns += more.lost_ns;
	sum->estimated_ns += more.estimated_ns;
	sum->variance_ns2 += more.variance_ns2;
}

static void evict(struct stmlog_timelog *log, const struct group *group)
{
	cost_add(&log->totals.evicted, group_cost(group));
}

/* As group_same_key(), but compares no frames: it may return false although the keys are equal. */
static bool is_plainly_same(const struct group *group, const struct group *like)
{
	const struct stmlog_entry *entry = &like->entry;
	return group_has_same_frames(group, &entry->cause, entry->local, entry->remote, like->remote_copy);
}

static struct group *timelog_group_find(const struct stmlog_timelog *log, const struct group *like)
{
	struct index_cursor cursor = index_find(&log->index, like->hash);
	struct group *last = log->last < log->len ? &log->groups[log->last] : NULL;
	uint32_t item;
	if (last != NULL && is_plainly_same(last, like))
		return last;
	while (index_next(&cursor, &item))
		if (group_same_key(&log->groups[item], like))
			return &log->groups[item];
	return NULL;
}

static struct tb_frame *own(struct stmlog_timelog *log, struct tb_frame *traceback, enum keeping keeping)
{
	return keeping == BY_REFERENCE ? tb_ref(traceback) : tb_clone(log->stack, traceback, CLONE_DEPTH);
}

/* A copy is converted to frames only here, when a timelog keeps the group. */
static struct tb_frame *own_remote(struct stmlog_timelog *log, const struct group *newcomer, enum keeping keeping)
{
	if (newcomer->remote_copy != NULL)
		return tb_copy_build(newcomer->remote_copy, log->stack);
	return own(log, newcomer->entry.remote, keeping);
}

static void set_last(struct stmlog_timelog *log, uint32_t slot)
{
	const struct stmlog_entry *entry = &log->groups[slot].entry;
	log->last = slot;
	log->recent[timelog_recent(entry->local, entry->remote)] = slot;
}

/* Puts a new group into a free slot. */
static void settle(struct stmlog_timelog *log, uint32_t slot, const struct group *newcomer, enum keeping keeping)
{
	struct group *group = &log->groups[slot];
	*group = *newcomer;
	group->entry.local = own(log, newcomer->entry.local, keeping);
	group->entry.remote = own_remote(log, newcomer, keeping);
	group->remote_copy = NULL;
	group->admitted = log->admissions++;
	set_last(log, slot);
	index_add(&log->index, group->hash, slot);
}

/* Adds a group to a full timelog: evicts the group with the lowest lost_ns, or the new group. */
static void contend(struct stmlog_timelog *log, const struct group *newcomer, enum keeping keeping)
{
	uint32_t slot = heap_min_item(&log->heap);
	uint64_t lowest_ns = heap_min_key(&log->heap);
	struct group *lowest = &log->groups[slot];
	if (newcomer->entry.lost_ns <= lowest_ns) {
		evict(log, newcomer);
		return;
	}
	evict(log, lowest);
	index_remove(&log->index, lowest->hash, slot);
	group_fini(lowest, log->stack);
	settle(log, slot, newcomer, keeping);
	heap_replace_min(&log->heap, lowest->entry.lost_ns);
}

/* Adds a group; does not add to the totals by cause. */
static void keep(struct stmlog_timelog *log, const struct group *newcomer, enum keeping keeping)
{
	log->version++;
	if (log->capacity == 0 || (log->room == 0 && !grow(log))) {
		evict(log, newcomer);
		return;
	}
	struct group *known = timelog_group_find(log, newcomer);
	if (known != NULL) {
		group_merge(known, newcomer);
		uint32_t slot = (uint32_t)(known - log->groups);
		set_last(log, slot);
		heap_raise(&log->heap, slot, known->entry.lost_ns);
	} else if (log->len < log->room || grow(log)) {
		uint32_t slot = (uint32_t)log->len++;
		settle(log, slot, newcomer, keeping);
		heap_push(&log->heap, newcomer->entry.lost_ns, slot);
	} else {
		contend(log, newcomer, keeping);
	}
}

/* Large timelogs are not checked, because tests would take too long. */
#define is_large(log) ((log)->len > 32)

static void timelog_group_add(struct stmlog_timelog *log, const struct group *group, enum keeping keeping)
{
	const struct stmlog_cause *cause = &group->entry.cause;
	struct stmlog_cost cost = group_cost(group);
	cost.variance_ns2 = group->cause_variance_ns2;
	cost_add(&log->totals.by_cause[cause->reason][cause->contention], cost);
	log->totals.variance_ns2 += group->all_variance_ns2;
	log->totals.wasted.count += group->entry.wasted;
	log->totals.wasted.lost_ns += group->entry.wasted_ns;
	log->totals.undecided += group->entry.undecided;
	keep(log, group, keeping);
	ENSURES(is_large(log) || timelog_is_valid(log));
}

static void add_totals(struct stmlog_totals *totals, const struct stmlog_totals *more)
{
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			cost_add(&totals->by_cause[r][c], more->by_cause[r][c]);
	cost_add(&totals->evicted, more->evicted);
	totals->variance_ns2 += more->variance_ns2;
	totals->wasted.count += more->wasted.count;
	totals->wasted.lost_ns += more->wasted.lost_ns;
	totals->undecided += more->undecided;
}

/* Adds the groups by rank, so that groups with equal lost_ns keep their order. */
static void merge(struct stmlog_timelog *log, struct stmlog_timelog *other, enum keeping keeping)
{
	const struct group *group;
	for (size_t rank = 0; (group = timelog_at(other, rank)) != NULL; rank++)
		keep(log, group, keeping);
	add_totals(&log->totals, &other->totals);
	log->version++;
	ENSURES(is_large(log) || timelog_is_valid(log));
}

void timelog_add(struct stmlog_timelog *log, const struct group *group)
{
	timelog_group_add(log, group, BY_REFERENCE);
}

void timelog_add_loss(struct stmlog_timelog *log, const struct measured_loss *measured)
{
	struct group group;
	struct cascade cascade = {.len = 0};
	group_init(&group, measured, NULL);
	cascade_add(&cascade, &group.entry, measured->culprit, measured->lost_ns);
	cascade_close(&cascade, &group.entry);
	timelog_group_add(log, &group, BY_REFERENCE);
	group_fini(&group, log->stack);
}

/* Has the same effect as group_init(), timelog_group_add() and group_merge() for such a loss. */
void timelog_add_to_last(struct stmlog_timelog *log, const struct measured_loss *measured)
{
	const struct stmlog_cause *cause = &measured->loss->cause;
	struct group *group = &log->groups[log->last];
	REQUIRES(timelog_last(log) != NULL && measured->weight.extra == 0);
	struct stmlog_cost *total = &log->totals.by_cause[cause->reason][cause->contention];
	total->count++;
	total->lost_ns += measured->lost_ns;
	total->estimated_ns += (double)(int64_t)measured->lost_ns;
	group_add_loss(group, measured, 0);
	log->version++;
	heap_raise(&log->heap, log->last, group->entry.lost_ns);
	ENSURES(is_large(log) || timelog_is_valid(log));
}

void timelog_merge(struct stmlog_timelog *log, struct stmlog_timelog *other)
{
	merge(log, other, BY_REFERENCE);
}

void timelog_add_foreign(struct stmlog_timelog *log, const struct group *group)
{
	timelog_group_add(log, group, BY_CLONE);
}

void timelog_merge_foreign(struct stmlog_timelog *log, struct stmlog_timelog *other)
{
	timelog_arrange(other);
	merge(log, other, BY_CLONE);
}

struct stmlog_cost timelog_recorded(const struct stmlog_timelog *log)
{
	struct stmlog_cost sum = {.count = 0};
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			cost_add(&sum, log->totals.by_cause[r][c]);
	sum.variance_ns2 = log->totals.variance_ns2;
	return sum;
}

/* Whether two sums of the same numbers are equal. The order of additions may differ. */
static bool about_equal(double a, double b)
{
	double difference = a > b ? a - b : b - a;
	return difference <= 1e-9 * (a + b);
}

bool timelog_is_valid(const struct stmlog_timelog *log)
{
	struct stmlog_cost kept = log->totals.evicted, recorded = timelog_recorded(log);
	if (log->len > log->room || log->room > log->capacity || !heap_is_valid(&log->heap) ||
		heap_len(&log->heap) != log->len)
		return false;
	for (size_t i = 0; i < log->len; i++) {
		const struct group *group = &log->groups[i];
		if (group->entry.count == 0 || timelog_group_find(log, group) != group)
			return false;
		cost_add(&kept, group_cost(group));
	}
	return kept.count == recorded.count && kept.lost_ns == recorded.lost_ns &&
	       about_equal(kept.estimated_ns, recorded.estimated_ns) &&
	       kept.variance_ns2 <= recorded.variance_ns2 * (1 + 1e-9);
}

/* ---- its groups in order ----
 *
 * They are sorted by lost_ns, by a heap sort, which needs no memory. (qsort() may call malloc(), which a
 * report in a signal handler must not.) The order is total, because no two groups have equal `admitted`. So it does not
 * matter that a heap sort is not stable.
 *
 * Each step of a heap sort reads two groups at random addresses. So where memory may be allocated, many groups are
 * sorted by timelog_arrange(), which reads them in the order of their addresses. The result is the same. */

/* Fewer groups than these fit into the processor's caches. */
enum { MANY = 4096 };

static bool comes_first(const struct group *a, const struct group *b)
{
	if (a->entry.lost_ns != b->entry.lost_ns)
		return a->entry.lost_ns > b->entry.lost_ns;
	return a->admitted < b->admitted;
}

/* Restores the heap, in which no child comes later than its parent: only the element `at` may come too early. */
static void sift(uint32_t *order, const struct group *groups, size_t at, size_t len)
{
	uint32_t moving = order[at];
	for (size_t child; (child = 2 * at + 1) < len; at = child) {
		if (child + 1 < len && comes_first(&groups[order[child]], &groups[order[child + 1]]))
			child++;
		if (!comes_first(&groups[moving], &groups[order[child]]))
			break;
		order[at] = order[child];
	}
	order[at] = moving;
}

static void sort_order(uint32_t *order, const struct group *groups, size_t len)
{
	for (size_t i = 0; i < len; i++)
		order[i] = (uint32_t)i;
	for (size_t i = len / 2; i-- > 0;)
		sift(order, groups, i, len);
	for (size_t end = len; end-- > 1;) {
		uint32_t last = order[0];
		order[0] = order[end];
		order[end] = last;
		sift(order, groups, 0, end);
	}
}

static struct radix_item *sort_items(
	const struct group *groups, size_t len, struct radix_item *items, struct radix_item *spare)
{
	for (size_t i = 0; i < len; i++)
		items[i] = (struct radix_item){groups[i].admitted, i};
	struct radix_item *sorted = radix_sort(items, spare, len);
	for (size_t i = 0; i < len; i++)
		sorted[i].number = UINT64_MAX - groups[sorted[i].at].entry.lost_ns;
	return radix_sort(sorted, sorted == items ? spare : items, len);
}

void timelog_arrange(struct stmlog_timelog *log)
{
	size_t size = 2 * log->len * sizeof(struct radix_item);
	if (log->len < MANY || log->order_version == log->version)
		return;
	int saved = errno;
	struct radix_item *items = mem_alloc(size);
	errno = saved;
	if (items == NULL)
		return; /* timelog_at() sorts the groups */
	const struct radix_item *sorted = sort_items(log->groups, log->len, items, items + log->len);
	for (size_t i = 0; i < log->len; i++)
		log->order[i] = (uint32_t)sorted[i].at;
	log->order_version = log->version;
	mem_free(items, size);
}

const struct group *timelog_at(struct stmlog_timelog *log, size_t rank)
{
	if (rank >= log->len)
		return NULL;
	if (log->order_version != log->version) {
		sort_order(log->order, log->groups, log->len);
		log->order_version = log->version;
	}
	return &log->groups[log->order[rank]];
}
