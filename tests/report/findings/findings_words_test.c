/* SPDX-License-Identifier: MIT
 * Which words are hot, and that no other rule counts their aborts. */
#include "stories.h"

/* Aborts of a place because of itself, of which so many are over one word. */
static void abort_because_of_itself_over(uint64_t count, uint64_t over_word)
{
	abort_because_of_itself(count);
	struct stmlog_entry_record *entry = &made.entries[made.recording.entry_count - 1];
	entry->objects[0].address = WORD;
	entry->objects[0].count = over_word;
}

TEST(aborts_over_a_hot_word_are_no_conflict_of_a_place_with_itself)
{
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, ABORTS);
	assert_found(FINDING_HOT_WORD, ABORTS, ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 60);
	assert_found(FINDING_HOT_WORD, 60, 60 * ABORT_NS);
	assert_found(FINDING_SELF_CONFLICT, 40, 40 * ABORT_NS);
	assert_int_equal(causes(), 2);
	/* A word that is not hot takes nothing away. */
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 14);
	assert_found(FINDING_SELF_CONFLICT, ABORTS, ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
}

TEST(a_word_is_hot_among_all_aborts_of_its_entry)
{
	for (uint64_t count = 14; count <= 15; count++) {
		made_begin(&made);
		abort_over_data(ABORTS)->objects[0].address = WORD;
		made.entries[0].objects[0].count = count;
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (count == 15));
	}
}

/* An abort over the word of a transaction that begins at line 10, because of one that begins at line 50. */
static struct stmlog_entry_record *abort_because_of_begin(uint32_t site)
{
	struct stmlog_entry_record *entry = abort_over_data(ABORTS);
	entry->site = made_site(&made, "reader", 10);
	entry->remote = made_traceback(&made, site, STMLOG_NO_SITE);
	entry->objects[0].address = WORD;
	entry->objects[0].count = ABORTS;
	return entry;
}

TEST(a_culprit_known_by_its_begin_alone_is_named_by_where_its_transaction_touches_the_word)
{
	/* Not known; of a victim; of another culprit. */
	static const char *const names[] = {"a.c:50 main", "a.c:51 take", "a.c:52 put", "a.c:52 put"};
	for (uint32_t i = 0; i < 4; i++) {
		made_begin(&made);
		uint32_t begin = made_site(&made, "main", 50);
		abort_because_of_begin(begin);
		made_time(&made, made_traceback(&made, begin, STMLOG_NO_SITE), 1000, 1000);
		if (i == 1 || i == 3)
			abort_because_of_begin(begin)->local =
				made_traceback(&made, made_site(&made, "take", 51), begin);
		if (i >= 2)
			abort_because_of_begin(begin)->remote =
				made_traceback(&made, made_site(&made, "put", 52), begin);
		const struct copied *copied = finding_of(FINDING_HOT_WORD);
		assert_string_equal(copied->because, names[i]);
		assert_int_equal(copied->finding.because == made.entries[0].remote, i == 0);
	}
}

TEST(an_access_to_another_word_does_not_name_the_culprit)
{
	made_begin(&made);
	uint32_t begin = made_site(&made, "main", 50);
	abort_because_of_begin(begin);
	made_time(&made, made_traceback(&made, begin, STMLOG_NO_SITE), 1000, 1000);
	struct stmlog_entry_record *other = abort_because_of_begin(begin);
	other->remote = made_traceback(&made, made_site(&made, "put", 52), begin);
	other->objects[0].address = 2 * WORD;
	finding_of(FINDING_HOT_WORD);
	for (size_t i = 0; i < found_len; i++)
		assert_string_equal(found[i].because, found[i].finding.words[0] == WORD ? "a.c:50 main" : "a.c:52 put");
}

TEST(a_TVar_may_be_split)
{
	made_begin(&made);
	abort_over_word(ABORTS);
	assert_string_equal(finding_of(FINDING_HOT_WORD)->finding.advice, "write it less often");
	made.recording.info.runtime = "ghc";
	assert_string_equal(finding_of(FINDING_HOT_WORD)->finding.advice, "split it, or write it less");
}

/* Aborts over this word because of a function that begins at line 20, and writes in the function and line. */
static void abort_because_of_write(uint64_t word, const char *function, uint32_t line, uint64_t count)
{
	struct stmlog_entry_record *entry = abort_over_data(count);
	uint32_t begin = made_site(&made, "main", 20);
	entry->site = begin;
	entry->remote = made_traceback(&made, made_site(&made, function, line), begin);
	entry->objects[0].address = word;
	entry->objects[0].count = count;
}

/* Three words are written by one function, and a fourth by another one. */
static void make_four_words(const char *runtime)
{
	made_begin(&made);
	made.recording.info.runtime = runtime;
	for (uint32_t i = 0; i < 4; i++)
		abort_because_of_write((i + 1) * WORD, i < 3 ? "progress" : "other", 31 + i, ABORTS / 4);
	made_time(&made, made_traceback(&made, made_site(&made, "main", 20), STMLOG_NO_SITE), 1000, 1000);
}

TEST(TVars_that_one_transaction_writes_are_one_finding)
{
	make_four_words("ghc");
	const struct copied *copied = finding_of(FINDING_HOT_WORD);
	assert_int_equal(copied->finding.count, 3 * ABORTS / 4);
	assert_non_null(strstr(copied->where, ", and 2 more TVars that the same transaction writes"));
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(copied->finding.words[i], (i + 1) * WORD);
	assert_int_equal(copied->finding.words[3], 0);
	assert_int_equal(causes(), 2);
	assert_null(strstr(found[1].where, "more TVar"));
	/* The last one is known by the beginning of its transaction alone, in the function that writes the others. */
	make_four_words("ghc");
	made.entries[3].remote = made_traceback(&made, made_site(&made, "main", 20), STMLOG_NO_SITE);
	assert_non_null(strstr(finding_of(FINDING_HOT_WORD)->where, ", and 2 more TVars"));
	for (uint32_t i = 0; i < 3; i++)
		made.entries[i].remote = made_traceback(
			&made, made_site(&made, i == 0 ? "main" : "progress", 31 + i), made_site(&made, "main", 20));
	assert_non_null(strstr(finding_of(FINDING_HOT_WORD)->where, ", and 1 more TVar that the same"));
	make_four_words("libitm");
	assert_int_equal(finding_of(FINDING_HOT_WORD)->finding.count, ABORTS / 4);
	assert_null(strstr(found[0].where, "more TVar"));
}
