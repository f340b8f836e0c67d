/* SPDX-License-Identifier: MIT
 * `stmlog report`: its options, and which files make a report together. The report is in report/. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "page.h"
#include "recording.h"
#include "report_json.h"
#include "report_views.h"
#include "work.h"

enum { USUAL_PATHS = 20 }; /* rows; a path has as many as functions. Of processes, and of transactions, likewise */

enum { SORT = 256, BY, TOP, FULL, JSON, HTML, SRCDIR, NO_SOURCE };

static const struct option_row options[] = {
	{"sort", SORT, "lost|count|longest", "list the largest of these first (lost)"},
	{"by", BY, "WHAT",
		"list losses by entry, site, pair, object, thread, process, cause; all time by path; work by region; "
		"attempts by transaction (entry)"},
	{"top", TOP, "N",
		"how many rows to list (5; 20 processes, paths and transactions; all causes and regions; all in JSON)"},
	{"full", FULL, NULL, "show all: behind the first screen the account, entries with all frames, all threads"},
	{"json", JSON, NULL, "print one JSON object per file; times in ns"},
	{"html", HTML, "OUT", "write a page for browsers, one file with all of it; -: stdout"},
	{"srcdir", SRCDIR, "DIR", "of a page: look for sources below DIR first, by the ends of their paths"},
	{"no-source", NO_SOURCE, NULL, "of a page: show no lines of sources"},
	{0},
};

struct wishes {
	struct report_options options;
	bool has_top, has_sort, has_by;
	bool is_json;
	const char *html;   /* the page's path; NULL: no page is wanted */
	const char *srcdir; /* NULL: not given */
	bool has_no_source;
};

/* The words of an option are in the order of the enumeration that it chooses from. */
static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	uint64_t top = 0;
	int found = id == SORT ? arguments_choice(arguments, "sort") : id == BY ? arguments_choice(arguments, "by") : 0;
	if (found == ARGUMENTS_STOP)
		return ARGUMENTS_STOP;
	if (id == SORT)
		wishes->options.sort = (enum tally_sort)found;
	if (id == BY)
		wishes->options.by = (enum report_by)found;
	if (id == TOP && !number_parse(arguments->value, &top))
		return arguments_refuse(arguments, "top", "a number");
	if (id == TOP) {
		wishes->options.top = (size_t)top;
		wishes->has_top = true;
	}
	wishes->options.is_full |= id == FULL;
	wishes->has_sort |= id == SORT;
	wishes->has_by |= id == BY;
	wishes->is_json |= id == JSON;
	wishes->has_no_source |= id == NO_SOURCE;
	if (id == HTML)
		wishes->html = arguments->value;
	if (id == SRCDIR)
		wishes->srcdir = arguments->value;
	return 0;
}

struct loaded {
	const char *path;
	enum recording_status status;
	struct recording recording;
};

/* A timeline that contradicts itself is no reason to withhold the rest. */
static bool write_page(const struct report *report, const struct wishes *wishes)
{
	struct output output;
	struct work work = {.fault = NULL};
	bool has_timeline = report->recording->has_timeline;
	if (!output_begin(&output, wishes->html))
		return false;
	if (has_timeline)
		work_build(&work, report->recording);
	struct page page = {report, has_timeline ? &work : NULL, wishes->has_no_source, wishes->srcdir, NULL, NULL};
	char *shown = page_write(&page, output.file);
	work_fini(&work);
	bool is_written = output_end(&output);
	if (is_written && shown != NULL)
		diag(wishes->html, "has lines of these sources: %s; --no-source leaves them out", shown);
	free(shown);
	return is_written;
}

/* A recording that ends early is reported as far as it goes; its exit status is that of an error. */
static int report_one(struct loaded *loaded, const struct wishes *wishes)
{
	struct recording *recording = &loaded->recording;
	int status = STATUS_DONE;
	if (loaded->status == RECORDING_UNUSABLE)
		return STATUS_UNUSABLE;
	if (wishes->options.by == REPORT_BY_PATH && recording->path_count == 0) {
		diag(loaded->path, "has no time by call path; 'stmlog record --paths' keeps it");
		return STATUS_UNUSABLE;
	}
	struct symbols *symbols = symbols_create(recording);
	struct printer out = wishes->is_json ? file_printer(stdout) : text_printer(stdout);
	out.is_whole = wishes->options.is_full;
	bool is_named = strcmp(loaded->path, RECORDING_USUAL_FILE) != 0 && strcmp(loaded->path, "-") != 0;
	const char *file = is_named ? loaded->path : REPORT_USUAL_FILE;
	struct report report = {recording, symbols, wishes->options, &out, file, NULL};
	if (wishes->html != NULL)
		status = write_page(&report, wishes) ? STATUS_DONE : STATUS_UNUSABLE;
	else if (wishes->is_json)
		report_json(&report);
	else
		report_text(&report);
	symbols_destroy(&symbols);
	return status;
}

