/* SPDX-License-Identifier: MIT
 * Adds losses up by place, then gathers places by function. */
#include "annotate.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "dictionary.h"
#include "loss.h"
#include "memory.h"
#include "source_file.h"

/* ---- by place ---- */

/* Where the culprit's transaction begins; PLACE_UNKNOWN: the traceback does not tell. */
static uint32_t begin_of(struct places *places, const bool *begins, uint32_t traceback)
{
	struct place_begin begin = places_begin_of(places, begins, traceback);
	return begin.is_known ? places_site(places, begin.site) : PLACE_UNKNOWN;
}

/* The sums of each place, by its number: sums[ANNOTATE_ROLES * place + role]. The caller frees them. */
static struct tally_sum *sums_by_place(const struct recording *recording, struct places *places)
{
	struct tally_sum *sums = memory_zeroed(PLACE_FIRST + recording->site_count, ANNOTATE_ROLES * sizeof *sums);
	bool *begins = places_begins(places);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		const uint32_t at[ANNOTATE_ROLES] = {[ANNOTATE_LOST] = places_innermost(places, entry->local),
			[ANNOTATE_LED] = places_innermost(places, entry->remote),
			[ANNOTATE_WHOLE_LOST] =
				entry->site < recording->site_count ? places_site(places, entry->site) : PLACE_UNKNOWN,
			[ANNOTATE_WHOLE_LED] = begin_of(places, begins, entry->remote)};
		struct tally_sum sum = tally_sum_of(entry);
		for (int role = 0; role < ANNOTATE_ROLES; role++)
			tally_sum_add(&sums[(size_t)at[role] * ANNOTATE_ROLES + (size_t)role], &sum);
	}
	memory_free(begins);
	return sums;
}

/* ---- by function ---- */

static char *path_of(const struct symbol_site *site, const struct symbol_frame *frame)
{
	return frame->file != NULL ? source_path(frame->file, site->directory) : NULL;
}

/* The function of a frame; made if it is the first of its name and file. */
static struct annotate_function *function_of(
	struct annotate *annotate, struct dictionary *names, const struct symbol_site *site)
{
	const struct symbol_frame *frame = site->frames;
	char *name = frame->function != NULL ? memory_text(frame->function) : loss_frame_name(frame);
	char *path = path_of(site, frame);
	char *key = memory_format("%zu %s%s", strlen(name), name, path != NULL ? path : "");
	const struct dictionary_entry *entry = dictionary_find(names, key);
	free(key);
	if (!entry->is_new) {
		free(name);
		free(path);
		return &annotate->functions[entry->number - 1];
	}
	annotate->functions =
		memory_grown(annotate->functions, annotate->len, &annotate->cap, sizeof *annotate->functions);
	struct annotate_function *function = &annotate->functions[annotate->len++];
	*function = (struct annotate_function){.name = name, .path = path, .first_line = frame->first_line};
	return function;
}

static void add_line(struct annotate_function *function, const struct symbol_frame *frame, const struct tally_sum *sums)
{
	function->lines = memory_grown(function->lines, function->len, &function->cap, sizeof *function->lines);
	struct annotate_line *added = &function->lines[function->len++];
	added->line = frame->line;
	added->last_line = frame->last_line;
	for (int role = 0; role < ANNOTATE_ROLES; role++) {
		added->sums[role] = sums[role];
		tally_sum_add(&function->sums[role], &sums[role]);
	}
}

static bool has_any(const struct tally_sum *sums)
{
	for (int role = 0; role < ANNOTATE_ROLES; role++)
		if (sums[role].count != 0)
			return true;
	return false;
}

