/* SPDX-License-Identifier: MIT
 * The decompressed bytes are those that were written, in whatever pieces. */
#include "loaded.h"

#include "gzip.h"
#include "inflated.h"
#include "random.h"

enum { BUFFER = 1 << 16 }; /* as long as it has at first */

/* Compresses `len` bytes in pieces of at most `piece`, and expects them back. */
static void expect_back(const uint8_t *bytes, size_t len, size_t piece)
{
	char *packed;
	size_t packed_len, out_len;
	OWNED(owned_free) struct gzip *gzip = malloc(sizeof *gzip);
	assert_non_null(gzip);
	FILE *out = open_memstream(&packed, &packed_len);
	gzip_begin(gzip, out);
	for (size_t at = 0; at < len; at += piece) {
		size_t part = len - at < piece ? len - at : piece;
		memcpy(gzip_room(gzip, part + at % 3), bytes + at, part);
		gzip_add(gzip, part);
	}
	gzip_end(gzip);
	fclose(out);
	OWNED(owned_free) uint8_t *back = inflated(packed, packed_len, &out_len);
	assert_non_null(back);
	assert_int_equal(out_len, len);
	if (len > 0)
		assert_memory_equal(back, bytes, len);
	assert_null(inflated(packed, packed_len - 1, &out_len));
	free(packed);
}

TEST(all_that_was_written_comes_out)
{
	static const size_t lengths[] = {0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER, 5 * BUFFER + 7};
	static uint8_t bytes[5 * BUFFER + 7]; /* half of them noise, which does not get smaller */
	struct random random = {7};
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = i % (2 * BUFFER) < BUFFER ? (uint8_t)random_below(&random, 256) : 'x';
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		expect_back(bytes, lengths[i], 1000);
		expect_back(bytes, lengths[i], BUFFER);
		expect_back(bytes, lengths[i], BUFFER + 1);
		expect_back(bytes, lengths[i], sizeof bytes);
	}
}

TEST(the_same_gives_the_same_file)
{
	char *packed[2];
	size_t len[2];
	OWNED(owned_free) struct gzip *gzip = malloc(sizeof *gzip);
	assert_non_null(gzip);
	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&packed[i], &len[i]);
		gzip_begin(gzip, out);
		memcpy(gzip_room(gzip, 7), "profile", 7);
		gzip_add(gzip, 7);
		gzip_end(gzip);
		fclose(out);
	}
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(packed[0], packed[1], len[0]);
	free(packed[0]);
	free(packed[1]);
}
