/* SPDX-License-Identifier: MIT
 * What is left of a stream without the cause of a finding. Sites, addresses and times are the test's own. */
#include "made_streams.h"

#include "random.h"
#include "what_if.h"

enum { SITE = 0x401000, OTHER_SITE = 0x402000, X = 0x7000, Y = 0x7100, LINE = 64, STRIPE = 32 };

static struct what_if for_site(enum what_if_change change)
{
	return (struct what_if){.change = change, .sites = {SITE}, .site_count = 1};
}

/* The streams of `from` become those of `to`, and stay as they were themselves. */
static void expect_change(const struct what_if *change, const struct stmlog_access_record *from, size_t from_len,
	const struct stmlog_access_record *to, size_t to_len)
{
	struct streams streams = streams_made(from, from_len);
	expect_then_end(what_if(&streams, change), to, to_len);
	expect_then_end(streams, from, from_len);
}

/* Two transactions of other sites with all there is, which changes of SITE leave alone. */
#define OTHERS                                                                                             \
	BEGIN(OTHER_SITE, 5), WRITE(X, 6), READ(X, 7), ALONE(8), READ(0x9000, 9), COMMIT(10), BEGIN(0, 1), \
		READ(0x9000, 2), WRITE(X, 3), CANCEL(4)

/* ---- dropping records ---- */

TEST(reads_are_dropped_with_their_times_but_the_first)
{
	struct what_if change = for_site(WHAT_IF_READS_NOTHING);
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), READ(Y, 2), READ(Y, 4), COMMIT(8), OTHERS),
		ARRAY(THREAD(1), BEGIN(SITE, 100), COMMIT(9), OTHERS));
}

/* Of the same word, before the write or behind it. */
TEST(reads_of_what_is_written_stay)
{
	struct what_if change = for_site(WHAT_IF_READS_NOTHING);
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), READ(Y, 2), WRITE(X + 4, 4), READ(X, 8), READ(X + 8, 16),
			COMMIT(32)),
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), WRITE(X + 4, 4), READ(X, 8), COMMIT(32)));
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 0), ACCESS(READ_FOR_WRITE, X, 8, 1), ACCESS(READ_AFTER_READ, Y, 8, 2),
			ACCESS(WRITE_AFTER_READ, X, 8, 4), COMMIT(8)),
		ARRAY(THREAD(1), BEGIN(SITE, 0), ACCESS(READ_FOR_WRITE, X, 8, 1), ACCESS(WRITE_AFTER_READ, X, 8, 4),
			COMMIT(8)));
	/* A write of the next transaction is none of this one's. */
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 0), READ(X, 1), COMMIT(2), BEGIN(SITE, 0), WRITE(X, 1), COMMIT(2)),
		ARRAY(THREAD(1), BEGIN(SITE, 0), COMMIT(3), BEGIN(SITE, 0), WRITE(X, 1), COMMIT(2)));
}

TEST(what_follows_on_becoming_irrevocable_is_done_outside)
{
	struct what_if change = for_site(WHAT_IF_OUTSIDE);
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), ALONE(2), WRITE(X, 1000), WRITE(Y, 2000), COMMIT(4000),
			OTHERS),
		ARRAY(THREAD(1), BEGIN(SITE, 7100), READ(X, 1), WRITE(X, 2), WRITE(Y, 0), COMMIT(0), OTHERS));
	/* One that has not become irrevocable stays. */
	expect_change(&change, ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), COMMIT(2)),
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), COMMIT(2)));
}

TEST(one_that_is_irrevocable_from_the_start_does_all_outside)
{
	struct what_if change = for_site(WHAT_IF_OUTSIDE);
	struct stmlog_access_record from[] = {
		THREAD(1), BEGIN(SITE, 100), COMMIT(4000), BEGIN(OTHER_SITE, 100), COMMIT(1)};
	struct stmlog_access_record to[] = {THREAD(1), BEGIN(SITE, 4100), COMMIT(0), BEGIN(OTHER_SITE, 100), COMMIT(1)};
	from[1].size = from[3].size = to[3].size = IRREVOCABLE;
	to[1].size = IRREVOCABLE & ~64;
	expect_change(&change, from, 5, to, 5);
}

