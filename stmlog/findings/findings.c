/* SPDX-License-Identifier: MIT
 * Counts what the thresholds are parts of, asks the rules, and puts what they found in order. */
#include "findings.h"

#include <string.h>

#include "account.h"
#include "cause.h"
#include "findings_search.h"
#include "number.h"
#include "passive.h"
#include "report_memory.h"
#include "sort.h"

/* ---- the search ---- */

/* Whether the data of the entry's aborts are known. The words of an entry that has many are forgotten but for some, so
 * that their counts say less than the entry's. */
static bool has_objects(const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < RECORDING_OBJECTS; i++)
		if (entry->objects[i].address != 0 && entry->objects[i].count != 0)
			return true;
	return false;
}

static void count_entry(struct findings_search *search, const struct stmlog_entry_record *entry)
{
	const char *word = recording_string(search->recording, entry->detail);
	if (!cause_is_abort(entry->reason) || entry->reason == STMLOG_USER_ABORT)
		return;
	if (has_objects(entry))
		search->of[FINDING_OF_OBJECTS] += entry->count;
	if (findings_is_data_abort(entry) && recording_traceback(search->recording, entry->remote).len > 0)
		search->of[FINDING_OF_CULPRITS] += entry->count;
	if (strncmp(word, "HTM_", 4) == 0)
		search->of[FINDING_OF_HARDWARE] += entry->count;
}

static void count_aborts(struct findings_search *search)
{
	const struct recording *recording = search->recording;
	for (size_t i = 0; i < recording->total_count; i++) {
		uint32_t reason = recording->totals[i].reason;
		if (cause_is_abort(reason) && reason != STMLOG_USER_ABORT)
			search->aborts += recording->totals[i].count;
	}
	for (size_t i = 0; i < recording->entry_count; i++)
		count_entry(search, &recording->entries[i]);
}

static void mark_begin(struct findings_search *search, uint32_t site)
{
	if (site < search->recording->site_count)
		search->is_begin[places_site(search->places, site)] = true;
}

static void find_begins(struct findings_search *search)
{
	const struct recording *recording = search->recording;
	for (size_t i = 0; i < recording->entry_count; i++)
		mark_begin(search, recording->entries[i].site);
	for (size_t i = 0; i < recording->transaction_count; i++)
		mark_begin(search, recording->transactions[i].site);
}

static void begin_rest(struct findings_search *search)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		search->rest[i] = (struct findings_rest){
			.all = 1, .true_ones = 1 - findings_part_of(entry->false_conflicts, entry)};
	}
}

static struct findings_search search_begin(const struct report *report)
{
	const struct recording *recording = report->recording;
	size_t place_count = recording->site_count + PLACE_FIRST;
	struct findings_search search = {
		.report = report,
		.recording = recording,
		.places = places_create(recording, report->symbols),
		.total = estimate_of_total(recording),
		.threads_ns = account_total(recording).attached_ns,
		.is_begin = memory_zeroed(place_count, sizeof *search.is_begin),
		.place_count = place_count,
		.rest = memory_zeroed(recording->entry_count, sizeof *search.rest),
	};
	count_aborts(&search);
	find_begins(&search);
	begin_rest(&search);
	return search;
}

static struct findings search_end(struct findings_search *search)
{
	memory_free(search->is_begin);
	memory_free(search->rest);
	places_destroy(&search->places);
	return search->found;
}

/* ---- what was found, as text and in order ---- */

/* "47 % of aborts"; "" where the rule does not count. */
static char *share_of(const struct findings_search *search, const struct finding *finding)
{
	enum finding_of of = finding_rule_row(finding->rule)->of;
	uint64_t whole = of == FINDING_OF_HARDWARE ? search->of[of] : search->aborts;
	if (of == FINDING_OF_LOST || of == FINDING_OF_TIME || whole == 0)
		return memory_text("");
	double percent = (double)finding->count / (double)whole * 100;
	return memory_format("%s %% of %s", number_rounded(percent < 100 ? percent : 100, 0).text,
		of == FINDING_OF_HARDWARE ? "HTM aborts" : "aborts");
}

/* "hot word: accounts, because of bank.c:61 transfer; 12 ms lost, 47 % of aborts" */
static char *text_of(const struct finding *finding)
{
	return memory_format("%s: %s%s%s; %s lost%s%s", finding_rule_row(finding->rule)->title, finding->where_text,
		finding->because_text[0] != '\0' ? ", because of " : "", finding->because_text,
		estimate_point(&finding->lost).text, finding->share_text[0] != '\0' ? ", " : "", finding->share_text);
}

/* `arg` is not used. Costliest first, and before all the finding that says that little is lost. */
static uint64_t order_number(const void *element, unsigned rank, const void *arg)
{
	const struct finding *finding = element;
	(void)arg;
	if (rank == 0)
		return finding->rule != FINDING_LITTLE_LOST;
	if (rank == 1)
		return UINT64_MAX - finding->lost.ns;
	return finding->rule;
}

static void search_all(struct findings_search *search)
{
	static void (*const find[FINDING_RULES])(struct findings_search *) = {
		[FINDING_IRREVOCABLE] = findings_irrevocable,
		[FINDING_LAZY_BINDING] = findings_lazy_binding,
		[FINDING_CAPACITY] = findings_capacity,
		[FINDING_LOCK_HELD] = findings_lock_held,
		[FINDING_FALSE_SHARING] = findings_false_sharing,
		[FINDING_LOCK_ALIAS] = findings_lock_alias,
		[FINDING_HOT_WORD] = findings_hot_word,
		[FINDING_STARVATION] = findings_starvation,
		[FINDING_DESCHEDULED_HOLDER] = findings_descheduled_holder,
		[FINDING_COMMIT_WAIT] = findings_commit_wait,
		[FINDING_SELF_CONFLICT] = findings_self_conflict,
		[FINDING_MUTUAL_PAIR] = findings_mutual_pair,
		[FINDING_ONE_PLACE] = findings_one_place,
		[FINDING_LITTLE_LOST] = findings_little_lost,
	};
	for (size_t rule = 0; rule < FINDING_RULES; rule++)
		find[rule](search);
}

struct findings findings_of(const struct report *report)
{
	if (passive_is(report->recording))
		return (struct findings){.len = 0};
	struct findings_search search = search_begin(report);
	search_all(&search);
	sort(search.found.at, search.found.len, sizeof *search.found.at, order_number, 3, NULL);
	for (size_t i = 0; i < search.found.len; i++) {
		search.found.at[i].share_text = share_of(&search, &search.found.at[i]);
		search.found.at[i].text = text_of(&search.found.at[i]);
	}
	return search_end(&search);
}

void findings_fini(struct findings *findings)
{
	for (size_t i = 0; i < findings->len; i++) {
		struct finding *finding = &findings->at[i];
		for (size_t k = 0; k < FINDING_OBJECTS; k++)
			memory_free(finding->objects[k]);
		memory_free(finding->where_text);
		memory_free(finding->because_text);
		memory_free(finding->share_text);
		memory_free(finding->text);
	}
	memory_free(findings->at);
	*findings = (struct findings){.len = 0};
}
