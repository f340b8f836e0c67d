/* SPDX-License-Identifier: MIT
 * What `writer` holds as a recording, and its places. */
#ifndef PLACED_H
#define PLACED_H

#include "loaded.h"

#include "place.h"

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static struct places *places;

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
