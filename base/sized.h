/* SPDX-License-Identifier: MIT
 *
 * Fills in structures that a caller has allocated, which may have been compiled with the headers of another version.
 */
#ifndef STMLOG_SIZED_H
#define STMLOG_SIZED_H

#include <string.h>

/* Copies `from`, a structure of `from_size` bytes, into the first `size` bytes of `to`. Members that only the caller
 * knows become 0. */
static inline void sized_copy(void *to, size_t size, const void *from, size_t from_size)
{
	size_t len = size < from_size ? size : from_size;
	memcpy(to, from, len);
	memset((char *)to + len, 0, size - len);
}

#endif
