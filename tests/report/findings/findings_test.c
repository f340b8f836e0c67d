/* SPDX-License-Identifier: MIT
 * Each rule finds its story from its threshold on, and not below. What all findings have in common. */
#include "child.h"
#include "random.h"
#include "stories.h"
#include "utf8.h"

/* ---- thresholds of lost time ---- */

enum { PERCENT = LOST / 100 };

typedef void lose(uint64_t lost_ns);

TEST(a_rule_of_lost_time_finds_its_story_from_its_part_on)
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
			assert_int_equal(copied->finding.saves_at_max_ns, part_ns);
			assert_string_equal(copied->where, rules[i].where);
			assert_string_equal(copied->because, rules[i].because);
			assert_string_equal(copied->share, "");
		}
	}
}

TEST(losses_below_a_fiftieth_of_the_threads_time_are_no_story)
{
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_to_reader(MADE_THREADS_NS / 50 - less);
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (less == 0));
	}
}

/* A busy machine hides no losses. */
TEST(time_off_the_processor_is_no_part_of_that_time)
{
	for (uint64_t more = 0; more < 2; more++) {
		made_begin(&made);
		lose_to_reader(MADE_THREADS_NS / 100);
		made.threads[0].descheduled_ns = MADE_THREADS_NS / 4;
		made.threads[1].descheduled_ns = MADE_THREADS_NS / 4 - 1 + more;
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (more == 1));
	}
}

TEST(a_sample_of_few_losses_counts_as_far_as_it_was_measured)
{
	for (uint64_t i = 0; i < 3; i++) {
		static const uint64_t counts[] = {9, 10, 9}, measured[] = {1, 1, 6};
		made_begin(&made);
		made.recording.info.sampled = 1;
		lose_to_reader(measured[i] * PERCENT);
		made.entries[0].count = made.totals[0].count = counts[i];
		made.entries[0].estimated_ns = made.totals[0].estimated_ns = 50.0 * PERCENT;
		lose_elsewhere(100, 50 * PERCENT);
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (i > 0));
	}
}

/* ---- thresholds of counts ---- */

static const struct {
	enum finding_rule rule;
	lose *abort;
	const char *where, *because;
} counting[] = {
	{FINDING_FALSE_SHARING, abort_over_neighbours, "0x10000, 0x10008", "a.c:41 give"},
	{FINDING_LOCK_ALIAS, abort_over_aliases, "0x10000, 0x18000", "a.c:41 give"},
	{FINDING_HOT_WORD, abort_over_word, "0x10000", "a.c:30 bid, a.c:30 ask"},
	{FINDING_SELF_CONFLICT, abort_because_of_itself, "a.c:50 take", ""},
	{FINDING_MUTUAL_PAIR, abort_each_other, "a.c:60 put", "a.c:50 take"},
};
enum { COUNTING = sizeof counting / sizeof counting[0] };

/* Aborts of no story whose data and culprits are known: each over a word of its own, in a place of its own. */
static void abort_elsewhere(uint64_t count)
{
	for (uint64_t i = 0; count > 0; i++) {
		uint64_t some = count < 8 ? count : 8;
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_SELF_ABORT, STMLOG_DATA, "CHANGED", some, some * ABORT_NS);
		entry->remote = at("elsewhere", 200 + (uint32_t)i);
		entry->objects[0].address = 2 * WORD + 4096 * i;
		entry->objects[0].count = some;
		count -= some;
	}
}

TEST(a_rule_of_counts_finds_its_story_from_its_part_on)
{
	for (size_t i = 0; i < COUNTING; i++) {
		uint64_t min = (uint64_t)finding_rule_row(counting[i].rule)->percent * ABORTS / 100;
		for (uint64_t less = 0; less < 2; less++) {
			made_begin(&made);
			counting[i].abort(min - less);
			abort_elsewhere(ABORTS - min + less);
			lose_elsewhere(ABORTS, LOST);
			const struct copied *copied = finding_of(counting[i].rule);
			assert_true((copied != NULL) == (less == 0));
			if (copied == NULL)
				continue;
			assert_int_equal(copied->finding.count, min);
			assert_int_equal(copied->finding.lost.ns, min * ABORT_NS);
			assert_string_equal(copied->where, counting[i].where);
			assert_string_equal(copied->because, counting[i].because);
			assert_non_null(strstr(copied->share, " % of "));
		}
	}
}

