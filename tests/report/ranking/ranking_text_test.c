/* SPDX-License-Identifier: MIT
 * What the lines below a row say of how the transaction is in the way, and what to try. */
#include "ranked.h"

#include "own_module.h"
#include "text_has.h"

enum { WORD = 0x10000 };

/* ---- what to try ---- */

/* The transaction in the way takes so long, and that which loses. */
static void run_for(uint64_t take_ns, uint64_t put_ns)
{
	made_time(&made, at("take", BEGIN_LINE), 100, 100 * take_ns);
	made_time(&made, at("put", BEGIN_LINE), 100, 100 * put_ns);
}

static void conflict_over(const char *victim, uint64_t other, uint64_t word_count)
{
	struct stmlog_entry_record *entry = lose(conflict, victim, "take", 100, LOST);
	entry->objects[0].address = WORD;
	entry->objects[0].count = word_count;
	entry->object_others[0] = other;
}

TEST(the_remedy_of_a_conflict_is_that_of_its_data_and_of_the_lengths)
{
	static const struct {
		const char *victim;
		uint64_t other, word_count, take_ns, put_ns;
		const char *remedy;
	} cases[] = {
		{"put", WORD + 8, 100, 1, 1, "64 bytes between"},
		{"put", WORD + 4096, 100, 1, 1, "by a stripe"},
		{"put", 0, 25, 9, 1, "write it less often, or do not touch it in put"},
		{"take", 0, 25, 9, 1, "write it less often, or last"},
		/* Of no word a quarter. */
		{"put", 0, 24, 1, 4, "read less in put"},
		{"put", 0, 24, 1, 3, "split the data that both use"},
		{"put", 0, 24, 4, 1, "less in it"},
		{"put", 0, 24, 3, 1, "split the data that both use"},
		{"take", 0, 24, 4, 1, "less in it"},
		{"take", 0, 24, 1, 1, "by thread or key"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		run_for(cases[i].take_ns, cases[i].put_ns);
		conflict_over(cases[i].victim, cases[i].other, cases[i].word_count);
		assert_has(only_row()->try_text, cases[i].remedy);
	}
}

TEST(a_TVar_may_be_split)
{
	begin();
	made.recording.info.runtime = "ghc";
	conflict_over("take", 0, 100);
	assert_has(only_row()->try_text, "split it, or write it less");
}

/* A long reader is to be shortened; of one that is no longer than the others nothing is said. */
TEST(the_remedy_of_waits_is_that_of_the_lengths)
{
	for (uint64_t times = 3; times <= 4; times++) {
		begin();
		run_for(times, 1);
		lose(times == 3 ? commit_wait : upgrade_wait, "put", "take", 10000, LOST);
		assert_string_equal(only_row()->try_text, times == 4 ? "read less in it, or in parts" : "");
	}
	BEGIN_WITH(commit_wait, "put", "take", 10, LOST);
	assert_has(only_row()->try_text, "shorter");
	BEGIN_WITH(lock_wait, "put", "take", 10, LOST);
	assert_has(only_row()->try_text, "write later in it");
	BEGIN_WITH(commit_wait, "put", NULL, 10, LOST);
	assert_has(only_row()->try_text, "transactions that write");
}

TEST(each_other_how_has_a_remedy)
{
	static const struct {
		const struct loss_kind *kind;
		const char *remedy;
	} cases[] = {{&alone_wait, "shorten it"}, {&cancelled, "wait outside of it"},
		{&retry_in_vain, "a variable for each"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		BEGIN_WITH(*cases[i].kind, "put", "take", 10, LOST);
		assert_has(only_row()->try_text, cases[i].remedy);
	}
}

TEST(a_how_of_less_than_two_fifths_of_the_row_has_no_remedy)
{
	for (uint64_t more = 0; more < 2; more++) {
		BEGIN_WITH(conflict, "put", "take", 10, LOST / 10 * 4);
		lose(lock_wait, "put", "take", 10, LOST / 10 * 3);
		lose(alone_wait, "put", "take", 10, LOST / 10 * 3 + 1 - more);
		assert_int_equal(only_row()->try_text[0] != '\0', more);
	}
}

TEST(where_no_culprit_is_known_nothing_is_said)
{
	BEGIN_WITH(conflict, "put", NULL, 10, LOST);
	assert_string_equal(only_row()->try_text, "");
	assert_string_equal(ranked.rows[0].how_text, "");
}

TEST(a_method_that_runs_one_transaction_at_a_time_has_no_remedy_but_is_named)
{
	begin();
	made.recording.info.method = "serialirr";
	lose(alone_wait, "put", NULL, 10, LOST);
	assert_string_equal(only_row()->try_text, "");
	assert_has(ranked.rows[0].how_text, "serialirr runs one transaction at a time");
}

/* ---- alone ---- */

TEST(a_transaction_that_became_irrevocable_in_a_call_is_to_do_that_later)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		BEGIN_WITH(alone_wait, "put", "take", 10, LOST);
		made_time(&made, made.entries[0].remote, 10, 1000);
		if (is_known)
			made.entries[0].remote = made_traceback(
				&made, made_site(&made, "print", 33), made_site(&made, "take", BEGIN_LINE));
		const struct ranking_row *row = only_row();
		assert_int_equal(strstr(row->how_text, "print a.c:33") != NULL, is_known);
		assert_int_equal(strstr(row->try_text, "after the transaction") != NULL, is_known);
		if (is_known)
			assert_string_equal(row->call, "print");
		else
			assert_null(row->call);
	}
}

