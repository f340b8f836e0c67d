/* SPDX-License-Identifier: MIT
 * Hashes eight bytes at a time by a multiplication, of whose 128 bits each depends on the bytes or on the random
 * number.
 */
#include "hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "memory.h"

static uint64_t seed(void)
{
	static uint64_t chosen;
	static bool is_chosen;
	if (!is_chosen && getrandom(&chosen, sizeof chosen, GRND_NONBLOCK) < 0)
		chosen = (uintptr_t)&chosen;
	is_chosen = true;
	return chosen;
}

static uint64_t mix(uint64_t hash, uint64_t more, uint64_t factor)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ more) * (factor | 1);
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_of(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t random = seed(), hash = random + len, word;
	for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = mix(hash, word, random ^ 0x9e3779b97f4a7c15u);
	}
	word = 0;
	memcpy(&word, at, len);
	return mix(mix(hash, word, random ^ 0x9e3779b97f4a7c15u), random, 0xd6e8feb86659fd93u);
}

/* ---- slots ---- */

static void widen(struct hash_slots *slots, size_t len)
{
	struct hash_slots before = *slots;
	*slots = (struct hash_slots){memory_zeroed(len, sizeof *slots->at), len};
	for (size_t i = 0; i < before.len; i++) {
		size_t at = before.at[i].hash & (len - 1);
		if (before.at[i].number_plus_1 == 0)
			continue;
		while (slots->at[at].number_plus_1 != 0)
			at = (at + 1) & (len - 1);
		slots->at[at] = before.at[i];
	}
	free(before.at);
}

void hash_slots_reserve(struct hash_slots *slots, size_t count)
{
	size_t len = slots->len != 0 ? slots->len : 64;
	while (4 * count > 3 * len)
		len *= 2;
	if (len != slots->len)
		widen(slots, len);
}

void hash_slots_fini(struct hash_slots *slots)
{
	free(slots->at);
	*slots = (struct hash_slots){NULL, 0};
}
