/* SPDX-License-Identifier: MIT
 * Rules about transactions that others wait for: irrevocable and starved ones. */
#include <string.h>

#include <stmlog/read.h>

#include "cause.h"
#include "findings_search.h"
#include "report_memory.h"

/* Whether the entry belongs to the rule; sets *key to the place of the transaction that others wait for. */
typedef bool select_entry(const struct findings_search *search, const struct stmlog_entry_record *entry, uint64_t *key);

/* Adds a finding; `entry` is the first of its entries. */
typedef void describe(
	struct findings_search *search, const struct tally_sum *sum, const struct stmlog_entry_record *entry);

static struct findings_group group_of(const struct findings_search *search, select_entry *is_selected)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&recording->entries[i]);
		struct tally_sum sum = findings_part(&whole, findings_rest(search, i));
		uint64_t key = 0;
		if (sum.count > 0 && is_selected(search, &recording->entries[i], &key))
			findings_group_add(&group, key, 0, &sum, (struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static void claim(struct findings_search *search, select_entry *is_selected, uint64_t wanted_key)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint64_t key = 0;
		if (is_selected(search, &search->recording->entries[i], &key) && key == wanted_key)
			findings_claim_rest(search, i);
	}
}

static void find(struct findings_search *search, enum finding_rule rule, select_entry *is_selected, describe *make)
{
	struct findings_group group = group_of(search, is_selected);
	size_t made = 0;
	for (size_t i = 0; i < group.tally.len && made < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (!findings_is_enough(search, rule, &row->sum))
			continue;
		make(search, &row->sum, &search->recording->entries[group.origin[row->first].entry]);
		claim(search, is_selected, row->key[0]);
		made++;
	}
	findings_group_drop(&group);
}

/* ---- the traceback of a transaction that ran alone ---- */

/* libitm's agent adds a frame "(starved: ...)". */
static bool is_starved(const struct findings_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	for (size_t i = 0; i < traceback.len; i++) {
		const struct stmlog_site_record *site = &search->recording->sites[traceback.sites[i]];
		if (strncmp(recording_string(search->recording, site->function), "(starved: ", 10) == 0)
			return true;
	}
	return false;
}

static bool is_libitm(const struct findings_search *search)
{
	return strstr(search->recording->info.runtime, "libitm") != NULL;
}

/* Whether the option stacks= was set, so that the callers of a transaction stand behind its beginning. */
static bool has_callers(const struct findings_search *search)
{
	const struct recording_list *options = &search->recording->info.options;
	for (size_t i = 0; i + 1 < options->len; i += 2)
		if (strcmp(options->at[i], "stacks") == 0 && strcmp(options->at[i + 1], "site") != 0)
			return true;
	return false;
}

/* Whether the traceback begins with the place where the transaction became irrevocable. Under libitm such a traceback
 * has two frames: this place, and the transaction's beginning. */
static bool has_place_of_request(const struct findings_search *search, uint32_t reference)
{
	return is_libitm(search) && !has_callers(search) && recording_traceback(search->recording, reference).len == 2;
}

/* ---- irrevocable ---- */

/* Whether the other transaction is known to be irrevocable. With libitm this needs evidence: there, transactions wait
 * with the same contention for others that run alone for another reason, and for some that do not even run alone. */
static bool is_known_irrevocable(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	if (entry->contention != STMLOG_INEVITABLE || is_starved(search, entry->remote) ||
		recording_traceback(search->recording, entry->remote).len == 0)
		return false;
	return !is_libitm(search) || has_place_of_request(search, entry->remote) ||
	       report_unsafe_call(search->report, entry) != NULL;
}

/* Whether the entry is the wait of a transaction until it may become irrevocable itself. */
static bool is_request(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return findings_has_detail(search, entry, "UPGRADE_WAIT") && entry->reason == STMLOG_PAUSE;
}

static size_t irrevocable_begin(const struct findings_search *search, uint32_t reference)
{
	return has_place_of_request(search, reference) ? 1 : findings_begin(search, reference);
}

static uint64_t irrevocable_place(const struct findings_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	return places_site(search->places, traceback.sites[irrevocable_begin(search, reference)]);
}

static bool select_irrevocable(
	const struct findings_search *search, const struct stmlog_entry_record *entry, uint64_t *key)
{
	if (is_request(search, entry)) {
		*key = findings_victim_place(search, entry);
		return true;
	}
	if (!is_known_irrevocable(search, entry))
		return false;
	*key = irrevocable_place(search, entry->remote);
	return true;
}

/* "book.cc:73 fprintf" */
static char *call_text(const struct symbol_frame *call)
{
	if (call->file == NULL || call->file[0] == '\0')
		return memory_text(call->function);
	char *position = symbol_position(symbol_basename(call->file), call->line, call->last_line);
	char *text = memory_format("%s %s", position, call->function);
	memory_free(position);
	return text;
}

