/* SPDX-License-Identifier: MIT
 * The losses add up to the totals of the report. */
#include "loaded.h"

#include <stmlog/read.h>

#include "estimate.h"
#include "loss.h"
#include "random.h"
#include "recording_sample.h"

static struct writer writer;

struct sum {
	size_t pieces;
	uint64_t count, lost_ns;
};

static struct sum sum_of(const struct recording *recording)
{
	struct sum sum = {0};
	struct losses losses = losses_of(recording);
	for (struct loss loss; losses_next(&losses, &loss); sum.pieces++) {
		sum.count += loss.count;
		sum.lost_ns += loss.lost_ns;
	}
	return sum;
}

/* Ends the writer. */
static void expect_totals(size_t pieces)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct sum sum = sum_of(&recording);
	assert_int_equal(sum.pieces, pieces);
	assert_true(sum.count == recording_total(&recording).count);
	assert_true(sum.lost_ns == estimate_of_explained(&recording).ns);
}

TEST(pieces_add_up_to_the_totals)
{
	recording_sample(&writer);
	expect_totals(6);
	recording_sample_weighed(&writer);
	expect_totals(6);
}

TEST(where_nothing_was_lost_there_is_no_piece)
{
	writer_init(&writer);
	expect_totals(0);
}

TEST(what_was_evicted_is_a_piece_of_its_own)
{
	OWNED(recording_fini) struct recording recording;
	struct loss loss;
	writer_init(&writer);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 3, 500);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 3, 500);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct losses losses = losses_of(&recording);
	assert_true(losses_next(&losses, &loss));
	assert_null(loss.entry);
	assert_int_equal(loss.count, 3);
	assert_int_equal(loss.lost_ns, 500);
	assert_int_equal(loss.victim.len, 0);
	assert_int_equal(loss.victim.gap, LOSS_EVICTED);
	assert_int_equal(loss.culprit.gap, LOSS_UNKNOWN);
	assert_false(losses_next(&losses, &loss));
	assert_false(losses_next(&losses, &loss));
}

TEST(the_other_side_is_nobody_or_unknown)
{
	static const struct {
		enum stmlog_reason reason;
		enum stmlog_contention_kind contention;
		uint32_t remote;
		enum loss_gap gap;
	} cases[] = {{STMLOG_SELF_ABORT, STMLOG_NONE, 0, LOSS_UNKNOWN},
		{STMLOG_SELF_ABORT, STMLOG_NONE, 1, LOSS_NOBODY}, {STMLOG_USER_ABORT, STMLOG_NONE, 0, LOSS_NOBODY},
		{STMLOG_USER_ABORT, STMLOG_NONE, 1, LOSS_NOBODY},
		{STMLOG_SELF_ABORT, STMLOG_WRITE_READ, 1, LOSS_NO_FRAMES}};
	writer_init(&writer);
	for (size_t i = 0; i < 5; i++)
		writer_entry(&writer, &(struct stmlog_entry_record){.count = 1,
					      .reason = cases[i].reason,
					      .contention = cases[i].contention,
					      .remote = cases[i].remote});
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct losses losses = losses_of(&recording);
	struct loss loss;
	for (size_t i = 0; i < 5; i++) {
		assert_true(losses_next(&losses, &loss));
		assert_int_equal(loss.culprit.gap, cases[i].gap);
	}
}

/* Computed naively: fractions are carried on until they make a whole nanosecond. */
TEST(estimates_of_any_fractions_add_up)
{
	struct random random = {20};
	for (int round = 0; round < 50; round++) {
		size_t entries = random_below(&random, 400);
		double sum = 0;
		writer_init(&writer);
		writer_info(&writer, "sampled=1");
		for (size_t i = 0; i < entries; i++) {
			double ns = (double)random_below(&random, 1u << 30) * 0.123 + 1;
			writer_entry(
				&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 1, .estimated_ns = ns});
			sum += ns;
		}
		double evicted = (double)random_below(&random, 1000) / 7;
		struct stmlog_total_record totals[2] = {
			{.count = entries + 1, .lost_ns = entries, .estimated_ns = sum + evicted},
			{UINT32_MAX, UINT32_MAX, 1, 0, evicted, 0}};
		writer_append(&writer, STMLOG_SECTION_TOTALS, totals, sizeof totals);
		expect_totals(entries + 1);
	}
}

