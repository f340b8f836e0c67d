/* SPDX-License-Identifier: MIT
 * Eight bytes at a time: a multiplication, of whose 128 bits each depends on the bytes or on the random number. */
#include "hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

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
