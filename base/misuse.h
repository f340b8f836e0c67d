/* SPDX-License-Identifier: MIT
 *
 * What callers of public functions may do that the library did not expect.
 *
 * Mistaken calls, such as a commit without a start, must not end the program that is profiled: the call changes nothing
 * and is counted, and the first one is reported on stderr. Any thread; async-signal-safe; errno is kept.
 *
 * Structures that a caller has allocated may have been compiled with the headers of another version.
 */
#ifndef BASE_MISUSE_H
#define BASE_MISUSE_H

#include <stddef.h>
#include <string.h>

/* ---- mistaken calls ---- */

/* Counts a mistake. `what` is for stderr, without a full stop: "tb_pop of an empty stack". */
void misuse_count(const char *what);

/* How many mistakes were counted in this process. */
size_t misuse_total(void);

/* ---- structures of other versions ---- */

/* Copies `from`, a structure of `from_size` bytes, into the first `size` bytes of `to`. Members that only the caller
 * knows become 0. */
static inline void sized_copy(void *to, size_t size, const void *from, size_t from_size)
{
	size_t len = size < from_size ? size : from_size;
	memcpy(to, from, len);
	memset((char *)to + len, 0, size - len);
}

#endif
