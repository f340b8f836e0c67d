/* SPDX-License-Identifier: MIT
 *
 * A file of recorded transactions: an array of struct stmlog_access_record and nothing else. It may be damaged. What
 * recorded_read() accepts has whole transactions only, and libitm can run all of them.
 *
 * A record THREAD begins a stream; its `size` is the number of the window in which the stream was recorded. A stream
 * with the id of the one before it, and a later window, is of the same thread.
 */
#ifndef ITM_REPLAY_RECORDED_H
#define ITM_REPLAY_RECORDED_H

#include <stdbool.h>
#include <stddef.h>

#include <stmlog/format.h>

enum { RECORDED_STREAMS_MAX = 2048 };

/* The transactions of a thread in a window, at least one: from a BEGIN to a COMMIT or CANCEL. */
struct recorded_stream {
	const struct stmlog_access_record *first;
	size_t count;
	uint64_t thread_id;
	uint16_t window;
	bool is_same_thread; /* as that of the stream before it */
};

struct recorded {
	struct stmlog_access_record *records;
	size_t count;
	struct recorded_stream streams[RECORDED_STREAMS_MAX];
	size_t stream_count; /* at least 1 */
};

/* Why a file is refused. */
struct recorded_fault {
	const char *what; /* static */
	size_t record;    /* its number, from 0; RECORDED_NO_RECORD: the fault is in none */
};
#define RECORDED_NO_RECORD SIZE_MAX

/* Reads and checks the file. The caller owns the result, and gives it back with recorded_fini(). Returns false, sets
 * *fault and leaves nothing to free if the file cannot be read, or is damaged. */
bool recorded_read(struct recorded *recorded, const char *path, struct recorded_fault *fault);
void recorded_fini(struct recorded *recorded);

/* The record is an access of memory, whose `address` and `size` count. */
static inline bool recorded_is_read(const struct stmlog_access_record *record)
{
	return record->kind >= STMLOG_ACCESS_READ && record->kind <= STMLOG_ACCESS_READ_FOR_WRITE;
}

static inline bool recorded_is_write(const struct stmlog_access_record *record)
{
	return record->kind >= STMLOG_ACCESS_WRITE && record->kind <= STMLOG_ACCESS_WRITE_AFTER_WRITE;
}

static inline bool recorded_is_access(const struct stmlog_access_record *record)
{
	return recorded_is_read(record) || recorded_is_write(record);
}

#endif
