/* SPDX-License-Identifier: MIT
 * Copies streams with other times or for other numbers of threads, and writes them for the replay. */
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

size_t stream_transaction_len(const struct stream *stream, size_t at)
{
	size_t end = at;
	while (end < stream->len && !stream_is_end(stream->at[end].kind))
		end++;
	return end < stream->len ? end + 1 - at : stream->len - at;
}

struct stream stream_of(const struct stream *like, const struct stmlog_access_record *at, size_t len)
{
	struct stream stream = *like;
	stream.at = memory_zeroed(len, sizeof *at);
	stream.len = stream.cap = len;
	memcpy(stream.at, at, len * sizeof *at);
	return stream;
}

void streams_fini(struct streams *streams)
{
	for (size_t i = 0; i < streams->len; i++)
		free(streams->at[i].at);
	free(streams->at);
	*streams = (struct streams){.len = 0};
}

/* Whether it is of the same thread as the one before it. */
static bool goes_on(const struct streams *streams, size_t i)
{
	const struct stream *stream = &streams->at[i];
	return i > 0 && stream[-1].thread_id == stream->thread_id && stream[-1].window < stream->window;
}

size_t streams_threads(const struct streams *streams, size_t len)
{
	size_t threads = 0;
	for (size_t i = 0; i < len; i++)
		threads += !goes_on(streams, i);
	return threads;
}

bool streams_have_accesses(const struct streams *streams)
{
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++)
			if (stream_is_access(streams->at[i].at[k].kind))
				return true;
	return false;
}

void stream_append(struct stream *stream, const struct stmlog_access_record *at, size_t len)
{
	stream->at = memory_reserved(stream->at, stream->len + len, &stream->cap, sizeof *stream->at);
	memcpy(stream->at + stream->len, at, len * sizeof *at);
	stream->len += len;
}

/* ---- copies ---- */

struct streams streams_copy(const struct streams *streams)
{
	struct streams copy = {.at = memory_zeroed(streams->len + 1, sizeof *copy.at), .len = streams->len};
	for (size_t i = 0; i < streams->len; i++)
		copy.at[i] = stream_of(&streams->at[i], streams->at[i].at, streams->at[i].len);
	return copy;
}

/* Short times are whole numbers of 10 ns, since the replay waits for each in a loop: of loops that always have the
 * same length the processor foresees the end. What is left over is added to the next. */
static void shorten(struct stream *stream, double overhead_ns)
{
	const double step_ns = 10, short_ns = 200;
	double rest_ns = 0;
	for (size_t i = 0; i < stream->len; i++) {
		struct stmlog_access_record *record = &stream->at[i];
		double ns = (double)record->gap_ns - (record->kind != STMLOG_ACCESS_BEGIN ? overhead_ns : 0) + rest_ns;
		double whole_ns = ns < 0 ? 0 : ns < short_ns ? floor(ns / step_ns) * step_ns : ns;
		rest_ns = ns - whole_ns;
		record->gap_ns = (float)whole_ns;
	}
}

struct streams streams_without_overhead(const struct streams *streams, double overhead_ns)
{
	struct streams copy = streams_copy(streams);
	for (size_t i = 0; i < copy.len; i++)
		shorten(&copy.at[i], overhead_ns);
	return copy;
}

/* The transactions from `part` of the stream on, and then those before. */
static struct stream stream_turned(const struct stream *stream, double part)
{
	size_t at = 0, from = (size_t)((double)stream->len * part);
	while (at < from)
		at += stream_transaction_len(stream, at);
	struct stream turned = stream_of(stream, stream->at, stream->len);
	memcpy(turned.at, stream->at + at, (stream->len - at) * sizeof *turned.at);
	memcpy(turned.at + (stream->len - at), stream->at, at * sizeof *turned.at);
	return turned;
}

/* The next window that any stream has; 0: there is none. */
static uint32_t window_behind(const struct streams *streams, uint32_t window)
{
	uint32_t next = 0;
	for (size_t i = 0; i < streams->len; i++)
		if (streams->at[i].window > window && (next == 0 || streams->at[i].window < next))
			next = streams->at[i].window;
	return next;
}

/* Adds all transactions that every `step`-th thread from this one on has made in the window. */
static void add_joined(
	struct streams *joined, const struct streams *streams, uint32_t window, size_t first, size_t step)
{
	struct stream stream = {.window = window};
	size_t thread = 0;
	for (size_t i = 0; i < streams->len; i++) {
		thread += i > 0 && !goes_on(streams, i);
		if (thread == first)
			stream.thread_id = streams->at[i].thread_id;
		if (thread % step == first && streams->at[i].window == window)
			stream_append(&stream, streams->at[i].at, streams->at[i].len);
	}
	if (stream.len > 0)
		joined->at[joined->len++] = stream;
}

static struct streams streams_for_fewer(const struct streams *streams, size_t threads)
{
	struct streams fewer = {.at = memory_zeroed(streams->len + 1, sizeof *fewer.at)};
	for (size_t i = 0; i < threads; i++) {
		uint32_t window = 0;
		do {
			add_joined(&fewer, streams, window, i, threads);
			window = window_behind(streams, window);
		} while (window != 0);
	}
	return fewer;
}

/* Adds what the thread of this number makes, each of its streams turned by that part. */
static void add_turned(struct streams *turned, const struct streams *streams, size_t number, double part)
{
	size_t thread = 0;
	for (size_t i = 0; i < streams->len; i++) {
		thread += i > 0 && !goes_on(streams, i);
		if (thread == number)
			turned->at[turned->len++] = stream_turned(&streams->at[i], part);
	}
}

static struct streams streams_for_more(const struct streams *streams, size_t recorded, size_t threads)
{
	size_t turns = (threads + recorded - 1) / recorded;
	struct streams more = {.at = memory_zeroed(turns * streams->len + 1, sizeof *more.at)};
	for (size_t i = 0; i < threads; i++) {
		size_t turn = i / recorded;
		add_turned(&more, streams, i % recorded, (double)turn / (double)turns);
	}
	return more;
}

struct streams streams_for_threads(const struct streams *streams, size_t threads)
{
	size_t recorded = streams_threads(streams, streams->len);
	if (threads < recorded || recorded == 0)
		return streams_for_fewer(streams, threads);
	return streams_for_more(streams, recorded, threads);
}

/* ---- the replay's file ---- */

/* A stream without transactions, of which a change has left none, is no thread of the replay. */
static bool write_stream(const struct stream *stream, FILE *file)
{
	struct stmlog_access_record thread = {
		.address = stream->thread_id, .kind = STMLOG_ACCESS_THREAD, .size = (uint16_t)stream->window};
	if (stream->len == 0)
		return true;
	return fwrite(&thread, sizeof thread, 1, file) == 1 &&
	       fwrite(stream->at, sizeof *stream->at, stream->len, file) == stream->len;
}

bool streams_write(const struct streams *streams, const char *path)
{
	FILE *file = fopen(path, "we");
	bool is_written = file != NULL;
	for (size_t i = 0; i < streams->len && is_written; i++)
		is_written = write_stream(&streams->at[i], file);
	return file != NULL && fclose(file) == 0 && is_written;
}
