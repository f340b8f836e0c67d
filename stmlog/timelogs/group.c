/* SPDX-License-Identifier: MIT
 * Makes, compares and merges groups: key, hash, sums and objects. pending.c and timelog.c decide which groups are
 * kept. */
#include "group.h"

#include <string.h>

#include "check.h"
#include "session.h"

/* ---- objects ----
 *
 * Adding an object and merging two entries are the same operation: add the counts of two sets, and then reduce all
 * counts by the (k+1)-th largest, so that at most k objects are left. */

struct object {
	uintptr_t address;
	uintptr_t other;
	uint64_t count;
};

struct object_set {
	struct object object[2 * STMLOG_OBJECTS];
	size_t len;
};

/* Adds to the set and keeps it in order. Requires: the set has room. */
static void object_put(struct object_set *set, uintptr_t address, uintptr_t other, uint64_t count)
{
	size_t at = 0;
	while (at < set->len && (set->object[at].address != address || set->object[at].other != other))
		at++;
	REQUIRES(at < 2 * STMLOG_OBJECTS);
	if (at == set->len)
		set->object[set->len++] = (struct object){address, other, 0};
	struct object raised = {address, other, set->object[at].count + count};
	while (at > 0 && set->object[at - 1].count < raised.count) {
		set->object[at] = set->object[at - 1];
		at--;
	}
	set->object[at] = raised;
}

static void add_objects(struct object_set *set, const struct stmlog_entry *entry)
{
	for (size_t i = 0; i < STMLOG_OBJECTS && entry->objects[i].address != 0; i++)
		object_put(set, entry->objects[i].address, entry->objects[i].other, entry->objects[i].count);
}

static void store(struct object_set *set, struct stmlog_entry *entry)
{
	uint64_t cancelled = set->len > STMLOG_OBJECTS ? set->object[STMLOG_OBJECTS].count : 0;
	memset(entry->objects, 0, sizeof entry->objects);
	for (size_t i = 0; i < STMLOG_OBJECTS && i < set->len; i++) {
		entry->objects[i].address = set->object[i].address;
		entry->objects[i].other = set->object[i].other;
		entry->objects[i].count = set->object[i].count - cancelled;
	}
}

void objects_add(struct stmlog_entry *entry, uintptr_t address, uintptr_t other)
{
	if (address == 0)
		return;
	if (entry->objects[0].address == address &&
		entry->objects[0].other == other) { /* by far the most frequent case; the order does not change */
		entry->objects[0].count++;
		return;
	}
	struct object_set set = {.len = 0};
	add_objects(&set, entry);
	object_put(&set, address, other, 1);
	store(&set, entry);
}

/* Merges if the other entry has no object, or only the object that is the entry's most frequent already, so that the
 * order does not change. Returns whether it has merged. */
static bool merge_easily(struct stmlog_entry *entry, const struct stmlog_entry *other)
{
	if (other->objects[0].address == 0)
		return true;
	if (other->objects[1].address != 0 || other->objects[0].address != entry->objects[0].address ||
		other->objects[0].other != entry->objects[0].other)
		return false;
	entry->objects[0].count += other->objects[0].count;
	return true;
}

void objects_merge(struct stmlog_entry *entry, const struct stmlog_entry *other)
{
	if (merge_easily(entry, other))
		return;
	struct object_set set = {.len = 0};
	add_objects(&set, entry);
	add_objects(&set, other);
	store(&set, entry);
}

/* ---- groups ---- */

static bool same_cause(const struct stmlog_cause *a, const struct stmlog_cause *b)
{
	if (a->reason != b->reason || a->contention != b->contention)
		return false;
	if (a->detail == b->detail)
		return true;
	/* Equal words may have different addresses, one for each source file that uses them. */
	return a->detail != NULL && b->detail != NULL && strcmp(words_text(a->detail), words_text(b->detail)) == 0;
}

/* The remote traceback of a key, in either form. */
struct remote {
	const struct tb_frame *traceback;
	const struct tb_copy *copy; /* instead of `traceback`, if not NULL */
};

static struct remote remote_of(const struct group *group)
{
	return (struct remote){group->entry.remote, group->remote_copy};
}

static bool same_remote(struct remote a, struct remote b)
{
	if (a.copy != NULL && b.copy != NULL)
		return a.copy == b.copy || tb_copies_are_equal(a.copy, b.copy);
	if (a.copy != NULL)
		return tb_copy_equal(a.copy, b.traceback);
	if (b.copy != NULL)
		return tb_copy_equal(b.copy, a.traceback);
	return tb_equal(a.traceback, b.traceback);
}

/* Leaves out the detail: equal details may have different addresses, and few keys differ in the detail alone. */
static uint64_t key_hash(const struct stmlog_cause *cause, const struct tb_frame *local, struct remote remote)
{
	uint64_t remote_hash = remote.copy != NULL ? tb_copy_hash(remote.copy) : tb_hash(remote.traceback);
	uint64_t hash = tb_hash(local) * 0x9e3779b97f4a7c15u + remote_hash;
	hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
	return hash ^ ((uint64_t)cause->reason << 8 | (uint64_t)cause->contention);
}

