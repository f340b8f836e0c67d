/* SPDX-License-Identifier: MIT
 * Makes a snapshot of the timeline: reads the new events of all recorders, and merges them by time. */
#include <errno.h>
#include <string.h>

#include "buffer.h"
#include "mem.h"
#include "registry.h"
#include "session.h"
#include "timeline.h"

/* A timeline and its buffers. While it is made, the pointers of `timeline` are not set, because buffers move;
 * afterwards they point into the buffers. */
struct snapshot {
	struct stmlog_timeline timeline;
	struct buffer events; /* struct stmlog_event; one piece for each recorder until they are merged */
	struct buffer ends;   /* size_t: the end of each piece, as a number of events */
	struct buffer places; /* struct stmlog_place */
	struct buffer sites;  /* struct tb_site, place by place */
	struct buffer words;  /* strings of the places that have a word, place by place */
};

static bool has_failed(const struct snapshot *draft)
{
	return draft->events.has_failed || draft->ends.has_failed || draft->places.has_failed ||
	       draft->sites.has_failed || draft->words.has_failed;
}

/* ---- places ---- */

static uint32_t add_place(struct snapshot *draft, const struct places_row *row)
{
	struct stmlog_place place = {.is_known = !tb_is_unknown(row->traceback), .word = words_text(row->word)};
	if (place.word != NULL)
		buffer_append(&draft->words, place.word, strlen(place.word) + 1);
	const struct tb_frame *frame = row->traceback;
	size_t max = session.depth < TB_COPY_FRAMES ? session.depth : TB_COPY_FRAMES;
	for (; tb_is_frame(frame) && place.len < max; frame = tb_down(frame), place.len++) {
		struct tb_site site = tb_frame_site(frame);
		buffer_append(&draft->sites, &site, sizeof site);
	}
	place.is_cut = place.is_known && frame != TB_EMPTY;
	buffer_append(&draft->places, &place, sizeof place);
	return (uint32_t)(draft->places.len / sizeof place - 1);
}

/* Maps the numbers of a recorder's places to those of the timeline, which has only places of its events. */
struct numbering {
	const struct recorder *recorder;
	uint32_t place[PLACES_MAX]; /* 0: none yet */
};

static void renumber(struct snapshot *draft, struct numbering *numbering, struct stmlog_event *event)
{
	uint32_t place = event->place;
	if (place == 0 || event->kind == STMLOG_EVENT_MISSING)
		return;
	if (numbering->place[place] == 0)
		numbering->place[place] = add_place(draft, &numbering->recorder->places.rows[place]);
	event->place = numbering->place[place];
}

/* ---- events ---- */

static void add_gap(struct snapshot *draft, const struct track_gap *gap, uint32_t thread)
{
	struct stmlog_event event = recorder_missing(gap);
	event.thread = thread;
	if (gap->count != 0)
		buffer_append(&draft->events, &event, sizeof event);
}

enum { PIECE = 1024 };

/* Reads all events of a recorder. */
static void read_recorder(struct snapshot *draft, struct numbering *numbering, struct track_position *position,
	struct track_record *records)
{
	const struct recorder *recorder = numbering->recorder;
	uint64_t run = timeline_run_number(), began_ns = timeline_began_ns();
	uint32_t thread = (uint32_t)AO_load(&recorder->thread);
	bool is_ring = recorder->track.mode == TRACK_RING;
	struct track_gap gap;
	/* Reads only as many events as there are now: otherwise an owner that writes fast could keep this loop running
	 * for ever. */
	size_t left = track_pending(&recorder->track, position, run) + 1, len;
	do {
		len = track_read(&recorder->track, position, run, began_ns, records, PIECE, &gap);
		if (len > 0)
			thread = recorder_event(&records[0]).thread;
		if (is_ring)
			add_gap(draft, &gap, thread);
		for (size_t i = 0; i < len; i++) {
			struct stmlog_event event = recorder_event(&records[i]);
			renumber(draft, numbering, &event);
			thread = event.thread;
			buffer_append(&draft->events, &event, sizeof event);
		}
		if (!is_ring)
			add_gap(draft, &gap, thread);
		left -= len < left ? len : left;
	} while (len > 0 && left > 0 && !has_failed(draft));
}

/* Makes room for all events that there are now. With that of merging, a snapshot takes twice the memory of the events.
 */
static void make_room_for_all(struct snapshot *draft)
{
	size_t pending = 0;
	for (struct recorder *recorder = timeline_recorders(); recorder != NULL; recorder = recorder->next)
		pending += track_pending(&recorder->track, &recorder->position, timeline_run_number()) + 1;
	buffer_reserve(&draft->events, pending * sizeof(struct stmlog_event));
}

static void read_recorders(struct snapshot *draft, struct numbering *numbering, struct track_record *records)
{
	static const struct places_row unknown = {TB_UNKNOWN, NULL};
	make_room_for_all(draft);
	add_place(draft, &unknown);
	for (struct recorder *recorder = timeline_recorders(); recorder != NULL; recorder = recorder->next) {
		struct track_position position = recorder->position;
		memset(numbering, 0, sizeof *numbering);
		numbering->recorder = recorder;
		read_recorder(draft, numbering, &position, records);
		size_t end = draft->events.len / sizeof(struct stmlog_event);
		buffer_append(&draft->ends, &end, sizeof end);
		recorder->read = position;
	}
}

