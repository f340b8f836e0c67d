/* SPDX-License-Identifier: MIT
 * The usual options of a comparison, and what is printed of one. */
#ifndef USUAL_DIFF_H
#define USUAL_DIFF_H

#include "loaded.h"

#include "diff.h"
#include "made_runs.h"

enum { RUNS = 10 };

static const struct diff_options usual = {.metric = DIFF_LOST, .threshold = 0.1, .alpha = 0.05, .top = DIFF_TOP};

/* The output of `print`; the caller frees it. */
static inline char *printed(const struct diff *diff, void (*print)(const struct diff *diff, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	print(diff, out);
	fclose(out);
	return text;
}

#endif