/* One fiftieth of the threads' time is enough, and less is not. */
TEST(many_aborts_that_cost_next_to_nothing_are_no_story)
{
	for (size_t i = 0; i < COUNTING; i++) {
		for (uint64_t more_ns = 0; more_ns < 2; more_ns++) {
			made_begin(&made);
			counting[i].abort(ABORTS);
			made.threads[0].attached_ns += (uint64_t)LOST * 50 - MADE_THREADS_NS + more_ns;
			assert_true((finding_of(counting[i].rule) != NULL) == (more_ns == 0));
		}
	}
}

/* The measured aborts have a hundredth of the time of all of them, and half of them are over the word. */
TEST(aborts_that_were_timed_only_count_by_the_part_of_those_measured)
{
	for (uint64_t more_ns = 0; more_ns < 2; more_ns++) {
		made_begin(&made);
		made.recording.info.sampled = 1;
		abort_over_word(ABORTS / 2);
		abort_elsewhere(ABORTS / 2);
		made.threads[0].attached_ns += (uint64_t)LOST * 50 * 50 - MADE_THREADS_NS + more_ns;
		made_end(&made);
		made.threads[0].estimated_aborted_data_ns += (uint64_t)LOST * 99;
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (more_ns == 0));
	}
}

/* A tenth of all aborts is enough to judge by, and less is not. */
TEST(what_is_known_of_few_aborts_is_no_story)
{
	static const enum finding_rule rules[] = {FINDING_HOT_WORD, FINDING_SELF_CONFLICT};
	static lose *const aborts[] = {abort_over_word, abort_because_of_itself};
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

TEST(nine_aborts_are_too_few_for_a_rule_of_counts)
{
	for (size_t i = 0; i < COUNTING; i++) {
		for (uint64_t count = 9; count <= 10; count++) {
			made_begin(&made);
			counting[i].abort(count);
			assert_true((finding_of(counting[i].rule) != NULL) == (count == 10));
		}
	}
}

/* ---- all together ---- */

TEST(a_recording_without_times_has_no_findings)
{
	made_begin(&made);
	made.recording.info.commits_known = 0;
	assert_null(finding_of(FINDING_LITTLE_LOST));
	assert_int_equal(found_len, 0);
}

/* Entries of any numbers, as a damaged file may have. */
static void lose_at_random(struct random *random)
{
	static const char *const details[] = {"", "BEGIN_WAIT", "COMMIT_WAIT", "UPGRADE_WAIT"};
	uint32_t tracebacks[8] = {0, 1};
	for (uint32_t i = 2; i < 8; i++)
		tracebacks[i] =
			made_traceback(&made, made_site(&made, i == 3 ? "(starved: \033[1m" : "f\xff<int>(int)", i),
				i > 4 ? 0 : STMLOG_NO_SITE);
	for (uint32_t i = random_below(random, 20); i > 0; i--) {
		struct stmlog_entry_record *entry = made_loss(&made, random_below(random, STMLOG_REASONS + 1),
			random_below(random, STMLOG_CONTENTIONS + 1),
			details[random_below(random, sizeof details / sizeof details[0])],
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

TEST(all_findings_together_do_not_exceed_all_that_was_lost)
{
	struct random random = {1};
	size_t count = 0;
	for (int i = 0; i < 3000; i++) {
		made_begin(&made);
		made.recording.info.sampled = random_below(&random, 2);
		made.recording.info.processors = random_below(&random, 4);
		made.recording.info.descheduled_known = 1;
		made.threads[0].descheduled_ns = random_below(&random, MADE_THREADS_NS);
		lose_at_random(&random);
		made_end(&made);
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
			assert_true(finding->saves_at_max_ns <= made.recording.info.wall_ns);
			assert_true(finding->saves_at_max_ns <= finding->lost.high_ns);
			assert_true(k == 0 || finding->rule == FINDING_PRIVATIZATION || finding->is_cheap ||
				    finding->lost.ns <= found[k - 1].finding.lost.ns);
			assert_plain(found[k].where);
			assert_plain(found[k].because);
			assert_plain(found[k].text);
		}
		/* The entries of a sample that was made up do not fit its totals. */
		assert_true(
			made.recording.info.sampled || (double)sum_ns <= (double)total.ns * (1 + ROUNDING) + MADE_MAX);
	}
	assert_true(count > 1000);
}

static void ask_for_no_rule(void)
{
	finding_rule_row(FINDING_RULES);
}

TEST(what_is_no_rule_has_no_row)
{
	child_is_stopped(ask_for_no_rule, "findings_search.c");
}
