/* SPDX-License-Identifier: MIT
 * A group whose owner was killed while it added a loss. */
#include <string.h>

#include "group.h"
#include "random.h"
#include "test.h"

static const struct stmlog_entry intact = {
	.count = 5,
	.lost_ns = 100,
	.longest_ns = 40,
	.shortest_ns = 10,
	.certain = 5,
	.wasted = 3,
	.wasted_ns = 60,
	.undecided = 2,
	.first_ns = 7,
	.last_ns = 9,
	.objects = {{.address = 1, .count = 3}, {.address = 2, .count = 2}},
};

TEST(an_intact_group_stays_as_it_is)
{
	struct group group = {.entry = intact};
	assert_true(group_mend(&group));
	assert_memory_equal(&group.entry, &intact, sizeof intact);
}

TEST(a_group_that_has_not_counted_its_first_loss_counts_nothing)
{
	struct group group = {.entry = {.certain = 1, .lost_ns = 30, .last_ns = 9, .first_ns = 9}};
	assert_false(group_mend(&group));
	assert_int_equal(group.entry.certain, 0);
}

/* Each figure is one loss ahead of or behind the others, or as they are. */
static void tear(struct stmlog_entry *entry, struct random *random)
{
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) \
	entry->name += random_below(random, 3);      \
	entry->name -= entry->name != 0;
#include <stmlog/figures.def>
	entry->last_ns -= random_below(random, 4);
	entry->objects[random_below(random, STMLOG_OBJECTS)].count += random_below(random, 2);
}

static void assert_sums_hold(const struct stmlog_entry *entry)
{
	uint64_t objects = 0;
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) assert_true(entry->name <= entry->WHOLE);
#include <stmlog/figures.def>
	for (size_t i = 0; i < STMLOG_OBJECTS; i++)
		objects += entry->objects[i].count;
	assert_true(objects <= entry->count);
	assert_true(entry->undecided <= entry->count - entry->wasted);
	assert_true(entry->first_ns <= entry->last_ns);
}

TEST(the_sums_of_a_group_hold_wherever_its_owner_was_killed)
{
	struct random random = {1};
	for (int i = 0; i < 10000; i++) {
		struct group group = {.entry = intact};
		tear(&group.entry, &random);
		assert_true(group_mend(&group));
		assert_sums_hold(&group.entry);
	}
}
