/* SPDX-License-Identifier: MIT
 * Numbers and texts are merged by the tables made of info.def; lists have code of their own. */
#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "memory.h"
#include "number.h"
#include "symbol.h"

enum rule {
	MERGE_SUM,
	MERGE_MAX,
	MERGE_MIN,
	MERGE_SAME,
	MERGE_FIRST,
	MERGE_ERROR,
	MERGE_NONE,
	MERGE_EQUAL,
	MERGE_PATH,
	MERGE_MIXED,
	MERGE_WRITER
};

struct row {
	const char *key;
	size_t at; /* of the member */
	enum rule rule;
};

#define ROW(key, merge) {#key, offsetof(struct recording_info, key), MERGE_##merge},
static const struct row numbers[] = {
#define STMLOG_INFO_NUMBER(key, absent, merge, doc) ROW(key, merge)
#include <stmlog/info.def>
};
static const struct row texts[] = {
#define STMLOG_INFO_TEXT(key, merge, doc) ROW(key, merge)
#include <stmlog/info.def>
};
#undef ROW
enum { NUMBERS = sizeof numbers / sizeof numbers[0], TEXTS = sizeof texts / sizeof texts[0] };

/* ---- numbers ---- */

static uint64_t *number_in(const struct row *row, struct recording_info *info)
{
	return (uint64_t *)(void *)((char *)info + row->at);
}

static uint64_t info_number_of(const struct row *row, const struct recording_info *info)
{
	uint64_t number;
	memcpy(&number, (const char *)info + row->at, sizeof number);
	return number;
}

/* Two numbers do not suffice for FIRST and ERROR: see set_earliest() and error_of(). */
static uint64_t combine(enum rule rule, uint64_t a, uint64_t b)
{
	switch (rule) {
	case MERGE_SUM:
		return a == RECORDING_UNSAID ? b : b == RECORDING_UNSAID ? a : a + b;
	case MERGE_MAX:
		return a > b ? a : b;
	case MERGE_MIN:
		return a < b ? a : b;
	case MERGE_SAME:
		return a == b ? a : 0;
	default:
		return a;
	}
}

static void set_earliest(struct recording_info *sum, const struct recording_info *more)
{
	bool is_as_early = more->unix_ns == sum->unix_ns && more->began_ns < sum->began_ns;
	if (!is_as_early && !merge_is_earlier(more->unix_ns, sum->unix_ns))
		return;
	sum->unix_ns = more->unix_ns;
	sum->began_ns = more->began_ns;
}

/* Other programs had the time in which the processors were busy, less the time of all processes of the run. Each
 * process knows how busy the processors were while it ran. The run is as busy as the process that ran longest says. */
static void share_machine(
	struct recording_info *sum, const struct recording_info *before, const struct recording_info *more)
{
	const struct recording_info *longest = more->wall_ns > before->wall_ns ? more : before;
	bool is_known = before->process_ns != 0 && more->process_ns != 0 && longest->wall_ns != 0;
	double times = is_known ? (double)sum->wall_ns / (double)longest->wall_ns : 0;
	double busy_ns = ((double)longest->machine_ns - (double)longest->machine_idle_ns) * times;
	double others_ns = busy_ns - (double)sum->process_ns;
	sum->process_ns = is_known ? sum->process_ns : 0;
	sum->machine_ns = (uint64_t)((double)longest->machine_ns * times);
	sum->machine_idle_ns = (uint64_t)((double)longest->machine_idle_ns * times);
	sum->machine_others_ns = others_ns > 0 ? (uint64_t)others_ns : 0;
}

/* They ran side by side, so the run is as long as from the first beginning to the last end. */
static void keep_one_run(
	struct recording_info *sum, const struct recording_info *before, const struct recording_info *more)
{
	uint64_t end_ns = before->began_ns + before->wall_ns, more_end_ns = more->began_ns + more->wall_ns;
	bool is_first = merge_is_earlier(more->began_ns, before->began_ns);
	sum->began_ns = is_first ? more->began_ns : before->began_ns;
	sum->unix_ns = is_first ? more->unix_ns : before->unix_ns;
	sum->wall_ns = (merge_is_earlier(end_ns, more_end_ns) ? more_end_ns : end_ns) - sum->began_ns;
	share_machine(sum, before, more);
	sum->runs = before->runs;
	sum->pid = before->pid;
	sum->killed_by = before->killed_by;
}

