/* SPDX-License-Identifier: MIT
 * Losses as lists of frames in a line of text: the victim's outermost first, and behind "--" the culprit's innermost
 * first, as scripts that show who woke whom have it. A loss that nobody else had part in has the first part only. */
#ifndef GLUE_H
#define GLUE_H

#include <stdio.h>

#include "loss.h"

struct glue {
	FILE *out;
	struct symbols *symbols;
	size_t site_count;
	char separator;
	/* What stands for a frame; the caller of it frees it. Asked once for each frame of a site. */
	char *(*text)(void *arg, const struct symbol_frame *frame);
	void *arg;
	/* Below: the glue's own; zero at first. */
	struct glue_site *sites;
	bool has_frame; /* in this line */
};

void glue_write(struct glue *glue, const struct loss *loss, bool with_culprit);
void glue_fini(struct glue *glue);

#endif
