/* SPDX-License-Identifier: MIT
 * The ring of a thread: what its owner appends, and what a reader finds. */
#include <stdlib.h>

#include "ring.h"
#include "ring_writer.h"
#include "test.h"

enum { LAST = ITM_RING_ENTRIES };

static struct itm_ring *ring;

static void take_ring(void)
{
	ring = itm_ring_acquire(7);
	assert_non_null(ring);
}

static void give_ring_back(void)
{
	itm_ring_release(ring);
}

static const struct test_fixture ring_fixture = {take_ring, give_ring_back};

TEST_WITH(ring_fixture, a_ring_begins_empty)
{
	struct itm_ring_reader reader = itm_ring_read(ring);
	assert_false(itm_ring_back(&reader));
	assert_false(itm_ring_has_writes(ring));
	assert_int_equal(AO_load(&ring->thread), 7);
}

TEST_WITH(ring_fixture, writes_come_back_latest_first_with_all_their_fields)
{
	const struct itm_write first = {0x7fffdeadbee1, 1, 0x7f0000000001, 0x3fff};
	const struct itm_write second = {0x10, 65535, 0x20, 0};
	ring_write(ring, &first);
	ring_write(ring, &second);
	struct itm_ring_reader reader = itm_ring_read(ring);
	assert_true(itm_ring_back(&reader));
	assert_write_equal(&reader, &second);
	assert_true(itm_ring_back(&reader));
	assert_write_equal(&reader, &first);
	assert_false(itm_ring_back(&reader));
	assert_true(itm_ring_was_whole(ring, reader.position));
}

TEST_WITH(ring_fixture, an_end_tells_when_and_which)
{
	ring_transaction(ring, 0x111, 0x1000, 8, 41);
	struct itm_ring_reader reader = itm_ring_read(ring);
	assert_true(itm_ring_back(&reader));
	assert_true(reader.is_end);
	assert_int_equal(reader.stamp, 41);
	assert_int_equal(reader.write.site, 0x111);
	assert_true(itm_ring_back(&reader));
	assert_int_equal(reader.write.address, 0x1000);
	assert_false(itm_ring_has_writes(ring));
}

/* Capacity, and one more. */
TEST_WITH(ring_fixture, the_last_entries_are_kept)
{
	for (uintptr_t count = LAST; count <= LAST + 1; count++) {
		for (uintptr_t i = 0; i < count; i++)
			ring_write(ring, &(struct itm_write){1 + i, 1, 1, 0});
		struct itm_ring_reader reader = itm_ring_read(ring);
		uintptr_t found = 0;
		for (; itm_ring_back(&reader); found++)
			assert_int_equal(reader.write.address, count - found);
		assert_int_equal(found, LAST);
	}
}

/* The entry that the owner may be writing at the moment does not count as complete. */
TEST_WITH(ring_fixture, what_is_written_over_meanwhile_is_noticed)
{
	ring_write(ring, &(struct itm_write){1, 1, 1, 0});
	struct itm_ring_reader reader = itm_ring_read(ring);
	assert_true(itm_ring_back(&reader));
	for (int i = 0; i < LAST - 2; i++)
		ring_write(ring, &(struct itm_write){2, 1, 1, 0});
	assert_true(itm_ring_was_whole(ring, reader.position));
	ring_write(ring, &(struct itm_write){2, 1, 1, 0});
	assert_false(itm_ring_was_whole(ring, reader.position));
}

TEST_WITH(ring_fixture, an_ended_threads_writes_are_kept_until_another_takes_its_ring)
{
	ring_transaction(ring, 1, 0x1000, 8, 1);
	itm_ring_release(ring);
	struct itm_ring_reader reader = itm_ring_read(ring);
	assert_true(itm_ring_back(&reader));
	assert_ptr_equal(itm_ring_acquire(8), ring);
	assert_int_equal(AO_load(&ring->thread), 8);
	reader = itm_ring_read(ring);
	assert_false(itm_ring_back(&reader));
	assert_false(itm_ring_has_writes(ring));
}

