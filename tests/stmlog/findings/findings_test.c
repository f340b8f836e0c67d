/* SPDX-License-Identifier: MIT
 * Each rule finds its story from its threshold on, and not below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"
#include "made_recording.h"
#include "random.h"
#include "report_arena.h"
#include "utf8.h"

static struct made made;

/* What findings_of() returns, copied out of the arena. */
enum { TEXT = 300 };
static struct copied {
	struct finding finding;
	char where[TEXT], because[TEXT], share[TEXT], text[TEXT], object[TEXT], other[TEXT];
} found[MADE_MOST];
static size_t found_len;

static void copy(char to[TEXT], const char *text)
{
	strncpy(to, text != NULL ? text : "", TEXT - 1);
}

static void find(void *unused)
{
	(void)unused;
	struct report report = {.recording = &made.recording, .symbols = symbols_create(&made.recording)};
	struct findings findings = findings_of(&report);
	memset(found, 0, sizeof found);
	found_len = findings.len;
	assert_in_range(found_len, 0, MADE_MOST);
	for (size_t i = 0; i < found_len; i++) {
		found[i].finding = findings.at[i];
		copy(found[i].where, findings.at[i].where_text);
		copy(found[i].because, findings.at[i].because_text);
		copy(found[i].share, findings.at[i].share_text);
		copy(found[i].text, findings.at[i].text);
		copy(found[i].object, findings.at[i].objects[0]);
		copy(found[i].other, findings.at[i].objects[1]);
	}
	findings_fini(&findings);
}

/* NULL: the rule has found nothing. */
static const struct copied *finding_of(enum finding_rule rule)
{
	assert_int_equal(report_arena_run(find, NULL), 0);
	for (size_t i = 0; i < found_len; i++)
		if (found[i].finding.rule == rule)
			return &found[i];
	return NULL;
}

/* Losses of no story. */
static void lose_elsewhere(uint64_t count, uint64_t lost_ns)
{
	made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "cancel", count, lost_ns);
}

static uint32_t at(const char *function, uint32_t line)
{
	return made_traceback(&made, made_site(&made, function, line), STMLOG_NO_SITE);
}

/* ---- thresholds of lost time ---- */

enum { LOST = 100000000, PERCENT = LOST / 100 };

typedef void lose(uint64_t lost_ns);

static void lose_to_irrevocable(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, lost_ns);
	uint32_t request = made_site(&made, "audit", 12), begin = made_site(&made, "audit", 10);
	entry->local = at("place", 20);
	entry->remote = made_traceback(&made, request, begin);
}

static void lose_to_starved(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, lost_ns);
	uint32_t begin = made_site(&made, "sum", 10);
	entry->remote =
		made_traceback(&made, begin, made_site(&made, "(starved: runs alone after 101 failed attempts)", 0));
}

static void lose_to_reader(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT_WAIT", 3, lost_ns);
	entry->local = at("place", 20);
	entry->remote = at("read_all", 30);
}

static void lose_to_place(uint64_t lost_ns)
{
	made_loss(&made, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ", 3, lost_ns / 2)->remote = at("one", 10);
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_WRITE, "", 3, lost_ns - lost_ns / 2);
	entry->local = at("other", 20);
	entry->remote = made.entries[made.recording.entry_count - 2].remote;
}

/* More threads than processors, and a tenth of their time off them. */
static void lose_to_descheduled(uint64_t lost_ns)
{
	made.recording.info.processors = MADE_THREADS - 1;
	made.recording.info.descheduled_known = 1;
	for (size_t i = 0; i < MADE_THREADS; i++)
		made.threads[i].descheduled_ns = MADE_THREADS_NS / MADE_THREADS / 10;
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_WRITE, "", 2, lost_ns);
	entry->local = at("place", 20);
}

