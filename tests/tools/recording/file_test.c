/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"
#include "recording_sample.h"
#include "temp_dir.h"
#include "test.h"

static struct file file;

static struct writer_blob sample(void)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	struct writer_blob blob = writer_file(&writer);
	return blob;
}

static bool read_bytes(const void *bytes, size_t len)
{
	char path[64];
	int fd = memfd_create("recording", 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	bool is_recording = file_read(&file, path);
	close(fd);
	return is_recording;
}

TEST(a_whole_file_has_all_its_sections)
{
	struct writer_blob blob = sample();
	assert_true(read_bytes(blob.bytes, blob.len));
	assert_true(file.is_complete);
	assert_string_equal(file.fault, "");
	assert_int_equal(file.section_count, 10);
	assert_int_equal(file.whole_len, blob.len);
	assert_non_null(file_section(&file, STMLOG_SECTION_ENTRIES));
	assert_int_equal(file_section(&file, STMLOG_SECTION_ENTRIES)->length, 5 * sizeof(struct stmlog_entry_record));
	file_fini(&file);
	free(blob.bytes);
}

TEST(sections_of_a_later_version_are_skipped)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	writer_append(&writer, 253, "new", 3);
	char large[200000];
	memset(large, 'x', sizeof large);
	writer_append(&writer, 254, large, sizeof large);
	struct writer_blob blob = writer_file(&writer);
	assert_true(read_bytes(blob.bytes, blob.len));
	assert_true(file.is_complete);
	assert_int_equal(file.section_count, 12);
	assert_string_equal(file_section_name(253), "unknown");
	assert_null(file.sections[9].bytes);
	file_fini(&file);
	free(blob.bytes);
}

TEST(a_larger_file_header_is_stepped_over)
{
	struct writer_blob blob = sample();
	uint8_t *longer = calloc(1, blob.len + 8);
	assert_non_null(longer);
	memcpy(longer, blob.bytes, 16);
	memcpy(longer + 24, blob.bytes + 16, blob.len - 16);
	longer[12] = 24;
	assert_true(read_bytes(longer, blob.len + 8));
	assert_true(file.is_complete);
	file_fini(&file);
	free(longer);
	free(blob.bytes);
}

TEST(every_truncation_keeps_the_whole_sections_and_says_where_it_ends)
{
	struct writer_blob blob = sample();
	uint32_t max = 0;
	for (size_t len = 0; len < blob.len; len++) {
		bool is_recording = read_bytes(blob.bytes, len);
		assert_int_equal(is_recording, len >= 16);
		assert_false(file.is_complete);
		assert_true(file.fault[0] != '\0');
		assert_true(file.whole_len <= len);
		assert_true(file.section_count >= max);
		max = file.section_count;
		if (is_recording)
			assert_non_null(strstr(file.fault, "ends early"));
		file_fini(&file);
	}
	assert_int_equal(max, 9);
	free(blob.bytes);
}

TEST(every_changed_byte_is_noticed)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff};
	struct writer_blob blob = sample();
	for (size_t at = 0; at < blob.len; at++) {
		blob.bytes[at] ^= changes[at % sizeof changes];
		bool is_recording = read_bytes(blob.bytes, blob.len);
		assert_false(is_recording && file.is_complete);
		assert_true(file.fault[0] != '\0');
		file_fini(&file);
		blob.bytes[at] ^= changes[at % sizeof changes];
	}
	free(blob.bytes);
}

TEST(bytes_behind_the_end_are_damage)
{
	struct writer_blob blob = sample();
	blob.bytes[blob.len] = 0; /* the writer leaves room for one byte */
	assert_true(read_bytes(blob.bytes, blob.len + 1));
	assert_false(file.is_complete);
	assert_non_null(strstr(file.fault, "bytes behind the end"));
	file_fini(&file);
	free(blob.bytes);
}

TEST(sections_out_of_order_are_damage)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	memset(writer.has, 0, sizeof writer.has);
	writer.has[STMLOG_SECTION_INFO] = 1;
	struct writer_blob one = writer_file(&writer);
	uint8_t *twice = calloc(2, one.len);
	assert_non_null(twice);
	memcpy(twice, one.bytes, one.len);
	memcpy(twice + one.len, one.bytes + 16, one.len - 16);
	assert_true(read_bytes(twice, 2 * one.len - 16));
	assert_int_equal(file.section_count, 1);
	assert_non_null(strstr(file.fault, "out of order"));
	file_fini(&file);
	free(twice);
	free(one.bytes);
}