/* The transaction `take` runs alone because it has failed so often. */
static void starve(void)
{
	begin();
	struct stmlog_entry_record *entry = lose(alone_wait, "put", NULL, 10, LOST);
	entry->remote = made_traceback(&made, made_site(&made, "take", BEGIN_LINE),
		made_site(&made, "(starved: runs alone after 101 failed attempts)", 0));
}

TEST(a_transaction_that_starves_says_after_how_many_attempts_and_because_of_which_row)
{
	for (int i = 0; i < 3; i++) {
		static const char *const culprits[] = {NULL, "put", "take"};
		static const char *const because[] = {"", " because of put, row 2", " because of itself"};
		starve();
		lose(conflict, "take", culprits[i], 10, LOST / 2);
		rank();
		assert_int_equal(ranked.rows[0].how, RANKING_ALONE);
		assert_string_equal(ranked.rows[0].name, "take");
		assert_has(ranked.rows[0].how_text, "runs alone after 101 failed attempts");
		assert_has(ranked.rows[0].how_text, because[i]);
		assert_int_equal(strstr(ranked.rows[0].how_text, "because") != NULL, i > 0);
		assert_has(ranked.rows[0].try_text, i == 0 ? "shorten it" : i == 1 ? "see row 2" : "split the data");
	}
}

TEST(of_several_rows_the_one_with_most_of_its_conflicts_has_starved_it)
{
	starve();
	lose(conflict, "take", "put", 10, LOST / 4);
	lose(conflict, "take", "get", 10, LOST / 2);
	lose(commit_wait, "take", "put", 10, LOST / 8);
	rank();
	assert_has(ranked.rows[0].how_text, "because of get, row 2");
	assert_string_equal(ranked.rows[1].name, "get");
}

TEST(a_transaction_more_than_four_times_as_long_that_has_starved_another_is_itself_in_the_way)
{
	for (uint64_t longer = 0; longer < 2; longer++) {
		starve();
		lose(conflict, "take", "put", 10, LOST / 2);
		made_time(&made, at("take", BEGIN_LINE), 100, 100 * 1000);
		made_time(&made, at("put", BEGIN_LINE), 100, 100 * (4000 + longer));
		rank();
		assert_row(longer ? "put" : "take", longer ? 20 : 10, longer ? LOST + LOST / 2 : LOST);
		assert_string_equal(ranked.rows[0].name, longer ? "put" : "take");
		assert_has(
			ranked.rows[0].how_text, longer ? "take runs alone after 101 failed attempts because of it"
							: "runs alone after 101 failed attempts because of put, row 2");
		assert_has(ranked.rows[0].try_text, longer ? "make it shorter" : "see row 2");
	}
}

