/* SPDX-License-Identifier: MIT
 * A growing array of bytes. After a failure all further appends do nothing, so that the caller checks has_failed once,
 * at the end. A zeroed buffer is an empty one. */
#ifndef STMLOG_BUFFER_H
#define STMLOG_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *bytes;
	size_t len;
	size_t size;
	bool has_failed;
};

/* Makes room for so many bytes in all, so that appending them does not move the buffer. Sets has_failed if there is no
 * memory. */
void buffer_reserve(struct buffer *buffer, size_t size);

/* Appends bytes. Sets has_failed if there is no memory. */
void buffer_append(struct buffer *buffer, const void *bytes, size_t len);

/* Frees the memory, and leaves an empty buffer. */
void buffer_fini(struct buffer *buffer);

#endif
