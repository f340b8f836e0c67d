/* SPDX-License-Identifier: MIT
 * The rule about herds: many transactions wait, after a retry, for the same variable. Each write of it wakes all of
 * them, and most of them have to wait again. */
#include <stmlog/read.h>

#include "findings_search.h"
#include "number.h"
#include "recorded_account.h"
#include "report_memory.h"

/* Transactions are a herd if at least HERD_MIN_PER_SECOND wakes a second are spurious, and, of the spurious wakes by a
 * known write, at least HERD_MIN_PERCENT are by a write that had woken another transaction spuriously before. */
enum { HERD_MIN_PER_SECOND = 1000, HERD_MIN_PERCENT = 40 };

/* Transactions that begin at one place and wait for one variable. */
struct herd {
	uint32_t place;
	uint64_t address;
	double wakes, futile_wakes, waiters;
	/* Of the measured futile wakes: by a known write; and by one that has woken another one before, also measured.
	 */
	double known, shared;
	double measured_part; /* of all futile wakes */
};

/* ---- attempts after futile wakes ("in vain": the transaction blocks again before it commits) ---- */

static bool is_shared(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return findings_has_detail(search, entry, "RETRY_IN_HERD");
}

static bool follows_futile_wake(const struct findings_search *search, size_t number, uint64_t place)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	return entry->reason == STMLOG_USER_ABORT &&
	       (is_shared(search, entry) || findings_has_detail(search, entry, "RETRY_IN_VAIN")) &&
	       findings_victim_place(search, entry) == place;
}

static bool knows_writer(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return recording_traceback(search->recording, entry->remote).len > 0;
}

/* The part of the entry's losses that was over the variable. */
static double part_over(const struct stmlog_entry_record *entry, uint64_t address)
{
	double part = 0;
	for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
		part += entry->objects[slot].address == address ? findings_part_of(entry->objects[slot].count, entry)
								: 0;
	return part;
}

/* The attempts after spurious wakes, by transaction and variable; only those of which both are known. */
static struct findings_group attempts_after_futile_wakes(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count * RECORDING_OBJECTS);
	for (uint32_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		uint32_t place = findings_victim_place(search, entry);
		struct tally_sum whole = tally_sum_of(entry);
		for (uint32_t slot = 0; slot < RECORDING_OBJECTS && follows_futile_wake(search, i, place); slot++) {
			struct tally_sum sum =
				findings_part(&whole, findings_part_of(entry->objects[slot].count, entry));
			if (place >= PLACE_FIRST && entry->objects[slot].address != 0 && sum.count > 0)
				findings_group_add(&group, place, entry->objects[slot].address, &sum,
					(struct findings_origin){i, slot});
		}
	}
	findings_group_sort(&group);
	return group;
}

/* ---- whether it is a herd ---- */

static double count_after_futile_wakes(const struct findings_search *search, uint64_t place)
{
	double count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		count += follows_futile_wake(search, i, place) ? (double)search->recording->entries[i].count : 0;
	return count;
}

static void count_shared(const struct findings_search *search, struct herd *herd)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!follows_futile_wake(search, i, herd->place) || !knows_writer(search, entry))
			continue;
		double count = (double)entry->count * part_over(entry, herd->address);
		herd->known += count;
		herd->shared += is_shared(search, entry) ? count : 0;
	}
}

/* Sleeps are counted by place only. The variable gets the same part of them that it has of the place's measured
 * attempts after spurious wakes. */
static struct herd herd_of(const struct findings_search *search, const struct tally_row *row)
{
	struct herd herd = {.place = (uint32_t)row->key[0], .address = row->key[1]};
	const struct stmlog_blocked_record *sleeps = findings_sleeps(search, herd.place);
	double part = (double)row->sum.count / count_after_futile_wakes(search, herd.place);
	if (sleeps == NULL || search->recording->info.wall_ns == 0)
		return herd;
	herd.wakes = (double)sleeps->count * part;
	herd.futile_wakes = (double)sleeps->in_vain * part;
	herd.measured_part =
		(double)row->sum.count < herd.futile_wakes ? (double)row->sum.count / herd.futile_wakes : 1;
	count_shared(search, &herd);
	herd.waiters = (double)sleeps->blocked_ns * part / (double)search->recording->info.wall_ns;
	return herd;
}

/* Of two wakes by one write the second one is known to share it if both were measured: so the part of those that share
 * their write is as much smaller in a sample as the sample is. */
static bool is_herd(const struct findings_search *search, const struct herd *herd)
{
	double seconds = (double)search->recording->info.wall_ns / 1e9;
	return herd->futile_wakes >= HERD_MIN_PER_SECOND * seconds && herd->shared >= ESTIMATE_MIN_LOSSES &&
	       herd->shared * 100 >= herd->known * herd->measured_part * HERD_MIN_PERCENT &&
	       herd->futile_wakes * 100 >= herd->wakes * finding_rule_row(FINDING_HERD)->percent;
}

/* ---- its losses ---- */

/* Whether the victim or the culprit is a transaction of the herd. */
static bool is_theirs(const struct findings_search *search, const struct stmlog_entry_record *entry, uint32_t place)
{
	return findings_victim_place(search, entry) == place || findings_begin_place(search, entry->remote) == place;
}

