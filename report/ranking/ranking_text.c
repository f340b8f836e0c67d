/* SPDX-License-Identifier: MIT
 * What the lines below a row say: how the transaction is in the way, and what to try. Each is there only if the
 * recording carries it. */
#include <string.h>

#include <stmlog/read.h>

#include "number.h"
#include "ranking_search.h"
#include "recorded_account.h"
#include "report_memory.h"
#include "utf8.h"

/* A remedy is named if its reason has at least this part of the row: one of two that are about equal (ranking.c). A
 * transaction is long if its attempts take so many times as long as those of others. Time without a processor is
 * mentioned from this part of the row's lost time on. A word is written too often if it has this part of the row's
 * conflicts. So many attempts of one transaction are many. A line below a row has LINE_WIDTH of the 80 columns. */
enum { REMEDY_PERCENT = 40, LONG_TIMES = 4, OFF_PERCENT = 10, WORD_PERCENT = 25, MANY_ATTEMPTS = 100, LINE_WIDTH = 69 };

/* Whether the line of the first screen has room for it. A line that is not there gets nothing. */
static bool add_if_it_fits(char **line, const char *text)
{
	if ((*line)[0] == '\0' || fit_width(*line) + fit_width(text) > LINE_WIDTH)
		return false;
	char *longer = memory_format("%s%s", *line, text);
	memory_free(*line);
	*line = longer;
	return true;
}

static bool is_place_long(const struct ranking_search *search, uint32_t place)
{
	double own_ns = ranking_attempt_ns(search, place), others_ns = ranking_other_attempts_ns(search, place);
	return others_ns > 0 && own_ns >= others_ns * LONG_TIMES;
}

/* The place of the transaction that has lost most; PLACE_UNKNOWN: not known. */
static uint32_t first_loser(const struct ranking_row *row)
{
	return row->loser_count > 0 ? row->losers[0].place : PLACE_UNKNOWN;
}

/* ---- why a transaction runs alone ---- */

/* "runs alone after 101 failed attempts". Owned; NULL: the transaction has not starved. */
static char *starved_text(const struct ranking_search *search, uint32_t reference)
{
	const char *name = ranking_frame(search, reference, RANKING_STARVED_FRAME);
	size_t begin = strlen(RANKING_STARVED_FRAME);
	return name != NULL ? utf8_cleaned(memory_format("%.*s", (int)(strlen(name) - begin - 1), name + begin)) : NULL;
}

/* The number of the row, from 1 on, because of which the transaction at `place` has lost most by conflicts; 0: none. */
static size_t row_that_aborts(const struct ranking_search *search, const struct ranking *ranking, uint32_t place)
{
	uint32_t aborter = ranking_aborter(search, place);
	for (size_t r = 0; r < ranking->len; r++)
		if (ranking->rows[r].kind == RANKING_TRANSACTION && ranking->rows[r].place == aborter)
			return r + 1;
	return 0;
}

/* The transaction that ran alone in the row's costliest loss of this kind that tells why; or, if none tells why, in the
 * costliest one. */
struct alone {
	uint32_t reference; /* its traceback */
	uint32_t starved;   /* the transaction, if it is another one than the row's; else PLACE_UNKNOWN */
};

static struct alone alone_of(const struct ranking_search *search, const struct ranking_row *row)
{
	struct alone first = {0, PLACE_UNKNOWN};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct alone alone = {ranking_traceback(search, i), search->losses[i].starved};
		if (search->losses[i].how != RANKING_ALONE || !ranking_is_of(search, i, row))
			continue;
		if (ranking_begin(search, alone.reference).is_outer ||
			ranking_frame(search, alone.reference, RANKING_STARVED_FRAME) != NULL)
			return alone;
		first = first.reference != 0 ? first : alone;
	}
	return first.reference != 0 ? first : (struct alone){row->traceback, PLACE_UNKNOWN};
}