static void a_rule_of_lost_time_finds_its_story_from_its_part_on(void **state)
{
	static const struct {
		enum finding_rule rule;
		lose *lose;
		const char *where, *because;
	} rules[] = {
		{FINDING_IRREVOCABLE, lose_to_irrevocable, "a.c:10 audit", "a.c:12 audit"},
		{FINDING_STARVATION, lose_to_starved, "a.c:10 sum", ""},
		{FINDING_COMMIT_WAIT, lose_to_reader, "a.c:20 place", "a.c:30 read_all"},
		{FINDING_ONE_PLACE, lose_to_place, "a.c:10 one", ""},
		{FINDING_DESCHEDULED_HOLDER, lose_to_descheduled, "a.c:20 place", "4 threads on 3 processors"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		uint64_t part_ns = (uint64_t)PERCENT * finding_rule_row(rules[i].rule)->percent;
		for (uint64_t less = 0; less < 2; less++) {
			made_begin(&made);
			rules[i].lose(part_ns - less);
			lose_elsewhere(1, LOST - part_ns + less);
			const struct copied *copied = finding_of(rules[i].rule);
			assert_true((copied != NULL) == (less == 0));
			if (copied == NULL)
				continue;
			assert_int_equal(copied->finding.lost.ns, part_ns);
			assert_int_equal(copied->finding.lost.low_ns, part_ns);
			assert_int_equal(copied->finding.lost.high_ns, part_ns);
			assert_int_equal(copied->finding.saves_at_most_ns, part_ns);
			assert_string_equal(copied->where, rules[i].where);
			assert_string_equal(copied->because, rules[i].because);
			assert_string_equal(copied->share, "");
		}
	}
}

static void losses_below_a_hundredth_of_the_threads_time_are_no_story(void **state)
{
	(void)state;
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_to_reader(MADE_THREADS_NS / 100 - less);
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (less == 0));
	}
}

static void a_sample_of_few_losses_counts_as_far_as_it_was_measured(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		static const uint64_t counts[] = {9, 10, 9}, measured[] = {1, 1, 6};
		made_begin(&made);
		made.recording.info.sampled = 1;
		lose_to_reader(measured[i] * PERCENT);
		made.entries[0].count = made.totals[0].count = counts[i];
		made.entries[0].estimated_ns = made.totals[0].estimated_ns = 50.0 * PERCENT;
		lose_elsewhere(100, 50 * PERCENT);
		recording_bound_losses(&made.recording);
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (i > 0));
	}
}

static void who_only_runs_alone_is_not_called_irrevocable(void **state)
{
	(void)state;
	made_begin(&made);
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, LOST)->remote = at("read_all", 10);
	assert_null(finding_of(FINDING_IRREVOCABLE));
	/* With the option stacks=frames the second frame is a caller. */
	static const char *options[] = {"stacks", "frames"};
	made_begin(&made);
	made.recording.info.options = (struct recording_list){options, 2};
	lose_to_irrevocable(LOST);
	assert_null(finding_of(FINDING_IRREVOCABLE));
	/* Another runtime knows what it calls inevitable. */
	made_begin(&made);
	made.recording.info.runtime = "smallstm";
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "", 3, LOST)->remote = at("print", 10);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
}

static void the_wait_to_become_irrevocable_is_part_of_that_story(void **state)
{
	(void)state;
	made_begin(&made);
	lose_to_irrevocable(LOST);
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_INEVITABLE, "UPGRADE_WAIT", 3, LOST / 2);
	entry->local = made.entries[0].remote;
	entry->site = made.words[made.traceback_at[made.entries[0].remote - 2] + 3];
	entry->remote = at("reader", 40);
	const struct copied *copied = finding_of(FINDING_IRREVOCABLE);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, LOST + LOST / 2);
	assert_null(finding_of(FINDING_ONE_PLACE));
}

static void holders_are_on_the_processor_unless_all_speaks_against_it(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		made_begin(&made);
		lose_to_descheduled(LOST);
		if (i == 1)
			made.recording.info.processors = MADE_THREADS;
		else if (i == 2)
			made.recording.info.descheduled_known = 0;
		else if (i == 3)
			made.entries[0].count = LOST / 1000000 + 1; /* less than a millisecond each */
		else if (i == 4)
			made.threads[0].descheduled_ns -= 4;
		else if (i == 5) /* a thread that only waits for the others to end */
			made.threads[0].outside_ns = made.threads[0].attached_ns;
		assert_true((finding_of(FINDING_DESCHEDULED_HOLDER) != NULL) == (i == 0));
	}
}

/* ---- thresholds of counts ---- */

enum { ABORTS = 100, WORD = 0x10000 };

