/* SPDX-License-Identifier: MIT
 * Decompresses a file of gzip, by one call for the whole file rather than by the functions under test. */
#ifndef INFLATED_H
#define INFLATED_H

#include <zlib.h>

#include "test.h"

/* NULL: the bytes are not exactly one file of gzip. The caller frees it. */
static inline uint8_t *inflated(const void *bytes, size_t len, size_t *inflated_len)
{
	enum { EITHER_FORMAT = 32 };
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)len};
	size_t cap = 4 * len + (16 << 20);
	uint8_t *out = malloc(cap);
	assert_non_null(out);
	assert_int_equal(inflateInit2(&stream, MAX_WBITS + EITHER_FORMAT), Z_OK);
	stream.next_out = out;
	stream.avail_out = (uInt)cap;
	int status = inflate(&stream, Z_FINISH);
	*inflated_len = cap - stream.avail_out;
	inflateEnd(&stream);
	if (status == Z_STREAM_END && stream.avail_in == 0)
		return out;
	free(out);
	return NULL;
}

#endif