/* "fprintf at logger.c:27", or where it became irrevocable; "" if that is not known. */
static char *call_text(const struct ranking_search *search, struct ranking_row *row, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	if (traceback.len == 0)
		return memory_text("");
	const struct symbol_frame *call = symbols_unsafe_call(search->report->symbols, traceback.sites[0]);
	if (call != NULL && call->function != NULL) {
		row->call = call->function;
		char *line = ranking_line_text(call);
		char *text = memory_format("%s%s%s", call->function, line[0] != '\0' ? " at " : "", line);
		memory_free(line);
		return utf8_cleaned(text);
	}
	if (!ranking_begin(search, reference).is_outer)
		return memory_text("");
	const struct symbol_frame *frame = symbols_site(search->report->symbols, traceback.sites[0])->frames;
	row->call = frame->function;
	char *at = ranking_place_text(frame, NULL);
	char *text = memory_format("a call in %s", at);
	memory_free(at);
	return text;
}

/* "runs alone after 101 failed attempts because of close_lots, row 2". Takes the text. */
static char *because_text(const struct ranking_search *search, const struct ranking *ranking,
	const struct ranking_row *row, char *starved)
{
	size_t by = row_that_aborts(search, ranking, row->place);
	if (by != 0 && &ranking->rows[by - 1] == row) {
		add_if_it_fits(&starved, " because of itself");
	} else if (by != 0) {
		char *named = memory_format(" because of %s, row %zu", ranking->rows[by - 1].name, by);
		char *number = memory_format(" because of row %zu", by);
		(void)(add_if_it_fits(&starved, named) || add_if_it_fits(&starved, number));
		memory_free(number);
		memory_free(named);
	}
	add_if_it_fits(&starved, "; others wait");
	return starved;
}

/* "admit runs alone after 101 failed attempts because of it". Takes the text behind the name. */
static char *because_of_it_text(const struct ranking_search *search, uint32_t place, char *starved)
{
	char *name = ranking_function_text(places_frame(search->places, place));
	char *text = memory_format("%s %s", name, starved);
	memory_free(name);
	memory_free(starved);
	add_if_it_fits(&text, " because of it");
	return text;
}

static char *alone_text(const struct ranking_search *search, const struct ranking *ranking, struct ranking_row *row)
{
	struct alone alone = alone_of(search, row);
	char *starved = starved_text(search, alone.reference);
	if (starved != NULL && alone.starved != PLACE_UNKNOWN)
		return because_of_it_text(search, alone.starved, starved);
	if (starved != NULL)
		return because_text(search, ranking, row, starved);
	char *call = call_text(search, row, alone.reference);
	const char *method = search->recording->info.method;
	char *text = call[0] != '\0' ? memory_format("runs alone, irrevocable by %s; others wait", call)
		     : ranking_is_serial(search)
			     ? memory_format("%s runs one transaction at a time; others wait", method)
			     : memory_text("runs alone; others wait");
	memory_free(call);
	return utf8_cleaned(text);
}

/* ---- the others ---- */

/* The traceback of the place at which the row's first loser fails in half or more of the conflicts; 0: there is none.
 */
static uint32_t failing_traceback(const struct ranking_search *search, const struct ranking_row *row)
{
	double *ns = memory_zeroed(search->recording->site_count + PLACE_FIRST, sizeof *ns), all = 0, max = 0;
	uint32_t best = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint32_t local = search->recording->entries[i].local;
		if (search->losses[i].how != RANKING_CONFLICT || search->losses[i].victim != first_loser(row) ||
			!ranking_is_of(search, i, row))
			continue;
		double *here = &ns[places_innermost(search->places, local)];
		*here += search->losses[i].ns;
		all += search->losses[i].ns;
		best = *here > max ? local : best;
		max = *here > max ? *here : max;
	}
	memory_free(ns);
	return max * 2 >= all && ranking_has_access(search, best) ? best : 0;
}

/* "; up to 1,479 attempts for a commit": of the first loser, if it is often in vain. */
static char *attempts_text(const struct ranking_search *search, const struct ranking_row *row)
{
	uint32_t loser = first_loser(row);
	uint64_t max = loser >= PLACE_FIRST ? search->lengths[loser].max_attempts : 0;
	return max >= MANY_ATTEMPTS ? memory_format("; up to %s attempts for a commit", number_count(max).text)
				    : memory_text("");
}