static int report_loaded(struct loaded *all, size_t len, const struct wishes *wishes)
{
	int status = STATUS_DONE;
	if (len > 1 && wishes->html != NULL) {
		diag("report", "--html makes one page of one recording; name one file");
		return STATUS_UNUSABLE;
	}
	for (size_t i = 0; i < len; i++) {
		int result = report_one(&all[i], wishes);
		status = result > status ? result : status;
		if (i + 1 < len && !wishes->is_json)
			putchar('\n');
	}
	return status;
}

static int report_files(char **paths, size_t len, const struct wishes *wishes)
{
	struct loaded *all = memory_zeroed(len, sizeof *all);
	int status = STATUS_DONE;
	for (size_t i = 0; i < len; i++) {
		all[i].path = paths[i];
		all[i].status = recording_load(&all[i].recording, paths[i]);
		if (all[i].status != RECORDING_WHOLE) {
			diag(paths[i], "%s", all[i].recording.fault);
			status = STATUS_UNUSABLE;
		}
	}
	int result = report_loaded(all, len, wishes);
	for (size_t i = 0; i < len; i++)
		recording_fini(&all[i].recording);
	free(all);
	return result > status ? result : status;
}

/* Whether all that the options ask for can be done; if not, prints why. */
static bool can_be_done(const struct wishes *wishes)
{
	if (wishes->html != NULL && wishes->is_json)
		diag("report", "--html and --json at once; leave out one of them");
	else if (wishes->options.by == REPORT_BY_PATH && wishes->is_json)
		diag("report",
			"--by=path and --json at once; 'stmlog export --format=json' has the paths as `profile`");
	else if (wishes->options.by == REPORT_BY_PATH && wishes->has_sort)
		diag("report", "--sort is not for --by=path, which has the path with most time first; leave it out");
	else if (wishes->html == NULL && wishes->srcdir != NULL)
		diag("report", "--srcdir is for --html; leave it out, or see 'stmlog help annotate'");
	else if (wishes->html == NULL && wishes->has_no_source)
		diag("report", "--no-source is for --html; leave it out");
	else if (wishes->html != NULL && page_bundle().bytes == NULL)
		diag("report", PAGE_IS_MISSING);
	else
		return true;
	return false;
}

static size_t usual_top(const struct wishes *wishes)
{
	enum report_by by = wishes->options.by;
	if (wishes->is_json || by == REPORT_BY_CAUSE || by == REPORT_BY_REGION)
		return REPORT_ALL;
	bool has_many = by == REPORT_BY_PROCESS || by == REPORT_BY_PATH || by == REPORT_BY_TRANSACTION;
	return has_many ? USUAL_PATHS : REPORT_TOP_DEFAULT;
}

static int cmd_report_run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.has_top = false};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	if (!can_be_done(&wishes))
		return STATUS_UNUSABLE;
	wishes.options.is_brief = !wishes.has_top && !wishes.has_sort && !wishes.has_by && !wishes.options.is_full;
	if (!wishes.has_top)
		wishes.options.top = usual_top(&wishes);
	char *usual[] = {RECORDING_USUAL_FILE};
	size_t len = (size_t)(argc - arguments.first);
	return diag_finish_stdout(
		len == 0 ? report_files(usual, 1, &wishes) : report_files(argv + arguments.first, len, &wishes));
}

static void choices(int id, command_visit *visit, void *arg)
{
	static const char *const bys[] = {
		"entry", "site", "pair", "object", "thread", "process", "cause", "path", "region", "transaction"};
	for (size_t i = 0; id == BY && i < sizeof bys / sizeof *bys; i++)
		visit(arg, bys[i], NULL);
}

const struct command cmd_report = {
	.name = "report",
	.arguments = "[FILE...]",
	.summary = "prints where transactions lost time, and because of which others",
	.options = options,
	.choices = choices,
	.notes = "FILE is stmlog.data unless given; - is stdin.\n",
	.has_colours = true,
	.is_paged = true,
	.run = cmd_report_run,
};
