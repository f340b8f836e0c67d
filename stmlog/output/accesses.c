/* SPDX-License-Identifier: MIT
 * Appends the streams of accesses to the section ACCESSES. */
#include "accesses.h"

#include "access_streams.h"

_Static_assert(sizeof(struct stmlog_access_record) == 16, "the format's records have no hidden padding");

static void append_stream(struct buffer *records, const struct access_stream *stream)
{
	struct stmlog_access_record first = {.address = stream->thread_id, .kind = STMLOG_ACCESS_THREAD};
	buffer_append(records, &first, sizeof first);
	buffer_append(records, stream->at, stream->len * sizeof *stream->at);
}

void accesses_record(struct buffer *records)
{
	struct access_stream streams[STMLOG_ACCESS_STREAMS];
	size_t count = access_streams_look(streams), len = 0;
	for (size_t i = 0; i < count; i++)
		len += streams[i].len;
	for (size_t i = 0; i < count && len > 0; i++)
		append_stream(records, &streams[i]);
}