TEST(times_behind_the_first_write_are_before_the_transaction)
{
	struct what_if change = for_site(WHAT_IF_COMPUTED_BEFORE);
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), WRITE(X, 2), READ(Y, 4), WRITE(Y, 8), COMMIT(16),
			OTHERS),
		ARRAY(THREAD(1), BEGIN(SITE, 128), READ(X, 1), WRITE(X, 2), READ(Y, 0), WRITE(Y, 0), COMMIT(0),
			OTHERS));
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), ACCESS(READ_FOR_WRITE, X, 8, 1), WRITE(X, 2), COMMIT(4)),
		ARRAY(THREAD(1), BEGIN(SITE, 106), ACCESS(READ_FOR_WRITE, X, 8, 1), WRITE(X, 0), COMMIT(0)));
	expect_change(&change, ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), COMMIT(2)),
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), COMMIT(2)));
}

TEST(cancelled_transactions_do_not_begin_and_their_time_is_outside)
{
	struct what_if change = for_site(WHAT_IF_NO_CANCEL);
	expect_change(&change,
		ARRAY(THREAD(1), BEGIN(SITE, 100), READ(X, 1), CANCEL(2), BEGIN(SITE, 200), WRITE(X, 4), CANCEL(8),
			BEGIN(SITE, 300), READ(X, 16), COMMIT(32), OTHERS),
		ARRAY(THREAD(1), BEGIN(SITE, 615), READ(X, 16), COMMIT(32), OTHERS));
	/* And of a thread that cancels all of its transactions none is left. */
	expect_change(&change, ARRAY(THREAD(1), BEGIN(SITE, 100), CANCEL(2), THREAD(2), BEGIN(SITE, 1), COMMIT(2)),
		ARRAY(THREAD(1), THREAD(2), BEGIN(SITE, 1), COMMIT(2)));
}

TEST(without_a_site_nothing_changes)
{
	static const enum what_if_change changes[] = {WHAT_IF_READS_NOTHING, WHAT_IF_OWN_DATA, WHAT_IF_OUTSIDE,
		WHAT_IF_COMPUTED_BEFORE, WHAT_IF_NO_CANCEL, WHAT_IF_OWN_WORDS};
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct what_if change = {.change = changes[i]};
		expect_change(&change, ARRAY(THREAD(1), OTHERS, THREAD(2), OTHERS),
			ARRAY(THREAD(1), OTHERS, THREAD(2), OTHERS));
		change = for_site(changes[i]);
		expect_change(&change, ARRAY(THREAD(1), OTHERS, THREAD(2), OTHERS),
			ARRAY(THREAD(1), OTHERS, THREAD(2), OTHERS));
	}
}

/* ---- data of their own ---- */

/* libitm's lock of an address under ml_wt, by what is documented of it: runtimes/libitm/NOTES.txt. */
static uint32_t lock_of(uint64_t address)
{
	return (uint32_t)(address >> 5) * UINT32_C(81007) >> 16;
}

/* The address of the access of each transaction, which has one only. */
static uint64_t address_of(const struct streams *streams, size_t stream, size_t transaction)
{
	return streams->at[stream].at[3 * transaction + 1].address;
}

enum { STREAMS = 16 };

/* Streams of one read each, of the same word. */
static struct streams readers(uint64_t address)
{
	struct stmlog_access_record at[4 * STREAMS];
	for (size_t i = 0; i < STREAMS; i++) {
		at[4 * i] = (struct stmlog_access_record)THREAD(i + 1);
		at[4 * i + 1] = (struct stmlog_access_record)BEGIN(SITE, 1);
		at[4 * i + 2] = (struct stmlog_access_record)READ(address, 1);
		at[4 * i + 3] = (struct stmlog_access_record)COMMIT(1);
	}
	return streams_made(at, 4 * STREAMS);
}

