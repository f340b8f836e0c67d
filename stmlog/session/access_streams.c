/* SPDX-License-Identifier: MIT
 * Stores the streams in a table of fixed size. Each place is claimed once, by a counter, and then belongs to its stream
 * until all are forgotten. A reader that sees a place between its claim and the end of its filling skips it. */
#include "access_streams.h"

#include <atomic_ops.h>

#include "misuse.h"

_Static_assert(sizeof(AO_t) == sizeof(size_t), "the runtime's number of records is read as AO_t");

struct place {
	volatile AO_t len; /* const size_t *; 0: not filled yet. The other members are constant once `len` is set */
	const struct stmlog_access_record *at;
	uint32_t thread_id;
};

static struct place places[STMLOG_ACCESS_STREAMS];
static volatile AO_t claimed; /* claimed places; a few more if several threads tried to claim the last one */

void access_streams_forget(void)
{
	for (size_t i = 0; i < STMLOG_ACCESS_STREAMS; i++)
		AO_store(&places[i].len, 0);
	AO_store(&claimed, 0);
}

/* Returns NULL if no place is left. Relaxed, because a claim publishes nothing. The count is read before it is raised
 * so that it stays small, however often claims are refused. */
static struct place *claim(void)
{
	AO_t i = AO_load(&claimed);
	if (i < STMLOG_ACCESS_STREAMS)
		i = AO_fetch_and_add1(&claimed);
	return i < STMLOG_ACCESS_STREAMS ? &places[i] : NULL;
}

bool stmlog_accesses_share(uint32_t thread_id, const struct stmlog_access_record *at, const size_t *len)
{
	if (at == NULL || len == NULL) {
		misuse_count("stmlog_accesses_share without records or their number");
		return false;
	}
	struct place *place = claim();
	if (place == NULL)
		return false;
	place->thread_id = thread_id;
	place->at = at;
	AO_store_release(&place->len, (AO_t)len); /* partner: the acquire of `len` in read_place() */
	return true;
}

/* Reads the number of records once: the runtime may append more meanwhile. */
static bool read_place(const struct place *place, struct access_stream *stream)
{
	const AO_t *len = (const AO_t *)AO_load_acquire(&place->len); /* partner: stmlog_accesses_share() */
	if (len == NULL)
		return false;
	*stream = (struct access_stream){
		.thread_id = place->thread_id,
		.at = place->at,
		.len = AO_load_acquire(len), /* partner: the release of the runtime that has appended the records */
	};
	return true;
}

size_t access_streams_look(struct access_stream streams[STMLOG_ACCESS_STREAMS])
{
	size_t count = 0;
	for (size_t i = 0; i < STMLOG_ACCESS_STREAMS; i++)
		count += read_place(&places[i], &streams[count]);
	return count;
}

/* ---- a copy ---- */

_Static_assert(sizeof(struct stmlog_access_record) == 16, "the format's records have no hidden padding");

static void copy_stream(struct buffer *records, const struct access_stream *stream)
{
	struct stmlog_access_record first = {.address = stream->thread_id, .kind = STMLOG_ACCESS_THREAD};
	buffer_append(records, &first, sizeof first);
	buffer_append(records, stream->at, stream->len * sizeof *stream->at);
}

void access_streams_copy(struct buffer *records)
{
	struct access_stream streams[STMLOG_ACCESS_STREAMS];
	size_t count = access_streams_look(streams), len = 0;
	for (size_t i = 0; i < count; i++)
		len += streams[i].len;
	for (size_t i = 0; i < count && len > 0; i++)
		copy_stream(records, &streams[i]);
}
