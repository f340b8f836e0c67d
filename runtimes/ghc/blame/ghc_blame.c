/* SPDX-License-Identifier: MIT
 * Notes the entries of an attempt, compares them with their TVars, and finds the transaction that has changed a TVar.
 */
#include "ghc_blame.h"

#include <inttypes.h>
#include <stdio.h>

#include "capability.h"
#include "lane.h"
#include "tvars.h"
#include "walk.h"
#include "xorshift.h"

/* ---- entries ---- */

/* How often a locked TVar is looked at. A commit takes some hundred nanoseconds; its OS thread may be off the processor
 * meanwhile. */
#define LOCK_LOOKS_MAX 2000

void entries_note_all(struct ghc_lane *lane, struct hs_trec *trec)
{
	const uintptr_t info = trec->chunk->info;
	size_t len = 0;
	for (; trec != ghc_rts.no_trec; trec = trec->enclosing)
		for (struct hs_chunk *chunk = trec->chunk; chunk->info == info && len < CHUNKS_MAX;
			chunk = chunk->previous)
			lane->chunks[len++] = chunk;
	lane->chunks_len = len;
}

size_t entries_len(const struct ghc_lane *lane)
{
	size_t len = 0;
	for (size_t i = 0; i < lane->chunks_len; i++)
		len += lane->chunks[i]->len;
	return len;
}

/* The version is read first: so it belongs to the value, unless that shows another one. While the RTS puts the
 * transaction to sleep, the TRec itself has locked the TVar. */
static uint64_t version_of(const struct hs_entry *entry, const struct hs_trec *trec)
{
	uint64_t version = entry->tvar->updates;
	uintptr_t value = entry->tvar->value;
	return value == entry->expected || value == (uintptr_t)trec ? version : ENTRIES_NO_VERSION;
}

void entries_keep_versions(struct hs_trec *trec)
{
	REQUIRES(ghc_rts.is_threaded);
	const uintptr_t info = trec->chunk->info;
	for (struct hs_chunk *chunk = trec->chunk; chunk->info == info; chunk = chunk->previous)
		for (uint64_t i = 0; i < chunk->len && i < HS_CHUNK_ENTRIES; i++) {
			struct hs_entry *entry = hs_entry_at(chunk, i);
			*hs_entry_updates(entry) = version_of(entry, trec);
		}
}

/* Whether the next changed TVar replaces the one that was chosen of `before` earlier ones. The chances make each of
 * them equally likely in the end. */
static bool replaces_choice(struct ghc_lane *lane, uint64_t before)
{
	return (native_random(&lane->random) >> 32) % (before + 1) == 0;
}

/* One of the TVars that have another value and are not locked; NULL: there is none. */
static struct hs_tvar *choose_changed(struct ghc_lane *lane, const struct hs_trec *trec)
{
	struct hs_tvar *found = NULL;
	uint64_t changed = 0;
	for (size_t i = lane->chunks_len; i-- != 0;)
		for (uint64_t k = 0; k < lane->chunks[i]->len && k < HS_CHUNK_ENTRIES; k++) {
			const struct hs_entry *entry = hs_entry_at(lane->chunks[i], k);
			uintptr_t value = entry->tvar->value;
			if (value != entry->expected && !hs_is_lock(value, trec) && replaces_choice(lane, changed++))
				found = entry->tvar;
		}
	return found;
}

static bool is_changed(const struct hs_entry *entry, const struct hs_trec *trec, struct changed *found)
{
	uintptr_t value = entry->tvar->value;
	bool is_locked = hs_is_lock(value, trec);
	*found = (struct changed){.tvar = entry->tvar, .was_locked = is_locked};
	for (int looks = 0; is_locked && looks < LOCK_LOOKS_MAX; looks++) {
		__builtin_ia32_pause();
		value = entry->tvar->value;
		is_locked = hs_is_lock(value, trec);
	}
	return value != entry->expected;
}

struct changed entries_changed(struct ghc_lane *lane, const struct hs_trec *trec)
{
	struct changed found = {.tvar = choose_changed(lane, trec)};
	if (found.tvar != NULL)
		return found;
	for (size_t i = lane->chunks_len; i-- != 0;)
		for (uint64_t k = 0; k < lane->chunks[i]->len && k < HS_CHUNK_ENTRIES; k++)
			if (is_changed(hs_entry_at(lane->chunks[i], k), trec, &found))
				return found;
	return (struct changed){.tvar = NULL};
}

/* ---- messages in the program's own eventlog ---- */

#define OBJECT_BYTES 160
#define MESSAGE_BYTES 320

