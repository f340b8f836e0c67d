/* SPDX-License-Identifier: MIT
 * Timelogs against a model that a reader believes at once: arrays, searched from end to end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "test.h"
#include "timelog.h"

enum { PLACES = 24, MODEL_MAX = 64 };

struct world {
	struct tb_stack *stack;
	struct tb_frame *place[PLACES]; /* tracebacks of 0 to 3 frames, and the unknown one */
	size_t bytes_before;
};

static struct world world;

static void set_up(void)
{
	world.bytes_before = mem_live_bytes();
	world.stack = tb_stack_create(0);
	assert_non_null(world.stack);
	world.place[0] = TB_UNKNOWN;
	world.place[1] = TB_EMPTY;
	for (uintptr_t i = 2; i < PLACES; i++) {
		struct tb_site sites[3] = {{2, i}, {2, i / 2}, {2, i / 4}};
		world.place[i] = tb_build(world.stack, sites, 1 + i % 3, TB_EMPTY);
	}
}

static void tear_down(void)
{
	for (size_t i = 0; i < PLACES; i++)
		tb_unref(world.stack, world.place[i]);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&world.stack);
	assert_int_equal(mem_live_bytes(), world.bytes_before);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* The other side is as good as frames as it is as a copy of them: this takes turns. */
static void add(struct stmlog_timelog *log, struct tb_frame *place, uint64_t lost_ns, uint64_t at_ns)
{
	static bool is_copy;
	struct tb_copy copy;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss, .lost_ns = lost_ns, .at_ns = at_ns, .thread = 1};
	loss.local = loss.remote = place;
	is_copy = !is_copy;
	if (is_copy) {
		tb_copy_take(&copy, place);
		measured.remote_copy = &copy;
		loss.remote = TB_UNKNOWN;
	}
	timelog_add_loss(log, &measured);
}

/* ---- the model ---- */

struct model_entry {
	size_t place;
	uint64_t count, lost, longest, shortest, born;
};

struct model {
	size_t capacity, len;
	struct model_entry entry[MODEL_MAX];
	uint64_t evicted_count, evicted_ns, clock;
};

static void model_add(struct model *model, size_t place, uint64_t lost)
{
	struct model_entry new = {place, 1, lost, lost, lost, model->clock++};
	size_t low = 0;
	for (size_t i = 0; i < model->len; i++) {
		struct model_entry *e = &model->entry[i];
		if (e->place == place) {
			e->count++;
			e->lost += lost;
			e->longest = lost > e->longest ? lost : e->longest;
			e->shortest = lost < e->shortest ? lost : e->shortest;
			return;
		}
		if (e->lost < model->entry[low].lost)
			low = i;
	}
	if (model->len < model->capacity) {
		model->entry[model->len++] = new;
		return;
	}
	struct model_entry *lowest = &model->entry[low];
	if (model->capacity == 0 || lost <= lowest->lost) {
		model->evicted_count++;
		model->evicted_ns += lost;
		return;
	}
	model->evicted_count += lowest->count;
	model->evicted_ns += lowest->lost;
	*lowest = new;
}

static const struct model_entry *model_find(const struct model *model, size_t place)
{
	for (size_t i = 0; i < model->len; i++)
		if (model->entry[i].place == place)
			return &model->entry[i];
	return NULL;
}

static size_t place_of(const struct tb_frame *traceback)
{
	for (size_t i = 0; i < PLACES; i++)
		if (tb_equal(world.place[i], traceback))
			return i;
	fail();
	return 0;
}

static void assert_same(struct stmlog_timelog *log, const struct model *model)
{
	assert_true(timelog_is_valid(log));
	assert_int_equal(log->len, model->len);
	assert_int_equal(log->totals.evicted.count, model->evicted_count);
	assert_int_equal(log->totals.evicted.lost_ns, model->evicted_ns);
	uint64_t above = UINT64_MAX;
	for (size_t rank = 0; rank < log->len; rank++) {
		const struct stmlog_entry *entry = &timelog_at(log, rank)->entry;
		const struct model_entry *expected = model_find(model, place_of(entry->local));
		assert_non_null(expected);
		assert_int_equal(entry->count, expected->count);
		assert_int_equal(entry->lost_ns, expected->lost);
		assert_int_equal(entry->longest_ns, expected->longest);
		assert_int_equal(entry->shortest_ns, expected->shortest);
		assert_true(entry->lost_ns <= above);
		above = entry->lost_ns;
	}
	assert_null(timelog_at(log, log->len));
}