/* A transaction that holds a lock, and whose write was not recorded, mostly has no processor. */
TEST(a_holder_whose_write_was_not_recorded_is_not_what_has_starved_another)
{
	for (int has_write = 0; has_write < 2; has_write++) {
		starve();
		struct stmlog_entry_record *more = lose(conflict, "take", "get", 10, LOST);
		if (!has_write)
			more->remote = made_traceback(&made, made_site(&made, "get", BEGIN_LINE),
				made_site(&made, "(holder: its write was not recorded)", 0));
		lose(conflict, "take", "put", 10, LOST / 2);
		rank();
		assert_has(row_of("take")->how_text, has_write ? "because of get" : "because of put");
	}
}

/* ---- the others ---- */

TEST(a_conflict_names_the_place_at_which_the_loser_fails_in_half_of_them)
{
	for (uint64_t more = 0; more < 2; more++) {
		begin();
		for (uint32_t i = 0; i < 3; i++) {
			struct stmlog_entry_record *entry =
				lose(conflict, "put", "take", 10, i == 0 ? LOST / 2 - 1 + more : (LOST + 2) / 4);
			entry->local = made_traceback(&made, made_site(&made, "walk", 30 + i), entry->site);
		}
		assert_int_equal(strstr(only_row()->how_text, " at walk a.c:30") != NULL, more);
	}
	begin();
	lose(conflict, "put", "take", 10, LOST)->local = made_traceback(&made, made.entries[0].site, STMLOG_NO_SITE);
	assert_has_not(only_row()->how_text, " at ");
}

TEST(a_conflict_of_a_transaction_with_itself_says_so)
{
	for (int is_own = 0; is_own < 2; is_own++) {
		BEGIN_WITH(conflict, is_own ? "take" : "put", "take", 10, LOST);
		assert_has(only_row()->how_text, is_own ? "threads that run it" : "it writes what put uses");
	}
}

TEST(a_hundred_attempts_of_one_transaction_are_told)
{
	for (uint64_t attempts = 99; attempts <= 100; attempts++) {
		BEGIN_WITH(conflict, "put", "take", 10, LOST);
		made_time(&made, at("put", BEGIN_LINE), 10, 1000)->max_attempts = attempts;
		assert_int_equal(strstr(only_row()->how_text, "100 attempts") != NULL, attempts == 100);
	}
}

