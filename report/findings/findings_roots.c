/* SPDX-License-Identifier: MIT
 * Losses that are consequences of others. A transaction that is aborted again and again by one cause starves in the
 * end, and others wait for it; and each of its attempts makes others wait at their commits. These losses end with that
 * cause, so they are added to its finding. */
#include <string.h>

#include <stmlog/read.h>

#include "findings_search.h"
#include "number.h"
#include "report_memory.h"

/* ---- the root of a transaction's aborts ---- */

/* A finding is the root of a transaction's losses if it has claimed ROOT_MIN_PERCENT of those of its aborts whose data
 * or culprit is known; these must be ROOT_MIN_KNOWN_PERCENT of its aborts. */
enum { ROOT_MIN_PERCENT = 50, ROOT_MIN_KNOWN_PERCENT = 10 };

static bool is_known(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < RECORDING_OBJECTS; i++)
		if (entry->objects[i].address != 0)
			return true;
	return recording_traceback(search->recording, entry->remote).len > 0;
}

/* The aborts over data of the transactions that begin at a place. */
struct aborts {
	double all, known;
};

static struct aborts *aborts_by_place(const struct findings_search *search)
{
	struct aborts *aborts = memory_zeroed(search->place_count, sizeof *aborts);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!findings_is_data_abort(entry))
			continue;
		struct aborts *place = &aborts[findings_victim_place(search, entry)];
		place->all += (double)entry->count;
		place->known += is_known(search, entry) ? (double)entry->count : 0;
	}
	return aborts;
}

/* The root of a place is looked up when it is first needed. */
enum { NO_ROOT = UINT32_MAX, NOT_SOUGHT = UINT32_MAX - 1 };

struct roots {
	struct aborts *aborts;
	uint32_t *of; /* by place: the number of a finding, or one of the numbers above */
};

static struct roots roots_begin(const struct findings_search *search)
{
	struct roots roots = {aborts_by_place(search), memory_zeroed(search->place_count, sizeof *roots.of)};
	for (size_t i = 0; i < search->place_count; i++)
		roots.of[i] = NOT_SOUGHT;
	return roots;
}

static void roots_end(struct roots *roots)
{
	memory_free(roots->aborts);
	memory_free(roots->of);
}

static bool is_root(double claimed, const struct aborts *aborts)
{
	return aborts->known >= FINDINGS_MIN && aborts->known * 100 >= aborts->all * ROOT_MIN_KNOWN_PERCENT &&
	       claimed * 100 >= aborts->known * ROOT_MIN_PERCENT;
}

/* The finding that has claimed most of the aborts of the transaction that begins at `place`, if that is enough for a
 * root. */
static uint32_t seek_root(const struct findings_search *search, const struct roots *roots, uint32_t place)
{
	double *claimed = memory_zeroed(search->found.len, sizeof *claimed);
	uint32_t root = NO_ROOT;
	for (size_t i = 0; i < search->claim_len; i++) {
		const struct findings_claim *claim = &search->claims[i];
		const struct stmlog_entry_record *entry = &search->recording->entries[claim->entry];
		if (findings_is_data_abort(entry) && findings_victim_place(search, entry) == place)
			claimed[claim->finding] += claim->part * (double)entry->count;
	}
	for (uint32_t i = 0; i < search->found.len; i++)
		if (is_root(claimed[i], &roots->aborts[place]) && (root == NO_ROOT || claimed[i] > claimed[root]))
			root = i;
	memory_free(claimed);
	return root;
}

static uint32_t root_of(const struct findings_search *search, struct roots *roots, uint32_t place)
{
	if (place < PLACE_FIRST)
		return NO_ROOT;
	if (roots->of[place] == NOT_SOUGHT)
		roots->of[place] = seek_root(search, roots, place);
	return roots->of[place];
}

/* ---- the consequences of a root ---- */

/* Adds this part of the entry's losses, or what is left of it, to the root's cost and to `kind`, a member of that cost.
 */
static void add_to_root(
	struct findings_search *search, uint32_t root, struct tally_sum *kind, size_t number, double part)
{
	struct tally_sum whole = tally_sum_of(&search->recording->entries[number]);
	double left = findings_rest(search, number);
	struct tally_sum sum = findings_part(&whole, part < left ? part : left);
	if (sum.count == 0)
		return;
	tally_sum_add(kind, &sum);
	tally_sum_add(&search->cost[root].sum, &sum);
	findings_claim_true(search, number, part < left ? part : left);
}

/* The part of the waits for a transaction that is a consequence of its root: the part of its time that its failed
 * attempts have. All of it if the root is that the transaction is too long. */
static double waits_part(const struct findings_search *search, uint32_t root, uint32_t place)
{
	bool is_long = search->found.at[root].rule == FINDING_LARGE_READ_SET;
	return is_long ? 1 : findings_aborted_part(search, place);
}

/* Commits wait for each attempt of a transaction that polls. The waits for its cancelled attempts are added to the
 * finding. */
