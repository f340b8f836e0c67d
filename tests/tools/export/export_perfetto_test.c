/* SPDX-License-Identifier: MIT
 * Timelines for Perfetto, read back by the code that is made of the same description: what belongs together is found
 * together. Whether Perfetto's own reader agrees, tests/cli/trace_processor.sh asks. */
#include "exported.h"

#include "perfetto.pb-c.h"

enum { TRACKS = 64 };

static struct writer writer;

static Perfetto__Trace *decoded(void)
{
	size_t len = 0;
	OWNED(owned_free) char *bytes = exported(&writer, "perfetto", &len);
	Perfetto__Trace *trace = perfetto__trace__unpack(NULL, len, (const uint8_t *)bytes);
	assert_non_null(trace);
	return trace;
}

static Perfetto__Trace *sample(void)
{
	write_sample(&writer, "transfer", "sweep");
	return decoded();
}

static void drop(Perfetto__Trace *trace)
{
	perfetto__trace__free_unpacked(trace, NULL);
}

static const Perfetto__TrackDescriptor *track_of(const Perfetto__Trace *trace, uint64_t uuid)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackDescriptor *track = trace->packet[i]->track_descriptor;
		if (track != NULL && track->uuid == uuid)
			return track;
	}
	return NULL;
}

/* Of the track itself, or of the one that it lies below. */
static int thread_of(const Perfetto__Trace *trace, uint64_t uuid)
{
	const Perfetto__TrackDescriptor *track = track_of(trace, uuid);
	assert_non_null(track);
	return track->thread != NULL ? track->thread->tid : thread_of(trace, track->parent_uuid);
}

typedef Perfetto__InternedText **texts_of(const Perfetto__InternedData *data, size_t *len);

#define TEXTS_OF(function, texts)                                                                 \
	static Perfetto__InternedText **function(const Perfetto__InternedData *data, size_t *len) \
	{                                                                                         \
		*len = data->n_##texts;                                                           \
		return data->texts;                                                               \
	}
TEXTS_OF(names, event_names)
TEXTS_OF(categories, event_categories)
TEXTS_OF(keys, debug_annotation_names)
TEXTS_OF(values, debug_annotation_string_values)

/* The text of a number at `packet`; fails unless there is exactly one. */
static const char *text(const Perfetto__Trace *trace, size_t packet, texts_of *of, uint64_t iid)
{
	const char *found = NULL;
	for (size_t i = 0; i <= packet; i++) {
		size_t len = 0;
		Perfetto__InternedText **texts =
			trace->packet[i]->interned_data != NULL ? of(trace->packet[i]->interned_data, &len) : NULL;
		for (size_t k = 0; k < len; k++) {
			if (texts[k]->iid != iid)
				continue;
			assert_null(found);
			found = texts[k]->text;
		}
	}
	assert_non_null(found);
	return found;
}

static const char *name_at(const Perfetto__Trace *trace, size_t packet)
{
	const Perfetto__TrackEvent *event = trace->packet[packet]->track_event;
	return event->name != NULL ? event->name : text(trace, packet, names, event->name_iid);
}

static const char *category_at(const Perfetto__Trace *trace, size_t packet)
{
	assert_int_equal(trace->packet[packet]->track_event->n_category_iids, 1);
	return text(trace, packet, categories, trace->packet[packet]->track_event->category_iids[0]);
}

static bool is_of_type(const Perfetto__TracePacket *packet, Perfetto__TrackEvent__Type type)
{
	return packet->track_event != NULL && packet->track_event->type == type;
}

/* The n-th beginning of a slice, or instant, of this category; there is one. */
static size_t packet_of(const Perfetto__Trace *trace, Perfetto__TrackEvent__Type type, const char *category, int n)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		bool is_it = is_of_type(trace->packet[i], type) && strcmp(category_at(trace, i), category) == 0;
		if (is_it && n-- == 0)
			return i;
	}
	fail_msg("no %s", category);
	return 0;
}

static size_t slice_of(const Perfetto__Trace *trace, const char *category, int n)
{
	return packet_of(trace, PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN, category, n);
}

/* NULL: the event has no annotation of this key. */
static const Perfetto__DebugAnnotation *fact(const Perfetto__Trace *trace, size_t packet, const char *key)
{
	const Perfetto__TrackEvent *event = trace->packet[packet]->track_event;
	for (size_t i = 0; i < event->n_debug_annotations; i++)
		if (strcmp(text(trace, packet, keys, event->debug_annotations[i]->name_iid), key) == 0)
			return event->debug_annotations[i];
	return NULL;
}

static void assert_fact(const Perfetto__Trace *trace, size_t packet, const char *key, const char *expected)
{
	const Perfetto__DebugAnnotation *found = fact(trace, packet, key);
	assert_non_null(found);
	assert_string_equal(text(trace, packet, values, found->string_value_iid), expected);
}

/* ---- claims ---- */

