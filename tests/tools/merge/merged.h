/* SPDX-License-Identifier: MIT
 * Merges files, and compares two of them. */
#ifndef MERGED_H
#define MERGED_H

#include "merge.h"
#include "recording_sample.h"
#include "recording_text.h"
#include "temp_dir.h"
#include "verify.h"

static inline void assert_same_sums(const char *path, const char *other)
{
	OWNED(owned_free) char *text = text_of(path), *other_text = text_of(other);
	assert_string_equal(text, other_text);
}

static inline void merge_paths_into(const char *out, const char *const *paths, size_t count)
{
	OWNED(merge_fini) struct merge merge;
	merge_init(&merge);
	for (size_t i = 0; i < count; i++) {
		OWNED(recording_fini) struct recording recording;
		assert_int_equal(recording_load(&recording, paths[i]), RECORDING_WHOLE);
		assert_null(merge_add(&merge, &recording));
	}
	assert_true(merge_save(&merge, out));
}
#define MERGE(out, ...)                                           \
	merge_paths_into(out, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* temp_dir_path() has four places only. */
struct names {
	char name[8][256];
};

static inline struct names names_in(void)
{
	struct names names;
	for (size_t i = 0; i < 8; i++) {
		char name[16];
		snprintf(name, sizeof name, "%zu", i);
		snprintf(names.name[i], sizeof names.name[i], "%s", temp_dir_path(name));
	}
	return names;
}

static inline void print_violation(const char *text, void *arg)
{
	(void)arg;
	print_message("%s\n", text);
}

static inline void assert_right(const char *path)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_int_equal(verify_recording(&recording, print_violation, NULL), 0);
}

/* The sample with another line of INFO, which comes after the others and so replaces one. */
static inline void save_sample(const char *path, const char *line)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample(&writer);
	if (line != NULL)
		writer_info(&writer, line);
	writer_save(&writer, path);
}

#endif
