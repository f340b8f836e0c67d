/* SPDX-License-Identifier: MIT
 * The calling contexts of a recording: a tree of functions, from the outside in, with the time of each. Recursion is
 * folded (stmlog/profile.h). Inlined functions have frames of their own. Addresses of one name and line are one frame.
 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "symbol.h"

#define CONTEXTS_NONE SIZE_MAX

/* Counts and times are without those of the contexts below. If only some transactions were measured, times are
 * estimates for all, counts are those of the measured ones. */
struct context {
	size_t parent;                    /* CONTEXTS_NONE: of the root and the overflow */
	const struct symbol_frame *frame; /* NULL: likewise; borrowed from the symbols */
	size_t frame_id;                  /* below contexts.frame_count; equal frames have equal ones */
	uint64_t calls;                   /* commits, aborts, pauses and waits */
	uint64_t aborted_ns;
	uint64_t paused_ns;
	uint64_t waiting_ns;
	uint64_t committed_ns;
	size_t first_cycle; /* in contexts.cycles; CONTEXTS_NONE: no recursion has led back to this context */
};

/* Recursion that was folded: the last `len` functions of a context's path were called again, in their order. */
struct context_cycle {
	size_t len;
	size_t next; /* the next cycle of the context; CONTEXTS_NONE: there is none */
};

/* A parent comes before its children. The first context is the root, which also has the time without a traceback. The
 * last is the overflow: time for whose context there was no room, when it was recorded or here. The sums over all
 * contexts are those of the recording's paths; in a file without paths, those of its losses, with all committed time at
 * the root. */
struct contexts {
	struct context *at;
	size_t len; /* at least 2 */
	size_t cap;
	size_t frame_count;
	struct context_cycle *cycles;
	size_t cycle_count, cycle_cap;
};

/* Ends the command if there is no memory. */
struct contexts contexts_init(const struct recording *recording, struct symbols *symbols);
void contexts_fini(struct contexts *contexts);

/* All of a context's time, and all that was lost. Saturated. */
uint64_t context_time_ns(const struct context *context);
uint64_t context_lost_ns(const struct context *context);

/* The context of the caller; CONTEXTS_NONE: there is none. The root is nobody's caller. */
static inline size_t contexts_caller(const struct contexts *contexts, size_t context)
{
	size_t parent = contexts->at[context].parent;
	return parent != 0 ? parent : CONTEXTS_NONE;
}

/* "(root)" or "(overflow)"; NULL for contexts that have a frame. */
const char *contexts_fixed_name(const struct contexts *contexts, size_t context);

#endif