TEST(tracks_are_described_before_any_event)
{
	Perfetto__Trace *trace = sample();
	bool has_event = false;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TracePacket *packet = trace->packet[i];
		has_event |= packet->track_event != NULL;
		assert_false(has_event && packet->track_descriptor != NULL);
		if (packet->track_event != NULL)
			assert_non_null(track_of(trace, packet->track_event->track_uuid));
		assert_true(packet->has_trusted_packet_sequence_id);
	}
	assert_true(has_event);
	drop(trace);
}

TEST(only_what_has_bars_has_a_track)
{
	Perfetto__Trace *trace = sample();
	size_t threads = 0, below = 0, counters = 0;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackDescriptor *track = trace->packet[i]->track_descriptor;
		if (track == NULL)
			continue;
		threads += track->thread != NULL;
		counters += track->counter != NULL;
		below += track->thread == NULL && track->counter == NULL && track->process == NULL;
	}
	assert_int_equal(threads, 2);
	assert_int_equal(below, 3); /* tasks, touches and regions of one thread */
	assert_int_equal(counters, 2);
	drop(trace);
}

TEST(slices_nest_and_are_all_closed)
{
	Perfetto__Trace *trace = sample();
	uint64_t begun[TRACKS][8];
	int depth[TRACKS] = {0}, bars = 0;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TracePacket *packet = trace->packet[i];
		uint64_t track = packet->track_event != NULL ? packet->track_event->track_uuid : 0;
		assert_true(track < TRACKS);
		if (is_of_type(packet, PERFETTO__TRACK_EVENT__TYPE__SLICE_BEGIN)) {
			begun[track][depth[track]++] = packet->timestamp;
			bars++;
		} else if (is_of_type(packet, PERFETTO__TRACK_EVENT__TYPE__SLICE_END)) {
			assert_true(depth[track] > 0);
			assert_true(packet->timestamp >= begun[track][--depth[track]]);
		}
	}
	for (int track = 0; track < TRACKS; track++)
		assert_int_equal(depth[track], 0);
	assert_int_equal(bars, SAMPLE_BARS);
	drop(trace);
}

/* How many slices of this thread's own track end at that time. */
static int ends_at(const Perfetto__Trace *trace, int thread, uint64_t time_ns)
{
	int ends = 0;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TracePacket *packet = trace->packet[i];
		ends += is_of_type(packet, PERFETTO__TRACK_EVENT__TYPE__SLICE_END) &&
			packet->timestamp == SAMPLE_BEGAN_NS + time_ns &&
			track_of(trace, packet->track_event->track_uuid)->thread != NULL &&
			thread_of(trace, packet->track_event->track_uuid) == thread;
	}
	return ends;
}

TEST(slices_end_when_their_bars_do)
{
	Perfetto__Trace *trace = sample();
	assert_int_equal(ends_at(trace, 1, 1021), 1);
	assert_int_equal(ends_at(trace, 2, 2030), 1);
	assert_int_equal(ends_at(trace, 2, 2092), 1); /* the gap */
	assert_int_equal(ends_at(trace, 2, 2098), 1); /* open to the end */
	assert_int_equal(ends_at(trace, 1, 2098), 1);
	drop(trace);
}

TEST(arrows_go_from_the_culprit_to_the_abort)
{
	Perfetto__Trace *trace = sample();
	size_t ended = 0;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackEvent *end = trace->packet[i]->track_event;
		if (end == NULL || end->n_terminating_flow_ids == 0)
			continue;
		size_t begun = 0;
		for (size_t k = 0; k < i; k++) {
			const Perfetto__TrackEvent *begin = trace->packet[k]->track_event;
			if (begin == NULL || begin->n_flow_ids == 0 ||
				begin->flow_ids[0] != end->terminating_flow_ids[0])
				continue;
			begun++;
			assert_int_equal(thread_of(trace, begin->track_uuid), 1);
			assert_true(trace->packet[k]->timestamp <= trace->packet[i]->timestamp);
		}
		assert_int_equal(begun, 1);
		assert_int_equal(thread_of(trace, end->track_uuid), 2);
		assert_string_equal(category_at(trace, i), "abort");
		ended++;
	}
	assert_int_equal(ended, SAMPLE_ARROWS);
	drop(trace);
}

TEST(an_arrow_begins_where_the_culprit_says_so_itself)
{
	Perfetto__Trace *trace = sample();
	size_t own = packet_of(trace, PERFETTO__TRACK_EVENT__TYPE__INSTANT, "abort-other", 0);
	size_t other = packet_of(trace, PERFETTO__TRACK_EVENT__TYPE__INSTANT, "culprit", 0);
	assert_int_equal(trace->packet[own]->track_event->n_flow_ids, 1);
	assert_int_equal(trace->packet[own]->timestamp, SAMPLE_BEGAN_NS + 1013u);
	assert_int_equal(trace->packet[other]->track_event->n_flow_ids, 1);
	assert_string_equal(name_at(trace, other), "aborts thread 2");
	drop(trace);
}

