/* SPDX-License-Identifier: MIT
 * `stmlog diff`: its options, and the files of the two sides. The comparison is in diff/. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "diff.h"
#include "number.h"
#include "output.h"
#include "page.h"

enum { METRIC = 256, THRESHOLD, ALPHA, TOP, FORMAT, STRICT, JSON, HTML };

static const struct option_row options[] = {
	{"metric", METRIC, "lost|aborts|paused|rate|throughput", "what is compared (lost)"},
	{"threshold", THRESHOLD, "SHARE", "a smaller change, or an equal one, is no regression (10%)"},
	{"alpha", ALPHA, "P", "the probability of a false alarm that is accepted (0.05)"},
	{"top", TOP, "N", "how many keys and how many tags of regions to list (10; all in JSON)"},
	{"format", FORMAT, "text|json|markdown", "how to print it (text)"},
	{"strict", STRICT, NULL, "exit status 3 if there are too few runs to decide"},
	{"json", JSON, NULL, "the same as --format=json"},
	{"html", HTML, "OUT",
		"also write a page for browsers, one file with both sides; -: stdout, and nothing else there"},
	{0},
};

struct wishes {
	struct diff_options options;
	bool is_strict;
	void (*print)(const struct diff *diff, FILE *out);
	const char *html; /* the page's path; NULL: no page is wanted */
};

static bool parse_top(const char *word, struct diff_options *to)
{
	uint64_t number;
	to->has_top = number_parse(word, &number);
	to->top = to->has_top ? (size_t)number : DIFF_TOP;
	return to->has_top;
}

/* The words of --metric are in the order of enum diff_metric. */
static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	static void (*const formats[])(const struct diff *diff, FILE *out) = {diff_text, diff_json, diff_markdown};
	struct diff_options *to = &wishes->options;
	int found = id == METRIC   ? arguments_choice(arguments, "metric")
		    : id == FORMAT ? arguments_choice(arguments, "format")
				   : 0;
	if (found == ARGUMENTS_STOP)
		return ARGUMENTS_STOP;
	switch (id) {
	case METRIC:
		to->metric = (enum diff_metric)found;
		break;
	case THRESHOLD:
		if (!number_parse_share(arguments->value, &to->threshold))
			return arguments_refuse(arguments, "threshold", "a share, such as 10% or 0.1");
		break;
	case ALPHA:
		if (!number_parse_share(arguments->value, &to->alpha) || to->alpha <= 0 || to->alpha >= 1)
			return arguments_refuse(arguments, "alpha", "a number between 0 and 1, such as 0.05");
		break;
	case TOP:
		if (!parse_top(arguments->value, to))
			return arguments_refuse(arguments, "top", "a number");
		break;
	case FORMAT:
		wishes->print = formats[found];
		break;
	case STRICT:
		wishes->is_strict = true;
		break;
	case HTML:
		wishes->html = arguments->value;
		break;
	default:
		wishes->print = diff_json;
	}
	return 0;
}

/* ---- files ---- */

/* The arguments OLD... -- NEW..., by side. Of two files the first is OLD, without "--" as well. */
struct files {
	char **at[2];
	size_t len[2];
};

static size_t count_words(char **words, const char *end)
{
	size_t len = 0;
	while (words[len] != NULL && (end == NULL || strcmp(words[len], end) != 0))
		len++;
	return len;
}

static bool find_files(struct files *files, char **words)
{
	size_t old = count_words(words, "--");
	bool is_pair = words[old] == NULL && old == 2;
	if (words[old] == NULL && !is_pair)
		return false;
	char **new = is_pair ? words + 1 : words + old + 1;
	*files = (struct files){{words, new}, {is_pair ? 1 : old, count_words(new, NULL)}};
	return files->len[DIFF_OLD] > 0 && files->len[DIFF_NEW] > 0;
}

