/* SPDX-License-Identifier: MIT
 * Chooses each thread's stream for each window. The recorded streams of a thread are in the order of their windows. */
#include "threads.h"

#include <stdlib.h>

static size_t count_threads(const struct recorded *recorded)
{
	size_t threads = 0;
	for (size_t i = 0; i < recorded->stream_count; i++)
		threads += !recorded->streams[i].is_same_thread;
	return threads;
}

/* Fills the windows that any thread has, ascending. Returns how many they are. */
static size_t find_windows(const struct recorded *recorded, uint16_t *windows)
{
	bool has[UINT16_MAX + 1] = {false};
	size_t count = 0;
	for (size_t i = 0; i < recorded->stream_count; i++)
		has[recorded->streams[i].window] = true;
	for (size_t window = 0; window <= UINT16_MAX; window++)
		if (has[window])
			windows[count++] = (uint16_t)window;
	return count;
}

/* The stream for `window` of the thread whose first stream is `first`. */
static size_t find_stream(const struct recorded *recorded, size_t first, uint16_t window)
{
	size_t found = first;
	for (size_t i = first + 1; i < recorded->stream_count && recorded->streams[i].is_same_thread; i++)
		if (recorded->streams[i].window <= window)
			found = i;
	return found;
}

/* Streams of few records are made several times in each window, so that the time of going on to the next window does
 * not matter. */
static size_t count_passes(const struct recorded *recorded)
{
	const size_t enough_records = 1024;
	size_t longest = 1;
	for (size_t i = 0; i < recorded->stream_count; i++)
		longest = recorded->streams[i].count > longest ? recorded->streams[i].count : longest;
	return (enough_records + longest - 1) / longest;
}

struct threads_schedule schedule_make(const struct recorded *recorded, const struct threads_stream *streams)
{
	uint16_t windows[RECORDED_STREAMS_MAX];
	size_t threads = count_threads(recorded), count = find_windows(recorded, windows);
	struct threads_stream *next = calloc(threads * count, sizeof *next);
	struct threads_schedule schedule = {next, threads, count, count_passes(recorded)};
	for (size_t i = 0; i < recorded->stream_count && next != NULL; i++)
		for (size_t k = 0; k < count && !recorded->streams[i].is_same_thread; k++)
			*next++ = streams[find_stream(recorded, i, windows[k])];
	return schedule;
}
