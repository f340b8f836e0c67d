/* SPDX-License-Identifier: MIT
 * Losses by line of source: for each function that lost, or because of which others lost, its lines and what each has
 * lost, as the innermost frame of a victim, and what others have lost to it, as the innermost frame of a culprit. The
 * line where a transaction begins has besides what the transaction lost, and what others lost to it, at whatever line.
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include <stddef.h>
#include <stdint.h>

#include "estimate.h"
#include "printer.h"
#include "recording.h"
#include "symbol.h"

/* Of a victim, and of a culprit: of the line itself, and of the transactions that begin there. */
enum { ANNOTATE_LOST, ANNOTATE_LED, ANNOTATE_WHOLE_LOST, ANNOTATE_WHOLE_LED, ANNOTATE_ROLES };

struct annotate_line {
	uint32_t line, last_line; /* as in struct symbol_frame */
	struct tally_sum sums[ANNOTATE_ROLES];
};

/* Invariant: `lines` ascend, each once. Of those with equal `line`, one that is exact is the last. */
struct annotate_function {
	char *name;          /* of any bytes */
	char *path;          /* of the file; NULL: not known */
	uint32_t first_line; /* where the function begins; 0: not known */
	struct annotate_line *lines;
	size_t len, cap;
	struct tally_sum sums[ANNOTATE_ROLES];
};

struct annotate {
	const struct recording *recording;
	struct annotate_function *functions; /* the costliest first, by the largest of its sums */
	size_t len, cap;
	struct tally_sum unknown; /* lost where no frame is known */
};

struct annotate annotate_make(const struct recording *recording, struct symbols *symbols);
void annotate_drop(struct annotate *annotate);

/* Leaves only the functions whose name has the words in it, or matches them as an extended regular expression. */
void annotate_choose(struct annotate *annotate, const char *words);

/* ---- printing ---- */

struct annotate_options {
	size_t top;         /* so many functions */
	uint32_t context;   /* lines around those that have figures */
	const char *srcdir; /* where sources are looked for first; NULL: nowhere */
};

/* Lines are cut at the width of the printer; nothing is cut if that has none. */
void annotate_print(const struct annotate *annotate, const struct annotate_options *options, const struct printer *out);

#endif
