/* SPDX-License-Identifier: MIT
 * Searches a recording for findings: prepares the counts that thresholds refer to, calls the rules, and sorts the
 * findings. */
#include "findings.h"

#include <string.h>

#include "recorded_account.h"
#include "cause.h"
#include "findings_search.h"
#include "number.h"
#include "report_memory.h"
#include "sort.h"

/* ---- the search ---- */

/* Whether any address is known over which the entry's attempts aborted. Of an entry with many addresses, only a few are
 * kept, so their counts may be too low, or all 0. */
static bool has_objects(const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < RECORDING_OBJECTS; i++)
		if (entry->objects[i].address != 0)
			return true;
	return false;
}

static void count_entry(struct findings_search *search, const struct stmlog_entry_record *entry)
{
	if (!cause_is_abort(entry->reason) || entry->reason == STMLOG_USER_ABORT)
		return;
	if (has_objects(entry))
		search->counted[FINDING_OF_OBJECTS] += entry->count;
	if (findings_is_data_abort(entry) && recording_traceback(search->recording, entry->remote).len > 0)
		search->counted[FINDING_OF_CULPRITS] += entry->count;
}

static void count_aborts(struct findings_search *search)
{
	const struct recording *recording = search->recording;
	for (size_t i = 0; i < recording->total_count; i++) {
		uint32_t reason = recording->totals[i].reason;
		search->all_aborts += cause_is_abort(reason) ? recording->totals[i].count : 0;
		if (cause_is_abort(reason) && reason != STMLOG_USER_ABORT)
			search->aborts += recording->totals[i].count;
	}
	for (size_t i = 0; i < recording->entry_count; i++)
		count_entry(search, &recording->entries[i]);
}

static void begin_rest(struct findings_search *search)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		uint64_t aliases =
			entry->false_aliases < entry->false_conflicts ? entry->false_aliases : entry->false_conflicts;
		double near = findings_part_of(entry->false_conflicts - aliases, entry);
		search->rest[i] = (struct findings_rest){.all = 1,
			.true_ones = 1 - findings_part_of(entry->false_conflicts, entry) +
				     near * findings_same_part(search, i)};
	}
}

static struct findings_search search_begin(const struct report *report)
{
	const struct recording *recording = report->recording;
	size_t place_count = recording->site_count + PLACE_FIRST;
	struct recorded_account account = account_total(recording);
	struct account_unexplained rest = account_unexplained(recording, STMLOG_ACCOUNT_ABORTED);
	struct findings_search search = {
		.report = report,
		.recording = recording,
		.places = places_create(recording, report->symbols),
		.total = estimate_of_total(recording),
		.threads_ns = account.attached_ns,
		.unmeasured_ns = rest.is_beyond_chance ? rest.time.ns : 0,
		.running_ns =
			account.descheduled_ns < account.attached_ns ? account.attached_ns - account.descheduled_ns : 0,
		.place_count = place_count,
		.rest = memory_zeroed(recording->entry_count, sizeof *search.rest),
		.same = memory_zeroed(recording->entry_count, sizeof *search.same),
		.lengths = memory_zeroed(place_count, sizeof *search.lengths),
	};
	count_aborts(&search);
	search.is_begin = places_begins(search.places);
	findings_find_objects(&search);
	begin_rest(&search);
	findings_measure_lengths(&search);
	search.blocked = blocked_make(recording, search.places);
	return search;
}

static struct findings search_end(struct findings_search *search)
{
	memory_free(search->is_begin);
	memory_free(search->rest);
	memory_free(search->same);
	memory_free(search->lengths);
	memory_free(search->cost);
	memory_free(search->claims);
	blocked_fini(&search->blocked);
	places_destroy(&search->places);
	return search->found;
}

/* ---- the findings: their texts, and their order ---- */

/* "47 % of aborts"; "" if the rule does not count aborts. */
static char *share_of(const struct findings_search *search, const struct finding *finding)
{
	enum finding_of basis = finding_rule_row(finding->rule)->basis;
	if (basis == FINDING_OF_LOST || basis >= FINDING_OF_TIME || search->aborts == 0)
		return memory_text("");
	double percent = (double)finding->count / (double)search->aborts * 100;
	return memory_format("%s %% of aborts", number_rounded(percent < 100 ? percent : 100, 0).text);
}

/* "hot word: accounts, because of bank.c:61 transfer; 12 ms lost, 47 % of aborts" */
static char *text_of(const struct finding *finding)
{
	return memory_format("%s: %s%s%s; %s lost%s%s%s%s", finding_rule_row(finding->rule)->title, finding->where_text,
		finding->because_text[0] != '\0' ? ", because of " : "", finding->because_text,
		estimate_point(&finding->lost).text, finding->via_text[0] != '\0' ? ", of this " : "",
		finding->via_text, finding->share_text[0] != '\0' ? ", " : "", finding->share_text);
}

