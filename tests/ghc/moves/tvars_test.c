/* SPDX-License-Identifier: MIT
 * The garbage collector moves TVars in the middle of attempts, and some die. */
#include "two_threads.h"

#include "tvars.h"

#include <stdio.h>
#include <string.h>

static struct hs_tvar *old_home, *new_home;
static bool compacts;

static void set_up_compaction(void)
{
	compacts = true;
	haskell_set_up();
}

static void tear_down_compaction(void)
{
	compacts = false;
	haskell_tear_down();
}

static const struct test_fixture compaction_fixture = {set_up_compaction, tear_down_compaction};

#define TEST_OF_BOTH(claim) TEST_TWICE(haskell_fixture, compaction_fixture, by_a_compaction, claim)

/* The TVar, and what TRecs know of it, are elsewhere from now on. */
static struct hs_tvar *move_one(struct hs_tvar *from)
{
	return from == old_home ? new_home : from;
}

static void replace_in(struct hs_trec *trec)
{
	for (uint64_t i = 0; i < trec->chunk->len; i++)
		if (hs_entry_at(trec->chunk, i)->tvar == old_home)
			hs_entry_at(trec->chunk, i)->tvar = new_home;
}

/* The compactor moves at its own time what it was told of. */
static void move_slot(void *user, uintptr_t *slot)
{
	assert_ptr_equal(user, &tvar);
	if (*slot == (uintptr_t)old_home)
		*slot = (uintptr_t)new_home;
}

static void collect(void)
{
	old_home = tvar;
	new_home = fake_tvar();
	*new_home = *old_home;
	tvar = new_home;
	fake_script.moved = compacts ? NULL : move_one;
	haskell_collect();
	if (compacts)
		haskell_compact(move_slot, &tvar);
	if (hs_trec(thread.tso) != ghc_rts.no_trec)
		replace_in(hs_trec(thread.tso));
	old_home->value = 0; /* nobody may look there any more */
}

static void assert_blamed(void)
{
	fail_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

TEST_OF_BOTH(a_tvar_is_followed_from_its_access_to_the_commit)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	collect();
	haskell_poke(&other, &poke, tvar);
	assert_blamed();
}

TEST_OF_BOTH(a_culprit_is_followed_as_well)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	collect();
	assert_blamed();
}

TEST_OF_BOTH(any_number_of_collections_is_followed)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	for (int i = 0; i < 5; i++)
		collect();
	haskell_poke(&other, &poke, tvar);
	for (int i = 0; i < 5; i++)
		collect();
	assert_blamed();
}

/* Another TVar may get the address of one that has died. */
TEST_WITH(haskell_fixture, a_dead_tvar_is_not_taken_for_another_one_at_its_address)
{
	begin_attempt();
	haskell_poke(&other, &poke, tvar);
	fake_script.moved = fake_died;
	haskell_collect();
	fake_script.moved = NULL;
	tvar->updates = 0; /* it is a new one */
	victim_reads(&thread, tvar);
	tvar->value = fake_value(); /* by somebody who is not known */
	fail_once();
	assert_int_equal(losses_word("INVALID").entry.grade, STMLOG_GRADE_UNKNOWN);
}

/* Those behind the latest one with a time stamp, which one in 16 has. */
TEST_WITH(haskell_fixture, without_an_attempt_under_way_hardly_any_commit_is_followed)
{
	enum { PER_STAMP = 16 };
	begin_attempt();
	assert_true(haskell_commit(&thread));
	for (int i = 0; i < 2 * PER_STAMP; i++)
		haskell_poke(&other, &poke, tvar);
	collect();
	const struct ring *ring = &capability_find(other.capability)->ring;
	assert_in_range(AO_load(&ring->head) - AO_load(&ring->tail), 0, PER_STAMP - 1);
}

/* ---- numbers ---- */

