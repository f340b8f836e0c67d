/* SPDX-License-Identifier: MIT
 * The writer of the tests and recording_save() write the same bytes. */
#include "loaded.h"

#include "recording_sample.h"
#include "recording_save.h"
#include "temp_dir.h"

static struct writer_blob bytes_of(const char *path)
{
	struct writer_blob blob = {malloc(100000), 0, 100000};
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	blob.len = fread(blob.bytes, 1, blob.cap, file);
	fclose(file);
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
	OWNED(file_fini) struct file file;
	assert_true(file_read(&file, path));
	assert_true(file.is_complete);
	assert_int_equal(file.section_count, 1);
}

GROUP_WITH(temp_dir_fixture);
