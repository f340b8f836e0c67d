/* SPDX-License-Identifier: MIT
 *
 * The transactions of a recording's accesses, to be run again: of each thread one stream for each window. They are
 * copies, which others change (what_if.h). The streams of a window are made at the same time: in another window other
 * data are hot.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

#include "records.h"

/* Whole transactions, in order. No gap is negative. */
struct stream {
	struct stmlog_access_record *at; /* owned */
	size_t len, cap;
	uint32_t thread_id;
	uint32_t window;
};

/* A stream is of the same thread as the one before it if both have its id, and its window is a later one. */
struct streams {
	struct stream *at;
	size_t len;
};

/* streams_recorded.c: those of the recording that have transactions, with usual times. Free with
 * streams_fini(). Returns none if the records are not in the order that format.h says. */
struct streams streams_of(const struct recording *recording);
void streams_fini(struct streams *streams);

/* How many threads the first `len` of the streams are of. */
size_t streams_threads(const struct streams *streams, size_t len);

/* Whether any transaction has an access. */
bool streams_have_accesses(const struct streams *streams);

struct streams streams_copy(const struct streams *streams);

/* A copy with other gaps: each is shorter by `overhead_ns`, which is what noting a call and replaying it add. The times
 * of a stream together become shorter by that, and none becomes negative. */
struct streams streams_without_overhead(const struct streams *streams, double overhead_ns);

/* A copy for so many threads. Fewer threads than there are make the transactions of several, one behind the other; more
 * of them make those of a thread again, from another transaction on. */
struct streams streams_for_threads(const struct streams *streams, size_t threads);

static inline bool stream_is_end(uint16_t kind)
{
	return kind == STMLOG_ACCESS_COMMIT || kind == STMLOG_ACCESS_CANCEL;
}

static inline bool stream_is_access(uint16_t kind)
{
	return kind >= STMLOG_ACCESS_READ && kind <= STMLOG_ACCESS_WRITE_AFTER_WRITE;
}

/* A copy of records as a stream of the thread and the window of `like`. */
struct stream stream_of(const struct stream *like, const struct stmlog_access_record *at, size_t len);

/* How many records the transaction that begins at `at` has. */
size_t stream_transaction_len(const struct stream *stream, size_t at);

/* Adds records at the end. */
void stream_append(struct stream *stream, const struct stmlog_access_record *at, size_t len);

/* Writes the file that stmlog-replay reads. Returns false, with errno, if it cannot be written. */
bool streams_write(const struct streams *streams, const char *path);

#endif