static struct stmlog_entry_record *abort_over_data(uint64_t count)
{
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ", count, count * 1000);
	entry->local = at("take", 51);
	return entry;
}

static void abort_over_neighbours(uint64_t count)
{
	struct stmlog_entry_record *entry = abort_over_data(count);
	entry->false_conflicts = count;
	entry->objects[0].address = WORD;
	entry->objects[0].count = count;
	entry->object_others[0] = WORD + 8;
}

static void abort_over_aliases(uint64_t count)
{
	abort_over_neighbours(count);
	made.entries[made.recording.entry_count - 1].false_aliases = count;
	made.entries[made.recording.entry_count - 1].object_others[0] = WORD + 1024 * MADE_STRIPE;
}

/* Two places, of which the second has other words, too. */
static void abort_over_word(uint64_t count)
{
	for (uint64_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry = abort_over_data(i == 0 ? count / 2 : count - count / 2);
		entry->local = at(i == 0 ? "bid" : "ask", 30);
		entry->objects[i].address = WORD;
		entry->objects[i].count = entry->count;
	}
}

static void abort_because_of_itself(uint64_t count)
{
	struct stmlog_entry_record *entry = abort_over_data(count);
	entry->site = made_site(&made, "take", 50);
	entry->remote = made_traceback(&made, made_site(&made, "take", 52), entry->site);
}

/* A tenth of the aborts in one direction. */
static void abort_each_other(uint64_t count)
{
	uint64_t counts[] = {count - (count + 9) / 10, (count + 9) / 10};
	uint32_t sites[] = {made_site(&made, "put", 60), made_site(&made, "take", 50)};
	for (size_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry = abort_over_data(counts[i]);
		entry->site = sites[i];
		entry->remote = made_traceback(&made, sites[1 - i], STMLOG_NO_SITE);
	}
}

static void abort_in_hardware(uint64_t count, uint32_t contention, const char *detail)
{
	made_loss(&made, STMLOG_SELF_ABORT, contention, detail, count, count * 1000)->local = at("take", 51);
}

static void abort_for_capacity(uint64_t count)
{
	abort_in_hardware(count, STMLOG_NONE, "HTM_CAPACITY");
}

static void abort_for_lock(uint64_t count)
{
	abort_in_hardware(count, STMLOG_INEVITABLE, "HTM_LOCK_HELD");
	made.entries[made.recording.entry_count - 1].remote = at("save", 40);
}

static const struct {
	enum finding_rule rule;
	lose *abort;
	const char *where, *because;
} counting[] = {
	{FINDING_FALSE_SHARING, abort_over_neighbours, "0x10000, 0x10008", "a.c:51 take"},
	{FINDING_LOCK_ALIAS, abort_over_aliases, "0x10000, 0x18000", "a.c:51 take"},
	{FINDING_HOT_WORD, abort_over_word, "0x10000", "a.c:30 bid, a.c:30 ask"},
	{FINDING_SELF_CONFLICT, abort_because_of_itself, "a.c:50 take", ""},
	{FINDING_MUTUAL_PAIR, abort_each_other, "a.c:60 put", "a.c:50 take"},
	{FINDING_CAPACITY, abort_for_capacity, "a.c:51 take", ""},
	{FINDING_LOCK_HELD, abort_for_lock, "a.c:40 save", ""},
};
enum { COUNTING = sizeof counting / sizeof counting[0] };

/* Aborts of no story whose data, culprits and hardware are known: each over a word of its own, in a place of its own.
 */
static void abort_elsewhere(uint64_t count)
{
	for (uint64_t i = 0; count > 0; i++) {
		uint64_t some = count < 8 ? count : 8;
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_SELF_ABORT, STMLOG_DATA, "HTM_CONFLICT", some, some * 1000);
		entry->remote = at("elsewhere", 200 + (uint32_t)i);
		entry->objects[0].address = 2 * WORD + 4096 * i;
		entry->objects[0].count = some;
		count -= some;
	}
}

