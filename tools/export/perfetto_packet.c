/* SPDX-License-Identifier: MIT */
#include "perfetto_packet.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* All packets belong to one sequence, and so do the numbers of texts and the clock. */
enum { SEQUENCE = 1 };

void packet_writer_init(struct packet_writer *writer, FILE *out)
{
	*writer = (struct packet_writer){.out = out};
}

void packet_writer_fini(struct packet_writer *writer)
{
	for (int of = 0; of < PACKET_TEXTS; of++)
		dictionary_fini(&writer->texts[of]);
	free(writer->bytes);
}

static void write_packet(struct packet_writer *writer, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.n_packet = 1;
	trace.packet = &packet;
	size_t len = perfetto__trace__get_packed_size(&trace);
	if (len > writer->cap) {
		free(writer->bytes);
		writer->cap = 2 * len;
		writer->bytes = memory_zeroed(writer->cap, 1);
	}
	fwrite(writer->bytes, 1, perfetto__trace__pack(&trace, writer->bytes), writer->out);
}

void packet_write_track(struct packet_writer *writer, Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	packet.track_descriptor = track;
	write_packet(writer, &packet);
}

void packet_write_first(struct packet_writer *writer, Perfetto__ClockSnapshot *clocks)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	defaults.has_timestamp_clock_id = 1;
	defaults.timestamp_clock_id = PERFETTO__BUILTIN_CLOCK__MONOTONIC;
	packet.clock_snapshot = clocks;
	packet.trace_packet_defaults = &defaults;
	packet.has_sequence_flags = 1;
	packet.sequence_flags = PERFETTO__SEQUENCE_FLAGS__CLEARED;
	write_packet(writer, &packet);
}

/* ---- events ---- */

Perfetto__TrackEvent *packet_event(
	struct packet_writer *writer, Perfetto__TrackEvent__Type type, uint64_t track, uint64_t time_ns)
{
	struct packet *draft = &writer->draft;
	perfetto__trace_packet__init(&draft->packet);
	perfetto__track_event__init(&draft->event);
	perfetto__interned_data__init(&draft->interned);
	draft->fact_count = 0;
	memset(draft->new_count, 0, sizeof draft->new_count);
	draft->packet.has_timestamp = 1;
	draft->packet.timestamp = time_ns;
	draft->packet.has_sequence_flags = 1;
	draft->packet.sequence_flags = PERFETTO__SEQUENCE_FLAGS__NEEDED;
	draft->packet.track_event = &draft->event;
	draft->event.has_type = 1;
	draft->event.type = type;
	draft->event.has_track_uuid = 1;
	draft->event.track_uuid = track;
	return &draft->event;
}

/* The number of a text. A new text is written into this packet. */
static uint64_t intern(struct packet_writer *writer, enum packet_texts of, const char *text)
{
	struct packet *draft = &writer->draft;
	const struct dictionary_entry *entry = dictionary_find(&writer->texts[of], text);
	if (entry->is_new) {
		size_t i = draft->new_count[of]++;
		Perfetto__InternedText *interned = &draft->new_texts[of][i];
		perfetto__interned_text__init(interned);
		interned->has_iid = 1;
		interned->iid = entry->number;
		interned->text = (char *)(uintptr_t)entry->text; /* packing changes nothing */
		draft->new_list[of][i] = interned;
	}
	return entry->number;
}

static void add_fact(struct packet_writer *writer, const struct caption_fact *fact)
{
	size_t i = writer->draft.fact_count++;
	Perfetto__DebugAnnotation *annotation = &writer->draft.facts[i];
	writer->draft.fact_list[i] = annotation;
	perfetto__debug_annotation__init(annotation);
	annotation->has_name_iid = 1;
	annotation->name_iid = intern(writer, PACKET_KEYS, fact->key);
	if (fact->text != NULL && fact->is_various) {
		annotation->string_value = (char *)(uintptr_t)fact->text;
	} else if (fact->text != NULL) {
		annotation->has_string_value_iid = 1;
		annotation->string_value_iid = intern(writer, PACKET_VALUES, fact->text);
	} else if (fact->is_address) {
		annotation->has_pointer_value = 1;
		annotation->pointer_value = fact->number;
	} else {
		annotation->has_uint_value = 1;
		annotation->uint_value = fact->number;
	}
}

void packet_describe(struct packet_writer *writer, const struct caption *caption)
{
	struct packet *draft = &writer->draft;
	draft->category = intern(writer, PACKET_CATEGORIES, caption->category);
	draft->event.n_category_iids = 1;
	draft->event.category_iids = &draft->category;
	if (caption->is_various) {
		draft->event.name = (char *)(uintptr_t)caption->name;
	} else {
		draft->event.has_name_iid = 1;
		draft->event.name_iid = intern(writer, PACKET_NAMES, caption->name);
	}
	for (size_t i = 0; i < caption->len; i++)
		add_fact(writer, &caption->facts[i]);
	draft->event.n_debug_annotations = draft->fact_count;
	draft->event.debug_annotations = draft->fact_list;
}

void packet_write(struct packet_writer *writer)
{
	struct packet *draft = &writer->draft;
	Perfetto__InternedData *interned = &draft->interned;
	interned->n_event_categories = draft->new_count[PACKET_CATEGORIES];
	interned->event_categories = draft->new_list[PACKET_CATEGORIES];
	interned->n_event_names = draft->new_count[PACKET_NAMES];
	interned->event_names = draft->new_list[PACKET_NAMES];
	interned->n_debug_annotation_names = draft->new_count[PACKET_KEYS];
	interned->debug_annotation_names = draft->new_list[PACKET_KEYS];
	interned->n_debug_annotation_string_values = draft->new_count[PACKET_VALUES];
	interned->debug_annotation_string_values = draft->new_list[PACKET_VALUES];
	size_t all = 0;
	for (int of = 0; of < PACKET_TEXTS; of++)
		all += draft->new_count[of];
	draft->packet.interned_data = all > 0 ? interned : NULL;
	write_packet(writer, &draft->packet);
}
