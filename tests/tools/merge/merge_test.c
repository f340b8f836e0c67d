/* SPDX-License-Identifier: MIT */
#include "merged.h"

#include <stmlog/read.h>
#include <valgrind/valgrind.h>

#include "capture_stderr.h"
#include "random_recording.h"
#include "recording_sample.h"
#include "temp_dir.h"

static int rounds(void)
{
	return RUNNING_ON_VALGRIND ? 10 : 60;
}

static void save_random(const char *path, struct random *random)
{
	OWNED(writer_fini) struct writer writer;
	random_recording(&writer, random);
	writer_save(&writer, path);
}

TEST(neither_order_nor_nesting_changes_keys_and_sums)
{
	struct names n = names_in();
	const char *a = n.name[0], *b = n.name[1], *c = n.name[2], *nested = n.name[3], *other = n.name[4];
	struct random random = {7};
	for (int round = 0; round < rounds(); round++) {
		save_random(a, &random);
		save_random(b, &random);
		save_random(c, &random);
		MERGE(nested, b, c);
		MERGE(nested, a, nested);
		MERGE(other, a, b, c);
		assert_same_sums(nested, other);
		MERGE(other, a, b);
		MERGE(other, other, c);
		assert_same_sums(nested, other);
		MERGE(other, c, a, b);
		assert_same_sums(nested, other);
		MERGE(other, b, c, a);
		assert_same_sums(nested, other);
		assert_right(other);
	}
}

/* A merge makes one key of two equal ones: so the first file is the result of a merge already. */
TEST(a_single_file_stays_what_it_is)
{
	struct names n = names_in();
	struct random random = {11};
	for (int round = 0; round < rounds(); round++) {
		save_random(n.name[0], &random);
		assert_right(n.name[0]);
		MERGE(n.name[1], n.name[0]);
		MERGE(n.name[2], n.name[1]);
		assert_same_sums(n.name[1], n.name[2]);
		assert_right(n.name[1]);
	}
}

struct sum {
	uint64_t count, lost_ns;
};

/* Computed from each entry of each file. */
static struct sum sum_of_key(const struct recording *recordings, size_t len, const char *wanted)
{
	struct sum sum = {0, 0};
	for (size_t i = 0; i < len; i++)
		for (size_t k = 0; k < recordings[i].entry_count; k++) {
			OWNED(owned_free) char *key = key_of(&recordings[i], &recordings[i].entries[k]);
			bool is_same = strcmp(key, wanted) == 0;
			sum.count += is_same ? recordings[i].entries[k].count : 0;
			sum.lost_ns += is_same ? recordings[i].entries[k].lost_ns : 0;
		}
	return sum;
}

TEST(each_key_has_what_the_files_have_of_it)
{
	struct names n = names_in();
	struct random random = {13};
	struct recording parts[3], merged;
	for (int round = 0; round < rounds() / 2; round++) {
		uint64_t wanted = 0, found = 0;
		for (size_t i = 0; i < 3; i++) {
			save_random(n.name[i], &random);
			assert_int_equal(recording_load(&parts[i], n.name[i]), RECORDING_WHOLE);
		}
		MERGE(n.name[3], n.name[0], n.name[1], n.name[2]);
		assert_int_equal(recording_load(&merged, n.name[3]), RECORDING_WHOLE);
		for (size_t i = 0; i < merged.entry_count; i++) {
			OWNED(owned_free) char *key = key_of(&merged, &merged.entries[i]);
			struct sum sum = sum_of_key(parts, 3, key);
			assert_int_equal(merged.entries[i].count, sum.count);
			assert_int_equal(merged.entries[i].lost_ns, sum.lost_ns);
			assert_int_equal(sum_of_key(&merged, 1, key).count, sum.count);
			found += sum.count;
		}
		for (size_t i = 0; i < 3; i++) {
			for (size_t k = 0; k < parts[i].entry_count; k++)
				wanted += parts[i].entries[k].count;
			recording_fini(&parts[i]);
		}
		assert_int_equal(found, wanted);
		recording_fini(&merged);
	}
}

TEST(the_same_files_give_the_same_bytes)
{
	struct names n = names_in();
	struct random random = {17};
	char bytes[2][100000];
	size_t len[2];
	save_random(n.name[0], &random);
	save_random(n.name[1], &random);
	for (size_t i = 0; i < 2; i++) {
		MERGE(n.name[2], n.name[0], n.name[1]);
		FILE *file = fopen(n.name[2], "r");
		len[i] = fread(bytes[i], 1, sizeof bytes[i], file);
		fclose(file);
		assert_in_range(len[i], 1, sizeof bytes[i] - 1);
	}
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(bytes[0], bytes[1], len[0]);
}

/* ---- single facts ---- */

