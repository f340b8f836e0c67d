/* SPDX-License-Identifier: MIT
 * The table of events (events.def), to look things up in. */
#ifndef STMLOG_EVENTS_H
#define STMLOG_EVENTS_H

#include <stmlog/timeline.h>

enum pairing { PAIRING_OPENS, PAIRING_CLOSES, PAIRING_WITHIN, PAIRING_LEADS, PAIRING_ALONE };

struct event_row {
	const char *name;
	enum pairing pairing;
	enum stmlog_event_kind partner;
	const char *argument;
};

extern const struct event_row event_rows[STMLOG_EVENT_KINDS];

#endif