void eventlog_write(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss)
{
	char message[MESSAGE_BYTES], object[OBJECT_BYTES] = "";
	struct tb_place place = {.function = ""};
	uint64_t ns = stmlog_now_ns() - lane->began_ns;
	bool has_name = tb_code_place(lane->site, &place);
	objects_name(loss->object, object, sizeof object, NULL);
	snprintf(message, sizeof message, "stm %s %s%s%s%s%s, %" PRIu64 " ns", event, loss->cause.detail,
		has_name ? " " : "", place.function, object[0] != '\0' ? ": " : "", object, ns);
	ghc_real.user_message((struct hs_capability *)(uintptr_t)capability_held.real, message);
}

/* ---- the culprit ----
 *
 * It is the commit with the lowest version above the one that the attempt has read. Where versions are counts of
 * updates it must be the next one.
 */

/* How often a pending commit is looked at: it is soon marked as done or withdrawn. */
#define LOOKS_MAX 200

const char blame_commit[] = "INVALID";

/* An access of the attempt, and what was noted of it. */
struct access {
	struct hs_tvar *tvar;
	const struct record *record; /* NULL: none */
	uint64_t version;
	uint64_t since_ns;
};

static bool search_all(const struct access *access, struct ring_found *found)
{
	*found = (struct ring_found){.version = UINT64_MAX};
	bool is_found = false;
	for (size_t i = 0; i < capabilities_len(); i++)
		is_found |= ring_search(
			&capability_at(i)->ring, (uintptr_t)access->tvar, access->version, access->since_ns, found);
	return is_found;
}

static bool is_next(const struct access *access, const struct ring_found *found)
{
	return ghc_rts.is_threaded ? found->version == access->version + 1 : !found->is_cut;
}

static bool search(const struct access *access, struct ring_found *found)
{
	bool is_found = search_all(access, found);
	for (int looks = 0; looks < LOOKS_MAX && is_found && found->state == RING_PENDING; looks++) {
		__builtin_ia32_pause();
		is_found = search_all(access, found);
	}
	return is_found;
}

static enum stmlog_grade grade(const struct access *access, const struct ring_found *found)
{
	bool is_sure = access->record != NULL && !access->record->is_unsure;
	return is_sure && found->state == RING_DONE && is_next(access, found) ? STMLOG_GRADE_CERTAIN
									      : STMLOG_GRADE_CANDIDATE;
}

static void set_other(
	struct ghc_lane *lane, const struct ring_found *found, enum stmlog_grade grade, struct stmlog_loss *loss)
{
	loss->grade = grade;
	loss->remote_thread = found->lane;
	loss->remote = trace_build(lane, found->sites, found->code, found->callers);
	loss->remote_green = stmlog_green_thread(found->haskell, (const char *)&found->label);
}

/* The Haskell thread of the lane's transaction. Another one may run on the capability, and kill it. */
static uint16_t own_green(const struct ghc_lane *lane)
{
	const struct hs_tso *current = capability_held.real->current;
	struct hs_label label = {{0}};
	if (current != NULL && hs_id(current) == lane->haskell)
		label = hs_label(current);
	return stmlog_green_thread(lane->haskell, (const char *)&label);
}

static void name_culprit(struct ghc_lane *lane, const struct access *access, struct stmlog_loss *loss)
{
	struct ring_found found;
	if (search(access, &found))
		set_other(lane, &found, grade(access, &found), loss);
}

static void release(struct ghc_lane *lane, const struct stmlog_loss *loss)
{
	struct tb_stack *stack = stmlog_thread_stack(lane->log);
	if (stack == NULL)
		return;
	tb_unref(stack, loss->local);
	tb_unref(stack, loss->remote);
}

static const char *word_of(const char *word, const struct changed *changed)
{
	if (changed->tvar == NULL)
		return "MOMENTARY";
	return word == blame_commit && changed->was_locked ? "LOCKED" : word;
}

static void explain(struct ghc_lane *lane, const struct changed *changed, struct stmlog_loss *loss)
{
	const struct record *record = records_first(&lane->records, (uintptr_t)changed->tvar);
	struct access access = {.tvar = changed->tvar, .record = record, .since_ns = lane->began_ns};
	loss->cause.contention = record != NULL && record->is_write ? STMLOG_WRITE_WRITE : STMLOG_WRITE_READ;
	loss->local = trace_own(lane, record != NULL ? record->sites : NULL);
	loss->object = objects_place(objects_number(changed->tvar));
	if (record == NULL)
		return;
	access.version = record->version;
	name_culprit(lane, &access, loss);
}

void blame_lost(struct ghc_lane *lane, const struct hs_trec *trec, const char *word)
{
	REQUIRES(lane->chunks_len != 0 && lane->knows_callers);
	stmlog_failed(lane->log);
	struct changed changed = entries_changed(lane, trec);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_DATA, word_of(word, &changed));
	loss.green = own_green(lane);
	if (changed.tvar != NULL)
		explain(lane, &changed, &loss);
	else
		loss.local = trace_own(lane, NULL);
	stmlog_abort(lane->log, &loss);
	eventlog_tell(lane, "abort", &loss);
	release(lane, &loss);
	lane->state = LANE_LOST;
}