static void add_numbers(struct merge_info *info, const struct recording_info *more)
{
	const struct recording_info before = info->sum;
	for (size_t i = 0; i < NUMBERS; i++) {
		uint64_t *sum = number_in(&numbers[i], &info->sum);
		*sum = combine(numbers[i].rule, *sum, info_number_of(&numbers[i], more));
	}
	if (info->is_one_run)
		keep_one_run(&info->sum, &before, more);
	else
		set_earliest(&info->sum, more);
}

static void begin_numbers(struct merge_info *info, const struct recording_info *first)
{
	for (size_t i = 0; i < NUMBERS; i++)
		*number_in(&numbers[i], &info->sum) =
			numbers[i].rule != MERGE_NONE ? info_number_of(&numbers[i], first) : 0;
}

/* ---- texts: copies ---- */

static char **text_in(const struct row *row, struct recording_info *info)
{
	return (char **)(void *)((char *)info + row->at);
}

static const char *info_text_of(const struct row *row, const struct recording_info *info)
{
	const char *text;
	memcpy(&text, (const char *)info + row->at, sizeof text);
	return text;
}

static const char *mixed(const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		return a;
	return a[0] != '\0' && b[0] != '\0' ? RECORDING_MIXED : "";
}

static void add_texts(struct merge_info *info, const struct recording_info *more)
{
	for (size_t i = 0; i < TEXTS; i++) {
		if (texts[i].rule != MERGE_MIXED)
			continue;
		char **sum = text_in(&texts[i], &info->sum),
		     *text = memory_text(mixed(*sum, info_text_of(&texts[i], more)));
		free(*sum);
		*sum = text;
	}
}

static void begin_texts(struct merge_info *info, const struct recording_info *first)
{
	for (size_t i = 0; i < TEXTS; i++)
		*text_in(&texts[i], &info->sum) =
			memory_text(texts[i].rule == MERGE_WRITER ? STMLOG_VERSION : info_text_of(&texts[i], first));
}

static void free_texts(struct merge_info *info)
{
	for (size_t i = 0; i < TEXTS; i++)
		free(*text_in(&texts[i], &info->sum));
}

/* ---- lists ---- */

static void copy_list(struct recording_list *to, const struct recording_list *from)
{
	to->at = memory_zeroed(from->len, sizeof *to->at);
	for (to->len = 0; to->len < from->len; to->len++)
		to->at[to->len] = memory_text(from->at[to->len]);
}

static void free_list(struct recording_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		free((char *)(uintptr_t)list->at[i]);
	free(list->at);
	*list = (struct recording_list){0};
}

static bool same_list(const struct recording_list *a, const struct recording_list *b)
{
	bool is_same = a->len == b->len;
	for (size_t i = 0; i < a->len && is_same; i++)
		is_same = strcmp(a->at[i], b->at[i]) == 0;
	return is_same;
}

static bool has_option(const struct recording_list *options, const char *key, const char *value)
{
	for (size_t i = 0; i + 1 < options->len; i += 2) {
		if (strcmp(options->at[i], key) == 0 && strcmp(options->at[i + 1], value) == 0)
			return true;
	}
	return false;
}

/* Keeps the options that both lists have, in the order of the first. */
static void retain_common(struct recording_list *options, const struct recording_list *more)
{
	struct recording_list kept = {memory_zeroed(options->len, sizeof *kept.at), 0};
	for (size_t i = 0; i + 1 < options->len; i += 2) {
		if (!has_option(more, options->at[i], options->at[i + 1]))
			continue;
		kept.at[kept.len++] = memory_text(options->at[i]);
		kept.at[kept.len++] = memory_text(options->at[i + 1]);
	}
	free_list(options);
	*options = kept;
}

