/* SPDX-License-Identifier: MIT
 * The table of events (events.def) as an array, for kinds that are known to exist. For others there is
 * stmlog_event_rule_of().
 */
#ifndef STMLOG_EVENTS_H
#define STMLOG_EVENTS_H

#include <stmlog/timeline.h>

/* By kind. The last element is for numbers that are no kind. */
extern const struct stmlog_event_rule event_rules[STMLOG_EVENT_KINDS + 1];

/* The highest `detail` of events about a task of this kind. Requires stmlog_event_has_value(kind). */
unsigned event_detail_max(unsigned kind);

#endif
