/* SPDX-License-Identifier: MIT
 * Lists the records of accesses that runtimes share (stmlog_accesses_share()), for the file's section ACCESSES. Their
 * memory belongs to the runtimes, which append to it while outputs read it. */
#ifndef STMLOG_ACCESS_STREAMS_H
#define STMLOG_ACCESS_STREAMS_H

#include <stmlog/format.h>
#include <stmlog/agent.h>

#include "buffer.h"

/* A stream as it is at one moment. */
struct access_stream {
	uint32_t thread_id;
	const struct stmlog_access_record *at;
	size_t len;
};

/* Writes the streams in the order in which they were shared. Returns how many there are. Any thread. */
size_t access_streams_look(struct access_stream streams[STMLOG_ACCESS_STREAMS]);

/* Forgets all streams. Called when a session opens, and in a forked child, whose runtime has to share its own
 * streams. */
void access_streams_forget(void);

/* Appends the records of all streams to the section ACCESSES, each stream's after a record of kind THREAD. Appends
 * nothing if no stream has a record. */
void access_streams_copy(struct buffer *records);

#endif
