/* SPDX-License-Identifier: MIT
 *
 * The spans about tasks that are open on one thread: the spans of the rows TASKS and TOUCHES (events.def). They nest
 * within their row: the span that was opened last in a row is closed first. Spans of different rows may overlap, since
 * a task may be resumed before a touch is over.
 */
#ifndef STMLOG_NEST_H
#define STMLOG_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/timeline.h>

struct nest_span {
	uint64_t task;
	enum stmlog_span span;
	enum stmlog_row row;
};

/* A zeroed nest is empty. Invariants: the spans of each row are in the order in which they were opened; the spans
 * beyond the memory are within those in `spans`. */
struct nest {
	struct nest_span *spans;
	size_t len, cap;
	size_t beyond; /* spans that are open, and for which there was no memory */
};

enum nest_answer {
	NEST_FITS,      /* the span is opened or closed; the next three answers leave the nest as it was */
	NEST_IN_ITSELF, /* work begins directly within work, or a block within a block */
	NEST_SHUT,      /* no span is open in the row */
	NEST_ANOTHER,   /* the innermost span of the row is another kind of span, or about another task */
	NEST_NO_MEMORY  /* the span is opened or closed, but is only counted */
};

/* Whether the event opens or closes a span of a nest. */
static inline bool nest_has(const struct stmlog_event_rule *rule)
{
	return rule->row == STMLOG_ROW_TASKS || rule->row == STMLOG_ROW_TOUCHES;
}

/* Opens or closes the span of the event. Requires nest_has(rule). Allocates memory when the nest becomes deeper than
 * before. */
enum nest_answer nest_apply(struct nest *nest, const struct stmlog_event_rule *rule, uint64_t task);

/* Forgets all spans, and keeps the memory. */
static inline void nest_clear(struct nest *nest)
{
	nest->len = nest->beyond = 0;
}

void nest_fini(struct nest *nest);

#endif
