/* SPDX-License-Identifier: MIT
 * Facts are texts, so that one function compares them all. */
#include "diff.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "recorded_account.h"
#include "number.h"
#include "report.h"
#include "symbol.h"
#include "work.h"

struct diff_facts diff_facts_init(size_t runs)
{
	struct diff_facts facts = {
		.runs = memory_zeroed(runs, sizeof *facts.runs), .min_threads = SIZE_MAX, .min_descheduled = 1};
	for (size_t fact = 0; fact < DIFF_FACTS; fact++)
		facts.texts[fact] = memory_zeroed(runs, sizeof(char *));
	return facts;
}

void diff_facts_fini(struct diff_facts *facts)
{
	for (size_t fact = 0; fact < DIFF_FACTS; fact++) {
		for (size_t i = 0; i < facts->len; i++)
			free(facts->texts[fact][i]);
		free(facts->texts[fact]);
	}
	free(facts->runs);
	*facts = (struct diff_facts){.len = 0};
}

/* ---- facts of a run ---- */

/* Whether the option only says where output goes, how much, or when. Recordings of earlier versions have late, board
 * and in. */
static bool is_about_output(const char *option)
{
	static const char *const keys[] = {
		"out", "report", "top", "verbose", "signal", "late", "board", "in", "snapshot", "kill"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(option, keys[i]) == 0)
			return true;
	}
	return false;
}

/* "before WORD after". Frees `text`. */
static char *with(char *text, const char *before, const char *word, const char *after)
{
	char *longer = memory_format("%s%s%s%s%s", text, text[0] != '\0' ? " " : "", before, word, after);
	free(text);
	return longer;
}

static char *options_of(const struct recording_info *info)
{
	char *text = memory_text("");
	for (size_t i = 0; i + 1 < info->options.len; i += 2) {
		if (is_about_output(info->options.at[i]))
			continue;
		char *value = memory_format("=%s", info->options.at[i + 1]);
		text = with(text, "", info->options.at[i], value);
		free(value);
	}
	return text;
}

/* Without argv[0], which is the program. */
static char *arguments_of_run(const struct recording_info *info)
{
	char *text = memory_text("");
	for (size_t i = 1; i < info->args.len; i++)
		text = with(text, "'", info->args.at[i], "'");
	return text;
}

static char *agents_of(const struct recording *recording)
{
	static const char prefix[] = "libstmlog";
	char *text = memory_text("");
	for (size_t i = 0; i < recording->module_count; i++) {
		const char *name = symbol_basename(recording_string(recording, recording->modules[i].path));
		if (strncmp(name, prefix, sizeof prefix - 1) == 0)
			text = with(text, "", name, "");
	}
	return text;
}

static char *measured_of(const struct recording *recording)
{
	if (!recording_has_times(recording))
		return memory_text("nothing");
	return memory_text(recording_is_sampled(recording) ? "some transactions" : "every transaction");
}

static char *processors_of(const struct recording_info *info)
{
	return info->processors != 0 ? memory_format("%" PRIu64, info->processors) : memory_text("not known");
}

static void add_descheduled(struct diff_facts *facts, const struct recording *recording)
{
	double attached_ns = (double)account_total(recording).attached_ns;
	if (recording->info.descheduled_known == 0)
		return;
	facts->descheduled_known++;
	double share = attached_ns > 0 ? (double)recording->row_ns[STMLOG_ACCOUNT_DESCHEDULED] / attached_ns : 0;
	facts->min_descheduled = share < facts->min_descheduled ? share : facts->min_descheduled;
	facts->max_descheduled = share > facts->max_descheduled ? share : facts->max_descheduled;
}

static bool lacks_events(const struct recording *recording)
{
	return recording->info.events_missing != 0 && work_is_told(recording);
}