/* `event`: for the eventlog. */
static void report_asked(struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss)
{
	stmlog_abort(lane->log, loss);
	eventlog_tell(lane, event, loss);
	release(lane, loss);
	lane->state = LANE_LOST;
}

void blame_asked(struct ghc_lane *lane, const char *word)
{
	REQUIRES(lane->knows_callers);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, word);
	loss.local = trace_own(lane, NULL);
	report_asked(lane, "abort", &loss);
}

/* ---- wakes ---- */

/* The entry's TVar, if it was written since it had the version in the entry, by a commit that is known. The next
 * version tells that commit from later ones, which have written before the transaction could run. */
static bool has_waker(struct hs_entry *entry, uint64_t since_ns, struct ring_wake *wake)
{
	struct access access = {entry->tvar, NULL, *hs_entry_updates(entry), since_ns};
	if (access.version == ENTRIES_NO_VERSION || entry->tvar->updates == access.version)
		return false;
	wake->tvar = (uintptr_t)entry->tvar;
	return search(&access, &wake->waker) && wake->waker.state == RING_DONE && is_next(&access, &wake->waker);
}

bool blame_waker(struct hs_trec *trec, uint64_t fell_asleep_ns, struct ring_wake *wake)
{
	REQUIRES(ghc_rts.is_threaded);
	const uintptr_t info = trec->chunk->info;
	for (struct hs_chunk *chunk = trec->chunk; chunk->info == info; chunk = chunk->previous)
		for (uint64_t i = 0; i < chunk->len && i < HS_CHUNK_ENTRIES; i++)
			if (has_waker(hs_entry_at(chunk, i), fell_asleep_ns, wake))
				return true;
	return false;
}

/* How many of an attempt's latest accesses are searched for a read. */
#define READS_MAX 8

/* The last read: a condition is mostly tested where its data are read. NULL: none. */
static const struct record *last_read(const struct records *records)
{
	for (uint32_t i = records->len; i > 0 && records->len - i < READS_MAX; i--)
		if (!records->at[i - 1].is_write && records->at[i - 1].tvar != 0)
			return &records->at[i - 1];
	return NULL;
}

/* The read for which the attempt has called `retry`: that of the TVar that has woken the transaction, which was not
 * what it waits for. */
static const struct record *waiting_read(struct ghc_lane *lane)
{
	const struct record *woken = lane->wake.tvar != 0 ? records_first(&lane->records, lane->wake.tvar) : NULL;
	return woken != NULL ? woken : last_read(&lane->records);
}

static void explain_wake(struct ghc_lane *lane, uintptr_t tvar, struct stmlog_loss *loss)
{
	uintptr_t number = objects_number((const struct hs_tvar *)tvar);
	loss->object = objects_place(number);
	if (lane->wake.tvar == 0)
		return;
	set_other(lane, &lane->wake.waker, STMLOG_GRADE_CERTAIN, loss);
	if (objects_has_woken(number, lane->wake.waker.version))
		loss->cause.detail = "RETRY_IN_HERD";
}

void blame_retry(struct ghc_lane *lane, bool is_futile)
{
	REQUIRES(lane->knows_callers);
	struct stmlog_loss loss =
		stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, is_futile ? "RETRY_IN_VAIN" : "RETRY");
	const struct record *read = waiting_read(lane);
	uintptr_t tvar = lane->wake.tvar != 0 || read == NULL ? lane->wake.tvar : read->tvar;
	loss.local = trace_own(lane, read != NULL ? read->sites : NULL);
	if (is_futile && tvar != 0)
		explain_wake(lane, tvar, &loss);
	report_asked(lane, "block", &loss);
}

/* The transaction that commits has published what it writes before it locked the TVar. */
static void name_holder(struct ghc_lane *lane, const struct locked *locked, struct stmlog_loss *loss)
{
	struct ring_found found;
	for (size_t i = 0; i < capabilities_len(); i++) {
		const struct ring *ring = &capability_at(i)->ring;
		if (!ring_holder(ring, (uintptr_t)locked->tvar, locked->lock, locked->version, &found))
			continue;
		set_other(lane, &found, STMLOG_GRADE_CERTAIN, loss);
		return;
	}
}

void blame_pause(struct ghc_lane *lane, const struct locked *locked, const uintptr_t *sites, bool is_write)
{
	REQUIRES(lane->knows_callers);
	struct stmlog_loss loss =
		stmlog_loss_make(STMLOG_PAUSE, is_write ? STMLOG_WRITE_WRITE : STMLOG_WRITE_READ, "LOCKED_READ");
	name_holder(lane, locked, &loss);
	loss.green = own_green(lane);
	loss.local = trace_own(lane, sites);
	loss.object = objects_place(objects_number(locked->tvar));
	stmlog_wait_begin(lane->log, &loss);
	release(lane, &loss);
}
