/* SPDX-License-Identifier: MIT
 * The few groups of the running transaction: each key once, and the cheapest makes way. */
#include "fixture.h"

#include "pending.h"
#include "random.h"

static struct tb_stack *stack;
static struct pending pending;

static void set_up(void)
{
	fixture_set_up();
	stack = tb_stack_create(0);
	pending.len = 0;
	pending.last = NULL;
}

static void tear_down(void)
{
	for (size_t i = 0; i < pending.len; i++)
		group_fini(&pending.items[i].group, stack);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&stack);
	fixture_tear_down();
}

static const struct test_fixture pending_fixture = {set_up, tear_down};

enum { KEYS = 32 };

/* A copy that is `key` frames long, the innermost of which says so: always the same, as that of an origin. */
static const struct tb_copy *copy_of(uint32_t key)
{
	static struct tb_copy copies[KEYS];
	struct tb_copy *copy = &copies[key];
	assert_in_range(key, 1, KEYS - 1);
	copy->len = key;
	copy->is_whole = true;
	for (uint32_t i = 0; i < key; i++)
		copy->sites[i] = tb_site_make(4, key);
	return copy;
}

/* Loses so long under a key. Returns what had to go first: count and time of the cheapest. */
static struct stmlog_sum lose(uint32_t key, uint64_t lost_ns, struct culprit culprit)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_sum gone = {0, 0};
	const struct tb_copy *copy = copy_of(key);
	struct measured_loss measured = {.loss = &loss, .remote_copy = copy, .culprit = culprit, .lost_ns = lost_ns};
	struct pending_item *again = pending_again(&pending, &loss, copy);
	if (again != NULL) {
		pending_add_to(again, &measured);
		return gone;
	}
	struct pending_item *cheapest = pending_in_the_way(&pending, &measured);
	if (cheapest != NULL) {
		gone = (struct stmlog_sum){cheapest->group.entry.count, cheapest->group.entry.lost_ns};
		group_fini(&cheapest->group, stack);
	}
	pending_add(&pending, &measured, NULL);
	return gone;
}

static const struct culprit unknown;

static const struct pending_item *find(uint32_t key)
{
	const struct pending_item *found = NULL;
	for (size_t i = 0; i < pending.len; i++) {
		if (pending.items[i].group.remote_copy != copy_of(key))
			continue;
		assert_null(found);
		found = &pending.items[i];
	}
	return found;
}

TEST_WITH(pending_fixture, a_key_that_is_there_needs_no_room)
{
	for (uint32_t key = 1; key <= PENDING_GROUPS; key++)
		assert_int_equal(lose(key, 10 * key, unknown).count, 0);
	assert_int_equal(pending.len, PENDING_GROUPS);
	assert_int_equal(lose(3, 5, unknown).count, 0);
	assert_int_equal(find(3)->group.entry.lost_ns, 35);
	assert_int_equal(find(3)->group.entry.count, 2);
}

TEST_WITH(pending_fixture, one_too_many_takes_the_place_of_the_cheapest)
{
	for (uint32_t key = 1; key <= PENDING_GROUPS; key++)
		lose(key, key == 5 ? 1 : 10, unknown);
	assert_int_equal(lose(9, 3, unknown).lost_ns, 1);
	assert_int_equal(pending.len, PENDING_GROUPS);
	assert_null(find(5));
	assert_ptr_equal(find(9), &pending.items[4]);
	assert_int_equal(find(9)->group.entry.lost_ns, 3);
}

TEST_WITH(pending_fixture, the_key_of_the_last_loss_is_known_again)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL), other = loss;
	other.cause.detail = "LOCKED_WRITE";
	assert_null(pending_again(&pending, &loss, copy_of(1)));
	lose(2, 10, unknown);
	lose(1, 10, unknown);
	assert_ptr_equal(pending_again(&pending, &loss, copy_of(1)), find(1));
	assert_null(pending_again(&pending, &loss, copy_of(2)));
	assert_null(pending_again(&pending, &loss, NULL));
	assert_null(pending_again(&pending, &other, copy_of(1)));
	group_fini(&pending.items[0].group, stack);
	pending_move(&pending, 0, 1);
	pending.len = 1;
	assert_null(pending_again(&pending, &loss, copy_of(1)));
}

/* As a new group finds its hash in a timelog's. */
TEST_WITH(pending_fixture, a_group_like_the_new_one_lends_its_hash)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss};
	struct group like = {.hash = 12345, .entry = {.cause = loss.cause, .local = TB_UNKNOWN, .remote = TB_UNKNOWN}};
	struct group group;
	group_init(&group, &measured, &like);
	assert_int_equal(group.hash, 12345);
	like.entry.local = TB_EMPTY;
	group_init(&group, &measured, &like);
	uint64_t hash = group.hash;
	assert_int_not_equal(hash, 12345);
	group_init(&group, &measured, NULL);
	assert_int_equal(group.hash, hash);
}