void diff_facts_add(struct diff_facts *facts, const struct recording *recording, const char *path)
{
	const struct recording_info *info = &recording->info;
	size_t i = facts->len++, threads = report_thread_count(recording);
	facts->runs[i] = (struct diff_identity){path, info->unix_ns, info->began_ns, info->pid};
	facts->texts[DIFF_FACT_PROGRAM][i] =
		memory_text(symbol_basename(info->program)); /* two builds lie in two places */
	facts->texts[DIFF_FACT_ARGUMENTS][i] = arguments_of_run(info);
	facts->texts[DIFF_FACT_RUNTIME][i] = memory_text(info->runtime);
	facts->texts[DIFF_FACT_METHOD][i] = memory_text(info->method[0] != '\0' ? info->method : "not known");
	facts->texts[DIFF_FACT_PROCESSORS][i] = processors_of(info);
	facts->texts[DIFF_FACT_CLOCK][i] = memory_text(info->clock);
	facts->texts[DIFF_FACT_OPTIONS][i] = options_of(info);
	facts->texts[DIFF_FACT_AGENTS][i] = agents_of(recording);
	facts->texts[DIFF_FACT_MEASURED][i] = measured_of(recording);
	add_descheduled(facts, recording);
	facts->incomplete += lacks_events(recording);
	facts->min_threads = threads < facts->min_threads ? threads : facts->min_threads;
	facts->max_threads = threads > facts->max_threads ? threads : facts->max_threads;
}

/* ---- both sides ---- */

struct comparison {
	const struct diff_facts *old;
	const struct diff_facts *new;
	void (*print_line)(const char *line, void *arg);
	void *arg;
};

/* Prints the line, and frees it. */
static void print(const struct comparison *comparison, char *line)
{
	comparison->print_line(line, comparison->arg);
	free(line);
}

static bool has(const struct diff_facts *facts, int fact, size_t len, const char *text)
{
	for (size_t i = 0; i < len; i++) {
		if (strcmp(facts->texts[fact][i], text) == 0)
			return true;
	}
	return false;
}

static bool is_within(const struct diff_facts *some, const struct diff_facts *others, int fact)
{
	for (size_t i = 0; i < some->len; i++) {
		if (!has(others, fact, others->len, some->texts[fact][i]))
			return false;
	}
	return true;
}

/* The different values of a side's runs, "A and B". The caller frees it. */
static char *all_of(const struct diff_facts *facts, int fact)
{
	enum { SHOWN = 3 };
	size_t shown = 0;
	char *list = memory_text("");
	for (size_t i = 0; i < facts->len; i++) {
		const char *text = facts->texts[fact][i];
		if (has(facts, fact, i, text) || shown++ > SHOWN)
			continue;
		const char *word = shown > SHOWN ? "..." : text[0] != '\0' ? text : "none";
		list = with(list, list[0] != '\0' ? "and " : "", word, "");
	}
	return list;
}

static void compare_fact(const struct comparison *comparison, int fact)
{
	static const char *const names[DIFF_FACTS] = {"programs", "arguments", "runtimes", "methods",
		"numbers of processors", "clocks", "options", "agents", "measured transactions"};
	if (is_within(comparison->old, comparison->new, fact) && is_within(comparison->new, comparison->old, fact))
		return;
	char *old = all_of(comparison->old, fact), *new = all_of(comparison->new, fact);
	print(comparison, memory_format("the %s differ: OLD %s, NEW %s", names[fact], old, new));
	free(old);
	free(new);
}

/* The number of threads may vary from run to run: only ranges that do not overlap are told. */
static void compare_threads(const struct comparison *comparison)
{
	const struct diff_facts *old = comparison->old, *new = comparison->new;
	if (old->max_threads >= new->min_threads &&new->max_threads >= old->min_threads)
		return;
	print(comparison, memory_format("the numbers of threads differ: OLD %zu to %zu, NEW %zu to %zu",
				  old->min_threads, old->max_threads, new->min_threads, new->max_threads));
}

