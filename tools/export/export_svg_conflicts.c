/* SPDX-License-Identifier: MIT
 * The places and objects of the conflicts in the window. A conflict is counted once: at the abort or the wait that it
 * leads to. */
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "event.h"
#include "export_svg.h"
#include "hash.h"
#include "memory.h"

enum { KEYS_MAX = 1 << 16 };

struct tallied {
	uint64_t key, count;
};

/* Invariant: len <= KEYS_MAX. Conflicts of further keys are counted in `uncounted` only, so that memory does not grow
 * with the events. */
struct counter {
	struct hash_slots slots;
	struct tallied *keys;
	size_t len, cap;
	uint64_t uncounted, unknown;
};

struct wanted {
	const struct counter *counter;
	uint64_t key;
};

static bool is_same(const void *arg, size_t number)
{
	const struct wanted *wanted = arg;
	return wanted->counter->keys[number].key == wanted->key;
}

static void count(struct counter *counter, uint64_t key)
{
	uint32_t hash = (uint32_t)hash_of(&key, sizeof key);
	hash_slots_reserve(&counter->slots, counter->len + 1);
	struct hash_slot *slot = hash_slots_find(&counter->slots, hash, is_same, &(struct wanted){counter, key});
	if (slot->number_plus_1 == 0 && counter->len == KEYS_MAX) {
		counter->uncounted++;
		return;
	}
	if (slot->number_plus_1 == 0) {
		counter->keys = memory_grown(counter->keys, counter->len, &counter->cap, sizeof *counter->keys);
		counter->keys[counter->len++] = (struct tallied){key, 0};
		*slot = (struct hash_slot){hash, (uint32_t)counter->len};
	}
	counter->keys[slot->number_plus_1 - 1].count++;
}

static bool is_conflict(const struct svg *svg, const struct stmlog_event_record *event)
{
	bool costs = event->kind == STMLOG_EVENT_ABORT || event->kind == STMLOG_EVENT_WAIT_BEGIN;
	return costs && event->contention != STMLOG_NONE && svg_shows(&svg->scale, event->time_ns, event->time_ns);
}

/* ---- in order ---- */

static int by_name(const void *a, const void *b)
{
	const struct svg_conflict *left = a, *right = b;
	return strcmp(left->name, right->name);
}

static int by_count(const void *a, const void *b)
{
	const struct svg_conflict *left = a, *right = b;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int by_tallied(const void *a, const void *b)
{
	const struct tallied *left = a, *right = b;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->key < right->key ? -1 : left->key > right->key;
}

/* Several addresses of code may have one name. */
static void merge_names(struct svg_conflicts *conflicts)
{
	size_t len = 0;
	qsort(conflicts->rows, conflicts->len, sizeof *conflicts->rows, by_name);
	for (size_t i = 0; i < conflicts->len; i++) {
		struct svg_conflict *row = &conflicts->rows[i];
		if (len > 0 && strcmp(conflicts->rows[len - 1].name, row->name) == 0) {
			conflicts->rows[len - 1].count += row->count;
			free(row->name);
		} else {
			conflicts->rows[len++] = *row;
		}
	}
	conflicts->len = len;
}

static void cut_to_greatest(struct svg_conflicts *conflicts)
{
	qsort(conflicts->rows, conflicts->len, sizeof *conflicts->rows, by_count);
	for (; conflicts->len > SVG_TOP_CONFLICTS; conflicts->len--) {
		conflicts->others++;
		conflicts->other_count += conflicts->rows[conflicts->len - 1].count;
		free(conflicts->rows[conflicts->len - 1].name);
	}
}

/* Looks up names for the `max` most frequent keys. */
static struct svg_conflicts in_order(
	const struct svg *svg, struct counter *counter, size_t max, char *name(const struct svg *svg, uint64_t key))
{
	struct svg_conflicts conflicts = {.uncounted = counter->uncounted, .unknown = counter->unknown};
	if (counter->len > 0)
		qsort(counter->keys, counter->len, sizeof *counter->keys, by_tallied);
	conflicts.rows = memory_zeroed(counter->len, sizeof *conflicts.rows);
	for (size_t i = 0; i < counter->len; i++) {
		const struct tallied *tallied = &counter->keys[i];
		if (conflicts.len == max) {
			conflicts.others++;
			conflicts.other_count += tallied->count;
			continue;
		}
		conflicts.rows[conflicts.len++] = (struct svg_conflict){name(svg, tallied->key), tallied->count};
	}
	hash_slots_fini(&counter->slots);
	free(counter->keys);
	merge_names(&conflicts);
	cut_to_greatest(&conflicts);
	return conflicts;
}

void svg_conflicts_fini(struct svg_conflicts *conflicts)
{
	for (size_t i = 0; i < conflicts->len; i++)
		free(conflicts->rows[i].name);
	free(conflicts->rows);
	*conflicts = (struct svg_conflicts){0};
}

/* ---- places and objects ---- */

static char *site_name(const struct svg *svg, uint64_t key)
{
	const struct symbol_site *site = symbols_site(svg->export->symbols, (uint32_t)key);
	return report_frame(&svg->report, &site->frames[0]);
}

static bool site_of(const struct recording *recording, const struct stmlog_event_record *event, uint64_t *site)
{
	struct stmlog_place_record place = event_place(recording, event);
	struct recording_traceback traceback = recording_traceback(recording, place.traceback);
	if (traceback.len > 0)
		*site = traceback.sites[0];
	return traceback.len > 0;
}

static char *object_name(const struct svg *svg, uint64_t key)
{
	return report_object_name(&svg->report, key);
}

static bool object_of(const struct recording *recording, const struct stmlog_event_record *event, uint64_t *object)
{
	(void)recording;
	*object = event->argument;
	return event->argument != 0;
}

/* `key_of` returns false if the event does not have the key. */
static struct counter counted(const struct svg *svg,
	bool key_of(const struct recording *recording, const struct stmlog_event_record *event, uint64_t *key))
{
	const struct recording *recording = svg->export->recording;
	struct counter counter = {.len = 0};
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct stmlog_event_record *event = &recording->events[i];
		uint64_t key;
		if (!is_conflict(svg, event))
			continue;
		if (key_of(recording, event, &key))
			count(&counter, key);
		else
			counter.unknown++;
	}
	return counter;
}

struct svg_conflicts svg_conflicts_by_site(const struct svg *svg)
{
	struct counter counter = counted(svg, site_of);
	return in_order(svg, &counter, KEYS_MAX, site_name);
}

struct svg_conflicts svg_conflicts_by_object(const struct svg *svg)
{
	struct counter counter = counted(svg, object_of);
	return in_order(svg, &counter, SVG_TOP_CONFLICTS, object_name);
}
