/* SPDX-License-Identifier: MIT
 * Reading the events of a recording's timeline: which members of an event mean something, and their names. */
#ifndef EVENT_H
#define EVENT_H

#include <stmlog/timeline.h>

#include "recording.h"

/* Whether the spans of each thread fit together, as stmlog_timeline_check() says. If not, *fault tells why. */
bool event_timeline_check(const struct recording *recording, struct stmlog_timeline_fault *fault);

/* The name of the event's `detail`; NULL: events of this kind have none, or it is the usual one: work that any thread
 * could have begun, or the outcome of a task that was not cancelled and did not fail. */
const char *event_detail_name(const struct stmlog_event_record *event);

/* Whether its kind has a cause, and the address of an object for `argument`. */
bool event_has_cause(const struct stmlog_event_record *event);

/* Whether its `argument` is the number of a task. */
bool event_has_task(const struct stmlog_event_record *event);

/* The event's place; the unknown place for a gap, and for a number that does not exist. */
struct stmlog_place_record event_place(const struct recording *recording, const struct stmlog_event_record *event);

/* The event's `other`; 0 for a gap and for an event about a task, which use the member otherwise. */
uint32_t event_other(const struct stmlog_event_record *event);

/* The value of an event about a task (stmlog_event_value()); 0 for other events. */
uint64_t event_value(const struct stmlog_event_record *event);

/* The word of the event's place; "" if it has none. */
const char *event_word(const struct recording *recording, const struct stmlog_event_record *event);

/* "operation, allocate memory, value 4096": detail, word and value of an event about a task. NULL: it has none of them.
 * The caller owns the text (memory_free()). */
char *event_task_text(const struct recording *recording, const struct stmlog_event_record *event);

/* Whether it is an abort or a wait because of a transaction of which not even the thread is known. */
bool event_has_unknown_other(const struct stmlog_event_record *event);

/* The latest time at which a gap can end; for any other event its time. */
uint64_t event_latest_ns(const struct stmlog_event_record *event);

/* The latest such time of all events; 0 without events. */
uint64_t event_last_ns(const struct recording *recording);

#endif