/* For example, a burst reports one of several equal losses with a weight, and the transaction has lost before. */
TEST_WITH(pending_fixture, the_variance_of_a_key_is_never_above_that_of_its_cause)
{
	static const uint32_t extra[] = {0, 2, 0, 5};
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct running running = {.transaction = 0};
	for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
		struct measured_loss measured = {.loss = &loss, .lost_ns = 100};
		measured.weight = weigh(&running, 7, extra[i], &loss.cause, measured.lost_ns);
		pending_add(&pending, &measured, NULL);
	}
	const struct group *group = &pending.items[0].group;
	assert_int_equal(group->entry.count, 4);
	assert_true(group->entry.variance_ns2 > 0);
	assert_true(group->entry.variance_ns2 <= group->cause_variance_ns2);
	assert_true(group->cause_variance_ns2 <= group->all_variance_ns2);
}

TEST_WITH(pending_fixture, moving_an_item_takes_its_copy_and_its_culprits_along)
{
	struct attempts attempts = {.word = 0};
	attempts_begin(&attempts);
	lose(1, 10, unknown);
	lose(2, 20, (struct culprit){&attempts, 1});
	group_fini(&pending.items[0].group, stack);
	pending_move(&pending, 0, 1);
	pending.len = 1;
	assert_int_equal(find(2)->group.entry.lost_ns, 20);
	assert_int_equal(find(2)->cascade.len, 1);
	lose(2, 20, (struct culprit){&attempts, 1});
	attempts_abort(&attempts);
	assert_false(cascade_decide(&pending.items[0].cascade, &pending.items[0].group.entry));
	assert_int_equal(find(2)->group.entry.wasted, 2);
}

TEST_WITH(pending_fixture, whatever_goes_and_stays_adds_up)
{
	struct random random = {3};
	uint64_t count = 0, lost_ns = 0;
	for (int i = 1; i <= 20000; i++) {
		uint64_t ns = random_below(&random, 1000);
		struct stmlog_sum gone = lose(1 + random_below(&random, 12), ns, unknown);
		count += gone.count;
		lost_ns += gone.lost_ns;
	}
	uint64_t kept_ns = 0;
	for (uint32_t key = 1; key <= 12; key++) {
		const struct pending_item *item = find(key);
		if (item == NULL)
			continue;
		count += item->group.entry.count;
		kept_ns += item->group.entry.lost_ns;
	}
	assert_int_equal(count, 20000);
	random = (struct random){3};
	for (int i = 1; i <= 20000; i++) {
		lost_ns -= random_below(&random, 1000);
		random_next(&random);
	}
	assert_int_equal(kept_ns, -lost_ns);
}

/* ---- wasted aborts: nothing is guessed ---- */

static struct culprit begin(struct attempts *attempts)
{
	attempts_begin(attempts);
	return (struct culprit){attempts, attempts_current(attempts)};
}

TEST(an_abort_is_wasted_when_its_culprit_aborts)
{
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 2};
	struct culprit culprit = begin(&attempts);
	cascade_add(&cascade, &entry, culprit, 10);
	cascade_add(&cascade, &entry, culprit, 20);
	assert_true(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
	attempts_abort(&attempts);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 2);
	assert_int_equal(entry.wasted_ns, 30);
	assert_int_equal(entry.undecided, 0);
}

TEST(an_abort_is_not_wasted_when_its_culprit_commits)
{
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, begin(&attempts), 10);
	attempts_end(&attempts);
	begin(&attempts);
	attempts_abort(&attempts); /* its next attempt is another matter */
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

TEST(what_is_open_when_the_group_goes_is_undecided)
{
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, begin(&attempts), 10);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.undecided, 1);
	assert_int_equal(cascade.len, 0);
	attempts_abort(&attempts);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
}

TEST(one_culprit_too_many_gives_up_the_longest_known)
{
	struct attempts attempts[CASCADE_CULPRITS + 1] = {{.word = 0}};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = CASCADE_CULPRITS + 1};
	for (int i = 0; i < CASCADE_CULPRITS; i++)
		cascade_add(&cascade, &entry, begin(&attempts[i]), 1);
	assert_int_equal(entry.undecided, 0);
	cascade_add(&cascade, &entry, begin(&attempts[CASCADE_CULPRITS]), 1);
	assert_int_equal(entry.undecided, 1);
	for (int i = 0; i <= CASCADE_CULPRITS; i++)
		attempts_abort(&attempts[i]);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, CASCADE_CULPRITS);
}

TEST(a_culprit_that_is_over_makes_room_before_one_is_given_up)
{
	struct attempts attempts[CASCADE_CULPRITS + 1] = {{.word = 0}};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = CASCADE_CULPRITS + 1};
	for (int i = 0; i < CASCADE_CULPRITS; i++)
		cascade_add(&cascade, &entry, begin(&attempts[i]), 1);
	attempts_abort(&attempts[2]);
	cascade_add(&cascade, &entry, begin(&attempts[CASCADE_CULPRITS]), 1);
	assert_int_equal(entry.undecided, 0);
	assert_int_equal(entry.wasted, 1);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.undecided, CASCADE_CULPRITS);
}

TEST(an_abort_without_a_known_culprit_is_neither)
{
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, (struct culprit){NULL, 0}, 10);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}
