/* SPDX-License-Identifier: MIT
 * Groups the losses by the transaction in the way, and sorts the rows. */
#include "ranking.h"

#include <string.h>

#include <stmlog/read.h>

#include "check.h"
#include "ranking_search.h"
#include "recorded_account.h"
#include "report_memory.h"
#include "sort.h"

/* ---- how much was lost ---- */

/* All lost time, without the attempts that the program has ended by a retry. */
static void set_total(const struct ranking_search *search, struct ranking *ranking)
{
	const struct recording *recording = search->recording;
	struct estimate total = estimate_of_total(recording);
	struct tally_sum retried = {.count = 0};
	uint64_t aborts = 0;
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct tally_sum sum = tally_sum_of(&recording->entries[i]);
		if (search->losses[i].kind == RANKING_KINDS)
			tally_sum_add(&retried, &sum);
		aborts += cause_is_abort(recording->entries[i].reason) ? sum.count : 0;
	}
	double retried_part = aborts != 0 ? (double)retried.count / (double)aborts : 0;
	ranking->retries =
		estimate_whole((double)account_total(recording).aborts * (retried_part < 1 ? retried_part : 1));
	ranking->retried_ns = smaller_ns(estimate_of(recording, &retried).ns, total.ns);
	uint64_t left_ns = total.ns - ranking->retried_ns;
	uint64_t measured_ns = total.measured_ns - smaller_ns(total.measured_ns, retried.lost_ns);
	double part = total.ns != 0 ? (double)left_ns / (double)total.ns : 1;
	/* The measured time of a damaged file may exceed all of it. */
	ranking->total = estimate_part(&total, part, smaller_ns(measured_ns, left_ns));
	ranking->total.is_exact = total.is_exact;
}

/* ---- rows ---- */

struct group {
	struct tally tally;
	size_t *entry; /* by the order of tally_add(): the number of the entry */
	double *ns;    /* by kind and place: the losses of the row */
	size_t place_count;
};

static double *group_ns(const struct group *group, uint64_t kind, uint64_t place)
{
	return &group->ns[kind * group->place_count + place];
}

static struct group group_losses(const struct ranking_search *search)
{
	const struct recording *recording = search->recording;
	size_t place_count = recording->site_count + PLACE_FIRST;
	struct group group = {tally_make(recording, recording->entry_count),
		memory_zeroed(recording->entry_count, sizeof *group.entry),
		memory_zeroed(RANKING_KINDS * place_count, sizeof *group.ns), place_count};
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct ranking_loss *loss = &search->losses[i];
		struct tally_sum sum = tally_sum_of(&recording->entries[i]);
		if (loss->kind == RANKING_KINDS || sum.count == 0)
			continue;
		group.entry[group.tally.len] = i;
		uint32_t place = ranking_row_place(loss);
		tally_add(&group.tally, loss->kind, place, &sum);
		*group_ns(&group, loss->kind, place) += loss->ns;
	}
	tally_group(&group.tally, TALLY_LOST);
	return group;
}

static uint64_t scaled(uint64_t ns, double factor)
{
	return estimate_whole((double)ns * factor);
}

/* The row's estimate, multiplied so that its losses add up with those of other rows. If they are too few for an
 * estimate, they count as far as they were measured. */
static struct estimate row_lost(const struct ranking *ranking, const struct group *group, const struct tally_row *row)
{
	struct estimate lost = row->lost, whole = ranking->total;
	double factor = lost.ns != 0 ? *group_ns(group, row->key[0], row->key[1]) / (double)lost.ns : 1;
	lost.low_ns = scaled(lost.low_ns, factor);
	lost.high_ns = scaled(lost.high_ns, factor);
	lost.ns = row->is_too_few ? row->sum.lost_ns : scaled(lost.ns, factor);
	lost.ns = smaller_ns(lost.ns, whole.ns);
	lost.low_ns = smaller_ns(lost.low_ns, lost.ns);
	lost.high_ns = larger_ns(smaller_ns(lost.high_ns, whole.high_ns), lost.ns);
	return lost;
}

static double row_share(const struct ranking *ranking, uint64_t ns)
{
	return ranking->total.ns != 0 ? (double)ns / (double)ranking->total.ns : 0;
}

/* The traceback of the costliest loss of the transactions that begin there; 0: there is none. */
static uint32_t own_traceback(const struct ranking_search *search, uint32_t place)
{
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (search->losses[i].victim == place)
			return search->recording->entries[i].local;
	return 0;
}

