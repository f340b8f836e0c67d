/* SPDX-License-Identifier: MIT
 * The ring of a capability's commits: what its owner appends, and what is found. */
#include "fixture.h"

#include <stdlib.h>

#include "random.h"
#include "ring.h"

enum { TVAR = 0x1000, OTHER_TVAR = 0x2000 };

static struct ring *ring;

static void set_up(void)
{
	fixture_set_up();
	ring = calloc(1, sizeof *ring);
	assert_non_null(ring);
}

static void tear_down(void)
{
	free(ring);
	fixture_tear_down();
}

static const struct test_fixture ring_fixture = {set_up, tear_down};

/* ---- one commit ---- */

static void begin(uintptr_t number)
{
	struct ring_commit *commit = ring_begin(ring, number);
	AO_store(&commit->lane, number);
	AO_store(&commit->code, number);
	for (size_t i = 0; i < RING_CALLERS; i++)
		AO_store(&commit->callers[i], number + i);
}

static void add(uintptr_t tvar, uint64_t version)
{
	struct ring_write *write = ring_add(ring, tvar, version);
	if (write == NULL)
		return;
	for (size_t i = 0; i < RING_SITES; i++)
		AO_store(&write->sites[i], version + i);
}

/* A commit of this number writes this version of a TVar, and is done at this time. */
static void commit(uintptr_t number, uintptr_t tvar, uint64_t version, uint64_t stamp)
{
	begin(number);
	add(tvar, version);
	assert_true(ring_has_writes(ring));
	ring_publish(ring);
	ring_finish(ring, RING_DONE, stamp);
}

static bool search(uint64_t version, uint64_t since, struct ring_found *found)
{
	*found = (struct ring_found){.version = UINT64_MAX};
	return ring_search(ring, TVAR, version, since, found);
}

static bool has(uint64_t version, uint64_t since)
{
	struct ring_found found;
	return search(version, since, &found);
}

TEST_WITH(ring_fixture, nothing_is_found_in_an_empty_ring)
{
	struct ring_found found;
	assert_false(search(0, 0, &found));
	assert_false(found.is_cut);
	assert_false(ring_holder(ring, TVAR, 0, 0, &found));
}

TEST_WITH(ring_fixture, a_write_is_found_with_all_that_is_known_of_its_commit)
{
	struct ring_found found;
	commit(7, TVAR, 41, 100);
	assert_true(search(40, 50, &found));
	assert_int_equal(found.version, 41);
	assert_int_equal(found.state, RING_DONE);
	assert_int_equal(found.lane, 7);
	assert_int_equal(found.code, 7);
	assert_int_equal(found.callers[5], 12);
	assert_int_equal(found.sites[3], 44);
	assert_false(found.is_cut);
}

TEST_WITH(ring_fixture, the_next_version_is_found_and_no_later_one)
{
	struct ring_found found;
	for (uintptr_t i = 1; i <= 5; i++)
		commit(i, TVAR, 10 * i, 100);
	assert_true(search(20, 0, &found));
	assert_int_equal(found.version, 30);
	assert_true(search(29, 0, &found));
	assert_int_equal(found.version, 30);
	assert_false(search(50, 0, &found));
}

TEST_WITH(ring_fixture, what_was_found_elsewhere_is_improved_only)
{
	struct ring_found found = {.version = 25};
	commit(1, TVAR, 30, 100);
	assert_false(ring_search(ring, TVAR, 10, 0, &found));
	assert_int_equal(found.version, 25);
	found.version = 31;
	assert_true(ring_search(ring, TVAR, 10, 0, &found));
	assert_int_equal(found.version, 30);
}

TEST_WITH(ring_fixture, a_commit_before_the_attempt_began_is_past)
{
	commit(1, TVAR, 30, 100);
	commit(2, OTHER_TVAR, 1, 200);
	assert_true(has(10, 100));
	assert_false(has(10, 101));
}

TEST_WITH(ring_fixture, a_pending_commit_is_found_at_any_time)
{
	struct ring_found found;
	begin(1);
	add(TVAR, 30);
	assert_false(has(10, 0)); /* it is not published */
	ring_publish(ring);
	assert_true(search(10, UINT64_MAX, &found));
	assert_int_equal(found.state, RING_PENDING);
	ring_finish(ring, RING_WITHDRAWN, 100);
	assert_false(has(10, 0));
}

TEST_WITH(ring_fixture, a_commit_without_writes_is_none)
{
	commit(1, TVAR, 30, 100);
	begin(2);
	assert_false(ring_has_writes(ring)); /* so it is not published */
	assert_true(has(10, 0));
	commit(3, TVAR, 31, 200);
	assert_true(has(30, 0));
}

static bool holds(uintptr_t tvar, uintptr_t trec, uint64_t version)
{
	struct ring_found found;
	return ring_holder(ring, tvar, trec, version, &found);
}

TEST_WITH(ring_fixture, the_holder_of_a_lock_is_the_latest_commit)
{
	struct ring_found found;
	commit(1, TVAR, 30, 100);
	begin(2);
	add(OTHER_TVAR, 1);
	add(TVAR, 31);
	ring_publish(ring);
	assert_true(ring_holder(ring, TVAR, 2, 30, &found));
	assert_int_equal(found.version, 31);
	assert_false(holds(TVAR, 1, 30));
	assert_false(holds(TVAR + 8, 2, 30));
	ring_finish(ring, RING_WITHDRAWN, 200);
	assert_false(holds(TVAR, 2, 30));
}