TEST(transactions_say_what_has_become_of_them)
{
	Perfetto__Trace *trace = sample();
	static const char *const fates[] = {"commit", "abort", "abort", "unknown", "open", "unknown"};
	for (int n = 0; n < 6; n++)
		assert_fact(trace, slice_of(trace, "transaction", n), "fate", fates[n]);
	size_t aborted = slice_of(trace, "transaction", 1);
	assert_string_equal(name_at(trace, aborted), "transfer: aborted because of thread 1, write-read");
	assert_fact(trace, aborted, "at", "bank.c:61");
	assert_fact(trace, aborted, "end_at", "bank.c:61");
	assert_fact(trace, aborted, "reason", "aborted-by-other");
	assert_fact(trace, aborted, "contention", "write-read");
	assert_fact(trace, aborted, "detail", "certain");
	assert_int_equal(fact(trace, aborted, "other")->uint_value, 1);
	assert_int_equal(fact(trace, aborted, "object")->pointer_value, 0x1230);
	assert_string_equal(name_at(trace, slice_of(trace, "transaction", 2)),
		"transaction: aborted because of thread 1, write-write");
	drop(trace);
}

TEST(threads_have_the_numbers_of_the_system_and_names_with_those_of_the_recording)
{
	write_sample(&writer, "transfer", "sweep");
	struct stmlog_thread_record *threads = (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
	threads[0].system_id = 4711;
	threads[1].system_id = 4712;
	Perfetto__Trace *trace = decoded();
	size_t found = 0;
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackDescriptor *track = trace->packet[i]->track_descriptor;
		if (track == NULL || track->thread == NULL)
			continue;
		bool is_first = track->thread->tid == 4711;
		assert_true(is_first || track->thread->tid == 4712);
		assert_string_equal(
			track->thread->thread_name, is_first ? "bank (thread 1)" : "aud\xc3\xaft (thread 2)");
		found++;
	}
	assert_int_equal(found, 2);
	drop(trace);
}

TEST(the_other_bars_say_what_they_are)
{
	Perfetto__Trace *trace = sample();
	size_t region = slice_of(trace, "region", 1), missing = slice_of(trace, "missing", 0);
	assert_string_equal(name_at(trace, slice_of(trace, "wait", 0)), "wait: segment");
	assert_string_equal(name_at(trace, slice_of(trace, "task", 0)), "task 5");
	assert_string_equal(name_at(trace, slice_of(trace, "touch", 0)), "touch 6");
	assert_string_equal(name_at(trace, region), "sweep");
	assert_int_equal(fact(trace, region, "work")->uint_value, 1);
	assert_int_equal(fact(trace, region, "end_work")->uint_value, 7);
	assert_fact(trace, slice_of(trace, "region", 0), "fate", "unknown");
	assert_int_equal(fact(trace, missing, "count")->uint_value, 9);
	assert_null(fact(trace, missing, "fate"));
	drop(trace);
}

TEST(counters_have_their_values)
{
	Perfetto__Trace *trace = sample();
	const Perfetto__TrackEvent *counts[2];
	size_t len = 0;
	for (size_t i = 0; i < trace->n_packet; i++)
		if (is_of_type(trace->packet[i], PERFETTO__TRACK_EVENT__TYPE__COUNTER) && len < 2)
			counts[len++] = trace->packet[i]->track_event;
	assert_int_equal(len, 2);
	assert_int_equal(counts[0]->counter_value, 42);
	assert_int_equal(thread_of(trace, counts[0]->track_uuid), 1);
	assert_string_equal(track_of(trace, counts[0]->track_uuid)->name, "sweep");
	assert_false(counts[1]->has_counter_value);
	assert_true(counts[1]->double_counter_value > 1.8e19);
	assert_int_equal(thread_of(trace, counts[1]->track_uuid), 2);
	drop(trace);
}

TEST(the_first_packet_says_which_clock)
{
	Perfetto__Trace *trace = sample();
	const Perfetto__TracePacket *first = trace->packet[0];
	assert_int_equal(first->sequence_flags, PERFETTO__SEQUENCE_FLAGS__CLEARED);
	assert_int_equal(first->trace_packet_defaults->timestamp_clock_id, PERFETTO__BUILTIN_CLOCK__MONOTONIC);
	assert_int_equal(first->clock_snapshot->primary_trace_clock, PERFETTO__BUILTIN_CLOCK__MONOTONIC);
	assert_int_equal(first->clock_snapshot->clocks[0]->timestamp, SAMPLE_BEGAN_NS);
	drop(trace);
}

TEST(names_of_any_bytes_are_text)
{
	write_sample(&writer, "tr\"an\\s\n\x1b\xff", "\xc3\x01");
	Perfetto__Trace *trace = decoded();
	assert_string_equal(name_at(trace, slice_of(trace, "transaction", 0)), "tr\"an\\s??\xef\xbf\xbd: committed");
	assert_string_equal(name_at(trace, slice_of(trace, "region", 0)), "\xef\xbf\xbd?");
	drop(trace);
}

TEST(a_timeline_of_no_events_is_only_described)
{
	recording_sample(&writer);
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	Perfetto__Trace *trace = decoded();
	for (size_t i = 0; i < trace->n_packet; i++)
		assert_null(trace->packet[i]->track_event);
	drop(trace);
}
