/* SPDX-License-Identifier: MIT
 * Rules about waits at the commit: waits for a reader that is much longer than other transactions, and waits for any
 * transaction that still runs, which are a cost of the method. */
#include <stmlog/read.h>

#include "findings_search.h"
#include "number.h"
#include "report_memory.h"

bool findings_is_commit_wait(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return entry->reason == STMLOG_PAUSE && findings_has_detail(search, entry, "COMMIT_WAIT");
}

/* ---- commit-wait ---- */

/* A reader stands out if it takes at least READER_MIN_TIMES as long as the mean of the other transactions, and the mean
 * wait for it at least READER_WAIT_MIN_TIMES as long. */
enum { READER_MIN_TIMES = 8, READER_WAIT_MIN_TIMES = 4 };

/* How often others have waited for the transactions of a place, and how long. */
struct waited {
	uint64_t count;
	double ns;
};

static struct waited *waited_by_place(const struct findings_search *search)
{
	struct waited *waited = memory_zeroed(search->place_count, sizeof *waited);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!findings_is_commit_wait(search, entry))
			continue;
		struct waited *place = &waited[findings_begin_place(search, entry->remote)];
		place->count += entry->count;
		place->ns += (double)entry->lost_ns;
	}
	return waited;
}

/* The length of a reader that was never measured is taken from the waits for it. Where no transaction has a length, all
 * readers stand out. */
static bool stands_out(const struct findings_search *search, const struct waited *waited, uint32_t place)
{
	if (place < PLACE_FIRST || waited[place].count == 0)
		return false;
	double own_ns = findings_attempt_ns(search, place), others_ns = findings_other_attempts_ns(search, place);
	double wait_ns = waited[place].ns / (double)waited[place].count;
	if (search->all.committed_ns <= 0)
		return true;
	bool is_long = own_ns > 0 ? own_ns >= others_ns * READER_MIN_TIMES : wait_ns >= others_ns * READER_MIN_TIMES;
	return others_ns > 0 && is_long && wait_ns >= others_ns * READER_WAIT_MIN_TIMES;
}

/* The places of readers that stand out, and the waits for them. */
struct readers {
	bool *is_reader; /* by place */
	struct tally_sum sum;
	size_t costliest; /* number of the entry that has most measured time left */
};

static bool is_for_reader(const struct findings_search *search, const struct readers *readers, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	return findings_is_commit_wait(search, entry) &&
	       readers->is_reader[findings_begin_place(search, entry->remote)];
}

static struct readers readers_of(const struct findings_search *search)
{
	struct readers readers = {.is_reader = memory_zeroed(search->place_count, sizeof *readers.is_reader)};
	struct waited *waited = waited_by_place(search);
	double max_ns = -1;
	for (uint32_t place = 0; place < search->place_count; place++)
		readers.is_reader[place] = stands_out(search, waited, place);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&search->recording->entries[i]);
		struct tally_sum sum = findings_part(&whole, findings_rest(search, i));
		double ns = (double)whole.lost_ns * findings_rest(search, i);
		if (sum.count == 0 || !is_for_reader(search, &readers, i))
			continue;
		tally_sum_add(&readers.sum, &sum);
		readers.costliest = ns > max_ns ? i : readers.costliest;
		max_ns = ns > max_ns ? ns : max_ns;
	}
	memory_free(waited);
	return readers;
}

/* Readers at two places, the costliest first: "book.cc:69 audit, book.cc:80 list". */
static char *readers_text(const struct findings_search *search, const struct readers *readers)
{
	const struct recording *recording = search->recording;
	uint32_t remote = recording->entries[readers->costliest].remote;
	uint32_t place = findings_begin_place(search, remote);
	char *first = findings_frame_text(search, remote, findings_begin(search, remote));
	for (size_t i = 0; i < recording->entry_count; i++) {
		uint32_t other = findings_begin_place(search, recording->entries[i].remote);
		if (!is_for_reader(search, readers, i) || other == place)
			continue;
		char *second = findings_place_text(search, other), *both = memory_format("%s, %s", first, second);
		memory_free(first);
		memory_free(second);
		return both;
	}
	return first;
}

/* All readers that stand out are one finding, because the waits would end only with the last of them. */
void findings_commit_wait(struct findings_search *search)
{
	struct readers readers = readers_of(search);
	if (findings_is_enough(search, FINDING_COMMIT_WAIT, &readers.sum)) {
		const struct stmlog_entry_record *entry = &search->recording->entries[readers.costliest];
		struct finding *finding = findings_add(search, FINDING_COMMIT_WAIT, &readers.sum,
			findings_frame_text(search, entry->local, 0), readers_text(search, &readers));
		finding->where = entry->local;
		finding->because = entry->remote;
		for (size_t i = 0; i < search->recording->entry_count; i++)
			if (is_for_reader(search, &readers, i))
				findings_claim_rest(search, i);
	}
	memory_free(readers.is_reader);
}

/* ---- privatization ---- */

/* The part of the entry's commit waits that is left. Whether the other thread was on the processor does not matter,
 * since no place is blamed. */
static struct tally_sum wait_of(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct tally_sum whole = tally_sum_of(entry);
	return findings_part(&whole, findings_is_commit_wait(search, entry) ? search->rest[number].all : 0);
}

void findings_privatization(struct findings_search *search)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct tally_sum more = wait_of(search, i);
		if (more.count > 0)
			tally_sum_add(&sum, &more);
	}
	if (!findings_is_enough(search, FINDING_PRIVATIZATION, &sum))
		return;
	uint64_t ns = estimate_of(search->recording, &sum).ns;
	findings_add(search, FINDING_PRIVATIZATION, &sum,
		memory_format("waits at commits, %s of the time", number_share(ns, search->threads_ns).text),
		memory_text(""));
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (wait_of(search, i).count > 0)
			findings_claim_rest(search, i);
}