/* Returns the time of the row. */
static uint64_t ranking_add_row(struct ranking *ranking, const struct ranking_search *search, const struct group *group,
	const struct tally_row *row)
{
	size_t entry = group->entry[row->first];
	struct estimate lost = row_lost(ranking, group, row);
	if (row->key[0] == RANKING_OFF)
		return ranking->off_ns;
	if ((double)lost.ns * 100 < RANKING_SMALL_PERCENT * (double)(ranking->total.ns - ranking->off_ns)) {
		ranking->small_count++;
		ranking->small.ns += lost.ns;
		ranking->small.low_ns += lost.low_ns;
		ranking->small.high_ns += lost.high_ns;
		ranking->small.is_exact = lost.is_exact;
		return lost.ns;
	}
	bool is_of_starved = search->losses[entry].starved != PLACE_UNKNOWN;
	ranking->rows[ranking->len++] = (struct ranking_row){.kind = (enum ranking_kind)row->key[0],
		.place = (uint32_t)row->key[1],
		.traceback =
			is_of_starved ? own_traceback(search, (uint32_t)row->key[1]) : ranking_traceback(search, entry),
		.lost = lost,
		.share = row_share(ranking, lost.ns),
		.count = row->sum.count};
	return lost.ns;
}

/* A transaction that nothing could wake any more has a row, whatever others have lost because of it. */
static void add_for_ever(const struct ranking_search *search, struct ranking *ranking)
{
	for (size_t i = 0; i < search->recording->blocked_count; i++) {
		const struct stmlog_blocked_record *record = &search->recording->blocked[i];
		if (record->for_ever == 0 || record->site == STMLOG_NO_SITE)
			continue;
		uint32_t place = places_site(search->places, record->site);
		struct ranking_row *row = ranking->rows, *end = row + ranking->len;
		while (row < end && (row->kind != RANKING_TRANSACTION || row->place != place))
			row++;
		if (row == end) {
			*row = (struct ranking_row){.place = place, .lost.is_exact = true};
			row->traceback = own_traceback(search, place);
			ranking->len++;
		}
		row->for_ever += record->for_ever;
	}
}

/* Those that have waited for ever first, then the costliest. A row that names no transaction counts by its lower end,
 * so that it hides no transaction that may have been costlier. Equal rows stay in their order. */
static uint64_t order_of(const void *element, unsigned rank, const void *unused)
{
	const struct ranking_row *row = element;
	(void)unused;
	return rank == 0 ? row->for_ever == 0
			 : UINT64_MAX - (row->kind == RANKING_UNKNOWN ? row->lost.low_ns : row->lost.ns);
}

static void ranking_make_rows(const struct ranking_search *search, struct ranking *ranking)
{
	struct group group = group_losses(search);
	uint64_t sum_ns = 0;
	ranking->rows = memory_zeroed(group.tally.len + search->recording->blocked_count, sizeof *ranking->rows);
	for (size_t i = 0; i < group.tally.len; i++)
		if (group.tally.rows[i]->key[0] == RANKING_OFF)
			ranking->off_ns = row_lost(ranking, &group, group.tally.rows[i]).ns;
	for (size_t i = 0; i < group.tally.len; i++)
		sum_ns += ranking_add_row(ranking, search, &group, group.tally.rows[i]);
	ranking->unmeasured_ns = ranking->total.ns - smaller_ns(ranking->total.ns, sum_ns);
	tally_drop(&group.tally);
	memory_free(group.entry);
	memory_free(group.ns);
	add_for_ever(search, ranking);
	sort(ranking->rows, ranking->len, sizeof *ranking->rows, order_of, 2, NULL);
}

/* A row whose upper end lies above the lower end of an earlier one may belong before it. */
static void mark_doubt(struct ranking *ranking)
{
	uint64_t min_ns = UINT64_MAX;
	for (size_t i = 0; i < ranking->len; i++) {
		if (ranking->rows[i].for_ever != 0)
			continue;
		ranking->rows[i].may_be_higher = ranking->rows[i].lost.high_ns > min_ns;
		min_ns = smaller_ns(min_ns, ranking->rows[i].lost.low_ns);
	}
}

/* ---- what a row says ---- */

/* From this part of cancelled attempts on, others wait for a transaction because it polls. */
enum { POLLS_PERCENT = 90 };