TEST(a_later_format_is_refused_with_its_number)
{
	struct writer_blob blob = sample();
	blob.bytes[8] = 2;
	assert_false(read_bytes(blob.bytes, blob.len));
	assert_non_null(strstr(file.fault, "format version 2"));
	file_fini(&file);
	free(blob.bytes);
}

TEST(what_is_no_plain_file_is_refused)
{
	assert_false(file_read(&file, temp_dir_path("absent")));
	assert_non_null(strstr(file.fault, "cannot be opened"));
	assert_false(file_read(&file, temp_dir));
	assert_non_null(strstr(file.fault, "directory"));
	const char *fifo = temp_dir_path("fifo");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_false(file_read(&file, fifo));
	assert_non_null(strstr(file.fault, "no regular file"));
	assert_false(file_read(&file, "/dev/zero"));
	assert_false(read_bytes("", 0));
	assert_false(read_bytes("STMLOG\r\n", 8));
	assert_false(read_bytes("#!/bin/sh\necho not ours\n", 24));
	assert_non_null(strstr(file.fault, "no recording"));
	file_fini(&file);
}

/* A length near 2^64 must neither wrap around nor be allocated. */
TEST(a_length_beyond_the_file_is_not_believed)
{
	static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 40, INT64_MAX, 1u << 20};
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		struct writer_blob blob = sample();
		memcpy(blob.bytes + 16 + offsetof(struct stmlog_section_header, length), &lengths[i],
			sizeof lengths[i]);
		writer_mend_header(blob.bytes + 16);
		assert_true(read_bytes(blob.bytes, blob.len));
		assert_int_equal(file.section_count, 0);
		file_fini(&file);
		free(blob.bytes);
	}
}

/* ---- writing: the writer of the tests and recording_save() write the same bytes ---- */

static struct writer_blob bytes_of(const char *path)
{
	struct writer_blob blob = {malloc(100000), 0, 100000};
	FILE *saved = fopen(path, "r");
	assert_non_null(saved);
	blob.len = fread(blob.bytes, 1, blob.cap, saved);
	fclose(saved);
	return blob;
}

static size_t sections_of(const struct writer *writer, struct recording_section *sections)
{
	size_t count = 0;
	for (uint32_t type = 0; type < STMLOG_SECTION_END; type++) {
		if (writer->has[type])
			sections[count++] = (struct recording_section){type, writer->record_size[type],
				writer->sections[type].bytes, writer->sections[type].len};
	}
	return count;
}

static void assert_saved(const char *path, struct writer *writer)
{
	struct recording_section sections[STMLOG_SECTION_END];
	struct writer_blob expected = writer_file(writer);
	size_t count = sections_of(writer, sections);
	assert_true(recording_save(path, sections, count));
	struct writer_blob found = bytes_of(path);
	assert_int_equal(found.len, expected.len);
	assert_memory_equal(found.bytes, expected.bytes, expected.len);
	free(expected.bytes);
	free(found.bytes);
}

TEST(a_file_is_what_the_format_says)
{
	const char *path = temp_dir_path("saved");
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	assert_saved(path, &writer);
}

TEST(payloads_of_any_length_are_padded)
{
	const char *path = temp_dir_path("padded");
	for (size_t len = 0; len <= 9; len++) {
		OWNED(writer_fini) struct writer writer;
		writer_init(&writer);
		writer_append(&writer, STMLOG_SECTION_TRACEBACKS, "123456789", len);
		assert_saved(path, &writer);
	}
}

TEST(a_file_without_sections_has_its_end)
{
	const char *path = temp_dir_path("empty");
	assert_true(recording_save(path, NULL, 0));
	OWNED(file_fini) struct file empty;
	assert_true(file_read(&empty, path));
	assert_true(empty.is_complete);
	assert_int_equal(empty.section_count, 1);
}

GROUP_WITH(temp_dir_fixture);
