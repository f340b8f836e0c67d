/* SPDX-License-Identifier: MIT
 * Adds up entries of the same key, as the library does with groups (stmlog/timelogs/group.c). */
#include <string.h>

#include "merge_parts.h"

struct key {
	uint32_t reason, contention, detail, local, remote;
};

static struct stmlog_entry_record begin(const struct key *key, const struct stmlog_entry_record *from)
{
	return (struct stmlog_entry_record){
		.reason = key->reason,
		.contention = key->contention,
		.detail = key->detail,
		.local = key->local,
		.remote = key->remote,
		.grade = from->grade,
		.local_thread = from->local_thread,
		.remote_thread = from->remote_thread,
		.longest_ns = from->longest_ns,
		.shortest_ns = from->shortest_ns,
	};
}

static void add_extremes(struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
{
	if (from->grade < into->grade)
		into->grade = from->grade;
	if (from->shortest_ns < into->shortest_ns)
		into->shortest_ns = from->shortest_ns;
	if (from->longest_ns > into->longest_ns) {
		into->longest_ns = from->longest_ns;
		into->local_thread = from->local_thread;
		into->remote_thread = from->remote_thread;
	}
}

static void add(struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
{
	into->count += from->count;
	into->lost_ns += from->lost_ns;
	into->overstated_ns += from->overstated_ns;
	into->certain += from->certain;
	into->false_conflicts += from->false_conflicts;
	into->false_aliases += from->false_aliases;
	into->wasted += from->wasted;
	into->wasted_ns += from->wasted_ns;
	into->undecided += from->undecided;
	into->estimated_ns += from->estimated_ns;
	into->variance_ns2 += from->variance_ns2;
	into->descheduled_ns += from->descheduled_ns;
	add_extremes(into, from);
}

static void add_times(struct stmlog_entry_record *into, uint64_t first_ns, uint64_t last_ns, bool is_new)
{
	if (is_new || merge_is_earlier(first_ns, into->first_ns))
		into->first_ns = first_ns;
	if (is_new || merge_is_earlier(into->last_ns, last_ns))
		into->last_ns = last_ns;
}

static void merge_entry(struct merge_map *map, const struct stmlog_entry_record *from)
{
	const struct key key = {from->reason, from->contention, merge_string(map, from->detail),
		merge_traceback(map, from->local), merge_traceback(map, from->remote)};
	bool is_new;
	struct stmlog_entry_record *into = keyed_find(&map->merge->entries, &key, sizeof key, &is_new);
	uint32_t site = merge_site(map, from->site);
	if (is_new) {
		*into = begin(&key, from);
		into->site = site;
	}
	into->site = into->site == site ? site : STMLOG_NO_SITE;
	add(into, from);
	add_times(into, merge_time(map->recording, from->first_ns), merge_time(map->recording, from->last_ns), is_new);
	merge_objects(map, into, from);
}

void merge_entries(struct merge_map *map)
{
	for (size_t i = 0; i < map->recording->entry_count; i++)
		merge_entry(map, &map->recording->entries[i]);
}