static void describe_irrevocable(
	struct findings_search *search, const struct tally_sum *sum, const struct stmlog_entry_record *entry)
{
	uint32_t reference = is_request(search, entry) ? entry->local : entry->remote;
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	size_t begin = is_request(search, entry) ? 0 : irrevocable_begin(search, reference);
	const struct symbol_frame *call =
		traceback.len > 0 ? symbols_unsafe_call(search->report->symbols, traceback.sites[0]) : NULL;
	char *because = call != NULL && call->function != NULL ? call_text(call)
			: begin > 0                            ? findings_frame_text(search, reference, 0)
							       : memory_text("");
	struct finding *finding =
		findings_add(search, FINDING_IRREVOCABLE, sum, findings_frame_text(search, reference, begin), because);
	finding->where = reference;
	finding->call = call;
}

void findings_irrevocable(struct findings_search *search)
{
	find(search, FINDING_IRREVOCABLE, select_irrevocable, describe_irrevocable);
}

/* ---- starvation ---- */

static bool select_starved(const struct findings_search *search, const struct stmlog_entry_record *entry, uint64_t *key)
{
	if (entry->contention != STMLOG_INEVITABLE || !is_starved(search, entry->remote))
		return false;
	*key = findings_begin_place(search, entry->remote);
	return true;
}

bool findings_is_starvation(
	const struct findings_search *search, const struct stmlog_entry_record *entry, uint32_t *place)
{
	uint64_t key = PLACE_UNKNOWN;
	bool is_wait_of_others = select_starved(search, entry, &key);
	*place = is_wait_of_others ? (uint32_t)key : findings_victim_place(search, entry);
	return is_wait_of_others || (entry->contention == STMLOG_INEVITABLE && !cause_is_abort(entry->reason));
}

/* Whether the entry is a failed attempt of the starved transaction, or its own wait before it runs alone. Its waits for
 * another starved transaction belong to the finding of that one. */
static bool is_starving(const struct findings_search *search, const struct stmlog_entry_record *entry, uint64_t place)
{
	uint32_t starving = PLACE_UNKNOWN;
	if (findings_is_data_abort(entry))
		return findings_victim_place(search, entry) == place;
	return findings_is_starvation(search, entry, &starving) && starving == place;
}

static struct tally_sum claim_starving(struct findings_search *search, uint64_t place)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry), part = findings_part(&whole, findings_rest(search, i));
		if (part.count == 0 || !is_starving(search, entry, place))
			continue;
		tally_sum_add(&sum, &part);
		findings_claim_rest(search, i);
	}
	return sum;
}

static bool is_abort_of(const struct findings_search *search, size_t number, uint64_t place)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	return findings_is_data_abort(entry) && findings_victim_place(search, entry) == place;
}

/* "conflicts at book.cc:44 touch": the place at which half or more of the transaction's attempts fail. "" if there is
 * no such place. */
static char *conflicts_text(const struct findings_search *search, uint64_t place)
{
	const struct stmlog_entry_record *entries = search->recording->entries;
	uint64_t *count = memory_zeroed(search->place_count, sizeof *count), all = 0, max = 0;
	uint32_t local = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		if (!is_abort_of(search, i, place))
			continue;
		uint64_t *here = &count[places_innermost(search->places, entries[i].local)];
		all += entries[i].count;
		*here += entries[i].count;
		if (*here > max)
			max = *here, local = entries[i].local;
	}
	memory_free(count);
	if (max == 0 || max < all - max)
		return memory_text("");
	char *where = findings_frame_text(search, local, 0), *text = memory_format("conflicts at %s", where);
	memory_free(where);
	return text;
}

/* Where the culprit of the transaction's costliest loss wrote; entries are sorted by cost. If no culprit is known,
 * where the transaction's attempts fail. */
static char *starver_text(const struct findings_search *search, uint64_t place)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint32_t remote = search->recording->entries[i].remote;
		if (is_abort_of(search, i, place) && findings_begin_place(search, remote) >= PLACE_FIRST)
			return findings_frame_text(search, remote, 0);
	}
	return conflicts_text(search, place);
}

/* A transaction whose attempts take less than this many times as long as those of others need not be shortened. */
enum { LONG_TIMES = 2 };

static bool is_short(const struct findings_search *search, uint32_t place)
{
	double own_ns = findings_attempt_ns(search, place), others_ns = findings_other_attempts_ns(search, place);
	return own_ns > 0 && others_ns > 0 && own_ns < others_ns * LONG_TIMES;
}

/* Only the waits decide whether there is a finding; its cost includes the failed attempts of the starved transaction.
 */
static void describe_starved(
	struct findings_search *search, const struct tally_sum *waits, const struct stmlog_entry_record *entry)
{
	size_t begin = findings_begin(search, entry->remote);
	uint32_t place = findings_begin_place(search, entry->remote);
	claim(search, select_starved, place);
	struct tally_sum sum = claim_starving(search, place);
	tally_sum_add(&sum, waits);
	struct finding *finding = findings_add(search, FINDING_STARVATION, &sum,
		findings_frame_text(search, entry->remote, begin), starver_text(search, place));
	finding->where = entry->remote;
	if (is_short(search, place))
		finding->advice = "it is short: shorten what aborts it";
}

void findings_starvation(struct findings_search *search)
{
	find(search, FINDING_STARVATION, select_starved, describe_starved);
}
