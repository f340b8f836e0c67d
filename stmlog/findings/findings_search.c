/* SPDX-License-Identifier: MIT
 * Groups of losses, thresholds, and the names of places: what all rules need. */
#include "findings_search.h"

#include <string.h>

#include "blame.h"
#include "cause.h"
#include "report_frames.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

/* ---- groups of losses ---- */

struct findings_group findings_group_make(const struct findings_search *search, size_t most)
{
	return (struct findings_group){
		.tally = tally_make(search->recording, most),
		.origin = memory_zeroed(most, sizeof(struct findings_origin)),
	};
}

void findings_group_add(struct findings_group *group, uint64_t key0, uint64_t key1, const struct tally_sum *sum,
	struct findings_origin origin)
{
	if (group->tally.len == group->tally.cap)
		return;
	group->origin[group->tally.len] = origin;
	tally_add(&group->tally, key0, key1, sum);
}

void findings_group_sort(struct findings_group *group)
{
	tally_group(&group->tally, TALLY_LOST);
}

void findings_group_drop(struct findings_group *group)
{
	tally_drop(&group->tally);
	memory_free(group->origin);
}

struct tally_sum findings_part(const struct tally_sum *sum, double part)
{
	struct tally_sum less = *sum;
	double of = part < 1 ? part : 1;
	less.count = estimate_whole((double)sum->count * of);
	less.lost_ns = estimate_whole((double)sum->lost_ns * of);
	less.overstated_ns = estimate_whole((double)sum->overstated_ns * of);
	less.surplus_ns = sum->surplus_ns * of;
	less.variance_ns2 = sum->variance_ns2 * of;
	return less;
}

double findings_part_of(uint64_t count, const struct stmlog_entry_record *entry)
{
	if (entry->count == 0)
		return 0;
	return count < entry->count ? (double)count / (double)entry->count : 1;
}

/* ---- claims ---- */

double findings_off_processor(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	double off_ns = (double)entry->descheduled_ns, all_ns = (double)entry->lost_ns + off_ns;
	bool is_wait = entry->reason == STMLOG_PAUSE && findings_has_detail(search, entry, "COMMIT_WAIT");
	return is_wait && all_ns > 0 ? off_ns / all_ns : 0;
}

double findings_rest(const struct findings_search *search, size_t entry)
{
	double on = 1 - findings_off_processor(search, &search->recording->entries[entry]);
	double rest = search->rest[entry].all;
	return rest < on ? rest : on;
}

void findings_claim_false(struct findings_search *search, size_t entry, double part)
{
	struct findings_rest *rest = &search->rest[entry];
	rest->all = part < rest->all ? rest->all - part : 0;
	rest->true_ones = rest->true_ones < rest->all ? rest->true_ones : rest->all;
}

void findings_claim_true(struct findings_search *search, size_t entry, double part)
{
	struct findings_rest *rest = &search->rest[entry];
	rest->true_ones = part < rest->true_ones ? rest->true_ones - part : 0;
	findings_claim_false(search, entry, part);
}

void findings_claim_rest(struct findings_search *search, size_t entry)
{
	search->rest[entry] = (struct findings_rest){0, 0};
}

/* ---- thresholds ---- */

/* Where the data or the culprits of fewer aborts are known, these may be unlike the rest. */
enum { LEAST_KNOWN_PERCENT = 10 };

/* Many aborts may cost next to nothing, beside few that cost much. Aborts of hardware transactions are short; their
 * cost is in the transactions that run alone afterwards. */
enum { LEAST_LOST_PERCENT = 1 };

static bool is_part(uint64_t part, uint64_t whole, unsigned percent)
{
	return whole != 0 && (double)part * 100 >= (double)whole * percent;
}

/* A sum of few losses counts as far as it was measured. */
static uint64_t lost_ns(const struct findings_search *search, const struct tally_sum *sum)
{
	bool is_known = !estimate_is_too_few(search->recording, sum->count);
	return is_known ? estimate_of(search->recording, sum).ns : sum->lost_ns;
}

/* Losses of less than a hundredth of the threads' time are no story, however they divide. */
static bool is_enough_time(const struct findings_search *search, unsigned percent, const struct tally_sum *sum)
{
	uint64_t ns = lost_ns(search, sum);
	return ns != 0 && is_part(ns, search->total.ns, percent) && is_part(ns, search->threads_ns, 1);
}