static bool load(struct diff *diff, const struct files *files)
{
	bool is_good = true;
	size_t done = 0;
	struct progress progress = progress_begin("reading", files->len[DIFF_OLD] + files->len[DIFF_NEW], stdout);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < files->len[side] && is_good; i++) {
			progress_step(&progress, done++);
			is_good = diff_load(diff, side, files->at[side][i]);
		}
	}
	progress_end(&progress);
	return is_good;
}

/* Returns false, and prints why, if the page cannot be written. */
static bool write_page(const struct diff *diff, const char *path)
{
	struct recording sides[2];
	struct output output;
	bool is_good = true;
	for (int side = 0; side < 2; side++) {
		const char *file = diff->sides[side].runs[page_typical_run(diff, side)].path;
		bool is_whole = recording_load(&sides[side], file) == RECORDING_WHOLE;
		if (!is_whole)
			diag(file, "%s; --html reads a typical run of each side twice", sides[side].fault);
		is_good &= is_whole;
	}
	is_good = is_good && output_begin(&output, path);
	if (is_good) {
		page_write(&(struct page){.diff = diff, .sides = sides}, output.file);
		is_good = output_end(&output);
	}
	recording_fini(&sides[DIFF_OLD]);
	recording_fini(&sides[DIFF_NEW]);
	return is_good;
}

static int print(const struct diff *diff, const struct wishes *wishes)
{
	if (wishes->html != NULL && !write_page(diff, wishes->html))
		return STATUS_UNUSABLE;
	if (wishes->html == NULL || strcmp(wishes->html, "-") != 0)
		wishes->print(diff, stdout);
	if (!diff->is_decided)
		return wishes->is_strict ? STATUS_UNDECIDED : STATUS_DONE;
	return diff->worse > 0 ? STATUS_VIOLATION : STATUS_DONE;
}

static int compare(const struct files *files, const struct wishes *wishes)
{
	int status = STATUS_UNUSABLE;
	struct diff diff = diff_init(&wishes->options, files->len);
	if (load(&diff, files) && diff_compare(&diff))
		status = print(&diff, wishes);
	diff_fini(&diff);
	return diag_finish_stdout(status);
}

static int cmd_diff_run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	struct wishes wishes = {.options = DIFF_USUAL, .print = diff_text};
	struct files files;
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	if (wishes.html != NULL && page_bundle().bytes == NULL) {
		diag(self->name, PAGE_IS_MISSING);
		return STATUS_UNUSABLE;
	}
	if (!find_files(&files, argv + arguments.first)) {
		diag(self->name, "needs files on both sides: OLD... -- NEW...; see 'stmlog help %s'", self->name);
		return STATUS_UNUSABLE;
	}
	return compare(&files, &wishes);
}

const struct command cmd_diff = {
	.name = "diff",
	.arguments = "OLD... -- NEW...",
	.summary = "compares runs of two versions: does the new one lose more, and where; are its regions slower",
	.options = options,
	.notes = "Each file is one run. 10 runs a side are recommended, 4 are needed. Of two files the first is\n"
		 "OLD, without '--' as well. Losses are per committed transaction, so that runs may differ in\n"
		 "length. Figures are medians of the runs; '~' means that the sides do not differ significantly\n"
		 "(Mann-Whitney U; over the keys Holm's correction, by their shares of the loss). A change for\n"
		 "the worse is a regression if it is significant and beyond the threshold; that of a key must also\n"
		 "exceed a tenth of the threshold of the total of OLD, and all of it if OLD does not have the key.\n"
		 "The throughput is told beside the loss; it is a regression only as the metric. Regions are\n"
		 "judged by tag, whatever the metric: by work per second, or by the time of each if they have no\n"
		 "work; their p are corrected apart from the keys'.\n"
		 "Exit status: 0 no regression, 1 a regression, 2 unreadable, 3 with --strict if it cannot decide.\n",
	.stops_at_argument = true,
	.has_colours = true,
	.is_paged = true,
	.run = cmd_diff_run,
};
