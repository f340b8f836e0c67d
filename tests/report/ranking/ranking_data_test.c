/* SPDX-License-Identifier: MIT
 * Over which data transactions conflict, and whether both have used the same word. */
#include "ranked.h"

enum { WORD = 0x10000, NEIGHBOUR = WORD + 8, FAR = WORD + 1024 * MADE_STRIPE };

/* It is known where `take` begins. */
static void begin_take(void)
{
	begin();
	made_time(&made, at("take", BEGIN_LINE), 10, 1000);
}

/* Conflicts of `put` over a word, of which the other side's word is `other`; 0: it was not seen, or is the same. */
static struct stmlog_entry_record *conflict_over(uint64_t word, uint64_t other, uint64_t count)
{
	struct stmlog_entry_record *entry = lose(conflict, "put", "take", count, count * 1000);
	entry->objects[0].address = word;
	entry->objects[0].count = count;
	entry->object_others[0] = other;
	entry->false_conflicts = other != 0 && other != word ? count : 0;
	return entry;
}

static void name_word(struct stmlog_entry_record *entry, const char *name)
{
	entry->object_names[0] = made_string(&made, name);
}

static void assert_data(enum ranking_data data)
{
	assert_int_equal(only_row()->data, data);
}

/* ---- the same word, or another ---- */

/* Without the other side's address it is the same word if the other side's access was found. */
TEST(the_same_word_and_neighbours_and_aliases_are_told_apart_by_pairs_of_addresses)
{
	static const struct {
		uint64_t other;
		bool is_access_known;
		enum ranking_data data;
	} cases[] = {{0, false, RANKING_NEARBY}, {0, true, RANKING_WORD}, {WORD, true, RANKING_WORD},
		{WORD, false, RANKING_NEARBY}, {NEIGHBOUR, false, RANKING_NEIGHBOURS},
		{NEIGHBOUR, true, RANKING_NEIGHBOURS}, {WORD + MADE_STRIPE - 1, false, RANKING_NEIGHBOURS},
		{WORD + MADE_STRIPE, false, RANKING_ALIAS}, {FAR, true, RANKING_ALIAS}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin_take();
		struct stmlog_entry_record *entry = conflict_over(WORD, cases[i].other, 10);
		if (cases[i].is_access_known)
			entry->remote = access_in("take");
		assert_data(cases[i].data);
	}
}

/* As of GHC's, which has a lock for each TVar. */
TEST(without_stripes_a_conflict_is_over_the_word_unless_it_was_called_false)
{
	for (uint64_t aliases = 0; aliases < 2; aliases++) {
		begin_take();
		made.recording.info.stripe_bytes = 0;
		conflict_over(WORD, 0, 10);
		assert_data(RANKING_WORD);
		begin_take();
		made.recording.info.stripe_bytes = 0;
		struct stmlog_entry_record *entry = conflict_over(WORD, FAR, 10);
		entry->false_aliases = aliases;
		assert_data(aliases == 0 ? RANKING_NEIGHBOURS : RANKING_ALIAS);
	}
}

TEST(nothing_is_said_of_fewer_than_ten_conflicts_or_without_an_address)
{
	for (uint64_t count = 9; count <= 10; count++) {
		begin_take();
		conflict_over(WORD, NEIGHBOUR, count);
		assert_data(count == 10 ? RANKING_NEIGHBOURS : RANKING_DATA_KINDS);
		assert_int_equal(ranked.rows[0].data_text[0] != '\0', count == 10);
	}
	begin_take();
	conflict_over(0, 0, 10);
	assert_data(RANKING_DATA_KINDS);
	begin_take();
	lose(commit_wait, "put", "take", 10000, LOST)->objects[0].address = WORD;
	assert_data(RANKING_DATA_KINDS);
}

TEST(nine_pairs_say_nothing_of_the_others)
{
	for (uint64_t seen = 9; seen <= 10; seen++) {
		begin_take();
		conflict_over(WORD, 0, 900);
		conflict_over(WORD, FAR, seen);
		assert_data(seen == 9 ? RANKING_NEARBY : RANKING_ALIAS);
	}
}