static char *conflict_text(const struct ranking_search *search, const struct ranking_row *row)
{
	const struct symbol_frame *loser = places_frame(search->places, first_loser(row));
	uint32_t failing = failing_traceback(search, row);
	bool is_own = first_loser(row) == row->place;
	char *attempts = attempts_text(search, row);
	char *name = loser != NULL ? ranking_function_text(loser) : memory_text("another");
	char *at = failing != 0 ? ranking_place_text(
					  places_frame(search->places, places_innermost(search->places, failing)), NULL)
				: memory_text("");
	const char *before = failing != 0 ? " at " : "";
	char *text = is_own ? memory_format("threads that run it conflict%s%s%s", before, at, attempts)
			    : memory_format("it writes what %s uses%s%s%s", name, before, at, attempts);
	memory_free(at);
	memory_free(name);
	memory_free(attempts);
	return text;
}

bool ranking_has_wait(const struct ranking_search *search, const struct ranking_row *row, const char *word)
{
	const struct recording *recording = search->recording;
	for (size_t i = 0; i < recording->entry_count; i++)
		if (search->losses[i].how == RANKING_WAIT && ranking_is_of(search, i, row))
			return strcmp(recording_string(recording, recording->entries[i].detail), word) == 0;
	return false;
}

static char *wait_text(const struct ranking_search *search, const struct ranking_row *row)
{
	if (row->kind == RANKING_LIBITM)
		return memory_text("waits of its own: at commits, and at its one lock");
	return memory_text(ranking_has_wait(search, row, "COMMIT_WAIT")    ? "their commits wait for its end"
			   : ranking_has_wait(search, row, "UPGRADE_WAIT") ? "they wait for its end, to run alone then"
									   : "they wait for a lock that it holds");
}

static char *wake_text(const struct ranking_search *search)
{
	struct recorded_account total = account_total(search->recording);
	return memory_format("it wakes them for nothing: %s of %s wakes",
		number_count(account_futile_wakes(&total)).text, number_count(account_times_blocked(&total)).text);
}

static char *poll_text(const struct ranking_search *search, const struct ranking_row *row)
{
	double percent = ranking_cancelled_part(search, row->place) * 100;
	if (percent == 0)
		return memory_text("it polls: the program cancels its attempts");
	return memory_format("it polls: the program cancels %s %% of its attempts", number_rounded(percent, 0).text);
}

static char *for_ever_text(const struct ranking_row *row)
{
	char *times =
		row->for_ever > 1 ? memory_format("; %s times", number_count(row->for_ever).text) : memory_text("");
	char *text = memory_format("waits for ever: no thread is left that could wake it%s", times);
	memory_free(times);
	return text;
}

static char *reason_text(const struct ranking_search *search, const struct ranking *ranking, struct ranking_row *row)
{
	switch (row->how) {
	case RANKING_CONFLICT:
		return conflict_text(search, row);
	case RANKING_WAIT:
		return wait_text(search, row);
	case RANKING_ALONE:
		return alone_text(search, ranking, row);
	case RANKING_WAKE:
		return wake_text(search);
	case RANKING_POLL:
		return poll_text(search, row);
	case RANKING_FOREVER:
		return for_ever_text(row);
	default:
		return memory_text("");
	}
}

/* "; 12.1 s more without a processor": waits that went on while the waiting thread had none. */
static char *off_processor_text(const struct ranking_row *row)
{
	if (row->how != RANKING_WAIT || (double)row->off_processor_ns * 100 < (double)row->lost.ns * OFF_PERCENT)
		return memory_text("");
	return memory_format("; %s more without a processor", number_time(row->off_processor_ns).text);
}

/* ---- from where the transaction is called ---- */

struct caller {
	const struct symbol_frame *frame;
	double ns;
};

/* The frame around the one where the transaction of a culprit's traceback begins, which may be inlined there; NULL: not
 * known. */
static const struct symbol_frame *caller_of(const struct ranking_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	struct place_begin begin = ranking_begin(search, reference);
	if (begin.site == STMLOG_NO_SITE)
		return NULL;
	const struct symbol_site *site = symbols_site(search->report->symbols, begin.site);
	if (site->len > 1)
		return &site->frames[1];
	for (size_t i = begin.callers; i < traceback.len; i++) {
		const struct stmlog_site_record *record = &search->recording->sites[traceback.sites[i]];
		if (record->kind != STMLOG_SITE_PLACE || record->line != 0) /* the agent's frames are none */
			return symbols_site(search->report->symbols, traceback.sites[i])->frames;
	}
	return NULL;
}

