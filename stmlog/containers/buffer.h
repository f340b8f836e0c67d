/* SPDX-License-Identifier: MIT
 * Bytes that grow, of base/mem.h. A failure sticks: later appends do nothing. */
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

void buffer_append(struct buffer *buffer, const void *bytes, size_t len);
void buffer_fini(struct buffer *buffer);

#endif
