/* SPDX-License-Identifier: MIT
 * Of several runs the accesses of one are kept, and are still of the same code and data. */
#include "merged.h"

#define BIAS 0x7f0000000000u
#define MOVED 0x5000u

/* A run of one library that lies at `bias`, with transactions of thread 7. */
static void save_run(const char *path, uint64_t bias, size_t transactions)
{
	struct writer writer;
	recording_sample(&writer);
	writer_module(&writer, &(struct stmlog_module_record){.start = bias + 0x1000,
				       .end = bias + 0x2000,
				       .bias = bias,
				       .path = writer_string(&writer, "/lib/merged.so")});
	if (transactions > 0)
		writer_access(&writer, &(struct stmlog_access_record){7, 0, STMLOG_ACCESS_THREAD, 0});
	for (size_t i = 0; i < transactions; i++) {
		writer_access(&writer, &(struct stmlog_access_record){bias + 0x1234, -1, STMLOG_ACCESS_BEGIN, 3});
		writer_access(&writer, &(struct stmlog_access_record){bias + 0x9008, 2, STMLOG_ACCESS_READ, 8});
		writer_access(&writer, &(struct stmlog_access_record){8 * i, 0.5f, STMLOG_ACCESS_WRITE_AFTER_WRITE, 4});
		writer_access(&writer, &(struct stmlog_access_record){0, 0, STMLOG_ACCESS_ALONE, 0});
		writer_access(&writer, &(struct stmlog_access_record){0, 0, STMLOG_ACCESS_COMMIT, 0});
	}
	writer_save(&writer, path);
	writer_fini(&writer);
}

enum { OF_A_TRANSACTION = 5 };

static void expect(const char *path, size_t transactions, uint64_t bias)
{
	struct recording merged;
	assert_int_equal(recording_load(&merged, path), RECORDING_WHOLE);
	struct verifier verifier = {&merged, print_violation, NULL, 0};
	verify_accesses(&verifier);
	assert_int_equal(verifier.violations, 0);
	assert_int_equal(merged.access_count, transactions > 0 ? 1 + OF_A_TRANSACTION * transactions : 0);
	assert_int_equal(file_section(merged.file, STMLOG_SECTION_ACCESSES) != NULL, transactions > 0);
	for (size_t i = 0; i < transactions; i++) {
		const struct stmlog_access_record *at = &merged.accesses[1 + OF_A_TRANSACTION * i];
		assert_int_equal(merged.accesses[0].address, 7);
		assert_int_equal(at[0].address, bias + 0x1234);
		assert_int_equal(at[0].kind, STMLOG_ACCESS_BEGIN);
		assert_int_equal(at[0].size, 3);
		assert_true(at[0].gap_ns < 0);
		assert_int_equal(at[1].address, bias + 0x9008);
		assert_int_equal(at[2].address, 8 * i);
		assert_int_equal(at[3].address, 0);
		assert_int_equal(at[4].address, 0);
		assert_int_equal(at[4].kind, STMLOG_ACCESS_COMMIT);
	}
	recording_fini(&merged);
}

TEST(the_run_with_the_max_is_kept_where_its_modules_lie_now)
{
	struct names n = names_in();
	save_run(n.name[0], BIAS, 2);
	save_run(n.name[1], BIAS + MOVED, 5);
	save_run(n.name[2], BIAS + 2 * MOVED, 0);
	MERGE(n.name[3], n.name[0], n.name[1], n.name[2]);
	expect(n.name[3], 5, BIAS);
	MERGE(n.name[4], n.name[1], n.name[0]);
	expect(n.name[4], 5, BIAS + MOVED);
	MERGE(n.name[4], n.name[2], n.name[3]);
	expect(n.name[4], 5, BIAS + 2 * MOVED);
	MERGE(n.name[4], n.name[2], n.name[2]);
	expect(n.name[4], 0, 0);
}

/* Told apart by the size of their first transaction. */
TEST(of_equally_many_those_of_the_first_run_are_kept)
{
	struct names n = names_in();
	struct recording merged;
	for (uint16_t i = 0; i < 2; i++) {
		struct writer writer;
		recording_sample(&writer);
		writer_access(&writer, &(struct stmlog_access_record){1, 0, STMLOG_ACCESS_THREAD, 0});
		writer_access(&writer, &(struct stmlog_access_record){0, -1, STMLOG_ACCESS_BEGIN, i});
		writer_access(&writer, &(struct stmlog_access_record){0, 0, STMLOG_ACCESS_CANCEL, 0});
		writer_save(&writer, n.name[i]);
		writer_fini(&writer);
	}
	for (uint16_t first = 0; first < 2; first++) {
		MERGE(n.name[2], n.name[first], n.name[1 - first]);
		assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
		assert_int_equal(merged.accesses[1].size, first);
		recording_fini(&merged);
	}
}

GROUP_WITH(temp_dir_fixture);
