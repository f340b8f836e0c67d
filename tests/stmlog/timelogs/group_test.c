/* SPDX-License-Identifier: MIT
 * A group whose owner was killed while it added a loss. */
#include <stdlib.h>
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

/* ---- the most frequent objects of an entry, against exact counts ---- */

static uint64_t count_of(const struct stmlog_entry *entry, uintptr_t address)
{
	for (size_t i = 0; i < STMLOG_OBJECTS; i++)
		if (entry->objects[i].address == address)
			return entry->objects[i].count;
	return 0;
}

static void assert_ordered(const struct stmlog_entry *entry)
{
	for (size_t i = 0; i + 1 < STMLOG_OBJECTS; i++) {
		assert_true(entry->objects[i].count >= entry->objects[i + 1].count);
		assert_true(entry->objects[i].address != 0 || entry->objects[i].count == 0);
		assert_true(entry->objects[i].address != 0 || entry->objects[i + 1].address == 0);
	}
}

TEST(up_to_the_limit_counts_are_exact_and_ordered)
{
	struct stmlog_entry entry = {.count = 0};
	for (uintptr_t address = 1; address <= STMLOG_OBJECTS; address++)
		for (uintptr_t times = 0; times < address; times++)
			objects_add(&entry, address, 0);
	assert_ordered(&entry);
	for (uintptr_t address = 1; address <= STMLOG_OBJECTS; address++)
		assert_int_equal(count_of(&entry, address), address);
	assert_int_equal(entry.objects[0].address, STMLOG_OBJECTS);
}

TEST(no_object_is_not_counted)
{
	struct stmlog_entry entry = {.count = 0};
	objects_add(&entry, 0, 0);
	assert_int_equal(entry.objects[0].count, 0);
}

TEST(one_object_met_by_two_others_makes_two_pairs)
{
	struct stmlog_entry entry = {.count = 0};
	for (int i = 0; i < 3; i++)
		objects_add(&entry, 8, 16);
	objects_add(&entry, 8, 24);
	assert_int_equal(entry.objects[0].other, 16);
	assert_int_equal(entry.objects[0].count, 3);
	assert_int_equal(entry.objects[1].address, 8);
	assert_int_equal(entry.objects[1].other, 24);
	assert_int_equal(entry.objects[1].count, 1);
}

TEST(merging_one_object_again_and_again_is_as_adding_it)
{
	struct stmlog_entry sum = {.count = 0}, none = {.count = 0};
	for (uintptr_t address = 8; address <= 16; address += 8) {
		for (uintptr_t times = 0; times < address; times++) {
			struct stmlog_entry one = {.count = 1};
			objects_add(&one, address, 0);
			objects_merge(&sum, &one);
			objects_merge(&sum, &none);
			assert_ordered(&sum);
		}
	}
	assert_int_equal(count_of(&sum, 8), 8);
	assert_int_equal(count_of(&sum, 16), 16);
}

/* Until others come. */
TEST(of_many_objects_some_stay_as_examples_though_all_counts_are_0)
{
	for (size_t parts = 1; parts <= 2; parts++) {
		struct stmlog_entry entries[2] = {{.count = 0}, {.count = 0}};
		for (uintptr_t address = 1; address <= STMLOG_OBJECTS + 1; address++)
			objects_add(&entries[address % parts], address, address + 100);
		objects_merge(&entries[0], &entries[1]);
		assert_ordered(&entries[0]);
		for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
			assert_in_range(entries[0].objects[i].address, 1, STMLOG_OBJECTS + 1);
			assert_int_equal(entries[0].objects[i].other, entries[0].objects[i].address + 100);
			assert_int_equal(entries[0].objects[i].count, 0);
		}
		for (uintptr_t address = 50; address < 50 + STMLOG_OBJECTS; address++) {
			objects_add(&entries[0], address, 0);
			assert_int_equal(count_of(&entries[0], address), 1);
			assert_ordered(&entries[0]);
		}
	}
}

/* Adds a random stream and checks the bound of Misra and Gries for every address. */
TEST(random_streams_keep_the_bound)
{
	for (unsigned seed = 0; seed < 50; seed++) {
		struct stmlog_entry parts[2] = {{.count = 0}, {.count = 0}};
		uint64_t truth[20] = {0}, total = 0;
		srandom(seed);
		for (int i = 0; i < 2000; i++, total++) {
			uintptr_t address = 1 + (uintptr_t)(random() % (2 + random() % 18));
			truth[address]++;
			objects_add(&parts[i % 2], address, 0);
			assert_ordered(&parts[i % 2]);
		}
		objects_merge(&parts[0], &parts[1]);
		assert_ordered(&parts[0]);
		for (uintptr_t address = 1; address < 20; address++) {
			uint64_t counted = count_of(&parts[0], address);
			assert_true(counted <= truth[address]);
			assert_true(truth[address] - counted <= total / (STMLOG_OBJECTS + 1));
		}
	}
}
