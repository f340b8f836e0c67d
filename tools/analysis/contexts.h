/* SPDX-License-Identifier: MIT
 * The calling contexts of a recording: where its time went, by path of functions from the outside in. Repetition is
 * folded (stmlog/profile.h), frames of inlined functions are frames, and addresses of one name and line are one. */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "symbol.h"

#define CONTEXTS_NONE SIZE_MAX

/* Counts and times are its own, without those of the contexts below it. Times are estimates where only some
 * transactions were measured, counts are never. */
struct context {
	size_t parent;                    /* CONTEXTS_NONE: of the root and the overflow */
	const struct symbol_frame *frame; /* NULL: likewise; borrowed from the symbols */
	uint64_t calls;                   /* commits, aborts, pauses and waits */
	uint64_t aborted_ns;
	uint64_t paused_ns;
	uint64_t waiting_ns;
	uint64_t committed_ns;
};

/* A parent comes before its children. The first one is the root, which also has what has no traceback; the last one
 * the overflow, perhaps of nothing: what found no room when it was recorded or here. The sums over all are what the
 * recording has: of its paths; in a file without them, of what was lost, and then what was committed is the root's. */
struct contexts {
	struct context *at;
	size_t len; /* at least 2 */
	size_t cap;
};

/* Ends the command without memory. */
struct contexts contexts_init(const struct recording *recording, struct symbols *symbols);
void contexts_fini(struct contexts *contexts);

/* "(root)" and "(overflow)"; NULL for those that have a frame. */
const char *contexts_fixed_name(const struct contexts *contexts, size_t context);

#endif