/* The low 37 bits are those that libitm's lock depends on, and the replay keeps. */
TEST(data_of_their_own_share_neither_lock_nor_line)
{
	struct what_if change = {.change = WHAT_IF_ALL_OWN};
	struct random random = {5};
	for (int round = 0; round < 100; round++) {
		struct streams streams = readers(random_next(&random) % (UINT64_C(1) << 47)),
			       own = what_if(&streams, &change);
		for (size_t i = 0; i < STREAMS; i++)
			for (size_t k = 0; k < i; k++) {
				uint64_t one = address_of(&own, i, 0) % (UINT64_C(1) << 37);
				uint64_t other = address_of(&own, k, 0) % (UINT64_C(1) << 37);
				uint64_t apart = one > other ? one - other : other - one;
				assert_true(apart >= 2 * LINE);
				assert_int_not_equal(lock_of(one), lock_of(other));
			}
		streams_fini(&streams);
		streams_fini(&own);
	}
}

/* Within a thread all distances stay, so that what was in one line or one object is so still. */
TEST(data_of_their_own_lie_to_each_other_as_before)
{
	struct what_if change = {.change = WHAT_IF_ALL_OWN};
	struct streams streams = streams_made(ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 1), COMMIT(1),
		BEGIN(OTHER_SITE, 1), READ(X + 8, 1), COMMIT(1), THREAD(2), BEGIN(SITE, 1), READ(Y, 1), COMMIT(1)));
	struct streams own = what_if(&streams, &change);
	assert_int_equal(address_of(&own, 0, 1), address_of(&own, 0, 0) + 8);
	assert_int_not_equal(address_of(&own, 0, 0), X);
	assert_int_not_equal(address_of(&own, 1, 0), Y);
	assert_int_equal(own.at[0].at[0].address, SITE);
	assert_int_equal(own.at[0].at[2].address, 0);
	streams_fini(&streams);
	streams_fini(&own);
}

TEST(only_transactions_of_the_sites_get_data_of_their_own)
{
	struct what_if change = for_site(WHAT_IF_OWN_DATA);
	struct streams streams = streams_made(
		ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 1), COMMIT(1), BEGIN(OTHER_SITE, 1), READ(X, 1), COMMIT(1),
			BEGIN(SITE, 1), WRITE(X, 1), CANCEL(1), THREAD(2), BEGIN(SITE, 1), READ(X, 1), COMMIT(1)));
	struct streams own = what_if(&streams, &change);
	assert_int_not_equal(address_of(&own, 0, 0), X);
	assert_int_equal(address_of(&own, 0, 1), X);
	assert_int_equal(address_of(&own, 0, 2), address_of(&own, 0, 0));
	assert_int_not_equal(address_of(&own, 1, 0), address_of(&own, 0, 0));
	assert_int_not_equal(address_of(&own, 1, 0), X);
	streams_fini(&streams);
	streams_fini(&own);
}

/* Whether an access of so many bytes at this address is moved by giving each thread its own X. */
static bool is_moved_with_x(uint64_t address, uint16_t size, const uint64_t words[2])
{
	struct what_if change = {.change = WHAT_IF_OWN_WORDS, .words = {words[0], words[1]}};
	struct streams streams =
		streams_made(ARRAY(THREAD(1), BEGIN(SITE, 1), ACCESS(WRITE, address, size, 1), COMMIT(1)));
	struct streams own = what_if(&streams, &change);
	bool is_moved = address_of(&own, 0, 0) != address;
	streams_fini(&streams);
	streams_fini(&own);
	return is_moved;
}

TEST(accesses_that_touch_the_words_get_words_of_their_own)
{
	static const uint64_t first[2] = {X + 4, 0}, second[2] = {0, X}, both[2] = {Y, X};
	const uint64_t *const all[] = {first, second, both};
	for (size_t i = 0; i < 3; i++) {
		assert_true(is_moved_with_x(X, 8, all[i]));
		assert_true(is_moved_with_x(X, 1, all[i]));
		assert_true(is_moved_with_x(X + 7, 1, all[i]));
		assert_true(is_moved_with_x(X - 1, 2, all[i]));
		assert_true(is_moved_with_x(X - 100, 200, all[i]));
		assert_false(is_moved_with_x(X - 1, 1, all[i]));
		assert_false(is_moved_with_x(X - 8, 8, all[i]));
		assert_false(is_moved_with_x(X + 8, 8, all[i]));
		assert_false(is_moved_with_x(0, 4, all[i]));
	}
	assert_true(is_moved_with_x(Y, 8, both));
}