/* The next attempt has the same TRec, and nothing of it is published. */
TEST_WITH(ring_fixture, a_former_commit_holds_no_lock)
{
	commit(1, TVAR, 30, 100);
	assert_true(holds(TVAR, 1, 29));
	assert_false(holds(TVAR, 1, 30));
}

/* ---- boundaries ---- */

TEST_WITH(ring_fixture, the_latest_commits_are_kept)
{
	struct ring_found found;
	for (uintptr_t i = 1; i <= RING_COMMITS; i++)
		commit(i, i == 1 ? TVAR : OTHER_TVAR, i, 100);
	assert_true(search(0, 0, &found));
	assert_false(found.is_cut);
	begin(RING_COMMITS + 1); /* overwrites the first one, published or not */
	assert_false(search(0, 0, &found));
	assert_true(found.is_cut);
}

TEST_WITH(ring_fixture, the_latest_writes_are_kept)
{
	enum { OF_COMMIT = RING_WRITES / 8 };
	struct ring_found found;
	for (uint64_t i = 0; i < RING_WRITES; i++) {
		if (i % OF_COMMIT == 0)
			begin(1);
		add(i == 0 ? TVAR : OTHER_TVAR, 1);
		if (i % OF_COMMIT == OF_COMMIT - 1) {
			ring_publish(ring);
			ring_finish(ring, RING_DONE, 100);
		}
	}
	assert_true(search(0, 0, &found));
	assert_false(found.is_cut);
	commit(2, OTHER_TVAR, 2, 100);
	assert_false(search(0, 0, &found));
	assert_true(found.is_cut);
}

TEST_WITH(ring_fixture, a_commit_has_a_thousand_writes_and_more_are_known_to_be_missing)
{
	struct ring_found found;
	begin(1);
	for (uint64_t i = 0; i < RING_WRITES_OF_COMMIT; i++)
		assert_non_null(ring_add(ring, OTHER_TVAR, 1));
	assert_null(ring_add(ring, TVAR, 1));
	ring_publish(ring);
	ring_finish(ring, RING_DONE, 100);
	commit(2, TVAR, 2, 200);
	assert_true(search(0, 0, &found));
	assert_int_equal(found.version, 2);
	assert_true(found.is_cut);
	assert_true(search(0, 150, &found));
	assert_false(found.is_cut);
}

/* ---- against a model ---- */

enum { OPERATIONS = 3000, MODEL_WRITES = 40 * OPERATIONS, MODEL_TVARS = 8 };

struct model_write {
	uintptr_t tvar;
	uint64_t version, commit;
};

/* All commits and writes that there ever were. */
static struct {
	struct {
		enum ring_state state;
		uint64_t stamp;
	} commits[OPERATIONS + 1];
	struct model_write writes[MODEL_WRITES];
	uint64_t commits_len, writes_len;
	uint64_t versions[MODEL_TVARS];
} model;

static uint64_t model_search(uintptr_t tvar, uint64_t version, uint64_t since)
{
	uint64_t best = UINT64_MAX;
	for (uint64_t i = 0; i < model.writes_len; i++) {
		const struct model_write *write = &model.writes[i];
		bool is_kept = model.commits_len - write->commit <= RING_COMMITS && model.writes_len - i <= RING_WRITES;
		if (is_kept && write->tvar == tvar && model.commits[write->commit].state != RING_WITHDRAWN &&
			model.commits[write->commit].stamp >= since && write->version > version &&
			write->version < best)
			best = write->version;
	}
	return best;
}

static void model_commit(struct random *random, uint64_t now)
{
	bool is_done = random_below(random, 5) != 0;
	uint32_t first = random_below(random, MODEL_TVARS), len = 1 + random_below(random, MODEL_TVARS);
	begin(1 + model.commits_len);
	for (uint32_t i = 0; i < len; i++) {
		uintptr_t tvar = (first + i) % MODEL_TVARS;
		add(TVAR + tvar, model.versions[tvar] + 1);
		model.writes[model.writes_len++] =
			(struct model_write){TVAR + tvar, model.versions[tvar] + 1, model.commits_len};
		model.versions[tvar] += is_done;
	}
	ring_publish(ring);
	ring_finish(ring, is_done ? RING_DONE : RING_WITHDRAWN, now);
	model.commits[model.commits_len].state = is_done ? RING_DONE : RING_WITHDRAWN;
	model.commits[model.commits_len++].stamp = now;
}

TEST_WITH(ring_fixture, any_search_finds_what_a_look_at_all_commits_finds)
{
	struct random random = {42};
	model.commits_len = model.writes_len = 0;
	for (uint64_t now = 1; now <= OPERATIONS; now++) {
		model_commit(&random, now);
		if (now % 4 != 0)
			continue;
		uint32_t tvar = random_below(&random, MODEL_TVARS);
		uint64_t version = model.versions[tvar] - random_below(&random, (uint32_t)model.versions[tvar] + 1);
		uint64_t since = now - random_below(&random, (uint32_t)now + 1);
		struct ring_found found = {.version = UINT64_MAX};
		bool is_found = ring_search(ring, TVAR + tvar, version, since, &found);
		uint64_t expected = model_search(TVAR + tvar, version, since);
		assert_int_equal(is_found, expected != UINT64_MAX);
		assert_int_equal(found.version, expected);
	}
}