/* The part of the list that the finding belongs to. 0: the finding that little is lost; 1: all others; 2, last: the
 * cost of the method, for which no place is to blame, and cheap findings. */
static uint64_t part_of_list(const struct finding *finding)
{
	if (finding->rule == FINDING_LITTLE_LOST)
		return 0;
	return finding->rule == FINDING_PRIVATIZATION || finding->is_cheap ? 2 : 1;
}

/* Sorts by the part of the list, then by lost time. */
static uint64_t order_number(const void *element, unsigned rank, const void *unused)
{
	(void)unused;
	const struct finding *finding = element;
	if (rank == 0)
		return part_of_list(finding);
	return rank == 1 ? UINT64_MAX - finding->lost.ns : finding->rule;
}

static void search_all(struct findings_search *search)
{
	static void (*const find[FINDING_RULES])(struct findings_search *) = {
		[FINDING_IRREVOCABLE] = findings_irrevocable,
		[FINDING_HERD] = findings_herd,
		[FINDING_POLLING] = findings_polling,
		[FINDING_FALSE_SHARING] = findings_false_sharing,
		[FINDING_LOCK_ALIAS] = findings_lock_alias,
		[FINDING_HOT_WORD] = findings_hot_word,
		[FINDING_LARGE_READ_SET] = findings_large_read_set,
		[FINDING_SELF_CONFLICT] = findings_self_conflict,
		[FINDING_MUTUAL_PAIR] = findings_mutual_pair,
		[FINDING_STARVATION] = findings_starvation,
		[FINDING_DESCHEDULED_HOLDER] = findings_descheduled_holder,
		[FINDING_COMMIT_WAIT] = findings_commit_wait,
		[FINDING_ONE_AT_A_TIME] = findings_one_at_a_time,
		[FINDING_ONE_LOCK] = findings_one_lock,
		[FINDING_PRIVATIZATION] = findings_privatization,
		[FINDING_ONE_PLACE] = findings_one_place,
		[FINDING_LITTLE_LOST] = findings_little_lost,
	};
	for (size_t rule = 0; rule < FINDING_RULES; rule++) {
		if (rule == FINDINGS_THAT_FOLLOW)
			findings_settle(search);
		if (findings_can_be(search->recording, (enum finding_rule)rule))
			find[rule](search);
	}
}

struct findings findings_of(const struct report *report)
{
	if (!recording_has_times(report->recording))
		return (struct findings){.len = 0};
	struct findings_search search = search_begin(report);
	search_all(&search);
	sort(search.found.at, search.found.len, sizeof *search.found.at, order_number, 3, NULL);
	for (size_t i = 0; i < search.found.len; i++) {
		struct finding *finding = &search.found.at[i];
		if (finding->share_text == NULL)
			finding->share_text = share_of(&search, finding);
		if (finding->via_text == NULL)
			finding->via_text = memory_text("");
		finding->text = text_of(finding);
	}
	return search_end(&search);
}

void findings_fini(struct findings *findings)
{
	for (size_t i = 0; i < findings->len; i++)
		finding_fini(&findings->at[i]);
	memory_free(findings->at);
	*findings = (struct findings){.len = 0};
}

/* ---- lines ---- */

/* Whether any frame has a line. Startup code does not count: the C library may have lines where the program has none.
 */
static bool has_line(const struct report *report, uint32_t reference, bool *lacks_lines)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	for (size_t i = 0; i < traceback.len; i++) {
		const struct symbol_frame *frame = symbols_site(report->symbols, traceback.sites[i])->frames;
		if (symbol_is_startup(frame))
			continue;
		if (frame->line != 0)
			return true;
		*lacks_lines |= symbols_lack_lines(report->symbols, traceback.sites[i]);
	}
	return false;
}

/* Whether no place of the costliest entries has a line. */
static bool entries_lack_lines(const struct report *report)
{
	enum { SHOWN = 5 };
	bool lacks_lines = false;
	for (size_t i = 0; i < report->recording->entry_count && i < SHOWN; i++)
		if (has_line(report, report->recording->entries[i].local, &lacks_lines))
			return false;
	return lacks_lines;
}

bool findings_lack_lines(const struct findings *findings, const struct report *report)
{
	bool lacks_lines = false, has_places = false;
	for (size_t i = 0; i < findings->len; i++) {
		has_places |= findings->at[i].where != 0 || findings->at[i].because != 0;
		if (has_line(report, findings->at[i].where, &lacks_lines) ||
			has_line(report, findings->at[i].because, &lacks_lines))
			return false;
	}
	return has_places ? lacks_lines : entries_lack_lines(report);
}