/* ---- apart ---- */

/* The addresses of streams of one access each become others. */
static void put_apart(const struct what_if *change, const struct stmlog_access_record *accesses, const size_t *of,
	size_t len, uint64_t *found)
{
	struct stmlog_access_record at[4 * STREAMS + 3 * 8];
	size_t count = 0, streams_len = 0;
	for (size_t stream = 0; stream < STREAMS; stream++) {
		at[count++] = (struct stmlog_access_record)THREAD(stream + 1);
		for (size_t i = 0; i < len; i++) {
			if (of[i] != stream)
				continue;
			at[count++] = (struct stmlog_access_record)BEGIN(SITE, 1);
			at[count++] = accesses[i];
			at[count++] = (struct stmlog_access_record)COMMIT(1);
		}
		streams_len++;
	}
	struct streams streams = streams_made(at, count), apart = what_if(&streams, change);
	assert_int_equal(apart.len, streams_len);
	for (size_t i = 0; i < len; i++) {
		size_t before = 0;
		for (size_t k = 0; k < i; k++)
			before += of[k] == of[i];
		found[i] = address_of(&apart, of[i], before);
	}
	streams_fini(&streams);
	streams_fini(&apart);
}

static const struct what_if all_apart = {.change = WHAT_IF_APART};

TEST(words_of_different_threads_in_one_line_come_apart)
{
	uint64_t found[2];
	for (size_t one = 0; one < STREAMS; one++)
		for (size_t other = 0; other < one; other++) {
			put_apart(&all_apart, (const struct stmlog_access_record[]){WRITE(X, 1), READ(X + 56, 1)},
				(const size_t[]){one, other}, 2, found);
			assert_int_not_equal(found[0] / LINE, found[1] / LINE);
			assert_int_equal(found[0] % LINE, X % LINE);
			assert_int_equal(found[1] % LINE, (X + 56) % LINE);
		}
}

TEST(words_of_the_same_threads_stay_together)
{
	uint64_t found[5];
	/* Of threads 0 and 9; and one of thread 9 alone. */
	put_apart(&all_apart,
		(const struct stmlog_access_record[]){
			WRITE(X + 8, 1), WRITE(X + 24, 1), READ(X + 8, 1), READ(X + 24, 1), WRITE(X + 16, 1)},
		(const size_t[]){0, 0, 9, 9, 9}, 5, found);
	assert_int_equal(found[1], found[0] + 16);
	assert_int_equal(found[2], found[0]);
	assert_int_equal(found[3], found[1]);
	assert_int_not_equal(found[4] / LINE, found[0] / LINE);
}

TEST(parts_of_a_word_stay_in_it)
{
	uint64_t found[3];
	put_apart(&all_apart,
		(const struct stmlog_access_record[]){
			ACCESS(WRITE, X, 4, 1), ACCESS(WRITE, X + 4, 4, 1), WRITE(X + 8, 1)},
		(const size_t[]){0, 0, 1}, 3, found);
	assert_int_equal(found[1], found[0] + 4);
	assert_int_not_equal(found[2] / LINE, found[0] / LINE);
}