/* Distinct powers keep the model's choice of the lowest unambiguous: no two sums are equal. */
static void agree_with_the_model(struct stmlog_timelog *log, size_t capacity, unsigned seed)
{
	struct model model = {.capacity = capacity};
	srandom(seed);
	for (uint64_t step = 0; step < 3000; step++) {
		size_t place = (size_t)random() % PLACES;
		uint64_t lost = ((uint64_t)random() << 20) + step;
		model_add(&model, place, lost);
		add(log, world.place[place], lost, step);
		if (step % 50 == 0 || step < 60)
			assert_same(log, &model);
	}
	assert_same(log, &model);
	timelog_clear(log);
	assert_int_equal(log->len, 0);
	assert_true(timelog_is_valid(log));
}

/* One that has all its memory, and one that grows. */
static void both_agree_with_the_model(size_t capacity, unsigned seed)
{
	struct stmlog_timelog *log = timelog_create(capacity, world.stack), growing;
	assert_non_null(log);
	agree_with_the_model(log, capacity, seed);
	timelog_destroy(&log);
	timelog_init(&growing, capacity, world.stack);
	agree_with_the_model(&growing, capacity, seed);
	timelog_fini(&growing);
}

TEST_WITH(fixture, random_losses_agree_with_the_model_at_every_capacity)
{
	static const size_t capacities[] = {0, 1, 2, 3, 8, PLACES - 1, PLACES, PLACES + 1, 60};
	for (unsigned i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
		both_agree_with_the_model(capacities[i], i);
}

TEST_WITH(fixture, a_timelog_that_grows_takes_memory_when_groups_come_and_is_full_without)
{
	OWNED(timelog_fini) struct stmlog_timelog log;
	size_t bytes = mem_live_bytes();
	timelog_init(&log, PLACES, world.stack);
	assert_int_equal(mem_live_bytes(), bytes);
	assert_null(timelog_at(&log, 0));
	add(&log, world.place[0], 10, 0);
	size_t room = log.room;
	assert_in_range(room, 2, PLACES - 1);
	bytes = mem_live_bytes();
	for (size_t i = 1; i < room; i++)
		add(&log, world.place[i], 10, i);
	assert_int_equal(mem_live_bytes(), bytes);
	mem_fail_at(1);
	add(&log, world.place[room], 5, 100);
	assert_int_equal(mem_fail_left(), 0);
	assert_int_equal(log.len, room);
	assert_int_equal(log.totals.evicted.lost_ns, 5);
	add(&log, world.place[room], 5, 101);
	assert_int_equal(log.len, room + 1);
	assert_true(mem_live_bytes() > bytes);
	assert_int_equal(log.room, PLACES);
	assert_true(timelog_is_valid(&log));
}

TEST_WITH(fixture, without_memory_for_its_first_group_it_evicts_the_group_and_keeps_a_later_one)
{
	OWNED(timelog_fini) struct stmlog_timelog log;
	timelog_init(&log, PLACES, world.stack);
	mem_fail_at(1);
	add(&log, world.place[2], 5, 1);
	assert_int_equal(mem_fail_left(), 0);
	assert_int_equal(log.len, 0);
	assert_int_equal(log.totals.evicted.lost_ns, 5);
	assert_true(timelog_is_valid(&log));
	add(&log, world.place[2], 7, 2);
	assert_int_equal(timelog_at(&log, 0)->entry.lost_ns, 7);
}

TEST_WITH(fixture, one_that_has_given_its_memory_back_is_empty_and_can_be_used_again)
{
	struct stmlog_timelog log;
	size_t bytes = mem_live_bytes();
	timelog_init(&log, PLACES, world.stack);
	for (uint64_t lost_ns = 1; lost_ns <= 2; lost_ns++) {
		add(&log, world.place[2], lost_ns, 1);
		assert_int_equal(log.totals.evicted.count, 0);
		assert_int_equal(timelog_recorded(&log).lost_ns, lost_ns);
		timelog_fini(&log);
		assert_int_equal(mem_live_bytes(), bytes);
		assert_int_equal(log.len, 0);
		assert_true(timelog_is_valid(&log));
	}
}

TEST_WITH(fixture, equal_times_keep_the_order_in_which_they_came)
{
	OWNED(timelog_destroy) struct stmlog_timelog *log = timelog_create(PLACES, world.stack);
	for (size_t i = 0; i < PLACES; i++)
		add(log, world.place[(i * 7) % PLACES], 5, i);
	for (size_t rank = 0; rank < PLACES; rank++)
		assert_ptr_equal(timelog_at(log, rank)->entry.local, world.place[(rank * 7) % PLACES]);
}

TEST_WITH(fixture, a_newcomer_equal_to_the_lowest_is_refused)
{
	OWNED(timelog_destroy) struct stmlog_timelog *log = timelog_create(1, world.stack);
	add(log, world.place[2], 5, 1);
	add(log, world.place[3], 5, 2);
	assert_ptr_equal(timelog_at(log, 0)->entry.local, world.place[2]);
	assert_int_equal(log->totals.evicted.count, 1);
}

/* Each loss is longer than all losses before it together. So the timelog of two groups replaces one of them all the
 * time, and places in `recent` lead to slots of other groups. */
TEST_WITH(fixture, a_group_is_selected_only_for_a_loss_of_its_own_key)
{
	enum { STEPS = 5000, PERIOD = 32 };
	OWNED(timelog_destroy) struct stmlog_timelog *log = timelog_create(2, world.stack);
	size_t selected = 0;
	srandom(1);
	for (uint64_t step = 0; step < STEPS; step++) {
		struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
		struct measured_loss measured = {.loss = &loss, .lost_ns = 1u << step % PERIOD, .at_ns = step};
		if (step % PERIOD == 0)
			timelog_clear(log);
		loss.local = world.place[(size_t)random() % 3];
		loss.remote = world.place[(size_t)random() % 2];
		if (timelog_select(log, &loss)) {
			assert_true(group_has_key(timelog_last(log), &measured));
			timelog_add_to_last(log, &measured);
			selected++;
		} else {
			timelog_add_loss(log, &measured);
		}
		assert_int_equal(timelog_recorded(log).count, step % PERIOD + 1);
		assert_true(timelog_is_valid(log));
	}
	assert_in_range(selected, 1, STEPS - 1);
}

TEST_WITH(fixture, the_group_of_the_last_loss_is_selected_again_until_the_timelog_is_cleared)
{
	OWNED(timelog_destroy) struct stmlog_timelog *log = timelog_create(2, world.stack);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss, .lost_ns = 1};
	loss.local = loss.remote = world.place[2];
	assert_false(timelog_select(log, &loss));
	timelog_add_loss(log, &measured);
	assert_true(timelog_select(log, &loss));
	loss.cause.contention = STMLOG_WRITE_READ;
	assert_false(timelog_select(log, &loss));
	loss.cause.contention = STMLOG_WRITE_WRITE;
	timelog_clear(log);
	assert_false(timelog_select(log, &loss));
}