/* Returns the number of callers then. */
static size_t add_caller(struct caller *callers, size_t len, const struct symbol_frame *frame, double ns)
{
	size_t at = 0;
	while (at < len && !place_same_frames(callers[at].frame, frame))
		at++;
	callers[at].frame = frame;
	callers[at].ns += ns;
	return at == len ? len + 1 : len;
}

/* So a part of a Haskell function calls another part, and an access stands on the line where its transaction begins. */
static bool have_same_function(const struct symbol_frame *frame, const struct symbol_frame *other)
{
	return other != NULL && frame->function != NULL && other->function != NULL &&
	       strcmp(frame->function, other->function) == 0;
}

/* "; 59 % from watch bank.c:80": the caller with most losses, of those that are known; without the share if there is
 * no other. */
static char *caller_text(const struct ranking_search *search, const struct ranking_row *row)
{
	struct caller *callers = memory_zeroed(search->recording->entry_count, sizeof *callers), best = {NULL, 0};
	const struct symbol_frame *own = places_frame(search->places, row->place);
	double all = 0;
	size_t len = 0;
	for (size_t i = 0; i < search->recording->entry_count && row->kind == RANKING_TRANSACTION; i++) {
		if (search->losses[i].how == RANKING_ALONE || !ranking_is_of(search, i, row))
			continue;
		const struct symbol_frame *frame = caller_of(search, search->recording->entries[i].remote);
		if (frame == NULL || have_same_function(frame, own))
			continue;
		len = add_caller(callers, len, frame, search->losses[i].ns);
		all += search->losses[i].ns;
	}
	for (size_t i = 0; i < len; i++)
		best = callers[i].ns > best.ns ? callers[i] : best;
	memory_free(callers);
	if (best.frame == NULL)
		return memory_text("");
	char *at = ranking_place_text(best.frame, own != NULL ? own->file : NULL);
	char *share = len > 1 ? memory_format("%s %% ", number_rounded(best.ns / all * 100, 0).text) : memory_text("");
	char *text = memory_format("; %sfrom %s", share, at);
	memory_free(share);
	memory_free(at);
	return text;
}

/* ---- the remedy ---- */

/* Owned. */
static char *conflict_remedy(const struct ranking_search *search, const struct ranking_row *row)
{
	uint32_t loser = first_loser(row);
	const struct symbol_frame *frame = places_frame(search->places, loser);
	bool is_own = loser == row->place, has_hot_word = row->top_object_part * 100 >= WORD_PERCENT;
	char *name = frame != NULL ? ranking_function_text(frame) : memory_text("the others");
	char *text;
	if (row->data == RANKING_NEIGHBOURS)
		text = memory_text("put 64 bytes between them: alignas(64)");
	else if (row->data == RANKING_ALIAS)
		text = memory_text("move one of them by a stripe");
	else if (has_hot_word && is_own)
		text = memory_text(recording_is_haskell(search->recording) ? "split it, or write it less often"
									   : "write it less often, or last");
	else if (has_hot_word)
		text = memory_format("write it less often, or do not touch it in %s", name);
	else if (!is_own && is_place_long(search, loser))
		text = memory_format("read less in %s, or in parts", name);
	else if (is_place_long(search, row->place))
		text = memory_text("do less in it, or do it in parts");
	else
		text = memory_text(is_own ? "split the data by thread or key" : "split the data that both use");
	memory_free(name);
	return text;
}

/* A transaction that is no longer than the others cannot be made much shorter. */
static const char *wait_remedy(const struct ranking_search *search, const struct ranking_row *row)
{
	if (row->kind == RANKING_LIBITM)
		return "fewer or shorter transactions that write";
	if (!ranking_has_wait(search, row, "COMMIT_WAIT") && !ranking_has_wait(search, row, "UPGRADE_WAIT"))
		return "write later in it, or shorten it";
	bool is_only = ranking_other_attempts_ns(search, row->place) <= 0;
	return is_only ? "make it shorter" : is_place_long(search, row->place) ? "read less in it, or in parts" : "";
}