TEST(lines_that_cost_nothing_stay_where_they_are)
{
	uint64_t found[4];
	/* Nobody writes; different lines; one thread alone; both threads access both. */
	put_apart(&all_apart, (const struct stmlog_access_record[]){READ(X, 1), READ(X + 8, 1)}, (const size_t[]){0, 1},
		2, found);
	assert_int_equal(found[0], X);
	assert_int_equal(found[1], X + 8);
	put_apart(&all_apart, (const struct stmlog_access_record[]){WRITE(X, 1), WRITE(X + LINE, 1)},
		(const size_t[]){0, 1}, 2, found);
	assert_int_equal(found[0], X);
	assert_int_equal(found[1], X + LINE);
	put_apart(&all_apart, (const struct stmlog_access_record[]){WRITE(X, 1), WRITE(X + 8, 1)},
		(const size_t[]){3, 3}, 2, found);
	assert_int_equal(found[0], X);
	assert_int_equal(found[1], X + 8);
	put_apart(&all_apart,
		(const struct stmlog_access_record[]){WRITE(X, 1), WRITE(X + 8, 1), WRITE(X, 1), WRITE(X + 8, 1)},
		(const size_t[]){0, 0, 1, 1}, 4, found);
	assert_int_equal(found[0], X);
	assert_int_equal(found[1], X + 8);
	assert_int_equal(found[3], X + 8);
}

TEST(the_words_of_a_pair_come_apart_in_any_case)
{
	struct what_if change = {.change = WHAT_IF_APART, .words = {X, X + 8}};
	uint64_t found[4];
	put_apart(&change,
		(const struct stmlog_access_record[]){WRITE(X, 1), WRITE(X + 8, 1), WRITE(X, 1), WRITE(X + 8, 1)},
		(const size_t[]){0, 0, 1, 1}, 4, found);
	assert_int_not_equal(found[0] / LINE, found[1] / LINE);
	assert_int_not_equal(found[0] / LINE, X / LINE);
	assert_int_equal(found[2], found[0]);
	assert_int_equal(found[3], found[1]);
}

/* It has no room where a word would go; another thread's word beside it moves away. */
TEST(an_access_longer_than_a_line_stays_where_it_is)
{
	uint64_t found[2];
	struct stmlog_access_record at[] = {WRITE(X + 8, 1), WRITE(X, 1)};
	at[0].size = UINT16_MAX;
	put_apart(&all_apart, at, (const size_t[]){0, 1}, 2, found);
	assert_int_equal(found[0], X + 8);
	assert_int_not_equal(found[1] / LINE, X / LINE);
}

/* ---- aliases ---- */

/* The next stripe with the lock of X. */
static uint64_t alias_of_x(void)
{
	uint64_t address = X + STRIPE;
	while (lock_of(address) != lock_of(X))
		address += STRIPE;
	return address;
}

TEST(stripes_that_share_a_lock_get_different_ones)
{
	struct what_if change = {.change = WHAT_IF_NO_ALIAS};
	uint64_t alias = alias_of_x(), found[6];
	put_apart(&change,
		(const struct stmlog_access_record[]){WRITE(X, 1), WRITE(alias + 8, 1), READ(alias + 24, 1),
			WRITE(X + 16, 1), WRITE(alias, 1), WRITE(Y, 1)},
		(const size_t[]){0, 0, 0, 1, 1, 1}, 6, found);
	assert_int_equal(found[0], X);
	assert_int_equal(found[3], X + 16);
	assert_int_equal(found[5], Y);
	assert_int_not_equal(found[1], alias + 8);
	assert_int_not_equal(lock_of(found[1]), lock_of(X));
	assert_int_not_equal(lock_of(found[1]), lock_of(Y));
	assert_int_equal(found[2], found[1] + 16);
	assert_int_equal(found[4], found[1] - 8);
}

