/* SPDX-License-Identifier: MIT
 * How long transactions were blocked after a retry, by the places where they begin: sites with the same name are one
 * row. */
#ifndef BLOCKED_H
#define BLOCKED_H

#include "place.h"

struct blocked_row {
	uint32_t place;
	struct stmlog_blocked_record record;
};

/* The rows, the longest time first. */
struct blocked {
	struct blocked_row *rows;
	size_t len;
};

struct blocked blocked_make(const struct recording *recording, struct places *places);
void blocked_fini(struct blocked *blocked);

#endif