TEST_OF_BOTH(a_tvar_keeps_its_number_as_long_as_it_lives)
{
	tvar = fake_tvar();
	struct hs_tvar *another = fake_tvar();
	thread.tso = NULL;
	uintptr_t number = objects_number(tvar);
	assert_int_equal(objects_number(tvar), number);
	assert_int_equal(objects_number(another), number + 1);
	thread = haskell_thread();
	collect();
	assert_int_equal(objects_number(tvar), number);
	fake_script.moved = fake_died;
	haskell_collect();
	assert_int_equal(objects_number(tvar), number + 2);
}

TEST_WITH(haskell_fixture, a_tvar_is_named_by_its_number_and_its_value)
{
	char name[64], expected[64];
	tvar = fake_tvar();
	uintptr_t number = objects_number(tvar);
	assert_true(objects_name(objects_place(number), name, sizeof name, NULL));
	snprintf(expected, sizeof expected, "TVar #%u of ghc-prim:GHC.Types.I#", (unsigned)number);
	assert_string_equal(name, expected);
	assert_false(objects_name(objects_place(number + 1), name, sizeof name, NULL));
	assert_false(objects_name(0, name, sizeof name, NULL));
	assert_true(objects_name(objects_place(number), name, 6, NULL));
	assert_string_equal(name, "TVar ");
}

TEST_WITH(haskell_fixture, a_value_that_is_not_computed_yet_has_no_name)
{
	static const struct fake_info ind = FAKE_INFO(HS_IND, 0), thunk = FAKE_INFO(15, 0);
	char name[64];
	tvar = fake_tvar();
	tvar->value = (uintptr_t)fake_closure(&thunk, 1, (const uintptr_t[]){0});
	objects_name(objects_place(objects_number(tvar)), name, sizeof name, NULL);
	assert_null(strstr(name, " of "));
	struct hs_tvar *behind = fake_tvar();
	behind->value = (uintptr_t)fake_closure(&ind, 1, (const uintptr_t[]){fake_value()});
	objects_name(objects_place(objects_number(behind)), name, sizeof name, NULL);
	assert_non_null(strstr(name, " of ghc-prim:GHC.Types.I#"));
}

TEST_WITH(haskell_fixture, so_many_tvars_have_numbers_and_no_more)
{
	for (int i = 0; i < OBJECTS_MAX; i++)
		objects_number(fake_tvar());
	assert_int_equal(objects_number(fake_tvar()), 0);
}

/* ---- labels of TVars, by their addresses ---- */

static void kill_one(void *dead, uintptr_t *slot)
{
	if (*slot == *(const uintptr_t *)dead)
		*slot = 0;
}

static void kill_all(void *unused, uintptr_t *slot)
{
	(void)unused;
	*slot = 0;
}

static void assert_label(uintptr_t address, const char *expected)
{
	char label[LABEL_BYTES];
	assert_int_equal(labels_find(address, label), expected[0] != '\0');
	assert_string_equal(label, expected);
}

TEST(a_tvar_has_its_last_label)
{
	assert_label(8, "");
	labels_set(8, "old");
	labels_set(16, "other");
	labels_set(8, "new");
	assert_label(8, "new");
	assert_label(16, "other");
	labels_visit(kill_all, NULL);
	assert_label(8, "");
}

TEST(a_long_label_is_cut)
{
	char text[LABEL_BYTES + 2] = "";
	memset(text, 'x', LABEL_BYTES);
	labels_set(8, text);
	text[LABEL_BYTES - 1] = '\0';
	assert_label(8, text);
	labels_visit(kill_all, NULL);
}

TEST(so_many_labels_are_kept_until_a_tvar_dies)
{
	uintptr_t dead = 8;
	for (uintptr_t i = 1; i <= LABELS_MAX + 1; i++)
		labels_set(8 * i, "label");
	assert_label(8 * LABELS_MAX, "label");
	assert_label(8 * (LABELS_MAX + 1), "");
	labels_visit(kill_one, &dead);
	labels_set(8 * (LABELS_MAX + 1), "late");
	assert_label(8 * (LABELS_MAX + 1), "late");
	assert_label(8, "");
	labels_visit(kill_all, NULL);
}
