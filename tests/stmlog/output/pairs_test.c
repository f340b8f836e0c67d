/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <string.h>

#include "mem.h"
#include "pairs.h"
#include "random.h"
#include "session_fixture.h"

static struct tb_stack *stack(void)
{
	return stmlog_thread_stack(stmlog_thread_self());
}

static struct tb_frame *traceback(struct tb_site innermost, struct tb_site outer)
{
	return tb_build(stack(), (struct tb_site[]){innermost, outer}, 2, TB_EMPTY);
}

/* Adopts both tracebacks. */
static void lose_between(
	struct tb_frame *local, struct tb_frame *remote, enum stmlog_contention contention, uint64_t ns)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, contention, NULL);
	loss.local = local;
	loss.remote = remote;
	lose(stmlog_thread_self(), ns, &loss);
	stmlog_retry(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
	tb_unref(stack(), local);
	tb_unref(stack(), remote);
}

static struct pairs made(void)
{
	struct pairs pairs;
	assert_int_equal(pairs_make(&pairs, fixture_log), 0);
	return pairs;
}

static void an_empty_log_has_no_pairs(void **state)
{
	(void)state;
	struct pairs pairs = made();
	assert_int_equal(pairs.len, 0);
	assert_null(pairs_after(&pairs, NULL));
	pairs_drop(&pairs);
}

static void what_nobody_else_had_part_in_is_no_pair(void **state)
{
	(void)state;
	lose_between(tb_ref(TB_EMPTY), tb_ref(TB_EMPTY), STMLOG_NONE, 5);
	struct pairs pairs = made();
	assert_int_equal(pairs.len, 0);
	pairs_drop(&pairs);
}

static void unknown_and_no_frames_are_places(void **state)
{
	(void)state;
	lose_between(tb_ref(TB_EMPTY), tb_ref(TB_UNKNOWN), STMLOG_WRITE_READ, 5);
	lose_between(tb_ref(TB_UNKNOWN), tb_ref(TB_EMPTY), STMLOG_WRITE_READ, 4);
	struct pairs pairs = made();
	assert_int_equal(pairs.len, 2);
	const struct pair *pair = pairs_after(&pairs, NULL);
	assert_int_equal(pair->local.kind, PLACE_NO_FRAMES);
	assert_int_equal(pair->remote.kind, PLACE_UNKNOWN);
	pair = pairs_after(&pairs, pair);
	assert_int_equal(pair->local.kind, PLACE_UNKNOWN);
	assert_int_equal(pair->remote.kind, PLACE_NO_FRAMES);
	assert_null(pairs_after(&pairs, pair));
	pairs_drop(&pairs);
}

static void sites_of_one_name_are_one_place_and_sites_without_a_name_are_not(void **state)
{
	(void)state;
	static const struct tb_place one = {"f", "a.c", 1}, same = {"f", "a.c", 1}, other = {"f", "a.c", 2};
	const struct {
		struct tb_site left, right;
		size_t places;
	} cases[] = {
		{BYTECODE_SITE(4, 1), BYTECODE_SITE(4, 2), 1},
		{BYTECODE_SITE(4, 1), BYTECODE_SITE(5, 1), 2},
		{tb_place_site(&one), tb_place_site(&same), 1},
		{tb_place_site(&one), tb_place_site(&other), 2},
		{tb_site_make(77, 41), tb_site_make(77, 42), 2},
		{tb_site_make(76, 41), tb_site_make(77, 41), 2},
		{tb_address_site((void *)0x1000), tb_address_site((void *)0x1001), 2},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		stmlog_timelog_clear(fixture_log);
		lose_between(tb_ref(TB_EMPTY), traceback(cases[i].left, cases[i].left), STMLOG_WRITE_WRITE, 5);
		lose_between(tb_ref(TB_EMPTY), traceback(cases[i].right, cases[i].left), STMLOG_WRITE_READ, 6);
		struct pairs pairs = made();
		assert_int_equal(pairs.len, cases[i].places);
		assert_int_equal(pairs_after(&pairs, NULL)->sum.lost_ns, cases[i].places == 1 ? 11 : 6);
		pairs_drop(&pairs);
	}
}

/* Sums over the log's entries, one at a time. */
static struct stmlog_sum model_sum(const struct pair *pair)
{
	struct stmlog_sum sum = {0, 0};
	const struct group *group;
	for (size_t rank = 0; (group = timelog_at(fixture_log, rank)) != NULL; rank++) {
		const struct stmlog_entry *entry = &group->entry;
		if (tb_site(entry->local).position / 10 != pair->local.site.position / 10 ||
			tb_site(entry->remote).position / 10 != pair->remote.site.position / 10)
			continue;
		sum.count += entry->count;
		sum.lost_ns += entry->lost_ns;
	}
	return sum;
}

static void pairs_add_up_to_the_entries_and_come_in_order(void **state)
{
	(void)state;
	struct random random = {5};
	for (int i = 0; i < 200; i++) {
		struct tb_site local = BYTECODE_SITE(random_below(&random, 3), random_below(&random, 2));
		struct tb_site remote = BYTECODE_SITE(random_below(&random, 3), random_below(&random, 2));
		lose_between(traceback(local, remote), traceback(remote, local), STMLOG_WRITE_WRITE,
			random_below(&random, 50));
	}
	struct pairs pairs = made();
	struct stmlog_sum all = {0, 0};
	const struct pair *before = NULL;
	size_t seen = 0;
	for (const struct pair *pair = NULL; (pair = pairs_after(&pairs, pair)) != NULL; before = pair, seen++) {
		struct stmlog_sum sum = model_sum(pair);
		assert_int_equal(pair->sum.count, sum.count);
		assert_int_equal(pair->sum.lost_ns, sum.lost_ns);
		assert_true(before == NULL || pair->sum.lost_ns <= before->sum.lost_ns);
		all.count += sum.count;
		all.lost_ns += sum.lost_ns;
	}
	assert_int_equal(pairs.len, 9);
	assert_int_equal(seen, 9);
	assert_int_equal(all.count, 200);
	assert_int_equal(all.lost_ns, timelog_recorded(fixture_log).lost_ns);
	pairs_drop(&pairs);
}

static void equals_come_each_once(void **state)
{
	(void)state;
	for (unsigned line = 0; line < 4; line++)
		lose_between(traceback(BYTECODE_SITE(line, 0), BYTECODE_SITE(0, 0)), tb_ref(TB_UNKNOWN),
			STMLOG_WRITE_WRITE, 7);
	struct pairs pairs = made();
	const struct pair *pair = NULL;
	for (unsigned line = 0; line < 4; line++) {
		pair = pairs_after(&pairs, pair);
		assert_int_equal(pair->local.site.position / 10, line);
	}
	assert_null(pairs_after(&pairs, pair));
	pairs_drop(&pairs);
}

static void without_memory_there_is_nothing_to_drop(void **state)
{
	(void)state;
	struct pairs pairs;
	size_t before = mem_live_bytes();
	mem_fail_at(1);
	assert_int_equal(pairs_make(&pairs, fixture_log), -ENOMEM);
	assert_int_equal(mem_live_bytes(), before);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_empty_log_has_no_pairs),
		CASE(what_nobody_else_had_part_in_is_no_pair),
		CASE(unknown_and_no_frames_are_places),
		CASE(sites_of_one_name_are_one_place_and_sites_without_a_name_are_not),
		CASE(pairs_add_up_to_the_entries_and_come_in_order),
		CASE(equals_come_each_once),
		CASE(without_memory_there_is_nothing_to_drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