TEST(no_piece_is_further_from_its_estimate_than_rounding_takes_it)
{
	OWNED(recording_fini) struct recording recording;
	struct loss loss;
	recording_sample_weighed(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct losses losses = losses_of(&recording);
	while (losses_next(&losses, &loss)) {
		double estimated_ns = loss.entry != NULL ? loss.entry->estimated_ns : recording.evicted_estimated_ns;
		double off_ns = (double)loss.lost_ns - estimated_ns;
		assert_true(off_ns <= 1 && off_ns >= -1);
	}
}

TEST(numbers_that_are_none_are_no_loss)
{
	static const double numbers[] = {-1, -1e300, 1e300, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		OWNED(recording_fini) struct recording recording;
		writer_init(&writer);
		writer_info(&writer, "sampled=1");
		struct stmlog_entry_record entry = {
			.count = UINT64_MAX, .lost_ns = 1, .estimated_ns = numbers[i], .site = STMLOG_NO_SITE};
		writer_append(&writer, STMLOG_SECTION_ENTRIES, &entry, sizeof entry);
		assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
		struct sum sum = sum_of(&recording);
		assert_int_equal(sum.pieces, 1);
		assert_true(sum.count == INT64_MAX);
		assert_true(sum.lost_ns == (numbers[i] > 0 ? UINT64_C(9000000000000000000) : 0));
	}
}

static struct loss first_loss(const struct recording *recording)
{
	struct losses losses = losses_of(recording);
	struct loss loss;
	assert_true(losses_next(&losses, &loss));
	return loss;
}

/* The gaps of an entry's two sides. */
static void expect_gaps(
	uint32_t contention, uint32_t local, uint32_t remote, enum loss_gap victim, enum loss_gap culprit)
{
	OWNED(recording_fini) struct recording recording;
	writer_init(&writer);
	uint32_t site = writer_place(&writer, "transfer", "bank.c", 61);
	writer_traceback(&writer, &site, 1, 0);
	writer_traceback(&writer, &site, 1, STMLOG_TRACEBACK_CUT);
	writer_entry(
		&writer, &(struct stmlog_entry_record){.contention = contention, .local = local, .remote = remote});
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct loss loss = first_loss(&recording);
	assert_int_equal(loss.victim.gap, victim);
	assert_int_equal(loss.culprit.gap, culprit);
	assert_int_equal(loss.victim.len, local >= 2);
	assert_int_equal(loss.culprit.len, remote >= 2);
}

TEST(missing_frames_are_gaps)
{
	expect_gaps(STMLOG_WRITE_READ, 2, 3, LOSS_WHOLE, LOSS_CUT);
	expect_gaps(STMLOG_WRITE_READ, 3, 2, LOSS_CUT, LOSS_WHOLE);
	expect_gaps(STMLOG_WRITE_READ, 0, 0, LOSS_UNKNOWN, LOSS_UNKNOWN);
	expect_gaps(STMLOG_WRITE_READ, 1, 1, LOSS_NO_FRAMES, LOSS_NO_FRAMES);
	expect_gaps(STMLOG_NONE, 1, 0, LOSS_NO_FRAMES, LOSS_UNKNOWN);
	expect_gaps(STMLOG_NONE, 2, 1, LOSS_WHOLE, LOSS_NOBODY);
	expect_gaps(STMLOG_NONE, 2, 2, LOSS_WHOLE, LOSS_WHOLE);
}

/* Frees the name. */
static void expect_name(char *name, const char *expected)
{
	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

TEST(frames_have_names_of_no_control_characters)
{
	char function[] = "tr\nan\xffs", module[] = "/lib/lib\tc.so", none[] = "";
	expect_name(loss_frame_name(&(struct symbol_frame){.function = function}), "tr?an\xef\xbf\xbds");
	expect_name(loss_frame_name(&(struct symbol_frame){.module = module, .offset = 31}), "lib?c.so+0x1f");
	expect_name(loss_frame_name(&(struct symbol_frame){.module = none, .offset = 31}), "0x1f");
	expect_name(loss_frame_name(&(struct symbol_frame){.offset = 31}), "0x1f");
}

TEST(sites_have_names_unless_these_are_addresses)
{
	OWNED(recording_fini) struct recording recording;
	writer_init(&writer);
	struct stmlog_module_record module = {
		.start = 0x1000, .end = 0x2000, .path = writer_string(&writer, "/gone/lib.so")};
	writer_place(&writer, "transfer", "src/bank.c", 61);
	writer_place(&writer, "transfer", "src/bank.c", 0);
	writer_place(&writer, "transfer", "", 0);
	writer_place(&writer, "", "", 0);
	writer_address(&writer, writer_module(&writer, &module), 0x1234);
	writer_address(&writer, STMLOG_NO_MODULE, 0x1234);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(symbols_destroy) struct symbols *symbols = symbols_create(&recording);
	expect_name(loss_site_name(&recording, symbols, 0), "transfer bank.c:61");
	expect_name(loss_site_name(&recording, symbols, 1), "transfer bank.c");
	expect_name(loss_site_name(&recording, symbols, 2), "transfer");
	assert_null(loss_site_name(&recording, symbols, 3));
	expect_name(loss_site_name(&recording, symbols, 4), "lib.so+0x1234");
	assert_null(loss_site_name(&recording, symbols, 5));
}