/* Clears member by member, because gcc compiles an initialiser, and a memset(), to one instruction (rep stos) that
 * takes 12 ns. */
static void clear_entry(struct stmlog_entry *entry)
{
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) entry->name = STMLOG_FIGURE_NONE_##MERGE;
#include <stmlog/figures.def>
	entry->local_thread = entry->remote_thread = 0;
	entry->green = entry->remote_green = 0;
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		entry->objects[i].address = entry->objects[i].other = 0;
		entry->objects[i].count = 0;
	}
}

/* Whether the loss has the key of `like`, as far as is cheap to see. Compares no long chains of frames, because
 * computing the hash would not take longer. */
static bool is_like(const struct group *like, const struct measured_loss *measured)
{
	const struct stmlog_loss *loss = measured->loss;
	if (measured->remote_copy == NULL)
		return group_has_same_frames(like, &loss->cause, loss->local, loss->remote, NULL);
	return like->entry.local == loss->local && group_has_key(like, measured);
}

void group_init(struct group *group, const struct measured_loss *measured, const struct group *like)
{
	const struct stmlog_loss *loss = measured->loss;
	struct tb_frame *remote = measured->remote_copy != NULL ? TB_UNKNOWN : loss->remote;
	clear_entry(&group->entry);
	words_intern(loss->cause.detail);
	group->entry.cause = loss->cause;
	group->entry.local = tb_ref(loss->local);
	group->entry.remote = tb_ref(remote);
	group->entry.grade = loss->grade;
	group->entry.first_ns = measured->at_ns;
	group->entry.site = measured->site;
	group->remote_copy = measured->remote_copy;
	group->cause_variance_ns2 = group->all_variance_ns2 = 0;
	group->admitted = 0;
	if (like != NULL && is_like(like, measured))
		group->hash = like->hash;
	else
		group->hash = key_hash(&loss->cause, loss->local, (struct remote){remote, measured->remote_copy});
	group_add_loss(group, measured, 0);
}

void group_add_weighted(struct group *group, const struct measured_loss *measured, uint64_t before_ns)
{
	const struct weight *weight = &measured->weight;
	group->entry.estimated_ns += weigh_ns(weight, measured->lost_ns);
	group->entry.variance_ns2 += weigh_variance(weight, before_ns, measured->lost_ns);
	group->cause_variance_ns2 += weigh_variance(weight, weight->of_cause_ns, measured->lost_ns);
	group->all_variance_ns2 += weigh_variance(weight, weight->of_all_ns, measured->lost_ns);
}

static void lower(uint64_t *figure, uint64_t max)
{
	if (*figure > max)
		*figure = max;
}

bool group_mend(struct group *group)
{
	struct stmlog_entry *entry = &group->entry;
	uint64_t left = entry->count;
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) \
	if (entry->name > entry->WHOLE)              \
		entry->name = entry->WHOLE;
#include <stmlog/figures.def>
	lower(&entry->undecided, entry->count - entry->wasted);
	lower(&entry->first_ns, entry->last_ns);
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		lower(&entry->objects[i].count, left);
		left -= entry->objects[i].count;
	}
	return entry->count != 0;
}

bool group_has_key(const struct group *group, const struct measured_loss *measured)
{
	const struct stmlog_entry *entry = &group->entry;
	const struct stmlog_loss *loss = measured->loss;
	return same_cause(&entry->cause, &loss->cause) && tb_equal(entry->local, loss->local) &&
	       same_remote(remote_of(group), (struct remote){loss->remote, measured->remote_copy});
}

void group_merge(struct group *group, const struct group *other)
{
	REQUIRES(group_same_key(group, other));
	struct stmlog_entry *into = &group->entry;
	const struct stmlog_entry *from = &other->entry;
	if (from->longest_ns > into->longest_ns) {
		into->local_thread = from->local_thread;
		into->remote_thread = from->remote_thread;
		into->green = from->green;
		into->remote_green = from->remote_green;
	}
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) into->name = STMLOG_FIGURE_##MERGE(into->name, from->name);
#include <stmlog/figures.def>
	group->cause_variance_ns2 += other->cause_variance_ns2;
	group->all_variance_ns2 += other->all_variance_ns2;
	if (from->first_ns < into->first_ns)
		into->first_ns = from->first_ns;
	if (from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	if (from->grade < into->grade)
		into->grade = from->grade;
	objects_merge(into, from);
}

bool group_same_key(const struct group *a, const struct group *b)
{
	return a->hash == b->hash && same_cause(&a->entry.cause, &b->entry.cause) &&
	       tb_equal(a->entry.local, b->entry.local) && same_remote(remote_of(a), remote_of(b));
}

void group_fini(struct group *group, struct tb_stack *stack)
{
	tb_unref(stack, group->entry.local);
	if (group->entry.remote != TB_UNKNOWN) /* mostly it is TB_UNKNOWN, and the call is saved */
		tb_unref(stack, group->entry.remote);
	group->entry.count = 0;
}
