/* SPDX-License-Identifier: MIT
 * Names are found again in search trees: the first site or traceback of a name stands for all others. */
#include "place.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* A node of either tree. The C library's comparison knows nothing but the two nodes. */
struct name {
	struct places *places;
	uint32_t number; /* a site; or a traceback */
};

/* Invariant: site_place[i] == 0 <=> site i was not asked for; traceback_first[i] == 0 likewise. */
struct places {
	const struct recording *recording;
	struct symbols *symbols;
	void *site_tree;
	void *traceback_tree;
	uint32_t *site_place;
	uint32_t *traceback_first;
};

struct places *places_create(const struct recording *recording, struct symbols *symbols)
{
	struct places *places = memory_zeroed(1, sizeof *places);
	places->recording = recording;
	places->symbols = symbols;
	places->site_place = memory_zeroed(recording->site_count, sizeof *places->site_place);
	places->traceback_first = memory_zeroed(recording->traceback_count, sizeof *places->traceback_first);
	return places;
}

void places_destroy(struct places **places)
{
	if (*places == NULL)
		return;
	tdestroy((*places)->site_tree, free);
	tdestroy((*places)->traceback_tree, free);
	free((*places)->site_place);
	free((*places)->traceback_first);
	free(*places);
	*places = NULL;
}

/* ---- names compared ---- */

static int order(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

/* NULL, "not known", comes first. */
static int compare_texts(const char *left, const char *right)
{
	if (left == NULL || right == NULL)
		return order(left != NULL, right != NULL);
	return strcmp(left, right);
}

/* By function and line; a frame that has no function is called by its module and offset. */
static int compare_frames(const struct symbol_frame *left, const struct symbol_frame *right)
{
	int result = compare_texts(left->function, right->function);
	if (result == 0)
		result = compare_texts(left->file, right->file);
	if (result == 0)
		result = order(left->line, right->line);
	if (result == 0 && left->function == NULL)
		result = compare_texts(left->module, right->module);
	if (result == 0 && left->function == NULL)
		result = order(left->offset, right->offset);
	return result;
}

static const struct symbol_site *site_of(const struct places *places, uint32_t site)
{
	return symbols_site(places->symbols, site);
}

static int compare_innermost(const void *a, const void *b)
{
	const struct name *left = a, *right = b;
	const struct places *places = left->places;
	return compare_frames(site_of(places, left->number)->frames, site_of(places, right->number)->frames);
}

static int compare_sites(const struct places *places, uint32_t left_site, uint32_t right_site)
{
	if (left_site == right_site)
		return 0;
	const struct symbol_site *left = site_of(places, left_site), *right = site_of(places, right_site);
	int result = order(left->len, right->len);
	for (size_t i = 0; i < left->len && result == 0; i++)
		result = compare_frames(&left->frames[i], &right->frames[i]);
	return result;
}

static int compare_tracebacks(const void *a, const void *b)
{
	const struct name *one = a, *other = b;
	const struct places *places = one->places;
	struct recording_traceback left = recording_traceback(places->recording, one->number);
	struct recording_traceback right = recording_traceback(places->recording, other->number);
	int result = order(left.len, right.len);
	if (result == 0)
		result = order(left.is_cut, right.is_cut);
	for (size_t i = 0; i < left.len && result == 0; i++)
		result = compare_sites(places, left.sites[i], right.sites[i]);
	return result;
}

/* The number of the first that was asked for under this name. */
static uint32_t first_of_name(
	struct places *places, void **tree, uint32_t number, int (*compare)(const void *, const void *))
{
	struct name *name = memory_zeroed(1, sizeof *name);
	*name = (struct name){places, number};
	struct name **found = tsearch(name, tree, compare);
	uint32_t first = found != NULL ? (*found)->number : number;
	if (found == NULL || *found != name)
		free(name);
	return first;
}

/* ---- what is asked ---- */

uint32_t places_site(struct places *places, uint32_t site)
{
	uint32_t *place = &places->site_place[site];
	if (*place == 0)
		*place = PLACE_FIRST + first_of_name(places, &places->site_tree, site, compare_innermost);
	return *place;
}

uint32_t places_innermost(struct places *places, uint32_t traceback)
{
	struct recording_traceback view = recording_traceback(places->recording, traceback);
	if (view.len == 0)
		return view.is_known ? PLACE_NO_FRAMES : PLACE_UNKNOWN;
	return places_site(places, view.sites[0]);
}

const struct symbol_frame *places_frame(const struct places *places, uint32_t place)
{
	return place >= PLACE_FIRST ? site_of(places, place - PLACE_FIRST)->frames : NULL;
}

const char *place_fixed_name(uint32_t place)
{
	static const char *const names[PLACE_FIRST] = {"unknown", "(no frames)"};
	return place < PLACE_FIRST ? names[place] : NULL;
}

uint32_t places_traceback(struct places *places, uint32_t traceback)
{
	if (traceback < 2)
		return traceback;
	uint32_t *first = &places->traceback_first[traceback - 2];
	if (*first == 0)
		*first = first_of_name(places, &places->traceback_tree, traceback, compare_tracebacks);
	return *first;
}
