/* SPDX-License-Identifier: MIT
 * `stmlog record`: its options, which of them go together, and the report at the end. The rest is in record/. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "budgets.h"
#include "command.h"
#include "diag.h"
#include "diff.h"
#include "live.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "page.h"
#include "record.h"
#include "recording.h"
#include "report_views.h"

enum { OBJECTS = 256, SAMPLE, TIMELINE, PATHS, RUNS, VS, LIVE, FAIL_IF, NO_REPORT };

static const struct option_row options[] = {
	{"output", 'o', "FILE", "the recording to write (stmlog.data); with --runs a directory (stmlog.runs)"},
	{"objects", OBJECTS, NULL, "name heap data by the place of its allocation; slows down malloc"},
	{"sample", SAMPLE, "N|auto", "measure 1 transaction in N; 1: all; auto: as few as keep the cost low (auto)"},
	{"timeline", TIMELINE, "[EVENTS]",
		"keep events: the last EVENTS of each thread (65536), the first with EVENTS,grow, or all with "
		"unbounded; with --sample, "
		"those "
		"of the transactions that are measured, else of all"},
	{"paths", PATHS, NULL, "keep all time by traceback, commits included; a stack walk per transaction"},
	{"runs", RUNS, "N", "run COMMAND N times, each into a file of its own, for stmlog diff"},
	{"vs", VS, "OTHER", "with --runs: COMMAND is the old build, OTHER the new one; they take turns"},
	{"live", LIVE, NULL, "redraw the report's first screen and costliest entries on stderr while COMMAND runs"},
	{"fail-if", FAIL_IF, "BUDGET",
		"exit status 8 if more is lost: lost:5%, aborts:10% or row:PLACE:2%; may stand several times"},
	{"no-report", NO_REPORT, NULL, "print no report or comparison at the end, nor where the recording is"},
	{0},
};

struct wishes {
	const char *file; /* or directory; NULL: not given */
	struct record_wishes each;
	struct record_series series; /* runs is 0 if a single run was asked for */
	struct budgets budgets;
	bool has_report, is_live;
};

static const char *const timeline_modes[] = {"", ",ring", ",grow", NULL};

static bool is_one_of(const char *text, const char *const *words)
{
	while (*words != NULL && strcmp(text, *words) != 0)
		words++;
	return *words != NULL;
}

static bool is_sample(const char *text)
{
	uint64_t every;
	return strcmp(text, "auto") == 0 || (number_parse(text, &every) && every != 0 && every <= UINT32_MAX);
}

/* EVENTS, EVENTS,ring, EVENTS,grow or unbounded. */
static bool is_timeline(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	if (strcmp(text, "unbounded") == 0)
		return true;
	return digits > 0 && digits < 10 && text[0] != '0' && is_one_of(text + digits, timeline_modes);
}

static bool is_runs(const char *text, uint64_t *runs)
{
	return number_parse(text, runs) && *runs != 0 && *runs <= RECORD_RUNS_MAX;
}

/* Takes an option that has no value. Returns false for the others. */
static bool set_flag(struct wishes *wishes, int id)
{
	switch (id) {
	case OBJECTS:
		return wishes->each.has_objects = true;
	case PATHS:
		wishes->each.settings.paths = "on";
		return true;
	case LIVE:
		return wishes->is_live = true;
	case NO_REPORT:
		wishes->has_report = false;
		return true;
	default:
		return false;
	}
}

static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	if (set_flag(wishes, id))
		return 0;
	switch (id) {
	case 'o':
		wishes->file = arguments->value;
		break;
	case SAMPLE:
		if (!is_sample(arguments->value))
			return arguments_refuse(arguments, "sample", "auto, or a number from 1 on");
		wishes->each.settings.sample = arguments->value;
		break;
	case TIMELINE:
		wishes->each.settings.timeline = arguments->value != NULL ? arguments->value : "65536";
		if (!is_timeline(wishes->each.settings.timeline))
			return arguments_refuse(
				arguments, "timeline", "unbounded, or a number of events, and perhaps ,grow behind it");
		break;
	case RUNS:
		if (!is_runs(arguments->value, &wishes->series.runs))
			return arguments_refuse(arguments, "runs", "a number from 1 to 9999");
		break;
	case VS:
		wishes->series.other = arguments->value;
		break;
	case FAIL_IF:
		if (!budgets_add(&wishes->budgets, arguments->value))
			return arguments_refuse(arguments, "fail-if",
				"lost:5%, aborts:10% or row:PLACE:2% with shares of your own, and at most 16 of them");
		break;
	}
	return 0;
}

