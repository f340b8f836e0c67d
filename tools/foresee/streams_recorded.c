/* SPDX-License-Identifier: MIT
 * The streams of a recording. */
#include "streams.h"

#include <math.h>

#include "memory.h"
#include "usual_times.h"

static bool is_time(const struct stmlog_access_record *record)
{
	return isfinite(record->gap_ns) && (record->gap_ns >= 0 || record->kind == STMLOG_ACCESS_BEGIN);
}

/* Whether the records are whole transactions. */
static bool is_in_order(const struct stmlog_access_record *at, size_t len)
{
	bool is_inside = false;
	for (size_t i = 0; i < len; i++) {
		bool begins = at[i].kind == STMLOG_ACCESS_BEGIN;
		if (at[i].kind >= STMLOG_ACCESS_KINDS || begins == is_inside || !is_time(&at[i]))
			return false;
		is_inside = !stream_is_end(at[i].kind);
	}
	return !is_inside;
}

static size_t stream_end(const struct recording *recording, size_t from)
{
	while (from < recording->access_count && recording->accesses[from].kind != STMLOG_ACCESS_THREAD)
		from++;
	return from;
}

/* The number of the window that begins with the record; 0: none does. */
static uint32_t window_of(const struct stmlog_access_record *record)
{
	bool begins = record->kind == STMLOG_ACCESS_BEGIN && record->gap_ns < -1;
	return begins ? (uint32_t)fmin((double)-record->gap_ns - 1, UINT16_MAX) : 0;
}

/* Adds the streams of a thread. Its records may begin without a window. */
static void add_thread(struct streams *streams, const struct stmlog_access_record *at, size_t len, uint32_t thread_id)
{
	struct stream like = {.thread_id = thread_id};
	for (size_t from = 0, end; from < len; from = end) {
		like.window = window_of(&at[from]);
		end = from + 1;
		while (end < len && window_of(&at[end]) <= like.window)
			end++;
		streams->at[streams->len++] = stream_of(&like, at + from, end - from);
	}
}

struct streams streams_of(const struct recording *recording)
{
	struct streams streams = {.at = memory_zeroed(recording->access_count + 1, sizeof *streams.at)};
	size_t end = 0;
	for (size_t i = 0; i < recording->access_count; i = end) {
		const struct stmlog_access_record *thread = &recording->accesses[i];
		end = stream_end(recording, i + 1);
		if (thread->kind != STMLOG_ACCESS_THREAD || !is_in_order(thread + 1, end - i - 1)) {
			streams_fini(&streams);
			return streams;
		}
		add_thread(&streams, thread + 1, end - i - 1, (uint32_t)thread->address);
	}
	usual_times(&streams);
	return streams;
}