TEST(each_wait_is_told_by_what_is_waited_for)
{
	static const struct {
		const struct loss_kind *kind;
		const char *culprit, *words;
	} cases[] = {{&commit_wait, "take", "their commits wait"}, {&lock_wait, "take", "lock that it holds"},
		{&upgrade_wait, "take", "to run alone"}, {&commit_wait, NULL, "waits of its own"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		BEGIN_WITH(*cases[i].kind, "put", cases[i].culprit, 10, LOST);
		assert_has(only_row()->how_text, cases[i].words);
	}
}

TEST(waits_without_a_processor_are_told_from_a_tenth_of_the_loss_on)
{
	for (uint64_t less = 0; less < 2; less++) {
		begin();
		lose(commit_wait, "put", "take", 10, LOST)->descheduled_ns = LOST / 10 - less;
		assert_int_equal(strstr(only_row()->how_text, " without a processor") != NULL, !less);
	}
}

TEST(a_herd_says_how_many_wakes_were_for_nothing)
{
	BEGIN_WITH(retry_in_herd, "put", "take", 10, LOST);
	made.threads[0].blocked = 800;
	made.threads[0].blocked_in_vain = 200;
	assert_has(only_row()->how_text, "200 of 800 wakes");
}

TEST(a_transaction_that_polls_says_which_part_of_its_attempts_is_cancelled)
{
	BEGIN_WITH(cancelled, "put", NULL, 90, LOST);
	made_time(&made, at("put", BEGIN_LINE), 10, 1000);
	assert_has(only_row()->how_text, "cancels 90 % of its attempts");
}

TEST(a_transaction_that_waits_for_ever_says_how_often)
{
	for (uint64_t times = 1; times <= 2; times++) {
		begin();
		struct stmlog_blocked_record blocked = {
			.site = made_site(&made, "wait", BEGIN_LINE), .count = 2, .for_ever = times};
		made.recording.blocked = &blocked;
		made.recording.blocked_count = 1;
		assert_has(only_row()->how_text, "waits for ever: ");
		assert_int_equal(strstr(ranked.rows[0].how_text, "; 2 times") != NULL, times == 2);
		assert_has(ranked.rows[0].try_text, "live as long");
		begin();
	}
}

/* The transaction is called at two lines, and begins in a helper. */
TEST(of_several_callers_that_with_most_losses_is_told)
{
	for (uint32_t callers = 1; callers <= 2; callers++) {
		begin();
		for (uint32_t i = 0; i < 2; i++)
			lose(conflict, "put", NULL, 10, i == 0 ? LOST / 5 * 3 : LOST / 5 * 2)->remote =
				made_traceback(&made, made_site(&made, "take", BEGIN_LINE),
					made_site(&made, "watch", callers == 1 ? 80 : 80 + i));
		made_time(&made, at("take", BEGIN_LINE), 10, 1000);
		assert_has(only_row()->how_text, callers == 2 ? "; 60 % from watch :80" : "; from watch :80");
	}
}

/* An access on the line of the beginning counts as the beginning; the beginning is further out then. */
TEST(the_transaction_itself_is_not_among_its_callers)
{
	begin();
	lose(conflict, "put", NULL, 10, LOST / 5 * 3)->remote =
		made_traceback(&made, made_site(&made, "take", BEGIN_LINE), made_site(&made, "take", BEGIN_LINE + 1));
	lose(conflict, "put", NULL, 10, LOST / 5 * 2)->remote =
		made_traceback(&made, made_site(&made, "take", BEGIN_LINE), made_site(&made, "watch", 80));
	made_time(&made, at("take", BEGIN_LINE), 10, 1000);
	assert_has(only_row()->how_text, "; from watch :80");
}

TEST(a_frame_that_the_agent_has_added_is_no_caller)
{
	begin();
	lose(conflict, "put", NULL, 10, LOST)->remote = made_traceback(
		&made, made_site(&made, "take", BEGIN_LINE), made_site(&made, "(long: a wait of 0.4 ms or more)", 0));
	made_time(&made, at("take", BEGIN_LINE), 10, 1000);
	assert_null(strstr(only_row()->how_text, "from"));
}

/* ---- a transaction that is inlined ---- */

static uint64_t returned;

static __attribute__((noinline, noclone)) void take_address(void)
{
	returned = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void inlined_take(void)
{
	take_address();
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline, noclone)) void watch(void)
{
	inlined_take();
}

static __attribute__((noinline, noclone)) void look(void)
{
	inlined_take();
}

/* Of this program's own code. */
static uint32_t made_address(uint64_t address)
{
	uint32_t number = made_site(&made, "", 0);
	made.sites[number] = (struct stmlog_site_record){.kind = STMLOG_SITE_ADDRESS, .position = address};
	return made_traceback(&made, number, made_site(&made, "further_out", 1));
}

TEST(a_function_into_which_the_transaction_is_inlined_is_its_caller)
{
	void (*const callers[])(void) = {watch, look};
	struct stmlog_module_record module = own_module();
	begin();
	module.path = made_string(&made, own_module_path());
	made.recording.modules = &module;
	made.recording.module_count = 1;
	for (size_t i = 0; i < 2; i++) {
		callers[i]();
		struct stmlog_entry_record *entry =
			lose(conflict, "put", NULL, 10, i == 0 ? LOST / 5 * 3 : LOST / 5 * 2);
		entry->remote = made_address(returned);
		made_time(&made, entry->remote, 10, 1000);
	}
	assert_string_equal(only_row()->name, "inlined_take");
	assert_has(ranked.rows[0].how_text, "60 % from watch :");
	begin();
}