static const char *reported_file(const char *file)
{
	return strcmp(file, RECORDING_USUAL_FILE) == 0 ? REPORT_USUAL_FILE : file;
}

/* Prints the first screen and where the recording is, if a report is wanted; and the budgets that were exceeded.
 * Returns the exit status: the program's, unless that is 0 and its budgets are exceeded. */
static int print_result(const struct wishes *wishes, struct record_result *result)
{
	enum { BEHIND = 2 };
	int status = result->status;
	struct symbols *symbols = symbols_create(&result->recording);
	struct printer out = text_printer(stderr);
	struct report report = {&result->recording, symbols, {.is_brief = true, .lines_behind = BEHIND}, &out,
		reported_file(result->file), NULL};
	if (wishes->has_report) {
		report_text(&report);
		record_print_where(result->file);
	}
	if (wishes->budgets.len != 0 && budgets_are_exceeded(&wishes->budgets, &report) && status == STATUS_DONE)
		status = STATUS_LOST_TOO_MUCH;
	symbols_destroy(&symbols);
	return status;
}

/* A budget is not kept by a program of which nothing is known. record_one() has printed why that is so. */
static int status_without_recording(const struct wishes *wishes, int status)
{
	return wishes->budgets.len != 0 && status == STATUS_DONE ? STATUS_UNUSABLE : status;
}

/* ---- while the program runs ---- */

static void record_look(void *live, const char *directory, pid_t pid)
{
	live_look(live, directory, pid);
}

static void leave(void *live)
{
	live_leave(live);
}

static void dump(void *unused, const char *file, const char *directory, pid_t pid)
{
	(void)unused;
	live_dump(reported_file(file), directory, pid);
}

/* `live` is NULL without a live view. */
static struct record_watch watch_with(struct live *live)
{
	return live != NULL ? (struct record_watch){.look = record_look, .dump = dump, .over = leave, .arg = live}
			    : (struct record_watch){.dump = dump};
}

/* ---- the two programs of a series ---- */

/* Loads all runs. Returns false, and prints why, if a run cannot be compared. The paths, which `diff` borrows, are
 * owned by the caller. */
static bool load_series(struct diff *diff, const struct record_series *series, char **paths)
{
	bool is_good = true;
	for (uint64_t i = 0; i < record_series_steps(series) && is_good; i++) {
		struct record_step step = record_series_step(series, i);
		paths[i] = step.file;
		is_good = diff_load(diff, step.is_other ? DIFF_NEW : DIFF_OLD, step.file);
	}
	return is_good;
}

/* Prints on stderr how the two programs compare. Returns the exit status of `record`. */
static int compare_series(const struct record_series *series)
{
	enum { TOP = 3 };
	const uint64_t steps = record_series_steps(series);
	char **paths = memory_zeroed(steps, sizeof *paths);
	struct diff_options usual = DIFF_USUAL;
	usual.top = TOP;
	struct diff diff = diff_init(&usual, (const size_t[]){series->runs, series->runs});
	int status = STATUS_UNUSABLE;
	if (load_series(&diff, series, paths) && diff_compare(&diff)) {
		fputc('\n', stderr);
		diff_text(&diff, stderr);
		status = diff.is_decided && diff.worse > 0 ? STATUS_LOST_TOO_MUCH : STATUS_DONE;
	}
	diff_fini(&diff);
	for (uint64_t i = 0; i < steps; i++)
		free(paths[i]);
	free(paths);
	return status;
}

/* ---- one run, or several ---- */

static int run_series(const struct wishes *wishes, char **argv)
{
	struct record_series series = wishes->series;
	struct record_wishes each = wishes->each;
	series.directory = wishes->file != NULL ? wishes->file : "stmlog.runs";
	series.is_quiet = !wishes->has_report;
	each.watch = watch_with(NULL);
	int status = record_series(&series, &each, argv);
	if (status != STATUS_DONE || !wishes->has_report)
		return status;
	if (series.other != NULL)
		status = compare_series(&series);
	record_print_next_series(series.directory, series.other != NULL, page_bundle().bytes != NULL);
	return status;
}

static int run_once(const struct wishes *wishes, char **argv)
{
	const char *file = wishes->file != NULL ? wishes->file : RECORDING_USUAL_FILE;
	struct live *live = wishes->is_live ? live_begin() : NULL;
	struct record_wishes each = wishes->each;
	each.watch = watch_with(live);
	struct record_result result = record_one(&each, file, argv);
	if (live != NULL)
		live_end(&live);
	int status =
		result.file != NULL ? print_result(wishes, &result) : status_without_recording(wishes, result.status);
	record_result_fini(&result);
	return status;
}