static void add_waits_to_polls(const struct ranking_search *search, const struct ranking_row *row, double *ns)
{
	if (row->kind != RANKING_TRANSACTION || ranking_cancelled_part(search, row->place) * 100 < POLLS_PERCENT)
		return;
	ns[RANKING_POLL] += ns[RANKING_WAIT];
	ns[RANKING_WAIT] = 0;
}

/* Parts of a row that differ by less are equal: sampling and the scheduler shift them by about as much from one run to
 * the next. Of equal parts the first one counts, in the order of ranking.def, so that most runs say the same. A
 * conflict, which has data, and what makes a transaction run alone stand before waits: they have a remedy. */
enum { EQUAL_PERCENT = 20 };

static enum ranking_how largest_how(const double ns[RANKING_HOWS], double all)
{
	enum ranking_how largest = RANKING_CONFLICT;
	double max = 0;
	for (int how = 0; how < RANKING_HOWS; how++)
		max = ns[how] > max ? ns[how] : max;
	for (int how = RANKING_HOWS - 1; how >= 0; how--)
		if (ns[how] > 0 && (max - ns[how]) * 100 <= all * EQUAL_PERCENT)
			largest = (enum ranking_how)how;
	return largest;
}

/* The largest `how` of the row's losses, unless it has waited for ever; and the time off the processor, in proportion
 * for all transactions. Gives the row's number to its entries. */
static void set_how(const struct ranking_search *search, struct ranking *ranking, struct ranking_row *row)
{
	double ns[RANKING_HOWS] = {0}, all = 0, off = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (!ranking_is_of(search, i, row))
			continue;
		if (row->traceback < 2 && row->kind == RANKING_TRANSACTION)
			row->traceback = entry->remote;
		ranking->row_numbers[i] = (uint32_t)(row - ranking->rows) + 1;
		ns[search->losses[i].how] += search->losses[i].ns;
		all += search->losses[i].ns;
		double times = entry->lost_ns != 0 ? search->losses[i].ns / (double)entry->lost_ns : 1;
		off += cause_is_abort(entry->reason) ? 0 : (double)entry->descheduled_ns * times;
	}
	add_waits_to_polls(search, row, ns);
	row->how = largest_how(ns, all);
	row->how_part = all > 0 ? ns[row->how] / all : 0;
	if (row->for_ever != 0) {
		row->how = RANKING_FOREVER;
		row->how_part = 1;
	}
	row->off_processor_ns = estimate_whole(off);
}

struct victim {
	uint32_t place, traceback;
	double ns;
};

static uint64_t victim_order(const void *element, unsigned rank, const void *unused)
{
	(void)unused;
	(void)rank;
	return UINT64_MAX - estimate_whole(((const struct victim *)element)->ns);
}

static size_t ranking_add_victim(struct victim *victims, size_t len, const struct victim *more)
{
	size_t at = 0;
	while (at < len && victims[at].place != more->place)
		at++;
	if (at == len)
		victims[at] = *more;
	else
		victims[at].ns += more->ns;
	return at == len ? len + 1 : len;
}

/* The file of the place at which the row's transaction begins; NULL: not known. */
static const char *row_file(const struct ranking_search *search, const struct ranking_row *row)
{
	const struct symbol_frame *frame = places_frame(search->places, row->place);
	return row->kind == RANKING_TRANSACTION && frame != NULL ? frame->file : NULL;
}

/* A transaction is named among those that lose from this part of the row's losses on. */
enum { LOSER_PARTS = 100 };

static void set_losers(const struct ranking_search *search, struct ranking_row *row)
{
	size_t len = 0;
	double all = 0;
	struct victim *victims = memory_zeroed(search->recording->entry_count, sizeof *victims);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct ranking_loss *loss = &search->losses[i];
		if (!ranking_is_of(search, i, row))
			continue;
		all += loss->ns;
		len = ranking_add_victim(
			victims, len, &(struct victim){loss->victim, search->recording->entries[i].local, loss->ns});
	}
	sort(victims, len, sizeof *victims, victim_order, 1, NULL);
	for (size_t i = 0; i < len && i < RANKING_LOSERS_MAX && victims[i].ns * LOSER_PARTS >= all && all > 0; i++) {
		const struct symbol_frame *frame = places_frame(search->places, victims[i].place);
		row->losers[row->loser_count++] = (struct ranking_loser){.place = victims[i].place,
			.traceback = victims[i].traceback,
			.text = frame != NULL ? ranking_place_text(frame, row_file(search, row))
					      : memory_text("not known"),
			.part = victims[i].ns / all};
	}
	memory_free(victims);
}