/* One loss each, of the same key, in runs that began a second apart. */
static void save_loss(const char *path, uint64_t second, const struct stmlog_entry_record *entry, uint32_t flags)
{
	OWNED(writer_fini) struct writer writer;
	char line[64];
	writer_init(&writer);
	snprintf(line, sizeof line, "unix_ns=%llu", 1000000000ull * (unsigned long long)second);
	writer_info(&writer, line);
	writer_info(&writer, second == 1 ? "began_ns=500" : "began_ns=100");
	writer_entry(&writer, entry);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .flags = flags, .attached_at_ns = 600});
	writer_save(&writer, path);
}

TEST(extremes_are_those_of_all_runs)
{
	struct names n = names_in();
	struct recording merged;
	const struct stmlog_entry_record sure = {.grade = STMLOG_GRADE_CERTAIN,
		.local = 1,
		.local_thread = 3,
		.remote_thread = 4,
		.count = 1,
		.lost_ns = 70,
		.longest_ns = 70,
		.shortest_ns = 70,
		.first_ns = 700,
		.last_ns = 800};
	const struct stmlog_entry_record unsure = {.grade = STMLOG_GRADE_CANDIDATE,
		.local = 1,
		.local_thread = 5,
		.remote_thread = 6,
		.count = 1,
		.lost_ns = 90,
		.longest_ns = 90,
		.shortest_ns = 90,
		.first_ns = 600,
		.last_ns = 650};
	save_loss(n.name[0], 2, &unsure, 0);
	save_loss(n.name[1], 1, &sure, STMLOG_THREAD_ENDED);
	for (size_t first = 0; first < 2; first++) {
		MERGE(n.name[2], n.name[first], n.name[1 - first]);
		assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
		const struct stmlog_entry_record *entry = &merged.entries[0];
		assert_int_equal(merged.entry_count, 1);
		assert_int_equal(entry->grade, STMLOG_GRADE_CANDIDATE);
		assert_int_equal(entry->longest_ns, 90);
		assert_int_equal(entry->shortest_ns, 70);
		assert_int_equal(entry->local_thread, 5);
		assert_int_equal(entry->remote_thread, 6);
		assert_int_equal(merged.info.began_ns, 500);
		assert_int_equal(merged.info.unix_ns, 1000000000);
		assert_int_equal(entry->first_ns, 700);
		assert_int_equal(entry->last_ns, 1000000000 + 650 - 100 + 500);
		assert_int_equal(merged.threads[0].flags, 0);
		assert_int_equal(merged.threads[0].attached_at_ns, 600);
		recording_fini(&merged);
	}
}

/* Of objects in a library: where it lies in the first run; of the heap: nothing. */
TEST(objects_move_with_their_module)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t bias = 0x7f0000000000 + i * 0x5000;
		OWNED(writer_fini) struct writer writer;
		writer_init(&writer);
		struct stmlog_module_record module = {
			bias + 0x1000, bias + 0x2000, bias, writer_string(&writer, "/lib/a.so"), 0, {0}};
		struct stmlog_entry_record entry = {.local = 1,
			.count = 9,
			.lost_ns = 9,
			.objects = {{bias + 0x3010, 4}, {bias + 0x70000, 3}, {0x10, 1}, {0x20, 1}},
			.object_names = {0, 0, writer_string(&writer, "accounts"), 0}};
		writer_module(&writer, &module);
		writer_entry(&writer, &entry);
		writer_block(&writer, &(struct stmlog_block_record){.address = bias + 0x70000, .size = 8});
		writer_save(&writer, n.name[i]);
	}
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.entry_count, 1);
	const struct stmlog_entry_record *entry = &merged.entries[0];
	assert_int_equal(entry->objects[0].address, 0x7f0000003010);
	assert_int_equal(entry->objects[0].count, 8);
	assert_int_equal(entry->objects[1].address, 0x10);
	assert_int_equal(entry->objects[1].count, 2);
	assert_string_equal(recording_string(&merged, entry->object_names[1]), "accounts");
	assert_int_equal(entry->objects[2].address, 0);
	assert_int_equal(merged.block_count, 0);
}

/* As neither_order_nor_nesting_changes_keys_and_sums(), of runs with estimates; and whatever the merging, it is right.
 */
TEST(intervals_are_merged_in_any_order)
{
	struct names n = names_in();
	struct random random = {23};
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < 3; i++) {
			OWNED(writer_fini) struct writer writer;
			if (i == 2 && round % 2 != 0)
				random_recording(&writer, &random);
			else
				random_recording_sampled(&writer, &random);
			writer_save(&writer, n.name[i]);
		}
		MERGE(n.name[3], n.name[0], n.name[1], n.name[2]);
		MERGE(n.name[4], n.name[2], n.name[0]);
		MERGE(n.name[5], n.name[1], n.name[4]);
		assert_right(n.name[3]);
		assert_right(n.name[5]);
		assert_same_sums(n.name[3], n.name[5]);
	}
}