/* ---- the whole ---- */

/* Times read from the TSC are converted to CLOCK_MONOTONIC. */
static bool is_same_clock(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || (strcmp(a, "custom") != 0 && strcmp(b, "custom") != 0);
}

const char *merge_info_mismatch(const struct merge_info *info, const struct recording *recording)
{
	const struct recording_info *a = &info->sum, *b = &recording->info;
	if (!info->is_begun)
		return NULL;
	if (!info->is_one_run && strcmp(symbol_basename(a->program), symbol_basename(b->program)) != 0)
		return "is of another program than the first file";
	if (strcmp(a->runtime, b->runtime) != 0)
		return "is of another runtime than the first file";
	if (!is_same_clock(a->clock, b->clock))
		return "was made with another clock than the first file";
	if ((a->commits_known != 0) != (b->commits_known != 0))
		return "has times where the first file has none, or the other way round";
	struct recorded_account sum = info->account, more = account_total(recording);
	return account_add(&sum, &more) ? NULL
					: "has counts or times whose sums with those of other files are above 2^64";
}

static double variance_of(const struct recording *recording)
{
	double causes = 0, error_ns = (double)recording->info.lost_error_ns;
	for (size_t i = 0; i < recording->total_count; i++)
		causes += recording->totals[i].variance_ns2;
	return causes > error_ns * error_ns ? causes : error_ns * error_ns; /* the error was rounded */
}

static void merge_info_begin(struct merge_info *info, const struct recording_info *first)
{
	info->is_begun = info->has_args = true;
	begin_numbers(info, first);
	begin_texts(info, first);
	copy_list(&info->args, &first->args);
	copy_list(&info->options, &first->options);
}

void merge_info_add(struct merge_info *info, const struct recording *recording)
{
	const struct recording_info *more = &recording->info;
	const struct recorded_account account = account_total(recording);
	account_add(&info->account, &account);
	if (info->is_begun) {
		add_numbers(info, more);
		add_texts(info, more);
		info->has_args = info->has_args && (info->is_one_run || same_list(&info->args, &more->args));
		retain_common(&info->options, &more->options);
	} else {
		merge_info_begin(info, more);
	}
	info->variance_ns2 += variance_of(recording);
}

static void say(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s=%s%c", key, value, '\0');
}

static void say_texts(FILE *out, const struct recording_info *info)
{
	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = info_text_of(&texts[i], info);
		if (texts[i].rule != MERGE_MIXED || text[0] != '\0')
			say(out, texts[i].key, text);
	}
}

static void say_numbers(FILE *out, const struct recording_info *info)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		uint64_t number = info_number_of(&numbers[i], info);
		if (number != RECORDING_UNSAID)
			fprintf(out, "%s=%" PRIu64 "%c", numbers[i].key, number, '\0');
	}
}

/* Rounded up: the variances of the parts must not exceed that of the whole. */
static uint64_t error_of(double variance_ns2)
{
	if (!(variance_ns2 < 0x1p126))
		return INT64_MAX;
	uint64_t error_ns = (uint64_t)stmlog_root(variance_ns2);
	return error_ns + ((double)error_ns * (double)error_ns < variance_ns2);
}

char *merge_info_text(const struct merge_info *info, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	struct recording_info sum = info->sum;
	if (out == NULL)
		memory_end();
	sum.lost_error_ns = error_of(info->variance_ns2);
	say_texts(out, &sum);
	for (size_t i = 0; i < info->args.len && info->has_args; i++)
		say(out, "arg", info->args.at[i]);
	for (size_t i = 0; i < info->options.len; i++)
		say(out, i % 2 == 0 ? "option" : "value", info->options.at[i]);
	say_numbers(out, &sum);
	if (fclose(out) != 0)
		memory_end();
	return text;
}

void merge_info_fini(struct merge_info *info)
{
	free_texts(info);
	free_list(&info->args);
	free_list(&info->options);
	*info = (struct merge_info){0};
}
