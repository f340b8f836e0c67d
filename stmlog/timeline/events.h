/* SPDX-License-Identifier: MIT
 * The rules of events (events.def), and the spans about tasks that the rules let nest. */
#ifndef STMLOG_EVENTS_H
#define STMLOG_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/timeline.h>

/* ---- rules: the table as an array, for kinds that exist; for other numbers there is stmlog_event_rule_of() ---- */

/* By kind. The last element is for numbers that are no kind. */
extern const struct stmlog_event_rule event_rules[STMLOG_EVENT_KINDS + 1];

/* The highest `detail` of events about a task of this kind. Requires stmlog_event_has_value(kind). */
unsigned event_detail_max(unsigned kind);

/* ---- a nest: the spans about tasks that are open on one thread ----
 *
 * They are the spans of the rows TASKS and TOUCHES (events.def). They nest within their row: the span that was opened
 * last in a row is closed first. Spans of different rows may overlap, since a task may be resumed before a touch is
 * over.
 */

struct task_nest_span {
	uint64_t task;
	enum stmlog_span span;
	enum stmlog_row row;
};

/* A zeroed nest is empty. Invariants: the spans of each row are in the order in which they were opened; the spans
 * beyond the memory are within those in `spans`. */
struct task_nest {
	struct task_nest_span *spans;
	size_t len, cap;
	size_t beyond; /* spans that are open, and for which there was no memory */
};

enum task_nest_answer {
	TASK_NEST_FITS,      /* the span is opened or closed; the next three answers leave the nest as it was */
	TASK_NEST_IN_ITSELF, /* work begins directly within work, or a block within a block */
	TASK_NEST_SHUT,      /* no span is open in the row */
	TASK_NEST_ANOTHER,   /* the innermost span of the row is another kind of span, or about another task */
	TASK_NEST_NO_MEMORY  /* the span is opened or closed, but is only counted */
};

/* Whether the event opens or closes a span of a nest. */
static inline bool task_nest_has(const struct stmlog_event_rule *rule)
{
	return rule->row == STMLOG_ROW_TASKS || rule->row == STMLOG_ROW_TOUCHES;
}

/* Opens or closes the span of the event. Requires task_nest_has(rule). Allocates memory when the nest becomes deeper
 * than before. */
enum task_nest_answer task_nest_apply(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task);

/* Forgets all spans, and keeps the memory. */
static inline void task_nest_clear(struct task_nest *nest)
{
	nest->len = nest->beyond = 0;
}

void task_nest_fini(struct task_nest *nest);

#endif