/* The largest that a right recording may have: of a time of 64 bits. */
static void save_with_largest_variances(const char *path)
{
	OWNED(writer_fini) struct writer writer;
	recording_sample_weighed(&writer);
	struct writer_blob *totals = &writer.sections[STMLOG_SECTION_TOTALS];
	struct writer_blob *threads = &writer.sections[STMLOG_SECTION_THREADS];
	((struct stmlog_total_record *)(void *)totals->bytes)->variance_ns2 = 0x1p128;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ARRAY; row++)
		((struct stmlog_thread_record *)(void *)threads->bytes)->row_variance_ns2[row] = 0x1p128;
	writer_info(&writer, "lost_error_ns=18446744073709551614");
	writer_save(&writer, path);
}

TEST(the_sum_of_right_recordings_is_right_whatever_their_variances)
{
	struct names n = names_in();
	save_with_largest_variances(n.name[0]);
	assert_right(n.name[0]);
	MERGE(n.name[1], n.name[0]);
	assert_right(n.name[1]);
	MERGE(n.name[2], n.name[0], n.name[1]);
	MERGE(n.name[3], n.name[2], n.name[2]);
	assert_right(n.name[2]);
	assert_right(n.name[3]);
}

/* A transaction begins in a piece of code with this number. */
static void save_code(const char *path, uint64_t code)
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_entry_record entry = {.local = 1, .count = 1, .lost_ns = 5};
	writer_init(&writer);
	struct stmlog_site_record site = {
		.kind = STMLOG_SITE_PLACE, .module = STMLOG_NO_MODULE, .code = code, .line = 3};
	site.function = writer_string(&writer, "transfer");
	site.file = writer_string(&writer, "bank.py");
	writer_place(&writer, "before", "bank.py", 1); /* an entry with site 0 has none */
	entry.site = writer_site(&writer, &site);
	writer_entry(&writer, &entry);
	writer_save(&writer, path);
}

TEST(code_that_has_another_number_in_each_run_is_one_place)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	save_code(n.name[0], TB_CODE_UNKNOWN + 1);
	save_code(n.name[1], TB_CODE_UNKNOWN + 2);
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.site_count, 1);
	assert_int_equal(merged.entries[0].site, 0);
}

/* A transaction begins at an address that `stmlog anonymize` has named, in a module that may lie anywhere. */
static void save_named_address(const char *path, uint64_t bias, uint32_t last_line)
{
	OWNED(writer_fini) struct writer writer;
	struct stmlog_entry_record entry = {.local = 1, .count = 1, .lost_ns = 5};
	struct stmlog_module_record module = {.start = bias, .end = bias + 0x1000, .bias = bias};
	writer_init(&writer);
	module.path = writer_string(&writer, "module_1");
	struct stmlog_site_record site = {.kind = STMLOG_SITE_NAMED,
		.module = writer_module(&writer, &module),
		.code = 1,
		.position = bias + 0x10,
		.function = writer_string(&writer, "function_1"),
		.line = 3,
		.last_line = last_line};
	writer_place(&writer, "before", "bank.py", 1); /* an entry with site 0 has none */
	entry.site = writer_site(&writer, &site);
	writer_entry(&writer, &entry);
	writer_save(&writer, path);
}

TEST(named_addresses_are_one_place_if_their_names_and_lines_are)
{
	static const uint32_t last_lines[] = {5, 6};
	struct names n = names_in();
	for (size_t i = 0; i < 2; i++) {
		OWNED(recording_fini) struct recording merged;
		save_named_address(n.name[0], 0x10000, 5);
		save_named_address(n.name[1], 0x20000, last_lines[i]);
		MERGE(n.name[2], n.name[0], n.name[1]);
		assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
		assert_int_equal(merged.entries[0].site, i == 0 ? 0 : STMLOG_NO_SITE);
		assert_int_equal(merged.sites[0].last_line, 5);
		assert_int_equal(merged.sites[0].code, 0);
	}
}

TEST(what_cannot_be_written_is_told)
{
	struct names n = names_in();
	OWNED(merge_fini) struct merge merge;
	struct recording recording;
	char told[1024];
	save_sample(n.name[0], NULL);
	merge_init(&merge);
	assert_int_equal(recording_load(&recording, n.name[0]), RECORDING_WHOLE);
	assert_null(merge_add(&merge, &recording));
	recording_fini(&recording);
	capture_stderr_begin();
	bool is_saved = merge_save(&merge, "/nowhere/at/all");
	capture_stderr_end(told, sizeof told);
	assert_false(is_saved);
	assert_non_null(strstr(told, "cannot be written"));
}

GROUP_WITH(temp_dir_fixture);