/* What makes a transaction fail is to be mended. Owned. */
static char *alone_remedy(
	const struct ranking_search *search, const struct ranking *ranking, const struct ranking_row *row)
{
	size_t by = row_that_aborts(search, ranking, row->place);
	if (row->call != NULL)
		return memory_text("do it after the transaction");
	if (ranking_is_serial(search))
		return memory_text("");
	if (alone_of(search, row).starved != PLACE_UNKNOWN)
		return memory_text("make it shorter, or do it in parts");
	if (by != 0 && &ranking->rows[by - 1] == row)
		return conflict_remedy(search, row);
	return by != 0 ? memory_format("see row %zu", by) : memory_text("shorten it, or let it touch less");
}

static char *remedy(const struct ranking_search *search, const struct ranking *ranking, const struct ranking_row *row)
{
	if (row->kind == RANKING_UNKNOWN || row->how_part * 100 < REMEDY_PERCENT)
		return memory_text("");
	switch (row->how) {
	case RANKING_CONFLICT:
		return conflict_remedy(search, row);
	case RANKING_WAIT:
		return memory_text(wait_remedy(search, row));
	case RANKING_ALONE:
		return alone_remedy(search, ranking, row);
	case RANKING_WAKE:
		return memory_text("a variable for each that waits");
	case RANKING_POLL:
		return memory_text("wait outside of it, on a condition variable");
	case RANKING_FOREVER:
		return memory_text("let a thread that writes what it waits for live as long");
	default:
		return memory_text("");
	}
}

/* The caller stands behind the reason, or behind the data; where both are too long, in place of the time without a
 * processor. */
static char *row_how_text(const struct ranking_search *search, const struct ranking *ranking, struct ranking_row *row)
{
	char *reason = reason_text(search, ranking, row), *off = off_processor_text(row),
	     *caller = caller_text(search, row);
	char *whole = memory_format("%s%s", reason, off);
	bool is_placed = add_if_it_fits(&whole, caller) || add_if_it_fits(&row->data_text, caller);
	bool is_instead = !is_placed && add_if_it_fits(&reason, caller);
	memory_free(caller);
	memory_free(off);
	memory_free(is_instead ? whole : reason);
	return is_instead ? reason : whole;
}

void ranking_set_texts(const struct ranking_search *search, const struct ranking *ranking, struct ranking_row *row)
{
	row->how_text = row->kind != RANKING_UNKNOWN ? row_how_text(search, ranking, row) : memory_text("");
	row->try_text = remedy(search, ranking, row);
}

/* ---- beside the rows ---- */

static const struct blocked_row *most_often_blocked(const struct blocked *blocked)
{
	const struct blocked_row *most = blocked->rows;
	for (size_t i = 1; i < blocked->len; i++)
		most = blocked->rows[i].record.count > most->record.count ? &blocked->rows[i] : most;
	return blocked->len > 0 ? most : NULL;
}

char *ranking_wakes_text(const struct ranking_search *search)
{
	enum { SEVERAL = 2 };
	char *text = NULL;
	struct blocked blocked = blocked_make(search->recording, search->places);
	const struct blocked_row *row = most_often_blocked(&blocked);
	struct blocked_waker waker = row != NULL ? blocked_waker(search->places, row) : (struct blocked_waker){0};
	const struct ranking_length *length = &search->lengths[waker.place];
	double commits = waker.count != 0 && length->commits >= ESTIMATE_MIN_LOSSES ? length->estimated_commits : 0;
	double woken =
		commits > 0 ? (double)row->record.count * (double)waker.count / (double)row->record.wakes_known : 0;
	if (woken >= SEVERAL * commits && commits > 0) {
		char *name = ranking_place_text(places_frame(search->places, waker.place), NULL);
		text = memory_format(
			"each commit of %s wakes %s", name, number_count(estimate_whole(woken / commits)).text);
		memory_free(name);
	}
	blocked_fini(&blocked);
	return text;
}