/* Why the culprits of a row are not known, short enough for a row of the screen. */
static const char *unknown_reason(const struct ranking_search *search, const struct ranking_row *row)
{
	if (row->how == RANKING_WAKE)
		return "waker was not measured";
	if (recording_hides_losses(search->recording))
		return "hardware does not say";
	return row->how == RANKING_CONFLICT ? "no write was recorded" : "nobody was seen";
}

static void name_row(const struct ranking_search *search, struct ranking_row *row)
{
	const struct recording_info *info = &search->recording->info;
	const struct symbol_frame *frame = places_frame(search->places, row->place);
	if (row->kind == RANKING_TRANSACTION && frame != NULL) {
		row->name = ranking_function_text(frame);
		row->line = ranking_line_text(frame);
	} else if (row->kind == RANKING_LIBITM) {
		row->name =
			info->method[0] != '\0' ? memory_format("libitm (%s)", info->method) : memory_text("libitm");
		row->line = memory_text("");
	} else {
		row->name = memory_text("not known");
		row->line = memory_text(unknown_reason(search, row));
	}
}

struct ranking ranking_of(const struct report *report)
{
	struct ranking ranking = {.len = 0};
	if (!recording_has_times(report->recording))
		return ranking;
	struct ranking_search search = ranking_search_begin(report);
	set_total(&search, &ranking);
	ranking_make_rows(&search, &ranking);
	mark_doubt(&ranking);
	ranking.row_numbers = memory_zeroed(report->recording->entry_count, sizeof *ranking.row_numbers);
	for (size_t i = 0; i < ranking.len; i++) {
		struct ranking_row *row = &ranking.rows[i];
		set_how(&search, &ranking, row);
		name_row(&search, row);
		set_losers(&search, row);
		ranking_set_data(&search, row);
	}
	for (size_t i = 0; i < ranking.len; i++)
		ranking_set_texts(&search, &ranking, &ranking.rows[i]);
	ranking.wakes_text = ranking_wakes_text(&search);
	ranking_search_end(&search);
	return ranking;
}

void ranking_fini(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->len; i++) {
		struct ranking_row *row = &ranking->rows[i];
		char *owned[] = {row->name, row->line, row->how_text, row->data_text, row->try_text};
		for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++)
			memory_free(owned[k]);
		for (size_t k = 0; k < RANKING_OBJECTS_MAX; k++)
			memory_free(row->objects[k]);
		for (size_t k = 0; k < row->loser_count; k++)
			memory_free(row->losers[k].text);
	}
	memory_free(ranking->rows);
	memory_free(ranking->row_numbers);
	memory_free(ranking->wakes_text);
	*ranking = (struct ranking){.len = 0};
}

/* ---- names ---- */

const char *ranking_how_name(enum ranking_how how)
{
	static const char *const names[RANKING_HOWS] = {
#define HOW(id, name, ...) name,
#define DATA(id, ...)
#include "ranking.def"
	};
	REQUIRES(how < RANKING_HOWS);
	return names[how];
}

const char *ranking_data_name(enum ranking_data data)
{
	static const char *const names[RANKING_DATA_KINDS] = {
#define HOW(id, ...)
#define DATA(id, name, ...) name,
#include "ranking.def"
	};
	REQUIRES(data < RANKING_DATA_KINDS);
	return names[data];
}

/* ---- lines ---- */

/* Whether any frame has a line, apart from startup code: the C library may have lines where the program has none. */
static bool traceback_has_line(const struct report *report, uint32_t reference, bool *lacks_lines)
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

bool ranking_lacks_lines(const struct ranking *ranking, const struct report *report)
{
	bool lacks_lines = false;
	for (size_t i = 0; i < ranking->len; i++) {
		const struct ranking_row *row = &ranking->rows[i];
		bool has = traceback_has_line(report, row->traceback, &lacks_lines);
		for (size_t k = 0; k < row->loser_count && !has; k++)
			has = traceback_has_line(report, row->losers[k].traceback, &lacks_lines);
		if (has)
			return false;
	}
	return lacks_lines;
}