static void gather(struct annotate *annotate, struct symbols *symbols, const struct tally_sum *sums)
{
	struct dictionary names = {.len = 0};
	for (size_t place = PLACE_FIRST; place < PLACE_FIRST + annotate->recording->site_count; place++) {
		const struct tally_sum *at_place = &sums[place * ANNOTATE_ROLES];
		if (!has_any(at_place))
			continue;
		const struct symbol_site *site = symbols_site(symbols, (uint32_t)(place - PLACE_FIRST));
		add_line(function_of(annotate, &names, site), site->frames, at_place);
	}
	dictionary_fini(&names);
}

/* ---- order ---- */

static int by_line(const void *a, const void *b)
{
	const struct annotate_line *left = a, *right = b;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return (left->last_line < right->last_line) - (left->last_line > right->last_line);
}

/* Places of one line can differ in their offset alone. */
static void join_lines(struct annotate_function *function)
{
	size_t len = 0;
	for (size_t i = 0; i < function->len; i++) {
		if (len == 0 || by_line(&function->lines[i], &function->lines[len - 1]) != 0) {
			function->lines[len++] = function->lines[i];
			continue;
		}
		for (int role = 0; role < ANNOTATE_ROLES; role++)
			tally_sum_add(&function->lines[len - 1].sums[role], &function->lines[i].sums[role]);
	}
	function->len = len;
}

/* The largest of the sums, by what is certain. */
static uint64_t weight_of(const struct recording *recording, const struct annotate_function *function)
{
	uint64_t largest_ns = 0;
	for (int role = 0; role < ANNOTATE_ROLES; role++) {
		uint64_t ns = estimate_of(recording, &function->sums[role]).low_ns;
		largest_ns = ns > largest_ns ? ns : largest_ns;
	}
	return largest_ns;
}

static int by_weight(const void *a, const void *b, void *recording)
{
	const struct annotate_function *left = a, *right = b;
	uint64_t left_weight = weight_of(recording, left), right_weight = weight_of(recording, right);
	if (left_weight != right_weight)
		return left_weight > right_weight ? -1 : 1;
	return strcmp(left->name, right->name);
}

struct annotate annotate_make(const struct recording *recording, struct symbols *symbols)
{
	struct annotate annotate = {.recording = recording};
	struct places *places = places_create(recording, symbols);
	struct tally_sum *sums = sums_by_place(recording, places);
	for (size_t place = 0; place < PLACE_FIRST; place++)
		tally_sum_add(&annotate.unknown, &sums[place * ANNOTATE_ROLES + ANNOTATE_LOST]);
	gather(&annotate, symbols, sums);
	for (size_t i = 0; i < annotate.len; i++) {
		qsort(annotate.functions[i].lines, annotate.functions[i].len, sizeof(struct annotate_line), by_line);
		join_lines(&annotate.functions[i]);
	}
	if (annotate.len > 0)
		qsort_r(annotate.functions, annotate.len, sizeof *annotate.functions, by_weight, (void *)recording);
	free(sums);
	places_destroy(&places);
	return annotate;
}

static void function_fini(struct annotate_function *function)
{
	free(function->name);
	free(function->path);
	free(function->lines);
}

void annotate_drop(struct annotate *annotate)
{
	for (size_t i = 0; i < annotate->len; i++)
		function_fini(&annotate->functions[i]);
	free(annotate->functions);
	*annotate = (struct annotate){.len = 0};
}

/* ---- choice ---- */

void annotate_choose(struct annotate *annotate, const char *words)
{
	regex_t expression;
	size_t len = 0;
	/* "operator[" is a name, and no expression. */
	bool is_expression = regcomp(&expression, words, REG_EXTENDED | REG_NOSUB) == 0;
	for (size_t i = 0; i < annotate->len; i++) {
		struct annotate_function *function = &annotate->functions[i];
		bool is_chosen = strstr(function->name, words) != NULL ||
				 (is_expression && regexec(&expression, function->name, 0, NULL, 0) == 0);
		if (is_chosen)
			annotate->functions[len++] = *function;
		else
			function_fini(function);
	}
	if (is_expression)
		regfree(&expression);
	annotate->len = len;
}
