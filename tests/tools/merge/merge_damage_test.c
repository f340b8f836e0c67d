/* SPDX-License-Identifier: MIT
 * A file with right checksums may claim anything: if it can be loaded it can be merged, and the result loaded. */
#include "loaded.h"

#include <valgrind/valgrind.h>

#include "merge.h"
#include "random_recording.h"
#include "recording_sample.h"
#include "temp_dir.h"

/* Merges it behind a right file, and in front of one, as another run and as another process. False: it cannot be
 * loaded, or is of another runtime. */
static bool merge_with(const struct recording *right, const void *bytes, size_t len, const char *path)
{
	bool is_merged = false;
	for (int form = 0; form < 4; form++) {
		bool is_behind = form % 2 != 0;
		struct recording recording, result;
		OWNED(merge_fini) struct merge merge;
		form < 2 ? merge_init(&merge) : merge_init_run(&merge);
		if (load_bytes(&recording, bytes, len) == RECORDING_WHOLE) {
			is_merged = merge_add(&merge, is_behind ? right : &recording) == NULL &&
				    merge_add(&merge, is_behind ? &recording : right) == NULL;
			assert_true(merge_save(&merge, path));
			assert_int_equal(recording_load(&result, path), RECORDING_WHOLE);
			recording_fini(&result);
		}
		recording_fini(&recording);
	}
	return is_merged;
}

static void damage_each_byte(const char *path, struct writer *writer, size_t step)
{
	static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x10};
	struct writer_blob file = writer_file(writer);
	struct writer_blob changed = {malloc(file.len), file.len, file.len};
	struct recording right;
	size_t merged = 0;
	assert_int_equal(load_bytes(&right, file.bytes, file.len), RECORDING_WHOLE);
	for (size_t at = 16; at < file.len; at += step) {
		memcpy(changed.bytes, file.bytes, file.len);
		changed.bytes[at] ^= changes[at % sizeof changes];
		writer_mend_checksums(&changed);
		merged += merge_with(&right, changed.bytes, changed.len, path);
	}
	assert_true(merged > 0);
	recording_fini(&right);
	free(changed.bytes);
	free(file.bytes);
}

TEST(a_changed_byte_in_the_sample_is_survived)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample_weighed(&writer);
	damage_each_byte(temp_dir_path("merged"), &writer, RUNNING_ON_VALGRIND ? 53 : 3);
}

TEST(a_changed_byte_in_one_of_several_processes_is_survived)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample_processes(&writer);
	damage_each_byte(temp_dir_path("merged"), &writer, RUNNING_ON_VALGRIND ? 59 : 7);
}

TEST(a_changed_byte_in_a_random_one_is_survived)
{
	OWNED(writer_fini) struct writer writer;
	struct random random = {23};
	random_recording(&writer, &random);
	damage_each_byte(temp_dir_path("merged"), &writer, RUNNING_ON_VALGRIND ? 211 : 13);
}

/* So many overlapping modules that comparing all of them with each other would take too long. */
TEST(modules_without_number_are_survived)
{
	enum { MODULES = 100000 };
	const char *path = temp_dir_path("many"), *out = temp_dir_path("merged");
	struct writer writer;
	struct recording recording;
	struct merge merge;
	writer_init(&writer);
	for (uint32_t i = 0; i < MODULES; i++) {
		struct stmlog_module_record module = {1000, 2000, 1, 0, 4, {0}};
		memcpy(module.build_id, &i, sizeof i);
		writer_module(&writer, &module);
	}
	writer_save(&writer, path);
	writer_fini(&writer);
	merge_init(&merge);
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_null(merge_add(&merge, &recording));
	recording_fini(&recording);
	assert_true(merge_save(&merge, out));
	merge_fini(&merge);
	assert_int_equal(recording_load(&recording, out), RECORDING_WHOLE);
	assert_int_equal(recording.module_count, MODULES);
	recording_fini(&recording);
}

GROUP_WITH(temp_dir_fixture);
