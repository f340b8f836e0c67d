/* SPDX-License-Identifier: MIT
 * Assigns each loss to the transaction because of which it was lost. */
#include <string.h>

#include <stmlog/read.h>

#include "recorded_account.h"
#include "ranking_search.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

/* ---- places ---- */

struct place_begin ranking_begin(const struct ranking_search *search, uint32_t reference)
{
	return places_begin_of(search->places, search->is_begin, reference);
}

uint32_t ranking_begin_place(const struct ranking_search *search, uint32_t reference)
{
	struct place_begin begin = ranking_begin(search, reference);
	return begin.site != STMLOG_NO_SITE ? places_site(search->places, begin.site)
					    : places_innermost(search->places, reference);
}

/* An access on the line of the transaction's beginning is one place with it. */
bool ranking_has_access(const struct ranking_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	bool has = traceback.len > 0 && !search->is_begin[places_innermost(search->places, reference)];
	has |= traceback.begin != STMLOG_NO_SITE && search->is_begin[places_site(search->places, traceback.begin)];
	for (size_t i = 1; i < traceback.len && !has; i++)
		has = search->is_begin[places_site(search->places, traceback.sites[i])];
	return has;
}

char *ranking_function_text(const struct symbol_frame *frame)
{
	char buffer[REPORT_FUNCTION];
	return utf8_cleaned(short_name(report_function_of(frame, buffer)));
}

char *ranking_line_text(const struct symbol_frame *frame)
{
	return frame->file != NULL
		       ? utf8_cleaned(symbol_position(symbol_basename(frame->file), frame->line, frame->last_line))
		       : memory_text("");
}

char *ranking_place_text(const struct symbol_frame *frame, const char *file)
{
	bool is_here = file != NULL && frame->file != NULL && strcmp(file, frame->file) == 0;
	char *name = ranking_function_text(frame), *line = ranking_line_text(frame);
	const char *colon = strrchr(line, ':');
	char *text = memory_format("%s%s%s", name, line[0] != '\0' ? " " : "", is_here && colon != NULL ? colon : line);
	memory_free(name);
	memory_free(line);
	return text;
}

/* ---- lengths ---- */

static void add_length(struct ranking_length *length, const struct stmlog_transaction_record *record)
{
	length->commits += (double)record->commits;
	length->estimated_commits += record->estimated_commits;
	length->attempts += (double)record->attempts;
	length->committed_ns += (double)record->committed_ns;
	length->aborted_ns += (double)record->lost_ns;
	length->reads += (double)record->reads;
	length->reads_known += (double)record->reads_known;
	if (record->max_attempts > length->max_attempts)
		length->max_attempts = record->max_attempts;
}

static void measure_lengths(struct ranking_search *search)
{
	for (size_t i = 0; i < search->recording->transaction_count; i++) {
		const struct stmlog_transaction_record *record = &search->recording->transactions[i];
		if (record->site != STMLOG_NO_SITE)
			add_length(&search->lengths[places_site(search->places, record->site)], record);
		add_length(&search->all, record);
	}
}

static double length_mean_ns(const struct ranking_length *length)
{
	return length->attempts > 0 ? (length->committed_ns + length->aborted_ns) / length->attempts : 0;
}

/* Those that fail may end early. */
static double committed_ns(const struct ranking_length *length)
{
	return length->commits > 0 ? length->committed_ns / length->commits : length_mean_ns(length);
}

double ranking_attempt_ns(const struct ranking_search *search, uint32_t place)
{
	return length_mean_ns(&search->lengths[place]);
}

double ranking_other_attempts_ns(const struct ranking_search *search, uint32_t place)
{
	const struct ranking_length *own = &search->lengths[place], *all = &search->all;
	return length_mean_ns(&(struct ranking_length){.attempts = all->attempts - own->attempts,
		.committed_ns = all->committed_ns - own->committed_ns,
		.aborted_ns = all->aborted_ns - own->aborted_ns});
}

double ranking_cancelled_part(const struct ranking_search *search, uint32_t place)
{
	double cancelled = search->cancelled[place];
	return cancelled >= ESTIMATE_MIN_LOSSES ? cancelled / (cancelled + search->lengths[place].commits) : 0;
}

const char *ranking_frame(const struct ranking_search *search, uint32_t reference, const char *begin)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	for (size_t i = 0; i < traceback.len; i++) {
		uint32_t function = search->recording->sites[traceback.sites[i]].function;
		const char *name = recording_string(search->recording, function);
		if (strncmp(name, begin, strlen(begin)) == 0)
			return name;
	}
	return NULL;
}

/* ---- losses ---- */

static bool has_detail(const struct ranking_search *search, const struct stmlog_entry_record *entry, const char *word)
{
	return strcmp(recording_string(search->recording, entry->detail), word) == 0;
}

bool ranking_is_serial(const struct ranking_search *search)
{
	return strncmp(search->recording->info.method, "serial", strlen("serial")) == 0;
}

