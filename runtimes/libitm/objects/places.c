/* SPDX-License-Identifier: MIT
 * An open hash table that only grows. Pages of it that are never touched take no memory. */
#include "places.h"

#include <stddef.h>

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
