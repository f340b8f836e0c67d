/* SPDX-License-Identifier: MIT
 * Streams: made from a recording, copied with other times, written for the replay. */
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "usual_times.h"

/* ---- from a recording ---- */

size_t stream_transaction_len(const struct stream *stream, size_t at)
{
	size_t end = at;
	while (end < stream->len && !stream_is_end(stream->at[end].kind))
		end++;
	return end < stream->len ? end + 1 - at : stream->len - at;
}

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

static void count_transactions(struct streams *streams)
{
	streams->transactions = 0;
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++)
			streams->transactions += streams->at[i].at[k].kind == STMLOG_ACCESS_BEGIN;
}

static struct stream stream_copy(const struct stmlog_access_record *at, size_t len, uint32_t thread_id)
{
	struct stream stream = {.at = memory_zeroed(len, sizeof *at), .len = len, .cap = len, .thread_id = thread_id};
	memcpy(stream.at, at, len * sizeof *at);
	return stream;
}

static size_t stream_end(const struct recording *recording, size_t from)
{
	while (from < recording->access_count && recording->accesses[from].kind != STMLOG_ACCESS_THREAD)
		from++;
	return from;
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
		if (end > i + 1)
			streams.at[streams.len++] = stream_copy(thread + 1, end - i - 1, (uint32_t)thread->address);
	}
	count_transactions(&streams);
	usual_times(&streams);
	return streams;
}

void streams_fini(struct streams *streams)
{
	for (size_t i = 0; i < streams->len; i++)
		free(streams->at[i].at);
	free(streams->at);
	*streams = (struct streams){.len = 0};
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
		copy.at[i] = stream_copy(streams->at[i].at, streams->at[i].len, streams->at[i].thread_id);
	copy.transactions = streams->transactions;
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
	struct stream turned = stream_copy(stream->at, stream->len, stream->thread_id);
	memcpy(turned.at, stream->at + at, (stream->len - at) * sizeof *turned.at);
	memcpy(turned.at + (stream->len - at), stream->at, at * sizeof *turned.at);
	return turned;
}

/* All transactions of every `step`-th stream from this one on. */
static struct stream streams_joined(const struct streams *streams, size_t first, size_t step)
{
	struct stream joined = {.thread_id = streams->at[first].thread_id};
	for (size_t i = first; i < streams->len; i += step)
		stream_append(&joined, streams->at[i].at, streams->at[i].len);
	return joined;
}

static struct streams streams_for_fewer(const struct streams *streams, size_t threads)
{
	struct streams fewer = {.at = memory_zeroed(threads + 1, sizeof *fewer.at), .len = threads};
	for (size_t i = 0; i < threads; i++)
		fewer.at[i] = streams_joined(streams, i, threads);
	count_transactions(&fewer);
	return fewer;
}

struct streams streams_for_threads(const struct streams *streams, size_t threads)
{
	if (threads < streams->len)
		return streams_for_fewer(streams, threads);

	struct streams copy = {.at = memory_zeroed(threads + 1, sizeof *copy.at), .len = threads};
	size_t turns = (threads + streams->len - 1) / streams->len;
	for (size_t i = 0; i < threads; i++)
		copy.at[i] = stream_turned(&streams->at[i % streams->len], (double)(i / streams->len) / (double)turns);
	count_transactions(&copy);
	return copy;
}

/* ---- the replay's file ---- */

/* A stream without transactions, of which a change has left none, is no thread of the replay. */
static bool write_stream(const struct stream *stream, FILE *file)
{
	struct stmlog_access_record thread = {.address = stream->thread_id, .kind = STMLOG_ACCESS_THREAD};
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
