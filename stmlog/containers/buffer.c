/* SPDX-License-Identifier: MIT
 * Appends to a buffer. A full buffer moves to a new piece of memory of at least twice the size. */
#include "buffer.h"

#include <string.h>

#include "mem.h"

static bool move(struct buffer *buffer, size_t size)
{
	char *bytes = mem_alloc(size);
	if (bytes == NULL)
		return false;
	if (buffer->len != 0)
		memcpy(bytes, buffer->bytes, buffer->len);
	mem_free(buffer->bytes, buffer->size);
	buffer->bytes = bytes;
	buffer->size = size;
	return true;
}

static bool grow(struct buffer *buffer, size_t needed)
{
	size_t size = buffer->size != 0 ? buffer->size : 4096;
	while (size < needed)
		size *= 2;
	return move(buffer, size);
}

void buffer_reserve(struct buffer *buffer, size_t size)
{
	if (!buffer->has_failed && size > buffer->size && !move(buffer, size))
		buffer->has_failed = true;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t len)
{
	if (buffer->has_failed || len == 0)
		return;
	if (buffer->len + len > buffer->size && !grow(buffer, buffer->len + len)) {
		buffer->has_failed = true;
		return;
	}
	memcpy(buffer->bytes + buffer->len, bytes, len);
	buffer->len += len;
}

void buffer_fini(struct buffer *buffer)
{
	mem_free(buffer->bytes, buffer->size);
	*buffer = (struct buffer){.bytes = NULL};
}
