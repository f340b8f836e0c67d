/* SPDX-License-Identifier: MIT
 *
 * Numbers for tests that try operations at random: the same ones in each run (splitmix64). */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 to limit - 1. Requires: limit > 0. */
static inline uint32_t random_below(struct random *random, uint32_t limit)
{
	return (uint32_t)(random_next(random) % limit);
}

#endif
