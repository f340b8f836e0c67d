/* SPDX-License-Identifier: MIT
 * What all rules of findings need: groups of losses, claims on losses, thresholds, and the names of places. */
#include "findings_search.h"

#include <string.h>

#include "check.h"
#include "recorded_account.h"
#include "blame.h"
#include "cause.h"
#include "report_frames.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

/* ---- groups of losses ---- */

struct findings_group findings_group_make(const struct findings_search *search, size_t max)
{
	return (struct findings_group){
		.tally = tally_make(search->recording, max),
		.origin = memory_zeroed(max, sizeof(struct findings_origin)),
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
	double factor = part < 1 ? part : 1;
	less.count = estimate_whole((double)sum->count * factor);
	less.lost_ns = estimate_whole((double)sum->lost_ns * factor);
	less.surplus_ns = sum->surplus_ns * factor;
	less.variance_ns2 = sum->variance_ns2 * factor;
	return less;
}

double findings_part_of(uint64_t count, const struct stmlog_entry_record *entry)
{
	if (entry->count == 0)
		return 0;
	return count < entry->count ? (double)count / (double)entry->count : 1;
}

/* ---- claims: an entry's losses belong to the first finding that claims them. `all` is the part that is left;
 * `true_ones` is the part of it that findings about true conflicts may still claim ---- */

double findings_off_processor(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	double off_ns = (double)entry->descheduled_ns, all_ns = (double)entry->lost_ns + off_ns;
	bool is_wait = entry->reason == STMLOG_PAUSE && findings_has_detail(search, entry, "COMMIT_WAIT");
	return is_wait && all_ns > 0 ? off_ns / all_ns : 0;
}

double findings_rest(const struct findings_search *search, size_t entry)
{
	double on_processor = 1 - findings_off_processor(search, &search->recording->entries[entry]);
	double left = search->rest[entry].all;
	return left < on_processor ? left : on_processor;
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

/* Returns a copy of `elements` with room for `cap` elements. Frees `elements`. */
static void *grown(void *elements, size_t len, size_t cap, size_t size)
{
	char *more = memory_zeroed(cap, size);
	if (len > 0)
		memcpy(more, elements, len * size);
	memory_free(elements);
	return more;
}

void findings_claim_by(struct findings_search *search, size_t finding, size_t entry, double part, bool are_true)
{
	REQUIRES(finding < search->found.len && entry < search->recording->entry_count);
	double left = search->rest[entry].all, claimed = part < left ? part : left;
	if (claimed <= 0)
		return;
	if (are_true)
		findings_claim_true(search, entry, claimed);
	else
		findings_claim_false(search, entry, claimed);
	if (search->claim_len == search->claim_cap) {
		search->claim_cap = search->claim_cap * 2 + 64;
		search->claims = grown(search->claims, search->claim_len, search->claim_cap, sizeof *search->claims);
	}
	search->claims[search->claim_len++] = (struct findings_claim){(uint32_t)entry, (uint32_t)finding, claimed};
}

/* ---- thresholds ---- */

/* If the data or the culprits of a smaller part of the aborts are known, the known aborts may differ from the others.
 */
enum { MIN_KNOWN_PERCENT = 10 };

/* A finding with a smaller part of the threads' time is not worth a change. Time off the processor does not count: it
 * grows with what other programs run. */
enum { MIN_TIME_PERCENT = 2 };

static bool is_part(uint64_t part, uint64_t whole, unsigned percent)
{
	return whole != 0 && (double)part * 100 >= (double)whole * percent;
}

/* The estimated time; if the losses are too few for an estimate, the measured time. */
static uint64_t lost_ns(const struct findings_search *search, const struct tally_sum *sum)
{
	bool is_known = !estimate_is_too_few(search->recording, sum->count);
	return is_known ? estimate_of(search->recording, sum).ns : sum->lost_ns;
}

/* The share that these aborts have of the time which no measured abort explains. */
static uint64_t unmeasured_ns(const struct findings_search *search, uint64_t aborts)
{
	double part = aborts < search->all_aborts ? (double)aborts / (double)search->all_aborts : 1;
	return aborts != 0 ? estimate_whole((double)search->unmeasured_ns * part) : 0;
}

bool findings_is_worth(const struct findings_search *search, const struct tally_sum *sum, uint64_t aborts)
{
	uint64_t ns = lost_ns(search, sum) + unmeasured_ns(search, aborts);
	return ns != 0 && is_part(ns, search->running_ns, MIN_TIME_PERCENT);
}

bool findings_is_enough_time(const struct findings_search *search, unsigned percent, const struct tally_sum *sum)
{
	return findings_is_worth(search, sum, 0) && is_part(lost_ns(search, sum), search->total.ns, percent);
}

bool findings_is_enough(const struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum)
{
	const struct finding_rule_row *row = finding_rule_row(rule);
	if (row->basis == FINDING_OF_LOST)
		return findings_is_enough_time(search, row->percent, sum);
	if (row->basis == FINDING_OF_WAKES)
		return sum->count >= FINDINGS_MIN;
	bool is_known = is_part(search->counted[row->basis], search->aborts, MIN_KNOWN_PERCENT);
	return is_known && sum->count >= FINDINGS_MIN && is_part(sum->count, search->counted[row->basis], row->percent);
}

/* ---- what was found ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The estimate of a part may exceed the estimate of the whole by chance, so it is cut. */
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
	search->cap = search->cap * 2 + 16;
	search->found.at = grown(search->found.at, search->found.len, search->cap, sizeof *search->found.at);
	search->cost = grown(search->cost, search->found.len, search->cap, sizeof *search->cost);
}

void findings_set_estimate(const struct findings_search *search, struct finding *finding, const struct estimate *lost)
{
	finding->lost = *lost;
	limit(&finding->lost, &search->total);
	finding->saves_at_max_ns = smaller(finding->lost.high_ns, search->recording->info.wall_ns);
}

void findings_set_lost(struct findings_search *search, size_t number)
{
	struct estimate lost = estimate_of(search->recording, &search->cost[number].sum);
	findings_set_estimate(search, &search->found.at[number], &lost);
}

struct finding *findings_add(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	char *where_text, char *because_text)
{
	make_room(search);
	size_t number = search->found.len++;
	search->found.at[number] = (struct finding){.rule = rule,
		.count = sum->count,
		.where_text = where_text,
		.because_text = because_text,
		.advice = finding_rule_row(rule)->advice};
	search->cost[number] = (struct findings_cost){.sum = *sum};
	findings_set_lost(search, number);
	return &search->found.at[number];
}

void finding_fini(struct finding *finding)
{
	for (size_t k = 0; k < FINDING_OBJECTS; k++)
		memory_free(finding->objects[k]);
	memory_free(finding->where_text);
	memory_free(finding->because_text);
	memory_free(finding->share_text);
	memory_free(finding->via_text);
	memory_free(finding->text);
}

struct number findings_share_of_time(const struct findings_search *search, uint64_t ns)
{
	struct account_shares shares = account_shares(search->recording);
	if (ns == search->total.ns)
		return number_tenths(account_lost_tenths(&shares));
	return number_share(ns, search->threads_ns);
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
	char *stripe = strstr(name, " (stripe 0x"), *line = strstr(name, " (cache line 0x");
	if (stripe != NULL || line != NULL)
		*(stripe != NULL ? stripe : line) = '\0';
	bool is_source = name[0] == '`';
	char *text = utf8_cleaned(is_source ? memory_text(name) : short_name(name));
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

void findings_make_each(
	struct findings_search *search, enum finding_rule rule, struct findings_group group, findings_make *make)
{
	size_t made = 0;
	for (size_t i = 0; i < group.tally.len && made < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (findings_is_enough(search, rule, &row->sum))
			made += make(search, row, group.origin[row->first]);
	}
	findings_group_drop(&group);
}

/* ---- the table of rules ---- */

#define OF(whole) FINDING_OF_##whole

const struct finding_rule_row *finding_rule_row(enum finding_rule rule)
{
	REQUIRES(rule < FINDING_RULES);
	static const struct finding_rule_row rows[FINDING_RULES] = {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) {name, title, OF(of), percent, advice},
#include "findings.def"
	};
	return &rows[rule];
}