/* The part of the entry's losses that would end if each transaction waited for a variable of its own: attempts after
 * spurious wakes, and aborts and pauses over the variable of which a waiting transaction is the victim or the culprit.
 */
static double part_of(const struct findings_search *search, size_t number, const struct herd *herd)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	double left = search->rest[number].all, part = 0;
	if (follows_futile_wake(search, number, herd->place) ||
		(entry->reason == STMLOG_PAUSE && is_theirs(search, entry, herd->place)))
		part = part_over(entry, herd->address);
	else if (is_theirs(search, entry, herd->place))
		part = findings_part_over_word(search, number, herd->address);
	return part < left ? part : left;
}

static struct tally_sum losses_of(const struct findings_search *search, const struct herd *herd)
{
	struct tally_sum all = {.count = 0};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&search->recording->entries[i]);
		struct tally_sum sum = findings_part(&whole, part_of(search, i, herd));
		if (sum.count > 0)
			tally_sum_add(&all, &sum);
	}
	return all;
}

static void claim(struct findings_search *search, const struct herd *herd)
{
	for (size_t i = 0; i < search->recording->entry_count; i++)
		findings_claim_by(search, search->found.len - 1, i, part_of(search, i, herd), true);
}

/* ---- its text ---- */

/* The higher, the better the writer: 2 more if it is not of the herd, 1 more if the place of its write is known, and
 * not only where its transaction begins. */
static unsigned waker_rank(const struct findings_search *search, const struct herd *herd, uint32_t traceback)
{
	unsigned is_outside = findings_begin_place(search, traceback) != herd->place;
	return 1 + 2 * is_outside + (findings_begin(search, traceback) > 0);
}

/* The traceback of the writer in the costliest entry of spurious wakes, among those of the highest rank. 0: no writer
 * is known. */
static uint32_t waker_of(const struct findings_search *search, const struct herd *herd)
{
	uint32_t best = 0;
	unsigned best_rank = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!follows_futile_wake(search, i, herd->place) || part_over(entry, herd->address) <= 0 ||
			!knows_writer(search, entry))
			continue;
		unsigned rank = waker_rank(search, herd, entry->remote);
		best = rank > best_rank ? entry->remote : best;
		best_rank = rank > best_rank ? rank : best_rank;
	}
	return best;
}

/* "TVar #1, written at Herd.hs:42 call" */
static char *because_text(const struct findings_search *search, const char *name, uint32_t waker)
{
	if (waker == 0)
		return memory_text(name);
	char *at = findings_frame_text(search, waker, 0);
	char *text = memory_format("%s, written at %s", name, at);
	memory_free(at);
	return text;
}

/* The herd's part of all attempts, as "40.0 %"; "": not known. A spurious wake made no attempt; of these wakes, only
 * the number in all is known, and the herd gets its part of them. */
static struct number attempts_in_vain(const struct findings_search *search, const struct herd *herd)
{
	const struct recorded_account total = account_total(search->recording);
	uint64_t spurious = search->recording->info.blocked_spurious, in_vain = account_futile_wakes(&total);
	double part = spurious != RECORDING_UNSAID && spurious < in_vain ? 1 - (double)spurious / (double)in_vain : 1;
	uint64_t attempts = estimate_whole(herd->futile_wakes * part), all = total.commits + total.aborts;
	return attempts <= all ? number_share(attempts, all) : (struct number){""};
}

/* "4 wait, 200 of 800 wakes and 40.0 % of the attempts in vain". Fewer than two wait on average if most of the time
 * those that were woken do not run. */
static char *share_text(const struct findings_search *search, const struct herd *herd)
{
	struct number attempts = attempts_in_vain(search, herd);
	bool is_known = attempts.text[0] != '\0', do_wait = herd->waiters >= 2;
	return memory_format("%s%s%s of %s wakes%s%s%s in vain", do_wait ? number_rounded(herd->waiters, 0).text : "",
		do_wait ? " wait, " : "", number_count(estimate_whole(herd->futile_wakes)).text,
		number_count(estimate_whole(herd->wakes)).text, is_known ? " and " : "", attempts.text,
		is_known ? " of the attempts" : "");
}

static void describe(struct findings_search *search, const struct herd *herd, struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	struct tally_sum sum = losses_of(search, herd);
	char *name = findings_object_text(report_object_of(search->report, entry, herd->address));
	uint32_t waker = waker_of(search, herd);
	struct finding *finding = findings_add(search, FINDING_HERD, &sum, findings_frame_text(search, entry->local, 0),
		because_text(search, name, waker));
	finding->where = entry->local;
	finding->because = waker;
	finding->objects[0] = name;
	finding->share_text = share_text(search, herd);
}

static bool make(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	struct herd herd = herd_of(search, row);
	if (!is_herd(search, &herd))
		return false;
	describe(search, &herd, origin);
	claim(search, &herd);
	return true;
}

void findings_herd(struct findings_search *search)
{
	findings_make_each(search, FINDING_HERD, attempts_after_futile_wakes(search), make);
}