/* Why the options cannot be had together, and what to do; NULL: they can. */
static const char *contradiction_in(const struct wishes *wishes)
{
	if (wishes->file != NULL && strcmp(wishes->file, "-") == 0)
		return "stdout is COMMAND's; name a file with -o, or ./- for a file of this name";
	if (wishes->series.other != NULL && wishes->series.runs == 0)
		return "--vs compares several runs of each; add --runs=10";
	if (wishes->is_live && wishes->series.runs != 0)
		return "--live shows one run; leave out --runs";
	if (wishes->budgets.len != 0 && wishes->series.runs != 0)
		return "--fail-if judges one run; leave out --runs";
	return NULL;
}

/* Returns false if the command ends here, with the status of the arguments. */
static bool read_options(struct wishes *wishes, struct arguments *arguments)
{
	int id;
	while ((id = arguments_next(arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(wishes, arguments, id) == ARGUMENTS_STOP)
			return false;
	}
	const char *mistake = contradiction_in(wishes);
	if (mistake == NULL && arguments->first == arguments->argc)
		mistake = "no COMMAND; see 'stmlog help record'";
	if (mistake == NULL)
		return true;
	diag("record", "%s", mistake);
	arguments->status = STATUS_UNUSABLE;
	return false;
}

static int cmd_record_run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.has_report = true};
	struct arguments arguments = arguments_of(self, argc, argv);
	int status;
	if (!read_options(&wishes, &arguments))
		status = arguments.status;
	else if (wishes.series.runs != 0)
		status = run_series(&wishes, argv + arguments.first);
	else if (record_has_files())
		status = run_once(&wishes, argv + arguments.first);
	else
		status = record_not(argv + arguments.first);
	budgets_fini(&wishes.budgets);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.arguments = "[--] COMMAND [ARG...]",
	.summary = "runs a program, records where its transactions lose time, and prints a report on stderr",
	.options = options,
	.notes =
		"COMMAND is a program built with gcc -fgnu-tm, unmodified, or one that embeds the library, or a\n"
		"Haskell program as GHC 9.0 to 9.6 or 9.10 builds it: without -prof and -pie, and not stripped. One\n"
		"that was linked with -dynamic, or with -optl@PREFIX/lib/stmlog/stmlog-ghc.wrap, may be stripped.\n"
		"If nothing was recorded, a line on stderr says why.\n"
		"If there is a FILE already, it is kept as FILE.old. If another recorder has put its own there\n"
		"meanwhile, this one is FILE.2.\n"
		"FILE has all processes of the run. FILE.PID has one that outlives the run, or is of another runtime;\n"
		"and each further one where there is a timeline, or blocks of memory are named.\n"
		"\n"
		"--paths: with --sample=1 the callers of a culprit, the transaction that another one conflicted\n"
		"with, are known only with this option. Otherwise they are known of each that is measured.\n"
		"\n"
		"--runs: the files are DIR/run-1.data and so on; with --vs DIR/old-1.data, DIR/new-1.data and so on.\n"
		"No file is overwritten. A line on stderr sums up each run. A run that fails ends the series. Ctrl-C,\n"
		"SIGTERM or SIGHUP ends it, too, and no file is kept of that run. Each run ends with all its\n"
		"processes, daemons included: those that go on get SIGTERM, and SIGKILL two seconds later.\n"
		"With --vs the end is how the two programs compare, as 'stmlog diff DIR/old-*.data -- DIR/new-*.data'\n"
		"prints it, which shows more of it, with --html also as a page; --no-report leaves it out.\n"
		"\n"
		"--fail-if: lost and row are shares of the time in which the threads had processors, aborts is one of\n"
		"all attempts. PLACE is a transaction in the way, by its function or line, as a row has it. A time\n"
		"that is estimated exceeds a share if that is below its interval. All processes count together.\n"
		"\n"
		"--live: where stderr is a terminal, its lowest lines show the first screen and the costliest\n"
		"entries. What COMMAND prints scrolls above them. With or without --live, SIGUSR2 to this process\n"
		"prints the first screen of what there is so far.\n"
		"\n"
		"STMLOG_OPTIONS is passed on to COMMAND. The exit status is that of COMMAND: 128 + N if signal N\n"
		"ended it, 126 if it cannot be run, 127 if it does not exist. 8: the program of --vs loses more, or\n"
		"a share of --fail-if is exceeded. 2: a mistake in the options, or no recording to judge by "
		"--fail-if.\n",
	.stops_at_argument = true,
	.has_colours = true,
	.run = cmd_record_run,
};