/* Waits of libitm in which no other transaction was running: its bookkeeping, or its one lock. */
static bool is_bookkeeping(const struct ranking_search *search, const struct stmlog_entry_record *entry)
{
	return strstr(search->recording->info.runtime, "libitm") != NULL && !cause_is_abort(entry->reason);
}

static uint32_t victim_of(const struct ranking_search *search, const struct stmlog_entry_record *entry)
{
	return entry->site < search->recording->site_count ? places_site(search->places, entry->site)
							   : ranking_begin_place(search, entry->local);
}

static bool is_woken(const struct ranking_search *search, const struct stmlog_entry_record *entry)
{
	return has_detail(search, entry, "RETRY_IN_VAIN") || has_detail(search, entry, "RETRY_IN_HERD");
}

static void find_wakers(struct ranking_search *search)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!is_woken(search, entry))
			continue;
		uint32_t place = ranking_begin_place(search, entry->remote);
		struct ranking_waker *waker = &search->wakers[victim_of(search, entry)];
		if (place >= PLACE_FIRST && entry->count > waker->count)
			*waker = (struct ranking_waker){place, entry->count};
	}
}

/* The attempts that the program has ended itself. */
static struct ranking_loss loss_by_program(
	const struct ranking_search *search, const struct stmlog_entry_record *entry, uint32_t victim, uint32_t culprit)
{
	if (is_woken(search, entry)) {
		const struct ranking_waker *usual = &search->wakers[victim];
		uint32_t waker = culprit >= PLACE_FIRST ? culprit : usual->place;
		bool is_known = waker >= PLACE_FIRST;
		return (struct ranking_loss){.kind = is_known ? RANKING_TRANSACTION : RANKING_UNKNOWN,
			.how = RANKING_WAKE,
			.culprit = waker};
	}
	if (has_detail(search, entry, "RETRY"))
		return (struct ranking_loss){.kind = RANKING_KINDS};
	return (struct ranking_loss){.kind = RANKING_TRANSACTION, .how = RANKING_POLL, .culprit = victim};
}

/* Whether the waits were for a processor. A commit waits no longer than the other attempt runs: if that is four times
 * as long as short transactions are, its thread was stopped. A long wait was, if other programs had processors as long.
 * Not for a transaction that is not short: were it shorter, the scheduler would interrupt it less often. */
static bool is_for_processor(
	const struct ranking_search *search, const struct stmlog_entry_record *entry, uint32_t culprit)
{
	enum { SHORT_NS = 10000, STOPPED_NS = 4 * SHORT_NS };
	double length_ns = committed_ns(&search->lengths[culprit]);
	bool is_for_end = has_detail(search, entry, "COMMIT_WAIT") || has_detail(search, entry, "UPGRADE_WAIT");
	bool is_stopped = is_for_end && length_ns > 0 && entry->lost_ns > STOPPED_NS * entry->count;
	is_stopped |= entry->lost_ns <= search->recording->info.machine_others_ns &&
		      ranking_frame(search, entry->remote, RANKING_LONG_FRAME) != NULL;
	is_stopped |= ranking_frame(search, entry->remote, RANKING_PREEMPTED_FRAME) != NULL;
	return is_stopped && length_ns < SHORT_NS;
}

/* A transaction that waits until it may run alone waits for the end of the others. It is in its own way, if no other is
 * known to be. */
static struct ranking_loss loss_to_another(
	const struct ranking_search *search, const struct stmlog_entry_record *entry, uint32_t victim, uint32_t culprit)
{
	if (is_for_processor(search, entry, culprit))
		return (struct ranking_loss){.kind = RANKING_OFF, .how = RANKING_PREEMPTED};
	bool is_alone = entry->contention == STMLOG_INEVITABLE, is_known = culprit >= PLACE_FIRST;
	bool is_upgrade = has_detail(search, entry, "UPGRADE_WAIT");
	enum ranking_how how = is_alone && !(is_upgrade && is_known) ? RANKING_ALONE
			       : cause_is_abort(entry->reason)       ? RANKING_CONFLICT
								     : RANKING_WAIT;
	bool is_own_wait = is_alone && entry->reason == STMLOG_PAUSE && !is_known && victim >= PLACE_FIRST;
	if (is_known || is_own_wait)
		return (struct ranking_loss){
			.kind = RANKING_TRANSACTION, .how = how, .culprit = is_known ? culprit : victim};
	if (is_bookkeeping(search, entry))
		return (struct ranking_loss){
			.kind = RANKING_LIBITM, .how = ranking_is_serial(search) ? RANKING_ALONE : RANKING_WAIT};
	return (struct ranking_loss){.kind = RANKING_UNKNOWN, .how = how};
}

