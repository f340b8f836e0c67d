/* SPDX-License-Identifier: MIT
 * Streams made by hand, and what they are compared with: arrays of records, as the file has them. */
#ifndef MADE_STREAMS_H
#define MADE_STREAMS_H

#include "loaded.h"

#include "memory.h"
#include "recording_sample.h"
#include "streams.h"

/* libitm's properties of transactions: with both codes; irrevocable from the start. */
enum { INSTRUMENTED = 3, IRREVOCABLE = 0x4b };

#define THREAD(id)                               \
	{                                        \
		(id), 0, STMLOG_ACCESS_THREAD, 0 \
	}
#define THREAD_IN(id, window)                           \
	{                                               \
		(id), 0, STMLOG_ACCESS_THREAD, (window) \
	}
#define BEGIN(site, gap)                                         \
	{                                                        \
		(site), (gap), STMLOG_ACCESS_BEGIN, INSTRUMENTED \
	}
#define READ(address, gap)                              \
	{                                               \
		(address), (gap), STMLOG_ACCESS_READ, 8 \
	}
#define WRITE(address, gap)                              \
	{                                                \
		(address), (gap), STMLOG_ACCESS_WRITE, 8 \
	}
#define ACCESS(kind, address, size, gap)                       \
	{                                                      \
		(address), (gap), STMLOG_ACCESS_##kind, (size) \
	}
#define ALONE(gap)                               \
	{                                        \
		0, (gap), STMLOG_ACCESS_ALONE, 0 \
	}
#define COMMIT(gap)                               \
	{                                         \
		0, (gap), STMLOG_ACCESS_COMMIT, 0 \
	}
#define CANCEL(gap)                               \
	{                                         \
		0, (gap), STMLOG_ACCESS_CANCEL, 0 \
	}

#define ARRAY(...)                                          \
	(const struct stmlog_access_record[]){__VA_ARGS__}, \
		sizeof((const struct stmlog_access_record[]){__VA_ARGS__}) / sizeof(struct stmlog_access_record)

/* Those of a recording with these records. */
static inline struct streams streams_recorded(const struct stmlog_access_record *at, size_t len)
{
	struct writer writer;
	struct recording recording;
	recording_sample(&writer);
	for (size_t i = 0; i < len; i++)
		writer_access(&writer, &at[i]);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct streams streams = streams_of(&recording);
	recording_fini(&recording);
	return streams;
}

/* With these records as they are; THREAD begins a stream, and its size is the window. */
static inline struct streams streams_made(const struct stmlog_access_record *at, size_t len)
{
	struct streams streams = {.at = memory_zeroed(len + 1, sizeof *streams.at)};
	for (size_t i = 0; i < len; i++) {
		if (at[i].kind == STMLOG_ACCESS_THREAD) {
			struct stmlog_access_record *records = memory_zeroed(len, sizeof *at);
			streams.at[streams.len++] =
				(struct stream){records, 0, len, (uint32_t)at[i].address, at[i].size};
			continue;
		}
		struct stream *stream = &streams.at[streams.len - 1];
		stream->at[stream->len++] = at[i];
	}
	return streams;
}

static inline void expect_record(
	const struct stmlog_access_record *found, const struct stmlog_access_record *wanted, size_t number)
{
	if (found->kind != wanted->kind || found->address != wanted->address || found->size != wanted->size ||
		found->gap_ns < wanted->gap_ns - 0.01f || found->gap_ns > wanted->gap_ns + 0.01f)
		fail_msg("record %zu: kind %d address %#lx size %d gap %f instead of kind %d address %#lx size %d gap "
			 "%f",
			number, found->kind, (unsigned long)found->address, found->size, (double)found->gap_ns,
			wanted->kind, (unsigned long)wanted->address, wanted->size, (double)wanted->gap_ns);
}

/* The streams have exactly these records. */
static inline void expect_records(const struct streams *streams, const struct stmlog_access_record *at, size_t len)
{
	struct streams wanted = streams_made(at, len);
	size_t number = 1;
	assert_int_equal(streams->len, wanted.len);
	for (size_t i = 0; i < wanted.len; i++, number++) {
		assert_int_equal(streams->at[i].thread_id, wanted.at[i].thread_id);
		assert_int_equal(streams->at[i].window, wanted.at[i].window);
		for (size_t k = 0; k < streams->at[i].len && k < wanted.at[i].len; k++)
			expect_record(&streams->at[i].at[k], &wanted.at[i].at[k], number++);
		assert_int_equal(streams->at[i].len, wanted.at[i].len);
	}
	streams_fini(&wanted);
}

/* The same, and ends the streams. */
static inline void expect_then_end(struct streams streams, const struct stmlog_access_record *at, size_t len)
{
	expect_records(&streams, at, len);
	streams_fini(&streams);
}

#endif
