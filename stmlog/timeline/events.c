/* SPDX-License-Identifier: MIT */
#include "events.h"

const struct event_row event_rows[STMLOG_EVENT_KINDS] = {
#define STMLOG_EVENT(id, name, pairing, partner, argument, doc) \
	[STMLOG_EVENT_##id] = {name, PAIRING_##pairing, STMLOG_EVENT_##partner, argument},
#include <stmlog/events.def>
#undef STMLOG_EVENT
};

const char *stmlog_event_name(unsigned kind)
{
	return kind < STMLOG_EVENT_KINDS ? event_rows[kind].name : "?";
}

size_t stmlog_timeline_next_of(const struct stmlog_timeline *timeline, size_t index, uint32_t thread)
{
	while (index < timeline->len && timeline->events[index].thread != thread)
		index++;
	return index < timeline->len ? index : timeline->len;
}