static void a_rule_of_counts_finds_its_story_from_its_part_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTING; i++) {
		uint64_t least = (uint64_t)finding_rule_row(counting[i].rule)->percent * ABORTS / 100;
		for (uint64_t less = 0; less < 2; less++) {
			made_begin(&made);
			counting[i].abort(least - less);
			abort_elsewhere(ABORTS - least + less);
			lose_elsewhere(ABORTS, 1000 * ABORTS);
			const struct copied *copied = finding_of(counting[i].rule);
			assert_true((copied != NULL) == (less == 0));
			if (copied == NULL)
				continue;
			assert_int_equal(copied->finding.count, least);
			assert_int_equal(copied->finding.lost.ns, least * 1000);
			assert_string_equal(copied->where, counting[i].where);
			assert_string_equal(copied->because, counting[i].because);
			assert_non_null(strstr(copied->share, " % of "));
		}
	}
}

/* One hundredth of what was lost is enough, and less is not. Aborts of hardware transactions are short. */
static void many_aborts_that_cost_next_to_nothing_are_no_story(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTING; i++) {
		for (uint64_t more_ns = 0; more_ns < 1000; more_ns += 500) {
			bool is_hardware = finding_rule_row(counting[i].rule)->of == FINDING_OF_HARDWARE;
			made_begin(&made);
			counting[i].abort(ABORTS);
			lose_elsewhere(1, 99 * 1000 * ABORTS + more_ns);
			assert_true((finding_of(counting[i].rule) != NULL) == (more_ns == 0 || is_hardware));
		}
	}
}

/* A tenth of all aborts is enough to judge by, and less is not. */
static void what_is_known_of_few_aborts_is_no_story(void **state)
{
	static const enum finding_rule rules[] = {FINDING_HOT_WORD, FINDING_SELF_CONFLICT};
	static lose *const aborts[] = {abort_over_word, abort_because_of_itself};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (uint64_t more = 0; more < 2; more++) {
			made_begin(&made);
			aborts[i](100);
			made_loss(&made, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ", 900 + more, 1000);
			const struct copied *copied = finding_of(rules[i]);
			assert_true((copied != NULL) == (more == 0));
			if (copied != NULL)
				assert_string_equal(copied->share, "10 % of aborts");
		}
	}
}

static void nine_aborts_are_too_few_for_a_rule_of_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTING; i++) {
		for (uint64_t count = 9; count <= 10; count++) {
			made_begin(&made);
			counting[i].abort(count);
			assert_true((finding_of(counting[i].rule) != NULL) == (count == 10));
		}
	}
}

static void objects_are_those_of_the_conflict(void **state)
{
	(void)state;
	made_begin(&made);
	abort_over_neighbours(ABORTS);
	const struct copied *copied = finding_of(FINDING_FALSE_SHARING);
	assert_non_null(copied);
	assert_string_equal(copied->object, "0x10000");
	assert_string_equal(copied->other, "0x10008");
	assert_null(finding_of(FINDING_LOCK_ALIAS));
	assert_null(finding_of(FINDING_HOT_WORD));
	made_begin(&made);
	abort_over_aliases(ABORTS);
	assert_null(finding_of(FINDING_FALSE_SHARING));
}

/* Of a hundred pairs of neighbours none has a tenth of the aborts. */
static void many_pairs_of_neighbours_are_one_finding(void **state)
{
	(void)state;
	made_begin(&made);
	for (uint64_t i = 0; i < 20; i++) {
		abort_over_neighbours(5);
		made.entries[i].objects[0].address += MADE_STRIPE * i;
		made.entries[i].object_others[0] += MADE_STRIPE * i;
	}
	const struct copied *copied = finding_of(FINDING_FALSE_SHARING);
	assert_non_null(copied);
	assert_string_equal(copied->where, "many pairs of variables");
	assert_int_equal(copied->finding.count, ABORTS);
	assert_string_equal(copied->share, "100 % of aborts");
}

static void one_direction_and_a_third_place_are_no_pair(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		made_begin(&made);
		abort_each_other(ABORTS);
		if (i == 1)
			made.entries[1].count = 8; /* of 98: less than a tenth */
		if (i == 2) {
			struct stmlog_entry_record *entry = abort_over_data(11); /* of 101 of this place */
			entry->site = made.entries[0].site;
			entry->remote = at("third", 70);
		}
		assert_true((finding_of(FINDING_MUTUAL_PAIR) != NULL) == (i == 0));
	}
}

