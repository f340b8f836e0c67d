/* SPDX-License-Identifier: MIT
 * The events of a recording's timeline, as those that show them need them. */
#ifndef EVENT_H
#define EVENT_H

#include "recording.h"

/* What the `detail` of an event stands for, by name; NULL: nothing. */
const char *event_detail_name(const struct stmlog_event_record *event);

/* Whether its kind has a cause, and the address of an object for `argument`. */
bool event_has_cause(const struct stmlog_event_record *event);

/* Whether its `argument` is the number of a task. */
bool event_has_task(const struct stmlog_event_record *event);

/* Its place; of a gap, and of a number that there is not, the unknown one. */
struct stmlog_place_record event_place(const struct recording *recording, const struct stmlog_event_record *event);

/* The thread that was in the way; 0: nobody's, and a gap's. */
uint32_t event_other(const struct stmlog_event_record *event);

/* When a gap ends at the latest; the time of any other event. */
uint64_t event_latest_ns(const struct stmlog_event_record *event);

/* The latest of these of all events; 0: there are none. */
uint64_t event_last_ns(const struct recording *recording);

#endif
