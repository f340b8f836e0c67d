/* SPDX-License-Identifier: MIT
 * What `writer` holds as a recording, and its places. */
#ifndef PLACED_H
#define PLACED_H

#include "loaded.h"

#include <stmlog/read.h>

#include "random.h"

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static struct places *places;

/* Entries between few sites, some of one name, by tracebacks of random depth. */
static inline void write_random(struct random *random, uint32_t entries)
{
	uint32_t sites[8], tracebacks[20] = {0, 1};
	writer_init(&writer);
	for (uint32_t i = 0; i < 8; i++)
		sites[i] = writer_place(&writer, i % 2 != 0 ? "odd" : "even", "r.c", i / 3);
	for (uint32_t i = 2; i < 20; i++) {
		uint32_t frames[3];
		for (uint32_t k = 0; k < 3; k++)
			frames[k] = sites[random_below(random, 8)];
		tracebacks[i] = writer_traceback(&writer, frames, 1 + random_below(random, 3), i % 7 == 0 ? 1 : 0);
	}
	for (uint32_t i = 0; i < entries; i++) {
		uint64_t lost_ns = random_below(random, 1000);
		struct stmlog_entry_record entry = {
			.contention = random_below(random, STMLOG_CONTENTIONS),
			.local = tracebacks[random_below(random, 20)],
			.remote = tracebacks[random_below(random, 20)],
			.count = 1 + random_below(random, 5),
			.lost_ns = lost_ns,
			.longest_ns = lost_ns / 2,
			.wasted = random_below(random, 2),
			.wasted_ns = lost_ns / 3,
		};
		writer_entry(&writer, &entry);
	}
}

/* After this the writer is done. */
static inline void load(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	places = places_create(&recording, symbols);
}

static inline void unload(void)
{
	places_destroy(&places);
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

#endif