/* But where these conflicts have made a transaction run alone, they are told. */
TEST(nothing_is_said_of_conflicts_below_a_hundredth_of_waits)
{
	const struct loss_kind waits[] = {commit_wait, alone_wait, upgrade_wait};
	for (int is_alone = 0; is_alone < 3; is_alone++) {
		for (uint64_t less = 0; less < 2; less++) {
			begin_take();
			conflict_over(WORD, FAR, 100);
			lose(waits[is_alone], "put", "take", 1000, 99 * 100 * 1000 + 100 * less);
			assert_data(less && !is_alone ? RANKING_DATA_KINDS : RANKING_ALIAS);
		}
	}
}

TEST(of_several_kinds_the_costliest_is_told)
{
	for (uint64_t more = 0; more < 2; more++) {
		begin_take();
		conflict_over(WORD, NEIGHBOUR, 50 + more);
		conflict_over(FAR, WORD, 51 - more);
		assert_data(more ? RANKING_NEIGHBOURS : RANKING_ALIAS);
	}
}

/* ---- neighbours that space between them would not part ---- */

TEST(members_of_a_small_block_are_no_neighbours)
{
	for (uint64_t more = 0; more < 2; more++) {
		begin_take();
		struct stmlog_block_record block = {.address = WORD, .size = 64 + more};
		made.recording.blocks = &block;
		made.recording.block_count = 1;
		conflict_over(WORD, NEIGHBOUR, 10);
		assert_data(more ? RANKING_NEIGHBOURS : RANKING_WORD);
	}
}

TEST(members_of_three_nodes_at_one_distance_are_no_neighbours)
{
	for (int i = 0; i < 3; i++) {
		begin_take();
		for (uint64_t node = 0; node < (i == 1 ? 2 : 3); node++)
			conflict_over(WORD + 4096 * node, NEIGHBOUR + 4096 * node, 10);
		made.entries[0].object_others[0] += i == 2 ? 8 : 0; /* another distance */
		assert_data(i == 0 ? RANKING_WORD : RANKING_NEIGHBOURS);
	}
}

/* So many of a transaction's hundred conflicts in the stripe are over the word that the other side has written. */
TEST(a_stripe_of_which_a_transaction_uses_both_words_has_no_neighbours)
{
	for (uint64_t same = 9; same <= 10; same++) {
		for (int is_another = 0; is_another < 2; is_another++) {
			begin_take();
			conflict_over(WORD, NEIGHBOUR, 100 - same);
			struct stmlog_entry_record *entry = conflict_over(NEIGHBOUR, 0, same);
			entry->remote = access_in("take");
			if (is_another)
				entry->site = made_site(&made, "get", BEGIN_LINE);
			assert_data(same == 10 && !is_another ? RANKING_WORD : RANKING_NEIGHBOURS);
		}
	}
}

/* Over three stripes at different distances: so many of ninety conflicts were true ones. */
TEST(a_transaction_of_whose_spread_conflicts_a_tenth_are_true_ones_has_no_neighbours)
{
	for (uint64_t true_ones = 8; true_ones <= 9; true_ones++) {
		begin_take();
		for (uint64_t i = 0; i < 3; i++)
			conflict_over(WORD + 4096 * i, WORD + 4096 * i + 1 + i, 30)->remote = access_in("take");
		made.entries[0].false_conflicts -= true_ones;
		assert_data(true_ones == 9 ? RANKING_WORD : RANKING_NEIGHBOURS);
	}
}

/* ---- names ---- */

/* Conflicts over so many objects, named one after the other. */
static void conflict_over_names(const char *const *names, size_t count)
{
	begin_take();
	for (size_t i = 0; i < count; i++) {
		struct stmlog_entry_record *entry = conflict_over(WORD + 4096 * i, 0, 10);
		name_word(entry, names[i]);
		entry->remote = access_in("take");
	}
}

TEST(elements_of_an_array_have_one_name_and_so_has_a_line_of_source)
{
	static const char *const items[] = {"items[1].left", "items[20].left", "items[3].left", "next"};
	static const char *const lines[] = {"`n->next` at 0x10 (stripe 0x0)", "`n->next` at 0x30 (stripe 0x20)"};
	conflict_over_names(items, 4);
	assert_string_equal(only_row()->data_text, "3 x items[].left 75 %, next 25 %");
	assert_string_equal(ranked.rows[0].objects[0], "items[1].left");
	assert_string_equal(ranked.rows[0].objects[1], "next");
	conflict_over_names(lines, 2);
	assert_string_equal(only_row()->data_text, "2 x `n->next` 100 %");
}