bool findings_is_enough(const struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum)
{
	const struct finding_rule_row *row = finding_rule_row(rule);
	if (row->of == FINDING_OF_LOST)
		return is_enough_time(search, row->percent, sum);
	bool is_hardware = row->of == FINDING_OF_HARDWARE;
	bool is_known = is_hardware || is_part(search->of[row->of], search->aborts, LEAST_KNOWN_PERCENT);
	bool is_cheap = !is_hardware && !is_part(lost_ns(search, sum), search->total.ns, LEAST_LOST_PERCENT);
	return is_known && !is_cheap && sum->count >= FINDINGS_LEAST &&
	       is_part(sum->count, search->of[row->of], row->percent);
}

/* ---- what was found ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Parts of estimates may exceed the whole by chance, which a sum never does. */
static void limit(struct estimate *part, const struct estimate *whole)
{
	part->high_ns = smaller(part->high_ns, whole->high_ns);
	part->ns = smaller(part->ns, whole->ns);
	part->low_ns = smaller(part->low_ns, part->ns);
	part->measured_ns = smaller(part->measured_ns, whole->measured_ns);
}

static void make_room(struct findings_search *search)
{
	if (search->found.len < search->cap)
		return;
	size_t cap = search->cap * 2 + 16;
	struct finding *more = memory_zeroed(cap, sizeof *more);
	if (search->found.len > 0)
		memcpy(more, search->found.at, search->found.len * sizeof *more);
	memory_free(search->found.at);
	search->found.at = more;
	search->cap = cap;
}

struct finding *findings_add(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	char *where_text, char *because_text)
{
	make_room(search);
	struct finding *finding = &search->found.at[search->found.len++];
	uint64_t wall_ns = search->recording->info.wall_ns;
	*finding = (struct finding){
		.rule = rule, .count = sum->count, .where_text = where_text, .because_text = because_text};
	finding->lost = estimate_of(search->recording, sum);
	limit(&finding->lost, &search->total);
	finding->saves_at_most_ns = smaller(finding->lost.high_ns, wall_ns);
	return finding;
}

/* ---- places ---- */

size_t findings_begin(const struct findings_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	for (size_t i = 0; i < traceback.len; i++)
		if (search->is_begin[places_site(search->places, traceback.sites[i])])
			return i;
	return 0;
}

uint32_t findings_begin_place(const struct findings_search *search, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	if (traceback.len == 0)
		return places_innermost(search->places, reference);
	return places_site(search->places, traceback.sites[findings_begin(search, reference)]);
}

uint32_t findings_victim_place(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	if (entry->site < search->recording->site_count)
		return places_site(search->places, entry->site);
	return findings_begin_place(search, entry->local);
}

static char *frame_text(const struct report *report, const struct symbol_frame *frame)
{
	char buffer[REPORT_FUNCTION];
	char *name = short_name(report_function_of(frame, buffer));
	char *line = report_line_of(report, frame);
	char *text = line != NULL && line[0] != '\0' ? memory_format("%s %s", line, name) : memory_text(name);
	memory_free(name);
	memory_free(line);
	return utf8_cleaned(text);
}

char *findings_frame_text(const struct findings_search *search, uint32_t reference, size_t number)
{
	struct recording_traceback traceback = recording_traceback(search->recording, reference);
	if (number >= traceback.len)
		return memory_text("unknown");
	return frame_text(search->report, symbols_site(search->report->symbols, traceback.sites[number])->frames);
}

char *findings_place_text(const struct findings_search *search, uint32_t place)
{
	const struct symbol_frame *frame = places_frame(search->places, place);
	return frame != NULL ? frame_text(search->report, frame) : memory_text("unknown");
}

char *findings_object_text(char *name)
{
	char *text = utf8_cleaned(short_name(name)), *space = strchr(text, ' ');
	if (strncmp(text, "0x", 2) == 0 && space != NULL)
		*space = '\0';
	memory_free(name);
	return text;
}

bool findings_is_data_abort(const struct stmlog_entry_record *entry)
{
	bool is_data = entry->contention == STMLOG_WRITE_WRITE || entry->contention == STMLOG_WRITE_READ ||
		       entry->contention == STMLOG_DATA;
	return is_data && cause_is_abort(entry->reason) && entry->reason != STMLOG_USER_ABORT;
}

bool findings_has_detail(
	const struct findings_search *search, const struct stmlog_entry_record *entry, const char *word)
{
	return strcmp(recording_string(search->recording, entry->detail), word) == 0;
}
