/* SPDX-License-Identifier: MIT
 * Losses as lines of text: the frames of the victim, outermost first, then "--" and the frames of the culprit,
 * innermost first; as in flame graphs that show who woke whom. A loss without another transaction has the victim's
 * frames only. */
#ifndef GLUE_H
#define GLUE_H

#include <stdio.h>

#include "loss.h"

struct glue {
	FILE *out;
	struct symbols *symbols;
	size_t site_count;
	char separator;
	/* Returns the text of a frame, which glue.c frees. Called once for each frame of a site. */
	char *(*text)(void *arg, const struct symbol_frame *frame);
	void *arg;
	/* Private; zeroed at first. */
	struct glue_site *sites;
	bool has_frame; /* in this line */
};

void glue_write(struct glue *glue, const struct loss *loss, bool with_culprit);
void glue_fini(struct glue *glue);

#endif