/* Lets the next snapshot begin after the events that were read. */
static void move_on(void)
{
	for (struct recorder *recorder = timeline_recorders(); recorder != NULL; recorder = recorder->next)
		recorder->position = recorder->read;
	timeline_continue();
}

/* ---- merging ---- */

/* Merges two contiguous pieces. Of events with equal times those of the first piece come first. */
static void merge_two(const struct stmlog_event *from, size_t middle, size_t len, struct stmlog_event *to)
{
	size_t a = 0, b = middle;
	for (size_t i = 0; i < len; i++) {
		bool is_first = a < middle && (b == len || from[a].time_ns <= from[b].time_ns);
		to[i] = is_first ? from[a++] : from[b++];
	}
}

/* Merges each two neighbouring pieces. Returns the new number of pieces. */
static size_t merge_round(const struct stmlog_event *from, struct stmlog_event *to, size_t *ends, size_t pieces)
{
	size_t merged = 0, start = 0;
	for (size_t i = 0; i < pieces; i += 2) {
		size_t middle = ends[i], end = i + 1 < pieces ? ends[i + 1] : middle;
		merge_two(from + start, middle - start, end - start, to + start);
		ends[merged++] = start = end;
	}
	return merged;
}

static bool merge(struct snapshot *draft)
{
	size_t pieces = draft->ends.len / sizeof(size_t);
	size_t len = draft->events.len;
	if (pieces < 2 || len == 0)
		return true;
	struct buffer other = {.size = draft->events.size};
	other.bytes = mem_alloc(other.size);
	if (other.bytes == NULL)
		return false;
	other.len = len;
	while (pieces > 1) {
		pieces = merge_round((const struct stmlog_event *)(const void *)draft->events.bytes,
			(struct stmlog_event *)(void *)other.bytes, (size_t *)(void *)draft->ends.bytes, pieces);
		struct buffer swapped = draft->events;
		draft->events = other;
		other = swapped;
	}
	buffer_fini(&other);
	return true;
}

/* ---- the timeline ---- */

static void set_pointers(struct snapshot *snapshot)
{
	struct stmlog_place *places = (struct stmlog_place *)(void *)snapshot->places.bytes;
	const struct tb_site *site = (const struct tb_site *)(const void *)snapshot->sites.bytes;
	const char *word = snapshot->words.bytes;
	snapshot->timeline.place_count = snapshot->places.len / sizeof *places;
	for (size_t i = 0; i < snapshot->timeline.place_count; i++) {
		places[i].sites = site;
		if (places[i].len > 0) /* without any site `site` is NULL */
			site += places[i].len;
		if (places[i].word == NULL)
			continue;
		places[i].word = word;
		word += strlen(word) + 1;
	}
	snapshot->timeline.places = places;
	snapshot->timeline.events = (const struct stmlog_event *)(const void *)snapshot->events.bytes;
	snapshot->timeline.len = snapshot->events.len / sizeof(struct stmlog_event);
}

/* Work space: too large for the stack. */
struct workspace {
	struct numbering numbering;
	struct track_record records[PIECE];
};

void stmlog_timeline_destroy(struct stmlog_timeline **timeline)
{
	struct snapshot *snapshot = (struct snapshot *)(void *)*timeline;
	if (snapshot == NULL)
		return;
	buffer_fini(&snapshot->events);
	buffer_fini(&snapshot->ends);
	buffer_fini(&snapshot->places);
	buffer_fini(&snapshot->sites);
	buffer_fini(&snapshot->words);
	mem_free(snapshot, sizeof *snapshot);
	*timeline = NULL;
}

static struct stmlog_timeline *make_snapshot(bool moves_on)
{
	struct snapshot *snapshot = mem_alloc(sizeof *snapshot);
	struct workspace *workspace = mem_alloc(sizeof *workspace);
	struct stmlog_timeline *timeline = snapshot != NULL ? &snapshot->timeline : NULL;
	bool is_made = snapshot != NULL && workspace != NULL;
	if (is_made) {
		read_recorders(snapshot, &workspace->numbering, workspace->records);
		is_made = !has_failed(snapshot) && merge(snapshot);
	}
	mem_free(workspace, sizeof *workspace);
	if (!is_made) {
		stmlog_timeline_destroy(&timeline);
		return NULL;
	}
	timeline->is_continued = timeline_is_continued();
	timeline->bytes = timeline_bytes();
	if (moves_on)
		move_on();
	timeline->unrecorded = timeline_unrecorded();
	timeline->unmeasured = timeline_unmeasured();
	buffer_fini(&snapshot->ends);
	set_pointers(snapshot);
	return timeline;
}

struct stmlog_timeline *stmlog_timeline_take(void)
{
	if (!session_enter()) {
		errno = ENODEV;
		return NULL;
	}
	registry_lock();
	struct stmlog_timeline *timeline = make_snapshot(true);
	registry_unlock();
	session_leave();
	if (timeline == NULL)
		errno = ENOMEM;
	return timeline;
}

struct stmlog_timeline *timeline_look(void)
{
	registry_lock();
	struct stmlog_timeline *timeline = make_snapshot(false);
	registry_unlock();
	return timeline;
}

struct stmlog_timeline *stmlog_timeline_trace(void (*call)(void *arg), void *arg)
{
	stmlog_timeline_start();
	call(arg);
	stmlog_timeline_stop();
	return stmlog_timeline_take();
}