static void lose_to_copy(struct stmlog_timelog *log, const struct tb_frame *remote, uint64_t lost_ns)
{
	struct tb_copy copy;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct measured_loss measured = {.loss = &loss, .remote_copy = &copy, .lost_ns = lost_ns};
	tb_copy_take(&copy, remote);
	timelog_add_loss(log, &measured);
}

TEST_WITH(fixture, a_copy_becomes_frames_only_when_its_group_is_kept)
{
	OWNED(timelog_destroy) struct stmlog_timelog *log = timelog_create(1, world.stack);
	size_t live = tb_live_frames();
	lose_to_copy(log, world.place[5], 10); /* of 3 frames */
	assert_int_equal(tb_live_frames(), live + 3);
	assert_true(tb_equal(timelog_at(log, 0)->entry.remote, world.place[5]));
	lose_to_copy(log, world.place[5], 10); /* known */
	assert_int_equal(tb_live_frames(), live + 3);
	assert_int_equal(timelog_at(log, 0)->entry.count, 2);
	lose_to_copy(log, world.place[8], 5); /* too cheap */
	assert_int_equal(tb_live_frames(), live + 3);
	assert_int_equal(log->totals.evicted.count, 1);
	lose_to_copy(log, world.place[6], 30); /* takes the place; of 1 frame */
	assert_int_equal(tb_live_frames(), live + 1);
	assert_true(timelog_is_valid(log));
}