/* ---- a loss belongs to the first finding that it is a part of ---- */

static void assert_found(enum finding_rule rule, uint64_t count, uint64_t lost_ns)
{
	const struct copied *copied = finding_of(rule);
	assert_non_null(copied);
	assert_int_equal(copied->finding.count, count);
	assert_int_equal(copied->finding.lost.ns, lost_ns);
}

/* How many causes are named. */
static size_t causes(void)
{
	return found_len - (found_len > 0 && found[0].finding.rule == FINDING_LITTLE_LOST);
}

/* Aborts of a place because of itself, of which so many are over one word. */
static void abort_because_of_itself_over(uint64_t count, uint64_t over_word)
{
	abort_because_of_itself(count);
	struct stmlog_entry_record *entry = &made.entries[made.recording.entry_count - 1];
	entry->objects[0].address = WORD;
	entry->objects[0].count = over_word;
}

static void aborts_over_a_hot_word_are_no_conflict_of_a_place_with_itself(void **state)
{
	(void)state;
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, ABORTS);
	assert_found(FINDING_HOT_WORD, ABORTS, ABORTS * 1000);
	assert_int_equal(causes(), 1);
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 60);
	assert_found(FINDING_HOT_WORD, 60, 60 * 1000);
	assert_found(FINDING_SELF_CONFLICT, 40, 40 * 1000);
	assert_int_equal(causes(), 2);
	/* A word that is not hot takes nothing away. */
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 14);
	assert_found(FINDING_SELF_CONFLICT, ABORTS, ABORTS * 1000);
	assert_int_equal(causes(), 1);
}

static void a_word_is_hot_among_all_aborts_of_its_entry(void **state)
{
	(void)state;
	for (uint64_t count = 14; count <= 15; count++) {
		made_begin(&made);
		abort_over_data(ABORTS)->objects[0].address = WORD;
		made.entries[0].objects[0].count = count;
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (count == 15));
	}
}

static void pairs_of_one_stripe_are_one_finding(void **state)
{
	(void)state;
	made_begin(&made);
	abort_over_neighbours(60);
	abort_over_neighbours(40);
	made.entries[1].objects[0].address = WORD + 16;
	made.entries[1].object_others[0] = WORD + 24;
	assert_found(FINDING_FALSE_SHARING, ABORTS, ABORTS * 1000);
	assert_int_equal(causes(), 1);
}

static void aborts_because_of_unknown_transactions_do_not_part_a_pair(void **state)
{
	(void)state;
	made_begin(&made);
	abort_each_other(ABORTS);
	abort_over_data(ABORTS)->site = made.entries[0].site;
	assert_found(FINDING_MUTUAL_PAIR, ABORTS, ABORTS * 1000);
}

static void two_readers_are_one_finding_that_names_both(void **state)
{
	(void)state;
	made_begin(&made);
	lose_to_reader(LOST / 4);
	lose_to_reader(LOST / 2);
	made.entries[1].remote = at("list_all", 40);
	assert_found(FINDING_COMMIT_WAIT, 6, LOST / 4 + LOST / 2);
	assert_string_equal(finding_of(FINDING_COMMIT_WAIT)->because, "a.c:40 list_all, a.c:30 read_all");
	assert_int_equal(causes(), 1);
}

/* A quarter of each wait the waiting thread was off the processor itself. */
static void a_reader_is_accused_for_its_time_on_the_processor_alone(void **state)
{
	(void)state;
	made_begin(&made);
	lose_to_reader(LOST);
	made.entries[0].count = 4;
	made.entries[0].descheduled_ns = LOST / 3;
	assert_found(FINDING_COMMIT_WAIT, 3, LOST / 4 * 3);
	assert_int_equal(causes(), 1);
	/* With more threads than processors the rest is the story of the holder. */
	lose_to_descheduled(0);
	assert_found(FINDING_COMMIT_WAIT, 3, LOST / 4 * 3);
	assert_found(FINDING_DESCHEDULED_HOLDER, 1, LOST / 4);
	assert_int_equal(causes(), 2);
}