TEST(an_element_alone_keeps_its_number)
{
	static const char *const items[] = {"items[20].left", "next"};
	conflict_over_names(items, 2);
	assert_string_equal(only_row()->data_text, "items[20].left 50 %, next 50 %");
}

TEST(the_first_object_has_a_part_of_its_own_unless_it_is_many)
{
	static const char *const items[] = {"items[1]", "items[2]", "next"};
	conflict_over_names(items, 3);
	assert_true(only_row()->top_object_part == 0);
	conflict_over_names(items + 1, 2);
	assert_true(only_row()->top_object_part == 0.5);
}

TEST(objects_below_a_twentieth_of_the_conflicts_and_behind_the_fourth_are_left_out)
{
	for (uint64_t less = 0; less < 2; less++) {
		begin_take();
		name_word(conflict_over(WORD, 0, 95 + less), "first");
		name_word(conflict_over(FAR, 0, 5 - less), "second");
		assert_int_equal(strstr(only_row()->data_text, "second") == NULL, less);
	}
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	conflict_over_names(names, 5);
	assert_string_equal(only_row()->data_text, "a 20 %, b 20 %, c 20 %, d 20 %");
}

TEST(a_bare_address_is_named_without_its_stripe)
{
	begin_take();
	conflict_over(WORD, 0, 10)->remote = access_in("take");
	assert_string_equal(only_row()->data_text, "0x10000 100 %");
}

/* A name that both have is shown once. */
TEST(of_two_words_of_one_variable_the_second_has_its_distance)
{
	static const char *const cases[][3] = {{"stats", "stats+8", "stats and +8"},
		{"stats+8", "stats+16", "stats+8 and +16"}, {"stats2", "stats+8", "stats2 and stats+8"},
		{"a", "b", "a and b"}, {"stats.bids", "stats.asks", "stats.bids and .asks"},
		{"stats[1]", "stats[2]", "stats[1] and [2]"}, {"a.b.c", "a.c", "a.b.c and .c"},
		{"a[1].b", "a[2].b", "a[1].b and [2].b"},
		{"`f(a)->x += 1` at 0x2000 (stripe 0x2000)", "b", "`f(a)->x += 1` at 0x2000 and b"},
		{"b", "`f(a)+c` at 0x20", "b and `f(a)+c` at 0x20"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin_take();
		name_word(conflict_over(WORD, NEIGHBOUR, 1000), cases[i][0]);
		name_word(conflict_over(NEIGHBOUR, 0, 1), cases[i][1]);
		static const char kind[] = "neighbours under one lock: ";
		assert_memory_equal(only_row()->data_text, kind, strlen(kind));
		assert_string_equal(ranked.rows[0].data_text + strlen(kind), cases[i][2]);
	}
}

TEST(of_pairs_the_costliest_is_named)
{
	begin_take();
	conflict_over(WORD, NEIGHBOUR, 10);
	conflict_over(WORD + 4096, WORD + 4104, 20);
	assert_string_equal(only_row()->objects[0], "0x11000");
	assert_string_equal(ranked.rows[0].objects[1], "0x11008");
}

/* ---- how much of the row it is ---- */

TEST(conflicts_that_are_the_smaller_part_of_a_row_say_their_part)
{
	for (uint64_t less = 0; less < 2; less++) {
		begin_take();
		conflict_over(WORD, 0, 100);
		lose(commit_wait, "put", "take", 10, 100000 + 1000 * less);
		assert_int_equal(strstr(only_row()->data_text, "conflicts, 50 %, a word") != NULL, less);
	}
}

/* A transaction of the row has read so much. */
TEST(a_transaction_in_the_way_that_reads_much_says_so)
{
	for (uint64_t reads = 99; reads <= 100; reads++) {
		begin_take();
		lose(commit_wait, "put", "take", 10000, LOST);
		struct stmlog_transaction_record *record = made_time(&made, made.entries[0].remote, 10, 1000);
		record->reads = 5 * reads;
		record->reads_known = 5;
		assert_string_equal(only_row()->data_text, reads == 100 ? "100 reads a transaction" : "");
	}
}