static void add_waits_for_polling(struct findings_search *search, size_t number, uint32_t place)
{
	for (uint32_t i = 0; i < search->found.len; i++) {
		struct findings_cost *cost = &search->cost[i];
		if (place >= PLACE_FIRST && cost->polling == place)
			add_to_root(search, i, &cost->commits, number, cost->cancelled);
	}
}

static void add_what_follows(struct findings_search *search, struct roots *roots, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	uint32_t place = PLACE_UNKNOWN, root;
	if (findings_is_starvation(search, entry, &place)) {
		root = root_of(search, roots, place);
		if (root != NO_ROOT)
			add_to_root(search, root, &search->cost[root].starved, number, 1);
	} else if (findings_is_commit_wait(search, entry)) {
		place = findings_begin_place(search, entry->remote);
		add_waits_for_polling(search, number, place);
		root = root_of(search, roots, place);
		if (root != NO_ROOT)
			add_to_root(search, root, &search->cost[root].commits, number, waits_part(search, root, place));
	}
}

/* ---- findings that are dropped ---- */

/* Whether the finding is kept. Rules about wakes have no minimal time: the cost of wakes is mostly in the waking and
 * the woken threads, of which the account has no row. */
static bool is_worth(const struct findings_search *search, size_t number)
{
	const struct finding *finding = &search->found.at[number];
	enum finding_of basis = finding_rule_row(finding->rule)->basis;
	uint64_t aborts = basis == FINDING_OF_OBJECTS || basis == FINDING_OF_CULPRITS ? finding->count : 0;
	return basis == FINDING_OF_WAKES || findings_is_worth(search, &search->cost[number].sum, aborts);
}

/* Gives back the losses that the finding has claimed, so that later rules may count them. */
static void release(struct findings_search *search, size_t finding)
{
	for (size_t i = 0; i < search->claim_len; i++) {
		const struct findings_claim *claim = &search->claims[i];
		struct findings_rest *rest = &search->rest[claim->entry];
		rest->all += claim->finding == finding ? claim->part : 0;
	}
}

/* Threads that are off the processors conflict with nobody, so a disturbed run has fewer conflicts than the same
 * program has on a free machine. If all findings about conflicts are cheap there, the costliest is kept, since it names
 * the conflict that a free machine would show. Returns its number; the number of findings if none is kept for this. */
static size_t cheap_to_keep(const struct findings_search *search)
{
	size_t costliest = search->found.len;
	uint64_t off_ns = search->threads_ns - search->running_ns, costliest_ns = 0;
	if ((double)off_ns * 100 < (double)search->threads_ns * FINDINGS_UNCERTAIN_PERCENT)
		return costliest;
	for (size_t i = 0; i < search->found.len; i++) {
		uint64_t ns = estimate_of(search->recording, &search->cost[i].sum).ns;
		if (is_worth(search, i))
			return search->found.len;
		if (ns > costliest_ns) {
			costliest_ns = ns;
			costliest = i;
		}
	}
	return costliest;
}

static void drop_cheap(struct findings_search *search)
{
	size_t left = 0, kept = cheap_to_keep(search);
	for (size_t i = 0; i < search->found.len; i++) {
		if (i != kept && !is_worth(search, i)) {
			release(search, i);
			finding_fini(&search->found.at[i]);
			continue;
		}
		search->found.at[left] = search->found.at[i];
		search->found.at[left].is_cheap = i == kept;
		search->cost[left++] = search->cost[i];
	}
	search->found.len = left;
	search->claim_len = 0;
}

/* The consequences are mentioned if they are at least this part of the cost. */
enum { TOLD_MIN_PERCENT = 50 };

/* "94 % by starvation": the larger of the two consequences; "" if it is less than half of the cost. */
static char *via_text(const struct findings_search *search, const struct findings_cost *cost)
{
	double all_ns = (double)estimate_of(search->recording, &cost->sum).ns;
	uint64_t starved_ns = estimate_of(search->recording, &cost->starved).ns;
	uint64_t commits_ns = estimate_of(search->recording, &cost->commits).ns;
	double percent = (double)(starved_ns > commits_ns ? starved_ns : commits_ns) / (all_ns > 0 ? all_ns : 1) * 100;
	if (percent < TOLD_MIN_PERCENT || cost->polling >= PLACE_FIRST) /* a finding of polling has a text of its own */
		return memory_text("");
	return memory_format("%s %% by %s", number_rounded(percent < 100 ? percent : 100, 0).text,
		starved_ns > commits_ns ? "starvation" : "commit waits");
}

void findings_settle(struct findings_search *search)
{
	struct roots roots = roots_begin(search);
	for (size_t i = 0; i < search->recording->entry_count && search->found.len > 0; i++)
		add_what_follows(search, &roots, i);
	roots_end(&roots);
	drop_cheap(search);
	for (size_t i = 0; i < search->found.len; i++) {
		findings_set_lost(search, i);
		search->found.at[i].via_text = via_text(search, &search->cost[i]);
	}
}
