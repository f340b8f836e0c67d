/* SPDX-License-Identifier: MIT
 * Texts, errors of write(2), and the checksum. Which file descriptor 2 is. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "out.h"
#include "test.h"

/* ---- buffered output, and the checksum ---- */

static struct out out;
static int file;

static void set_up(void)
{
	file = memfd_create("out", 0);
	assert_true(file >= 0);
	out_begin(&out, file);
}

static void tear_down(void)
{
	close(file);
}

static const struct test_fixture fixture = {set_up, tear_down};

static void assert_written(const char *expected)
{
	char text[512];
	assert_int_equal(out_end(&out), 0);
	ssize_t len = pread(file, text, sizeof text - 1, 0);
	text[len] = '\0';
	assert_string_equal(text, expected);
}

TEST(into_memory_goes_all_or_an_error_and_without_memory_it_is_counted)
{
	enum { LEN = 10000 };
	static char bytes[LEN], memory[LEN];
	memset(bytes, 'x', LEN);
	for (size_t room = LEN - 1; room <= LEN; room++) {
		out_begin_memory(&out, memory, room);
		out_bytes(&out, bytes, LEN);
		assert_int_equal(out_end(&out), room < LEN ? -ENOSPC : 0);
	}
	assert_memory_equal(bytes, memory, LEN);
	out_begin_memory(&out, NULL, 0);
	out_bytes(&out, bytes, LEN);
	assert_int_equal(out_end(&out), 0);
	assert_int_equal(out.done, LEN);
}

TEST_WITH(fixture, texts_are_written_one_behind_the_other)
{
	out_text(&out, "one");
	out_text(&out, ", two");
	assert_written("one, two");
}

TEST_WITH(fixture, the_checksum_is_the_one_everybody_has)
{
	assert_int_equal(crc32_of(0, "123456789", 9), 0xcbf43926); /* the check value of CRC-32/ISO-HDLC */
	assert_int_equal(crc32_of(crc32_of(0, "1234", 4), "56789", 5), 0xcbf43926);
	assert_int_equal(crc32_of(0, "", 0), 0);
}

TEST(the_checksum_of_many_bytes_is_that_of_its_pieces)
{
	unsigned char bytes[5003];
	uint32_t of_pieces = 0;
	for (size_t i = 0; i < sizeof bytes; i++) {
		bytes[i] = (unsigned char)(i * 2654435761u >> 13);
		of_pieces = crc32_of(of_pieces, bytes + i, 1);
	}
	assert_int_equal(crc32_of(0, bytes, sizeof bytes), of_pieces);
}

TEST_WITH(fixture, more_than_the_buffer_arrives_whole)
{
	char bytes[3 * sizeof out.bytes + 7], read_back[sizeof bytes];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 31);
	out_bytes(&out, bytes, 1);
	out_bytes(&out, bytes + 1, sizeof bytes - 1);
	assert_int_equal(out_end(&out), 0);
	assert_int_equal(pread(file, read_back, sizeof read_back, 0), sizeof bytes);
	assert_memory_equal(bytes, read_back, sizeof bytes);
}

TEST_WITH(fixture, the_first_error_sticks)
{
	int full = open("/dev/full", O_WRONLY);
	assert_true(full >= 0);
	out_begin(&out, full);
	out_text(&out, "lost");
	assert_int_equal(out_end(&out), -ENOSPC);
	out_text(&out, "lost too");
	assert_int_equal(out_end(&out), -ENOSPC);
	close(full);
}

/* ---- stderr ---- */

static int real;

static void keep_stderr(void)
{
	real = dup(STDERR_FILENO);
	assert_true(real > STDERR_FILENO);
}

static void restore_stderr(void)
{
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	close(real);
}

static const struct test_fixture stderr_fixture = {keep_stderr, restore_stderr};

/* Descriptor 2 becomes a file of the program's. Returns what standard_error() says of it. */
static int with_file(int flags)
{
	char path[] = "/tmp/stmlog-stderr-XXXXXX";
	int made = mkstemp(path), opened = open(path, flags);
	assert_true(made >= 0 && opened >= 0);
	assert_int_equal(dup2(opened, STDERR_FILENO), STDERR_FILENO);
	close(opened);
	close(made);
	unlink(path);
	return standard_error();
}

TEST_WITH(stderr_fixture, it_is_2_when_the_library_is_loaded)
{
	assert_int_equal(standard_error(), STDERR_FILENO);
}

TEST_WITH(stderr_fixture, it_is_nothing_once_it_is_a_file_of_the_programs)
{
	assert_int_equal(with_file(O_RDWR), -1);
	assert_int_equal(with_file(O_WRONLY), -1);
	assert_int_equal(with_file(O_RDWR | O_APPEND), -1);
}

TEST_WITH(stderr_fixture, a_log_is_written_to)
{
	assert_int_equal(with_file(O_WRONLY | O_APPEND), STDERR_FILENO);
}

TEST_WITH(stderr_fixture, it_is_nothing_while_it_is_closed_and_2_again_afterwards)
{
	close(STDERR_FILENO);
	errno = ERANGE;
	assert_int_equal(standard_error(), -1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(standard_error(), STDERR_FILENO);
}

TEST(a_line_has_all_its_texts)
{
	char told[64];
	capture_stderr_begin();
	standard_error_tell("one", NULL);
	standard_error_tell("a", "", "bc", NULL);
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: one\nstmlog: abc\n");
}