/* At random: as many locks as stripes, and a stripe stays one. */
TEST(no_two_of_many_stripes_share_a_lock)
{
	enum { STRIPES = 2000 };
	static uint64_t stripes[STRIPES], places[STRIPES];
	static uint16_t owners[1 << 16];
	static struct stmlog_access_record at[1 + 6 * STRIPES];
	struct what_if change = {.change = WHAT_IF_NO_ALIAS};
	struct random random = {3};
	size_t len = 0;
	at[len++] = (struct stmlog_access_record)THREAD(1);
	for (size_t i = 0; i < 2 * STRIPES; i++) {
		if (i < STRIPES)
			stripes[i] = (UINT64_C(0x555500000000) + i % 7 * UINT64_C(0x10000000000)) / STRIPE +
				     random_below(&random, 1 << 30) * 2000u + i;
		at[len++] = (struct stmlog_access_record)BEGIN(SITE, 1);
		at[len++] = (struct stmlog_access_record)READ(stripes[i % STRIPES] * STRIPE + 8, 1);
		at[len++] = (struct stmlog_access_record)COMMIT(1);
	}
	struct streams streams = streams_made(at, len), changed = what_if(&streams, &change);
	for (size_t i = 0; i < 2 * STRIPES; i++) {
		uint64_t address = address_of(&changed, 0, i);
		uint16_t *owner = &owners[lock_of(address)];
		assert_int_equal(address % STRIPE, 8);
		if (i < STRIPES)
			places[i] = address;
		assert_int_equal(address, places[i % STRIPES]);
		assert_true(*owner == 0 || *owner == i % STRIPES + 1);
		*owner = (uint16_t)(i % STRIPES + 1);
	}
	streams_fini(&streams);
	streams_fini(&changed);
}

/* ---- sites ---- */

TEST(sites_are_those_whose_transactions_touch_the_words)
{
	struct streams streams = streams_made(ARRAY(THREAD(1), BEGIN(1, 0), READ(X, 0), COMMIT(0), BEGIN(2, 0),
		READ(X + 8, 0), COMMIT(0), BEGIN(1, 0), WRITE(X, 0), COMMIT(0), THREAD(2), BEGIN(3, 0), READ(X + 8, 0),
		ACCESS(WRITE, X - 8, 9, 0), CANCEL(0), BEGIN(4, 0), WRITE(Y, 0), COMMIT(0), BEGIN(X, 0), COMMIT(0)));
	struct what_if change = {.words = {X, 0}};
	what_if_add_sites_of_words(&streams, &change);
	assert_int_equal(change.site_count, 2);
	assert_int_equal(change.sites[0], 1);
	assert_int_equal(change.sites[1], 3);
	change.words[1] = Y + 7;
	what_if_add_sites_of_words(&streams, &change);
	assert_int_equal(change.site_count, 3);
	assert_int_equal(change.sites[2], 4);
	change = (struct what_if){.words = {0, 0}};
	what_if_add_sites_of_words(&streams, &change);
	assert_int_equal(change.site_count, 0);
	streams_fini(&streams);
}

TEST(sites_beyond_the_max_are_left_out)
{
	struct stmlog_access_record at[1 + 3 * (WHAT_IF_SITES + 1)] = {THREAD(1)};
	for (size_t i = 0; i <= WHAT_IF_SITES; i++) {
		at[1 + 3 * i] = (struct stmlog_access_record)BEGIN(100 + i, 0);
		at[2 + 3 * i] = (struct stmlog_access_record)READ(X, 0);
		at[3 + 3 * i] = (struct stmlog_access_record)COMMIT(0);
	}
	struct streams streams = streams_made(at, sizeof at / sizeof *at);
	struct what_if change = {.words = {X}};
	what_if_add_sites_of_words(&streams, &change);
	assert_int_equal(change.site_count, WHAT_IF_SITES);
	for (size_t i = 0; i < WHAT_IF_SITES; i++)
		assert_int_equal(change.sites[i], 100 + i);
	streams_fini(&streams);
}

TEST(whether_a_transaction_begins_at_a_site_is_told)
{
	struct streams streams = streams_made(ARRAY(THREAD(1), BEGIN(OTHER_SITE, 0), READ(SITE, 0), COMMIT(0),
		THREAD(2), BEGIN(OTHER_SITE + 1, 0), COMMIT(0)));
	struct what_if change = for_site(WHAT_IF_OUTSIDE);
	assert_false(what_if_has_sites(&streams, &change));
	change.sites[1] = OTHER_SITE + 1;
	assert_false(what_if_has_sites(&streams, &change));
	change.site_count = 2;
	assert_true(what_if_has_sites(&streams, &change));
	change.site_count = 0;
	assert_false(what_if_has_sites(&streams, &change));
	streams_fini(&streams);
}