TEST_WITH(fixture, merging_two_timelogs_adds_up)
{
	OWNED(timelog_destroy) struct stmlog_timelog *a = timelog_create(6, world.stack);
	OWNED(timelog_destroy) struct stmlog_timelog *b = timelog_create(9, world.stack);
	for (uint64_t i = 0; i < 100; i++) {
		add(a, world.place[i % PLACES], i, i);
		add(b, world.place[(i * 5) % PLACES], 3 * i, i);
	}
	struct stmlog_cost first = timelog_recorded(a), second = timelog_recorded(b);
	timelog_merge(a, b);
	assert_int_equal(timelog_recorded(a).count, first.count + second.count);
	assert_int_equal(timelog_recorded(a).lost_ns, first.lost_ns + second.lost_ns);
	assert_true(timelog_is_valid(a));
}

TEST_WITH(fixture, a_foreign_merge_shares_no_frame)
{
	OWNED(tb_stack_destroy) struct tb_stack *elsewhere = tb_stack_create(0);
	struct stmlog_timelog *log = timelog_create(PLACES, world.stack);
	OWNED(timelog_destroy) struct stmlog_timelog *copy = timelog_create(PLACES, elsewhere);
	for (size_t i = 0; i < PLACES; i++)
		add(log, world.place[i], 1 + i, i);
	timelog_merge_foreign(copy, log);
	timelog_merge_foreign(copy, log);
	assert_int_equal(copy->len, PLACES);
	for (size_t rank = 0; rank < PLACES; rank++) {
		const struct stmlog_entry *mine = &timelog_at(copy, rank)->entry,
					  *theirs = &timelog_at(log, rank)->entry;
		assert_true(tb_equal(mine->local, theirs->local));
		assert_true(!tb_is_frame(mine->local) || mine->local != theirs->local);
		assert_int_equal(mine->lost_ns, 2 * theirs->lost_ns);
	}
	timelog_destroy(&log);
	for (size_t rank = 0; rank < PLACES; rank++) /* still whole */
		place_of(timelog_at(copy, rank)->entry.local);
}

TEST_WITH(fixture, no_memory_is_said_and_leaks_nothing)
{
	mem_fail_at(1);
	assert_null(timelog_create(4, world.stack));
	assert_null(timelog_create(SIZE_MAX, world.stack));
}

/* Fills a timelog with groups of `len` causes, and few different times; every tenth was evicted for a later one. */
static struct stmlog_timelog *many_groups(size_t len)
{
	struct stmlog_timelog *log = timelog_create(len, world.stack);
	assert_non_null(log);
	for (uintptr_t i = 0; i < len + len / 10; i++) {
		struct tb_site site = {3, i};
		struct tb_frame *place = tb_build(world.stack, &site, 1, TB_EMPTY);
		add(log, place, i < len ? 1 + i * 7 % 50 * (1u << i % 3 * 10) : 50 + i % 3, i);
		tb_unref(world.stack, place);
	}
	return log;
}

/* The order of timelog_at() alone, which sorts in another way; `fails`: there is no memory to arrange by. */
static void arrange_many(size_t len, bool fails)
{
	OWNED(timelog_destroy) struct stmlog_timelog *arranged = many_groups(len), *plain = many_groups(len);
	mem_fail_at(fails ? 1 : 0);
	errno = 1234;
	timelog_arrange(arranged);
	assert_int_equal(errno, 1234);
	assert_int_equal(mem_fail_left(), 0);
	assert_int_equal(arranged->order_version == arranged->version, !fails);
	for (size_t rank = 0; rank < len; rank++) {
		const struct group *group = timelog_at(arranged, rank), *expected = timelog_at(plain, rank);
		assert_int_equal(group->entry.lost_ns, expected->entry.lost_ns);
		assert_int_equal(group->admitted, expected->admitted);
	}
}

TEST_WITH(fixture, many_groups_are_arranged_in_the_order_of_their_ranks)
{
	arrange_many(10000, false);
	arrange_many(10000, true);
}