/* So it takes no search among all rings, and the ring is still in the cache. */
TEST_WITH(ring_fixture, the_ring_that_was_released_last_is_acquired_first)
{
	struct itm_ring *others[] = {itm_ring_acquire(8), itm_ring_acquire(9), itm_ring_acquire(10)};
	itm_ring_release(others[1]);
	itm_ring_release(others[2]);
	itm_ring_release(others[0]);
	assert_ptr_equal(itm_ring_acquire(11), others[0]);
	assert_ptr_equal(itm_ring_acquire(12), others[2]);
	assert_ptr_equal(itm_ring_acquire(13), others[1]);
	for (int i = 0; i < 3; i++)
		itm_ring_release(others[i]);
}

TEST_WITH(ring_fixture, rings_with_an_owner_are_counted)
{
	AO_t before = AO_load(&itm_rings_owned);
	struct itm_ring *other = itm_ring_acquire(8);
	assert_int_equal(AO_load(&itm_rings_owned), before + 1);
	itm_ring_release(other);
	assert_int_equal(AO_load(&itm_rings_owned), before);
}

TEST_WITH(ring_fixture, rings_in_use_are_not_given_to_others)
{
	struct itm_ring *other = itm_ring_acquire(9);
	assert_ptr_not_equal(other, ring);
	size_t found = 0;
	for (struct itm_ring *at = itm_ring_first(); at != NULL; at = itm_ring_next(at))
		found += at == ring || at == other;
	assert_int_equal(found, 2);
	itm_ring_release(other);
}

TEST_WITH(ring_fixture, which_transaction_a_write_was_of_is_found_even_after_it)
{
	AO_store(&ring->site, 0x111);
	ring_write(ring, &(struct itm_write){0x1000, 8, 1, 0});
	uint64_t head = AO_load(&ring->head);
	assert_int_equal(itm_ring_site_at(ring, head), 0x111);
	itm_ring_append_end(ring, 1);
	ring_transaction(ring, 0x222, 0x1000, 8, 2);
	AO_store(&ring->site, 0x333);
	assert_int_equal(itm_ring_site_at(ring, head), 0x111);
	for (int i = 0; i < LAST; i++)
		ring_write(ring, &(struct itm_write){2, 1, 1, 0});
	assert_int_equal(itm_ring_site_at(ring, head), 0);
}

TEST_WITH(ring_fixture, the_latest_transactions_tell_when_and_where_they_began)
{
	struct itm_ring_past past;
	AO_t first = AO_load(&ring->completed);
	assert_false(itm_ring_find_past(ring, first, &past));
	for (AO_t i = 0; i <= ITM_RING_PAST; i++) {
		itm_ring_note_begin(ring, 0x100 + i, 10 * i);
		assert_true(itm_ring_find_past(ring, first + i, &past));
		assert_int_equal(past.site, 0x100 + i);
		assert_int_equal(past.began_ns, 10 * i);
		assert_int_equal(past.called, 0);
		itm_ring_note_measured_commit(ring, 10 * i + 5);
		itm_ring_note_end(ring);
	}
	assert_true(itm_ring_find_past(ring, first + 2, &past));
	assert_int_equal(past.called, 25);
	assert_false(itm_ring_find_past(ring, first + 1, &past)); /* is being overwritten, perhaps */
	assert_false(itm_ring_find_past(ring, first, &past));
	assert_false(itm_ring_find_past(ring, first + ITM_RING_PAST + 1, &past));
}

TEST_WITH(ring_fixture, a_forked_child_knows_nothing_of_the_others)
{
	struct itm_ring *other = itm_ring_acquire(9);
	ring_transaction(other, 1, 0x1000, 8, 1);
	ring_transaction(ring, 1, 0x1000, 8, 1);
	itm_rings_after_fork(ring);
	struct itm_ring_reader reader = itm_ring_read(other);
	assert_false(itm_ring_back(&reader));
	reader = itm_ring_read(ring);
	assert_true(itm_ring_back(&reader));
	assert_int_equal(AO_load(&other->is_owned), 0);
	assert_int_equal(AO_load(&itm_rings_owned), 1);
	for (int i = 0; i < 2; i++) /* each of the others once, and then new ones */
		assert_ptr_not_equal(itm_ring_acquire(10), ring);
}