static void a_starved_transaction_costs_its_own_failed_attempts_too(void **state)
{
	(void)state;
	made_begin(&made);
	lose_to_starved(LOST);
	uint32_t begin = made.words[made.traceback_at[0] + 2];
	struct stmlog_entry_record *entry = abort_over_data(5);
	entry->site = begin;
	entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 3, 700);
	entry->site = begin;
	abort_over_data(5)->site = made_site(&made, "other", 90);
	assert_found(FINDING_STARVATION, 3 + 5 + 3, LOST + 5000 + 700);
	assert_null(finding_of(FINDING_ONE_PLACE));
}

static void who_holds_the_serial_lock_is_charged_with_the_waits_for_it(void **state)
{
	(void)state;
	made_begin(&made);
	abort_for_lock(ABORTS);
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 20, LOST);
	entry->local = at("take", 51);
	entry->remote = made.entries[0].remote;
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 20, LOST / 10)->remote = at("other", 80);
	assert_found(FINDING_LOCK_HELD, ABORTS, LOST + ABORTS * 1000);
	assert_int_equal(causes(), 1);
}

static void transactions_that_starve_each_other_cost_each_wait_once(void **state)
{
	(void)state;
	made_begin(&made);
	uint32_t starved = made_site(&made, "(starved: runs alone after 101 failed attempts)", 0);
	uint32_t begin[2] = {made_site(&made, "sum", 10), made_site(&made, "list", 20)};
	for (size_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, (i + 1) * LOST);
		entry->site = begin[i];
		entry->remote = made_traceback(&made, begin[1 - i], starved);
	}
	finding_of(FINDING_STARVATION);
	assert_int_equal(found_len, 2);
	assert_int_equal(found[0].finding.lost.ns, 2 * LOST);
	assert_string_equal(found[0].where, "a.c:10 sum");
	assert_int_equal(found[1].finding.lost.ns, LOST);
}

/* ---- all together ---- */

static void little_is_lost_below_its_part_of_the_threads_time(void **state)
{
	static const uint64_t limit_ns = (uint64_t)MADE_THREADS_NS / 20;
	(void)state;
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_elsewhere(1, limit_ns - less);
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
	}
	made_begin(&made);
	const struct copied *copied = finding_of(FINDING_LITTLE_LOST);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, 0);
}

static void a_passive_recording_has_no_findings(void **state)
{
	(void)state;
	made_begin(&made);
	made.recording.info.passive = 1;
	assert_null(finding_of(FINDING_LITTLE_LOST));
	assert_int_equal(found_len, 0);
}

/* Entries of any numbers, as a damaged file may have. */
static void lose_at_random(struct random *random)
{
	static const char *const details[] = {
		"", "BEGIN_WAIT", "COMMIT_WAIT", "UPGRADE_WAIT", "HTM_CAPACITY", "HTM_LOCK_HELD"};
	uint32_t tracebacks[8] = {0, 1};
	for (uint32_t i = 2; i < 8; i++)
		tracebacks[i] =
			made_traceback(&made, made_site(&made, i == 3 ? "(starved: \033[1m" : "f\xff<int>(int)", i),
				i > 4 ? 0 : STMLOG_NO_SITE);
	for (uint32_t i = random_below(random, 20); i > 0; i--) {
		struct stmlog_entry_record *entry = made_loss(&made, random_below(random, STMLOG_REASONS + 1),
			random_below(random, STMLOG_CONTENTIONS + 1), details[random_below(random, 6)],
			random_below(random, 3) == 0 ? random_next(random) >> random_below(random, 64)
						     : random_below(random, 100),
			random_next(random) >> (8 + random_below(random, 50)));
		entry->local = tracebacks[random_below(random, 8)];
		entry->remote = tracebacks[random_below(random, 8)];
		entry->site = random_below(random, 2) ? STMLOG_NO_SITE : random_below(random, 6);
		entry->false_conflicts = random_below(random, 100);
		entry->false_aliases = random_below(random, 100);
		entry->descheduled_ns = random_below(random, 2) ? 0 : random_next(random) >> random_below(random, 64);
		entry->variance_ns2 = random_below(random, 2) ? 0 : (double)random_next(random);
		entry->estimated_ns *= 1 + random_below(random, 4);
		for (size_t k = 0; k < RECORDING_OBJECTS; k++) {
			entry->objects[k].address = random_below(random, 64);
			entry->objects[k].count = random_below(random, 100);
			entry->object_others[k] = random_below(random, 64);
		}
	}
}

