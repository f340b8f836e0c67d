/* SPDX-License-Identifier: MIT
 * The rule by which profiles fold repetition, as <stmlog/profile.h> states it, in its simplest form. */
#ifndef PROFILE_MODEL_H
#define PROFILE_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 60 };

/* A path in the tree: its sites, outermost first. model_enter() requires len <= LONGEST. */
struct word {
	uint32_t sites[LONGEST + 1];
	size_t len;
};

/* The model: the site is appended; of the shortest piece that stands twice at the end, one is taken away. */
static inline void model_enter(struct word *word, uint32_t site)
{
	word->sites[word->len++] = site;
	for (size_t p = 1; 2 * p <= word->len; p++) {
		const uint32_t *piece = &word->sites[word->len - p];
		if (memcmp(piece, piece - p, p * sizeof *piece) == 0) {
			word->len -= p;
			return;
		}
	}
}

#endif
