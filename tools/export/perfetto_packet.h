/* SPDX-License-Identifier: MIT
 * Perfetto's packets, made and written one by one: a file is nothing but one after the other, so that no memory is
 * needed for more than one. Texts that come again are written once and then called by their numbers. */
#ifndef PERFETTO_PACKET_H
#define PERFETTO_PACKET_H

#include <stdint.h>
#include <stdio.h>

#include "caption.h"
#include "dictionary.h"
#include "perfetto.pb-c.h"

/* What texts are of: each has numbers of its own. */
enum packet_texts { PACKET_CATEGORIES, PACKET_NAMES, PACKET_KEYS, PACKET_VALUES, PACKET_TEXTS };

/* The packet that is being made. */
struct packet {
	Perfetto__TracePacket packet;
	Perfetto__TrackEvent event;
	Perfetto__InternedData interned;
	uint64_t category;
	size_t fact_count;
	Perfetto__DebugAnnotation facts[CAPTION_FACTS], *fact_list[CAPTION_FACTS];
	size_t new_count[PACKET_TEXTS];
	Perfetto__InternedText new_texts[PACKET_TEXTS][CAPTION_FACTS], *new_list[PACKET_TEXTS][CAPTION_FACTS];
};

struct packet_writer {
	FILE *out;
	struct dictionary texts[PACKET_TEXTS];
	struct packet draft;
	uint8_t *bytes;
	size_t cap;
};

void packet_writer_init(struct packet_writer *writer, FILE *out);
void packet_writer_fini(struct packet_writer *writer);

/* Begins a packet of an event; the caller adds to it, and ends it with packet_write(). Borrowed. */
Perfetto__TrackEvent *packet_event(
	struct packet_writer *writer, Perfetto__TrackEvent__Type type, uint64_t track, uint64_t time_ns);

/* The event's category, name and facts. */
void packet_describe(struct packet_writer *writer, const struct caption *caption);
void packet_write(struct packet_writer *writer);

/* A packet that holds no event. The first one of a file also says that nothing has been interned and which clock all
 * have. */
void packet_write_track(struct packet_writer *writer, Perfetto__TrackDescriptor *track);
void packet_write_first(struct packet_writer *writer, Perfetto__ClockSnapshot *clocks);

#endif