static struct ranking_loss ranking_loss_of(const struct ranking_search *search, const struct stmlog_entry_record *entry)
{
	uint32_t culprit = ranking_begin_place(search, entry->remote);
	uint32_t victim = victim_of(search, entry);
	struct tally_sum sum = tally_sum_of(entry);
	struct ranking_loss loss = entry->reason == STMLOG_USER_ABORT ? loss_by_program(search, entry, victim, culprit)
								      : loss_to_another(search, entry, victim, culprit);
	loss.victim = victim;
	loss.starved = PLACE_UNKNOWN;
	loss.ns = (double)estimate_of(search->recording, &sum).ns * search->scale[cause_account_row(entry->reason)];
	return loss;
}

uint32_t ranking_row_place(const struct ranking_loss *loss)
{
	return loss->kind == RANKING_TRANSACTION ? loss->culprit
	       : loss->kind == RANKING_UNKNOWN   ? loss->victim
						 : PLACE_UNKNOWN;
}

bool ranking_is_of(const struct ranking_search *search, size_t entry, const struct ranking_row *row)
{
	const struct ranking_loss *loss = &search->losses[entry];
	return loss->kind == row->kind && row->place == ranking_row_place(loss);
}

/* ---- transactions that run alone because others have made them fail ---- */

uint32_t ranking_traceback(const struct ranking_search *search, size_t entry)
{
	const struct stmlog_entry_record *record = &search->recording->entries[entry];
	const struct ranking_loss *loss = &search->losses[entry];
	uint32_t place = loss->starved != PLACE_UNKNOWN ? loss->starved : loss->culprit;
	return record->remote < 2 && place == loss->victim ? record->local : record->remote;
}

uint32_t ranking_aborter(const struct ranking_search *search, uint32_t place)
{
	double *ns = memory_zeroed(search->recording->site_count + PLACE_FIRST, sizeof *ns);
	uint32_t max = PLACE_NO_FRAMES;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct ranking_loss *loss = &search->losses[i];
		uint32_t remote = search->recording->entries[i].remote;
		if (loss->victim != place || loss->how != RANKING_CONFLICT || loss->kind != RANKING_TRANSACTION ||
			ranking_frame(search, remote, RANKING_HOLDER_FRAME) != NULL) /* it had no processor, mostly */
			continue;
		ns[loss->culprit] += loss->ns;
		max = ns[loss->culprit] > ns[max] ? loss->culprit : max;
	}
	memory_free(ns);
	return max;
}

/* Whether attempts that commit are so many times as long at `place` as at `starved`. */
static bool is_longer(const struct ranking_search *search, uint32_t place, uint32_t starved)
{
	enum { LONGER_TIMES = 4 };
	return committed_ns(&search->lengths[place]) > LONGER_TIMES * committed_ns(&search->lengths[starved]);
}

/* Others wait for a starved transaction that runs alone, and it waits until it may. If a longer one has made it fail,
 * that one is in the way: were it shorter, none would run alone. Otherwise the starved one is itself in the way. */
static void charge_longer(struct ranking_search *search)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct ranking_loss *loss = &search->losses[i];
		if (loss->kind != RANKING_TRANSACTION || loss->how != RANKING_ALONE ||
			ranking_frame(search, ranking_traceback(search, i), RANKING_STARVED_FRAME) == NULL)
			continue;
		uint32_t aborter = ranking_aborter(search, loss->culprit);
		if (is_longer(search, aborter, loss->culprit)) {
			loss->starved = loss->culprit;
			loss->culprit = aborter;
		}
	}
}

struct ranking_search ranking_search_begin(const struct report *report)
{
	const struct recording *recording = report->recording;
	size_t place_count = recording->site_count + PLACE_FIRST;
	struct ranking_search search = {
		.report = report,
		.recording = recording,
		.places = places_create(recording, report->symbols),
		.losses = memory_zeroed(recording->entry_count, sizeof *search.losses),
		.lengths = memory_zeroed(place_count, sizeof *search.lengths),
		.cancelled = memory_zeroed(place_count, sizeof *search.cancelled),
		.wakers = memory_zeroed(place_count, sizeof *search.wakers),
	};
	search.is_begin = places_begins(search.places);
	for (size_t row = 0; row <= STMLOG_ACCOUNT_ROWS; row++)
		search.scale[row] = (TALLY_LOSSES & TALLY_ROW(row)) != 0 ? account_scale(recording, row) : 1;
	measure_lengths(&search);
	find_wakers(&search);
	for (size_t i = 0; i < recording->entry_count; i++) {
		search.losses[i] = ranking_loss_of(&search, &recording->entries[i]);
		if (search.losses[i].how == RANKING_POLL && search.losses[i].kind == RANKING_TRANSACTION)
			search.cancelled[search.losses[i].victim] += (double)recording->entries[i].count;
	}
	charge_longer(&search);
	return search;
}

void ranking_search_end(struct ranking_search *search)
{
	memory_free(search->is_begin);
	memory_free(search->losses);
	memory_free(search->lengths);
	memory_free(search->cancelled);
	memory_free(search->wakers);
	places_destroy(&search->places);
}
