/* SPDX-License-Identifier: MIT
 * Translates references of one recording to those of the merge. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "merge_parts.h"
#include "sort.h"

enum { MAX_MODULES = 4096 };
#define NOT_YET UINT32_MAX

/* Modules that are moved keep their offset within the largest page. */
#define MODULE_ALIGN ((uint64_t)1 << 30)

/* ---- strings ---- */

uint32_t merge_text(struct merge *merge, const char *text)
{
	size_t number = unique_find(&merge->strings, text, strlen(text) + 1);
	return (uint32_t)merge->strings.at[number];
}

uint32_t merge_string(struct merge_map *map, uint32_t string)
{
	return string == 0 ? 0 : merge_text(map->merge, recording_string(map->recording, string));
}

/* ---- modules ---- */

static bool overlap(const struct stmlog_module_record *a, const struct stmlog_module_record *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Whether the record overlaps no other module of the merge. Compares all, unless a damaged file has an absurd number of
 * them. */
static bool is_free(const struct merge *merge, const struct stmlog_module_record *record)
{
	const struct merge_module *modules = merge->modules.records;
	size_t others = keyed_count(&merge->modules) - 1;
	if (others > MAX_MODULES)
		return false;
	for (size_t i = 0; i < others; i++) {
		if (overlap(&modules[i].record, record))
			return false;
	}
	return true;
}

/* Places the last module of the merge: where it lay, or above all others if another module is there. A module that is
 * not position-independent has to stay. */
static void place_module(struct merge *merge, struct merge_module *module)
{
	struct stmlog_module_record *record = &module->record;
	bool has_to_move = !is_free(merge, record);
	module->is_over_another = has_to_move && record->bias == 0;
	if (has_to_move && record->bias != 0) {
		uint64_t above = (merge->modules_end / MODULE_ALIGN + 1) * MODULE_ALIGN;
		uint64_t move = above - record->start / MODULE_ALIGN * MODULE_ALIGN;
		record->start += move;
		record->end += move;
		record->bias += move;
	}
	if (record->end > merge->modules_end)
		merge->modules_end = record->end;
}

/* The key of a build-id begins with a zero byte, so that it differs from the key of a path. */
static uint32_t add_module(struct merge_map *map, const struct stmlog_module_record *record)
{
	struct keyed *modules = &map->merge->modules;
	const char *path = recording_string(map->recording, record->path);
	uint8_t id[1 + sizeof record->build_id] = {0};
	bool is_new;
	memcpy(id + 1, record->build_id, record->build_id_len);
	struct merge_module *module = record->build_id_len != 0
					      ? keyed_find(modules, id, 1 + record->build_id_len, &is_new)
					      : keyed_find(modules, path, strlen(path) + 1, &is_new);
	if (is_new) {
		module->record = *record;
		module->record.path = merge_text(map->merge, path);
		place_module(map->merge, module);
	}
	return (uint32_t)(module - (struct merge_module *)modules->records);
}

static const struct merge_module *module_at(const struct merge_map *map, uint32_t module)
{
	return (const struct merge_module *)map->merge->modules.records + map->modules[module];
}

static int by_start(const void *left, const void *right, void *arg)
{
	const struct recording *recording = arg;
	return sort_numbers(
		recording->modules[*(const uint32_t *)left].start, recording->modules[*(const uint32_t *)right].start);
}

static void order_modules(struct merge_map *map)
{
	struct recording *recording = (struct recording *)(uintptr_t)map->recording; /* qsort_r() knows no const */
	map->modules_by_start = memory_zeroed(recording->module_count, sizeof *map->modules_by_start);
	for (uint32_t i = 0; i < recording->module_count; i++)
		map->modules_by_start[i] = i;
	if (recording->module_count > 1)
		qsort_r(map->modules_by_start, recording->module_count, sizeof *map->modules_by_start, by_start,
			recording);
}

static uint64_t module_start(const void *array, size_t index)
{
	const struct merge_map *map = array;
	return map->recording->modules[map->modules_by_start[index]].start;
}

/* The last module that begins at or below the address; STMLOG_NO_MODULE: none. */
static uint32_t module_below(const struct merge_map *map, uint64_t address)
{
	size_t up_to = bisect(map, map->recording->module_count, address, module_start);
	return up_to > 0 ? map->modules_by_start[up_to - 1] : STMLOG_NO_MODULE;
}

uint64_t merge_object(struct merge_map *map, uint64_t address)
{
	uint32_t module = module_below(map, address);
	if (address == 0 || module == STMLOG_NO_MODULE || recording_block(map->recording, address) != NULL)
		return 0;
	const struct merge_module *merged = module_at(map, module);
	if (merged->is_over_another)
		return 0;
	return address - map->recording->modules[module].bias + merged->record.bias;
}

/* ---- sites ---- */

/* The address of code becomes its offset in the module. A named site has no position in its key: the position may
 * be an address in the memory of its run. Sites of the kinds STMLOG_SITE_PLACE and STMLOG_SITE_NAMED have no `code` in
 * their keys: pieces of code, and sites, have other numbers in each run. */
static struct stmlog_site_record site_key(struct merge_map *map, const struct stmlog_site_record *site)
{
	struct stmlog_site_record key = {.kind = site->kind, .module = STMLOG_NO_MODULE};
	bool is_named = site->function != 0 || site->file != 0;
	bool is_address = site->kind == STMLOG_SITE_ADDRESS || (site->kind == STMLOG_SITE_NAMED && !is_named);
	if (is_address && site->module != STMLOG_NO_MODULE) {
		key.module = map->modules[site->module];
		key.position = site->position - map->recording->modules[site->module].bias;
		return key;
	}
	key.function = merge_string(map, site->function);
	key.file = merge_string(map, site->file);
	key.line = site->line;
	key.last_line = site->last_line;
	key.code = site->kind == STMLOG_SITE_PLACE || site->kind == STMLOG_SITE_NAMED ? 0 : site->code;
	key.position = is_named ? 0 : site->position;
	return key;
}

uint32_t merge_site(struct merge_map *map, uint32_t site)
{
	if (site == STMLOG_NO_SITE || map->sites[site] != NOT_YET)
		return site == STMLOG_NO_SITE ? site : map->sites[site];
	struct stmlog_site_record key = site_key(map, &map->recording->sites[site]);
	map->sites[site] = (uint32_t)unique_find(&map->merge->sites, &key, sizeof key);
	return map->sites[site];
}

/* ---- tracebacks ---- */

/* Reference 0 means a traceback that is not known, 1 the empty one; traceback_at[0] is of reference 2. */
static const uint32_t *words_of(const struct merge_map *map, uint32_t traceback)
{
	return map->recording->traceback_words + map->recording->traceback_at[traceback - 2];
}

static bool is_untranslated(const struct merge_map *map, uint32_t traceback)
{
	return traceback >= 2 && map->tracebacks[traceback - 2] == NOT_YET;
}

void merge_traceback_prefetch(const struct merge_map *map, uint32_t traceback)
{
	if (traceback < 2)
		return;
	__builtin_prefetch(&map->tracebacks[traceback - 2]);
	__builtin_prefetch(&map->recording->traceback_at[traceback - 2]);
}

void merge_traceback_prefetch_sites(const struct merge_map *map, uint32_t traceback)
{
	if (is_untranslated(map, traceback))
		__builtin_prefetch(words_of(map, traceback));
}

/* With all frames, even where reports show fewer. */
struct merge_translation merge_traceback_begin(struct merge_map *map, uint32_t traceback)
{
	struct merge_translation translation = {.traceback = traceback, .at = map->words_len};
	if (!is_untranslated(map, traceback))
		return translation;
	const uint32_t *words = words_of(map, traceback);
	translation.len = 2 + (size_t)words[0];
	while (map->words_cap < map->words_len + translation.len)
		map->words = memory_grown(map->words, map->words_cap, &map->words_cap, sizeof *map->words);
	uint32_t *merged = map->words + translation.at;
	map->words_len += translation.len;
	merged[0] = words[0];
	merged[1] = words[1];
	for (size_t i = 2; i < translation.len; i++)
		merged[i] = merge_site(map, words[i]);
	translation.hash = unique_prefetch(&map->merge->tracebacks, merged, translation.len * sizeof *merged);
	return translation;
}

uint32_t merge_traceback_end(struct merge_map *map, const struct merge_translation *translation)
{
	uint32_t traceback = translation->traceback;
	if (translation->len != 0 && is_untranslated(map, traceback)) {
		size_t number = unique_find_prefetched(&map->merge->tracebacks, map->words + translation->at,
			translation->len * sizeof *map->words, translation->hash);
		map->tracebacks[traceback - 2] = (uint32_t)number + 2;
	}
	return traceback < 2 ? traceback : map->tracebacks[traceback - 2];
}

uint32_t merge_traceback(struct merge_map *map, uint32_t traceback)
{
	struct merge_translation translation = merge_traceback_begin(map, traceback);
	uint32_t merged = merge_traceback_end(map, &translation);
	merge_tracebacks_ended(map);
	return merged;
}

/* ---- the whole ---- */

/* Of all tracebacks. */
static size_t words_len(const struct recording *recording)
{
	if (recording->traceback_count == 0)
		return 0;
	size_t last = recording->traceback_at[recording->traceback_count - 1];
	return last + 2 + recording->traceback_words[last];
}

static uint32_t *untranslated(size_t count)
{
	uint32_t *numbers = memory_zeroed(count, sizeof *numbers);
	memset(numbers, 0xff, count * sizeof *numbers);
	return numbers;
}

void merge_map_init(struct merge_map *map, struct merge *merge, const struct recording *recording)
{
	*map = (struct merge_map){
		.merge = merge,
		.recording = recording,
		.modules = untranslated(recording->module_count),
		.sites = untranslated(recording->site_count),
		.tracebacks = untranslated(recording->traceback_count),
	};
	order_modules(map);
	for (size_t i = 0; i < recording->module_count; i++)
		map->modules[i] = add_module(map, &recording->modules[i]);
	unique_reserve(&merge->sites, recording->site_count, recording->site_count * sizeof *recording->sites);
	unique_reserve(&merge->tracebacks, recording->traceback_count,
		words_len(recording) * sizeof *recording->traceback_words);
}

void merge_map_fini(struct merge_map *map)
{
	free(map->modules);
	free(map->modules_by_start);
	free(map->sites);
	free(map->tracebacks);
	free(map->green);
	free(map->words);
}
