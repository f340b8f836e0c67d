/* SPDX-License-Identifier: MIT
 * Writes packets of Perfetto one by one: a file is a sequence of packets, so that memory for one is enough. Texts are
 * written once; later packets refer to them by number. */
#ifndef PERFETTO_PACKET_H
#define PERFETTO_PACKET_H

#include <stdint.h>
#include <stdio.h>

#include "caption.h"
#include "dictionary.h"
#include "perfetto.pb-c.h"

/* Kinds of texts, each with numbers of its own. */
enum packet_texts { PACKET_CATEGORIES, PACKET_NAMES, PACKET_KEYS, PACKET_VALUES, PACKET_TEXTS };

/* A packet under construction. */
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

/* Begins the packet of an event. The caller adds to it, and ends it with packet_write(). Returns the event, borrowed.
 */
Perfetto__TrackEvent *packet_event(
	struct packet_writer *writer, Perfetto__TrackEvent__Type type, uint64_t track, uint64_t time_ns);

/* Adds the category, name and facts to the event. */
void packet_describe(struct packet_writer *writer, const struct caption *caption);
void packet_write(struct packet_writer *writer);

/* Packets without an event. packet_write_first() is for the first packet of a file, which also says that no text has a
 * number yet, and which clock all packets use. */
void packet_write_track(struct packet_writer *writer, Perfetto__TrackDescriptor *track);
void packet_write_first(struct packet_writer *writer, Perfetto__ClockSnapshot *clocks);

#endif