static void assert_plain(const char *text)
{
	uint32_t point = 0;
	for (size_t len; *text != '\0'; text += len) {
		len = utf8_read(text, &point);
		assert_true(len > 0);
		assert_false(utf8_acts(point));
	}
}

#define ROUNDING 1e-9

static void all_findings_together_do_not_exceed_all_that_was_lost(void **state)
{
	struct random random = {1};
	size_t count = 0;
	(void)state;
	for (int i = 0; i < 3000; i++) {
		made_begin(&made);
		made.recording.info.sampled = random_below(&random, 2);
		made.recording.info.processors = random_below(&random, 4);
		made.recording.info.descheduled_known = 1;
		lose_at_random(&random);
		recording_bound_losses(&made.recording);
		struct estimate total = estimate_of_total(&made.recording);
		finding_of(FINDING_RULES);
		count += found_len;
		uint64_t sum_ns = 0;
		for (size_t k = 0; k < found_len; k++) {
			const struct finding *finding = &found[k].finding;
			sum_ns += finding->rule != FINDING_LITTLE_LOST ? finding->lost.ns : 0;
			assert_true(finding->lost.ns <= total.ns && finding->lost.high_ns <= total.high_ns);
			assert_true(
				finding->lost.low_ns <= finding->lost.ns && finding->lost.ns <= finding->lost.high_ns);
			assert_true(finding->saves_at_most_ns <= made.recording.info.wall_ns);
			assert_true(finding->saves_at_most_ns <= finding->lost.high_ns);
			assert_true(k == 0 || finding->lost.ns <= found[k - 1].finding.lost.ns);
			assert_plain(found[k].where);
			assert_plain(found[k].because);
			assert_plain(found[k].text);
		}
		/* The entries of a sample that was made up do not fit its totals. */
		assert_true(
			made.recording.info.sampled || (double)sum_ns <= (double)total.ns * (1 + ROUNDING) + MADE_MOST);
	}
	assert_true(count > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_of_lost_time_finds_its_story_from_its_part_on),
		cmocka_unit_test(losses_below_a_hundredth_of_the_threads_time_are_no_story),
		cmocka_unit_test(a_sample_of_few_losses_counts_as_far_as_it_was_measured),
		cmocka_unit_test(who_only_runs_alone_is_not_called_irrevocable),
		cmocka_unit_test(the_wait_to_become_irrevocable_is_part_of_that_story),
		cmocka_unit_test(holders_are_on_the_processor_unless_all_speaks_against_it),
		cmocka_unit_test(a_rule_of_counts_finds_its_story_from_its_part_on),
		cmocka_unit_test(many_aborts_that_cost_next_to_nothing_are_no_story),
		cmocka_unit_test(what_is_known_of_few_aborts_is_no_story),
		cmocka_unit_test(nine_aborts_are_too_few_for_a_rule_of_counts),
		cmocka_unit_test(objects_are_those_of_the_conflict),
		cmocka_unit_test(many_pairs_of_neighbours_are_one_finding),
		cmocka_unit_test(one_direction_and_a_third_place_are_no_pair),
		cmocka_unit_test(little_is_lost_below_its_part_of_the_threads_time),
		cmocka_unit_test(a_passive_recording_has_no_findings),
		cmocka_unit_test(aborts_over_a_hot_word_are_no_conflict_of_a_place_with_itself),
		cmocka_unit_test(a_word_is_hot_among_all_aborts_of_its_entry),
		cmocka_unit_test(pairs_of_one_stripe_are_one_finding),
		cmocka_unit_test(aborts_because_of_unknown_transactions_do_not_part_a_pair),
		cmocka_unit_test(two_readers_are_one_finding_that_names_both),
		cmocka_unit_test(a_reader_is_accused_for_its_time_on_the_processor_alone),
		cmocka_unit_test(a_starved_transaction_costs_its_own_failed_attempts_too),
		cmocka_unit_test(transactions_that_starve_each_other_cost_each_wait_once),
		cmocka_unit_test(who_holds_the_serial_lock_is_charged_with_the_waits_for_it),
		cmocka_unit_test(all_findings_together_do_not_exceed_all_that_was_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
