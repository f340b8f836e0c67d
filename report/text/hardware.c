/* SPDX-License-Identifier: MIT
 * Reads the counts from INFO, and the places from the entries of aborted hardware transactions. */
#include "hardware.h"

#include <string.h>

#include "cause.h"
#include "report_memory.h"
#include "sort.h"

struct hardware hardware_of(const struct recording_info *info)
{
	if (info->hardware_attempts == RECORDING_UNSAID)
		return (struct hardware){.is_known = false};
	return (struct hardware){
		.is_known = true,
		.attempts = info->hardware_attempts,
		.aborts = info->hardware_aborts,
		.causes =
			{
#define STMLOG_INFO_HARDWARE(word, name, doc) {#word, name, info->hardware_##word},
#include <stmlog/info.def>
			},
		.fallbacks = info->hardware_fallbacks,
	};
}

/* ---- places of lazy binding ---- */

/* The index of the cause with this word; HARDWARE_CAUSES if there is none. */
static unsigned cause_of(const struct hardware *hardware, const char *word)
{
	unsigned cause = 0;
	while (cause < HARDWARE_CAUSES && strcmp(hardware->causes[cause].word, word) != 0)
		cause++;
	return cause;
}

/* Sorts by place. Entries of one place stay in the order of the file. */
static uint64_t place_number(const void *place, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return ((const struct lazy_place *)place)->place;
}

/* Sorts by the number of unfriendly aborts, the largest first. */
static uint64_t unfriendly_number(const void *place, unsigned rank, const void *arg)
{
	const struct lazy_place *own = place;
	(void)arg;
	return rank == 0 ? UINT64_MAX - own->unfriendly : own->place;
}

/* Makes a lazy_place for each entry of a hardware transaction that aborted in a lazily bound module. */
static void add_entries(
	struct lazy_places *lazy, const struct recording *recording, struct symbols *symbols, struct places *places)
{
	struct hardware hardware = hardware_of(&recording->info);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct recording_traceback where = recording_traceback(recording, entry->local);
		unsigned cause = cause_of(&hardware, recording_string(recording, entry->detail));
		if (!cause_is_abort(entry->reason) || cause == HARDWARE_CAUSES || where.len == 0 ||
			!symbols_is_bound_lazily(symbols, where.sites[0]))
			continue;
		lazy->at[lazy->len++] = (struct lazy_place){
			.place = places_innermost(places, entry->local),
			.entry = (uint32_t)i,
			.aborts = entry->count,
			.unfriendly = cause == HARDWARE_HTM_UNFRIENDLY ? entry->count : 0,
		};
	}
}

static void join_places(struct lazy_places *lazy)
{
	size_t len = 0;
	sort(lazy->at, lazy->len, sizeof *lazy->at, place_number, 1, NULL);
	for (size_t i = 0; i < lazy->len; i++) {
		if (len > 0 && lazy->at[len - 1].place == lazy->at[i].place) {
			lazy->at[len - 1].aborts += lazy->at[i].aborts;
			lazy->at[len - 1].unfriendly += lazy->at[i].unfriendly;
		} else {
			lazy->at[len++] = lazy->at[i];
		}
	}
	lazy->len = len;
}

static void drop_unlikely(struct lazy_places *lazy)
{
	size_t len = 0;
	for (size_t i = 0; i < lazy->len; i++) {
		const struct lazy_place *place = &lazy->at[i];
		if (place->aborts >= LAZY_MIN_ABORTS && place->unfriendly >= place->aborts - place->unfriendly)
			lazy->at[len++] = *place;
	}
	lazy->len = len;
}

struct lazy_places lazy_places_of(const struct recording *recording, struct symbols *symbols, struct places *places)
{
	struct lazy_places lazy = {.len = 0};
	if (recording->info.bind_now != 0 || !hardware_of(&recording->info).is_known)
		return lazy;
	lazy.at = memory_zeroed(recording->entry_count, sizeof *lazy.at);
	add_entries(&lazy, recording, symbols, places);
	join_places(&lazy);
	drop_unlikely(&lazy);
	sort(lazy.at, lazy.len, sizeof *lazy.at, unfriendly_number, 2, NULL);
	return lazy;
}

void lazy_places_fini(struct lazy_places *lazy)
{
	memory_free(lazy->at);
	*lazy = (struct lazy_places){.len = 0};
}
