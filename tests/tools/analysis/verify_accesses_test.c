/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <math.h>

#include "recording_sample.h"
#include "verify.h"

static char told[1024];

static void keep(const char *text, void *arg)
{
	(void)arg;
	strcat(told, text);
	strcat(told, "\n");
}

/* Verifies the sample with these accesses. */
static void expect(const struct stmlog_access_record *accesses, size_t count, const char *wanted)
{
	struct writer writer;
	struct recording recording;
	size_t lines = 0;
	recording_sample(&writer);
	for (size_t i = 0; i < count; i++)
		writer_access(&writer, &accesses[i]);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	told[0] = '\0';
	struct verifier verifier = {&recording, keep, NULL, 0};
	verify_accesses(&verifier);
	assert_string_equal(told, wanted);
	for (const char *at = told; *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(verifier.violations, lines);
	told[0] = '\0';
	assert_int_equal(verify_recording(&recording, keep, NULL), lines); /* the sample has no violations */
	assert_string_equal(told, wanted);
	recording_fini(&recording);
}

/* The kinds of records one after the other, without addresses and times. */
static void expect_of_kinds(const uint16_t *kinds, size_t count, const char *wanted)
{
	struct stmlog_access_record accesses[32] = {{.kind = 0}};
	assert_in_range(count, 0, 32);
	for (size_t i = 0; i < count; i++)
		accesses[i].kind = kinds[i];
	expect(accesses, count, wanted);
}
#define EXPECT(wanted, ...) \
	expect_of_kinds((const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / 2, wanted)

#define THREAD STMLOG_ACCESS_THREAD
#define BEGIN STMLOG_ACCESS_BEGIN
#define READ STMLOG_ACCESS_READ
#define COMMIT STMLOG_ACCESS_COMMIT
#define CANCEL STMLOG_ACCESS_CANCEL

TEST(streams_of_whole_transactions_are_right)
{
	expect(NULL, 0, "");
	EXPECT("", THREAD);
	EXPECT("", THREAD, THREAD, BEGIN, COMMIT, BEGIN, READ, CANCEL, THREAD, BEGIN, READ, COMMIT);
	EXPECT("", THREAD, BEGIN, READ, STMLOG_ACCESS_READ_AFTER_READ, STMLOG_ACCESS_READ_AFTER_WRITE,
		STMLOG_ACCESS_READ_FOR_WRITE, STMLOG_ACCESS_WRITE, STMLOG_ACCESS_WRITE_AFTER_READ,
		STMLOG_ACCESS_WRITE_AFTER_WRITE, STMLOG_ACCESS_ALONE, COMMIT);
}

TEST(the_first_record_is_a_threads)
{
	EXPECT("access 0: belongs to no thread\n", BEGIN, READ, COMMIT, BEGIN, COMMIT);
	EXPECT("access 0: belongs to no thread\naccess 0: belongs to no transaction\n", COMMIT, THREAD);
}

TEST(a_transaction_has_a_begin_and_an_end)
{
	EXPECT("access 3: the transaction before it has no end\n", THREAD, BEGIN, READ, BEGIN, COMMIT);
	EXPECT("access 2: the transaction before it has no end\n", THREAD, BEGIN, THREAD, BEGIN, COMMIT);
	EXPECT("access 3: the transaction before it has no end\n", THREAD, BEGIN, READ);
	EXPECT("access 3: belongs to no transaction\n", THREAD, BEGIN, COMMIT, READ, READ, COMMIT);
	EXPECT("access 1: belongs to no transaction\n", THREAD, CANCEL, BEGIN, COMMIT);
}

TEST(a_kind_must_be_known)
{
	EXPECT("access 2: a kind that this stmlog does not know\n", THREAD, BEGIN, STMLOG_ACCESS_KINDS, COMMIT);
	EXPECT("access 0: a kind that this stmlog does not know\n", UINT16_MAX, THREAD);
}

TEST(a_gap_is_a_time_and_unknown_only_before_a_begin)
{
	static const float right[] = {0, 0.5f, 3e38f}, wrong[] = {NAN, -NAN, -0.5f, -2.5f, INFINITY, -INFINITY};
	struct stmlog_access_record all[] = {{1, 0, THREAD, 0}, {2, -1, BEGIN, 0}, {3, 0, READ, 0}, {0, 0, COMMIT, 0}};
	expect(all, 4, "");
	all[1].gap_ns = -2; /* the first window */
	expect(all, 4, "");
	for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
		all[1].gap_ns = all[2].gap_ns = right[i];
		expect(all, 4, "");
	}
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		all[1].gap_ns = all[3].gap_ns = wrong[i];
		expect(all, 4, "access 1: the time before it is no time\naccess 3: the time before it is no time\n");
	}
	all[0].gap_ns = all[1].gap_ns = all[2].gap_ns = all[3].gap_ns = -1;
	expect(all, 4,
		"access 0: the time before it is no time\naccess 2: the time before it is no time\n"
		"access 3: the time before it is no time\n");
}