/* Time off the processor is the scheduler's doing, and no part of the times compared. It varies: only ranges that lie
 * more than a hundredth of the time apart are told. */
static void compare_descheduled(const struct comparison *comparison)
{
	const struct diff_facts *old = comparison->old, *new = comparison->new;
	const double apart = 0.01;
	if (old->descheduled_known < old->len || new->descheduled_known < new->len)
		return;
	if (old->max_descheduled + apart >= new->min_descheduled &&new->max_descheduled + apart >= old->min_descheduled)
		return;
	print(comparison,
		memory_format(
			"the times off the processor differ: OLD %s to %s %% of the threads' time, NEW %s to %s %%",
			number_rounded(100 * old->min_descheduled, 1).text,
			number_rounded(100 * old->max_descheduled, 1).text,
			number_rounded(100 * new->min_descheduled, 1).text,
			number_rounded(100 * new->max_descheduled, 1).text));
}

static void print_incomplete(const struct comparison *comparison)
{
	size_t old = comparison->old->incomplete, new = comparison->new->incomplete;
	if (old + new > 0)
		print(comparison,
			memory_format("events are missing in %zu OLD and %zu NEW runs, and with them time and work of "
				      "regions; record with --timeline=unbounded",
				old, new));
}

static bool is_one_run(const struct diff_identity *a, const struct diff_identity *b)
{
	return a->unix_ns != 0 && a->unix_ns == b->unix_ns && a->began_ns == b->began_ns && a->pid == b->pid;
}

/* The first of the runs that is the same run; NULL: none is. */
static const struct diff_identity *same_run(
	const struct diff_identity *runs, size_t len, const struct diff_identity *run)
{
	for (size_t i = 0; i < len; i++) {
		if (is_one_run(&runs[i], run))
			return &runs[i];
	}
	return NULL;
}

static void print_repeated(const struct comparison *comparison, const struct diff_facts *side, const char *name)
{
	for (size_t i = 0; i < side->len; i++) {
		const struct diff_identity *other = same_run(side->runs, i, &side->runs[i]);
		if (other != NULL)
			print(comparison,
				memory_format("%s has one run twice: %s, %s", name, other->path, side->runs[i].path));
	}
}

static void print_shared(const struct comparison *comparison)
{
	const struct diff_facts *old = comparison->old, *new = comparison->new;
	for (size_t i = 0; i < new->len; i++) {
		const struct diff_identity *other = same_run(old->runs, old->len, &new->runs[i]);
		if (other != NULL)
			print(comparison, memory_format("one run is on both sides: OLD %s, NEW %s", other->path,
						  new->runs[i].path));
	}
}

/* When the first or the last run of a side began; 0: that is not known of each run. */
static uint64_t limit(const struct diff_facts *side, bool is_last)
{
	uint64_t found = side->runs[0].unix_ns;
	for (size_t i = 0; i < side->len; i++) {
		uint64_t ns = side->runs[i].unix_ns;
		if (ns == 0)
			return 0;
		found = (ns > found) == is_last ? ns : found;
	}
	return found;
}

static void print_swapped(const struct comparison *comparison)
{
	uint64_t last_new = limit(comparison->new, true), first_old = limit(comparison->old, false);
	if (last_new != 0 && last_new < first_old)
		print(comparison,
			memory_text("the NEW runs were all made before the OLD ones: the sides look swapped"));
}

void diff_facts_compare(const struct diff_facts *old, const struct diff_facts *new,
	void (*print_line)(const char *line, void *arg), void *arg)
{
	struct comparison comparison = {old, new, print_line, arg};
	for (int fact = 0; fact < DIFF_FACTS; fact++)
		compare_fact(&comparison, fact);
	compare_threads(&comparison);
	compare_descheduled(&comparison);
	print_incomplete(&comparison);
	print_repeated(&comparison, old, "OLD");
	print_repeated(&comparison, new, "NEW");
	print_shared(&comparison);
	print_swapped(&comparison);
}
