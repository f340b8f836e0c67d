/* SPDX-License-Identifier: MIT
 * A timeline for Perfetto. Tracks are described before the events: the process; for each thread a track with its
 * transactions, waits and gaps; below it a track for each other row that has bars, and for each counter. An arrow is a
 * flow that begins at the culprit's instant and ends at the victim's abort.
 *
 * Times are those of CLOCK_MONOTONIC, as in the recording. The first packet relates them to the time of day. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "dictionary.h"
#include "event.h"
#include "export.h"
#include "export_perfetto_caption.h"
#include "memory.h"
#include "perfetto.pb-c.h"
#include "utf8.h"

/* ---- packets: a file is a sequence of them, written one by one, so that memory for one packet is enough. Texts are
 * written once; later packets refer to them by number ---- */

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

/* All packets belong to one sequence, and so do the numbers of texts and the clock. */
enum { SEQUENCE = 1 };

static void packet_writer_init(struct packet_writer *writer, FILE *out)
{
	*writer = (struct packet_writer){.out = out};
}

static void packet_writer_fini(struct packet_writer *writer)
{
	for (int kind = 0; kind < PACKET_TEXTS; kind++)
		dictionary_fini(&writer->texts[kind]);
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

/* Writes a packet without an event. */
static void packet_write_track(struct packet_writer *writer, Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	packet.track_descriptor = track;
	write_packet(writer, &packet);
}

/* Writes the first packet of a file, which also says that no text has a number yet, and which clock all packets use. */
static void packet_write_first(struct packet_writer *writer, Perfetto__ClockSnapshot *clocks)
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

/* ---- the packet of an event ---- */

/* Begins the packet of an event. The caller adds to it, and ends it with packet_write(). Returns the event, borrowed.
 */
static Perfetto__TrackEvent *packet_event(
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
static uint64_t intern(struct packet_writer *writer, enum packet_texts kind, const char *text)
{
	struct packet *draft = &writer->draft;
	const struct dictionary_entry *entry = dictionary_find(&writer->texts[kind], text);
	if (entry->is_new) {
		size_t i = draft->new_count[kind]++;
		Perfetto__InternedText *interned = &draft->new_texts[kind][i];
		perfetto__interned_text__init(interned);
		interned->has_iid = 1;
		interned->iid = entry->number;
		interned->text = (char *)(uintptr_t)entry->text; /* packing changes nothing */
		draft->new_list[kind][i] = interned;
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

/* Adds the category, name and facts to the event. */
static void packet_describe(struct packet_writer *writer, const struct caption *caption)
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

static void packet_write(struct packet_writer *writer)
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
	for (int kind = 0; kind < PACKET_TEXTS; kind++)
		all += draft->new_count[kind];
	draft->packet.interned_data = all > 0 ? interned : NULL;
	write_packet(writer, &draft->packet);
}

/* ---- the timeline ---- */

enum { PROCESS_TRACK = 1 };

struct perfetto {
	const struct export *export;
	struct bar_lanes lanes;
	struct captions *captions;
	struct packet_writer writer;
	struct dictionary counters; /* of "lane name" */
	struct caption caption;
};

/* ---- tracks ---- */

static uint64_t track_of(size_t lane, enum stmlog_row row)
{
	return PROCESS_TRACK + 1 + (uint64_t)lane * STMLOG_ROWS + (uint64_t)row;
}

/* The track of the event's counter; *is_new: this is the first call for it. */
static uint64_t counter_track(
	struct perfetto *perfetto, size_t lane, const struct stmlog_event_record *event, bool *is_new)
{
	char *name = memory_format("%zu %s", lane, caption_counter(perfetto->captions, event));
	const struct dictionary_entry *counter = dictionary_find(&perfetto->counters, name);
	free(name);
	*is_new = counter->is_new;
	return track_of(perfetto->lanes.len, 0) + counter->number;
}

static Perfetto__TrackDescriptor track_with(uint64_t uuid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	track.has_uuid = 1;
	track.uuid = uuid;
	return track;
}

static void write_child(struct perfetto *perfetto, uint64_t uuid, size_t lane, const char *name, bool is_counter)
{
	Perfetto__TrackDescriptor track = track_with(uuid);
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	track.name = (char *)(uintptr_t)name;
	track.has_parent_uuid = 1;
	track.parent_uuid = track_of(lane, STMLOG_ROW_TRANSACTIONS);
	track.counter = is_counter ? &counter : NULL;
	packet_write_track(&perfetto->writer, &track);
}

static void write_process(struct perfetto *perfetto)
{
	const struct recording_info *info = &perfetto->export->recording->info;
	Perfetto__TrackDescriptor track = track_with(PROCESS_TRACK);
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	process.has_pid = 1;
	process.pid = (int32_t)info->pid;
	process.process_name = utf8_clean(symbol_basename(info->program), UTF8_HIDE_CONTROLS);
	process.cmdline = memory_zeroed(info->args.len, sizeof *process.cmdline);
	for (size_t i = 0; i < info->args.len; i++)
		process.cmdline[process.n_cmdline++] = utf8_clean(info->args.at[i], UTF8_HIDE_CONTROLS);
	char *unmeasured = caption_unmeasured(info);
	process.n_process_labels = unmeasured != NULL;
	process.process_labels = &unmeasured;
	track.process = &process;
	packet_write_track(&perfetto->writer, &track);
	for (size_t i = 0; i < process.n_cmdline; i++)
		free(process.cmdline[i]);
	free(process.cmdline);
	free(process.process_name);
	free(unmeasured);
}

static void write_thread(struct perfetto *perfetto, size_t lane)
{
	Perfetto__TrackDescriptor track = track_with(track_of(lane, STMLOG_ROW_TRANSACTIONS));
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	thread.has_pid = thread.has_tid = 1;
	thread.pid = (int32_t)perfetto->export->recording->info.pid;
	thread.tid = (int32_t)perfetto->lanes.lanes[lane].tid;
	thread.thread_name = caption_lane(&perfetto->lanes.lanes[lane]);
	track.has_parent_uuid = 1;
	track.parent_uuid = PROCESS_TRACK;
	track.thread = &thread;
	packet_write_track(&perfetto->writer, &track);
	free(thread.thread_name);
}

/* Points are on the track of transactions. */
static enum stmlog_row event_row_of(unsigned kind)
{
	const struct stmlog_event_rule *rule = stmlog_event_rule_of(kind);
	bool has_bar = rule->role == STMLOG_ROLE_OPENS && rule->row != STMLOG_ROW_NONE;
	return has_bar ? rule->row : STMLOG_ROW_TRANSACTIONS;
}

/* Describes the tracks below those of threads, in the order of their first events. */
static void write_children(struct perfetto *perfetto)
{
	static const char *const names[STMLOG_ROWS] = {"", "tasks", "touches", "regions"};
	const struct recording *recording = perfetto->export->recording;
	bool *is_there = memory_zeroed(perfetto->lanes.len, STMLOG_ROWS);
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct stmlog_event_record *event = &recording->events[i];
		size_t lane = bar_lane_of(&perfetto->lanes, event->thread);
		enum stmlog_row row = event_row_of(event->kind);
		bool is_new = row != STMLOG_ROW_TRANSACTIONS && lane != BAR_NONE && !is_there[lane * STMLOG_ROWS + row];
		if (is_new) {
			is_there[lane * STMLOG_ROWS + row] = true;
			write_child(perfetto, track_of(lane, row), lane, names[row], false);
		} else if (event->kind == STMLOG_EVENT_COUNTER && lane != BAR_NONE) {
			uint64_t track = counter_track(perfetto, lane, event, &is_new);
			if (is_new)
				write_child(perfetto, track, lane, caption_counter(perfetto->captions, event), true);
		}
	}
	free(is_there);
}

static void write_clocks(struct perfetto *perfetto)
{
	const struct recording_info *info = &perfetto->export->recording->info;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clocks[2], *list[2] = {&clocks[0], &clocks[1]};
	const uint32_t ids[2] = {PERFETTO__BUILTIN_CLOCK__MONOTONIC, PERFETTO__BUILTIN_CLOCK__REALTIME};
	const uint64_t times[2] = {info->began_ns, info->unix_ns};
	for (int i = 0; i < 2; i++) {
		perfetto__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = 1;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = times[i];
	}
	snapshot.n_clocks = info->unix_ns != 0 ? 2 : 1;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = 1;
	snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__MONOTONIC;
	packet_write_first(&perfetto->writer, &snapshot);
}

/* ---- events ---- */

static void open_slice(void *arg, const struct bar *bar)
{
	struct perfetto *perfetto = arg;
	caption_bar(perfetto->captions, bar, &perfetto->caption);
	packet_event(&perfetto->writer, PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN, track_of(bar->lane, bar->row),
		bar->from_ns);
	packet_describe(&perfetto->writer, &perfetto->caption);
	packet_write(&perfetto->writer);
}

static void close_slice(void *arg, const struct bar *bar)
{
	struct perfetto *perfetto = arg;
	packet_event(&perfetto->writer, PERFETTO__TRACK_EVENT__TYPE__SLICE_END, track_of(bar->lane, bar->row),
		bar->until_ns);
	packet_write(&perfetto->writer);
}

/* In this format a whole number of a counter is at most INT64_MAX; larger values are floating-point. */
static void write_count(struct perfetto *perfetto, const struct bar_point *point)
{
	const struct stmlog_event_record *event = &perfetto->export->recording->events[point->index];
	bool is_new;
	uint64_t track = counter_track(perfetto, point->lane, event, &is_new);
	Perfetto__TrackEvent *count =
		packet_event(&perfetto->writer, PERFETTO__TRACK_EVENT__TYPE__COUNTER, track, point->time_ns);
	if (event->argument <= INT64_MAX) {
		count->has_counter_value = 1;
		count->counter_value = (int64_t)event->argument;
	} else {
		count->has_double_counter_value = 1;
		count->double_counter_value = (double)event->argument;
	}
	packet_write(&perfetto->writer);
}

static void write_instant(void *arg, const struct bar_point *point)
{
	struct perfetto *perfetto = arg;
	uint64_t arrow = point->arrow;
	if (perfetto->export->recording->events[point->index].kind == STMLOG_EVENT_COUNTER) {
		write_count(perfetto, point);
		return;
	}
	caption_point(perfetto->captions, point, &perfetto->caption);
	Perfetto__TrackEvent *instant = packet_event(&perfetto->writer, PERFETTO__TRACK_EVENT__TYPE__INSTANT,
		track_of(point->lane, STMLOG_ROW_TRANSACTIONS), point->time_ns);
	packet_describe(&perfetto->writer, &perfetto->caption);
	if (arrow != 0 && point->is_arrow_end) {
		instant->n_terminating_flow_ids = 1;
		instant->terminating_flow_ids = &arrow;
	} else if (arrow != 0) {
		instant->n_flow_ids = 1;
		instant->flow_ids = &arrow;
	}
	packet_write(&perfetto->writer);
}

void export_perfetto(const struct export *export)
{
	static const struct bar_sink sink = {open_slice, close_slice, write_instant};
	struct perfetto perfetto = {.export = export, .lanes = bar_lanes_of(export->recording)};
	perfetto.captions = captions_create(export->recording, export->symbols);
	packet_writer_init(&perfetto.writer, export->out);
	write_clocks(&perfetto);
	write_process(&perfetto);
	for (size_t lane = 0; lane < perfetto.lanes.len; lane++)
		write_thread(&perfetto, lane);
	write_children(&perfetto);
	bars_walk(export->recording, &perfetto.lanes, &sink, &perfetto, export->progress);
	dictionary_fini(&perfetto.counters);
	packet_writer_fini(&perfetto.writer);
	captions_destroy(&perfetto.captions);
	bar_lanes_fini(&perfetto.lanes);
}
