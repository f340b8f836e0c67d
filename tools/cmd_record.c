/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "number.h"
#include "record.h"
#include "recording.h"
#include "report.h"

enum { LIGHT = 256, PASSIVE, OBJECTS, SAMPLE, STACKS, TIMELINE, PATHS, RUNS, VS, NO_REPORT, TOP };

static const struct option_row options[] = {
	{"output", 'o', "FILE", "where the recording goes (stmlog.data); with --runs a directory (stmlog.runs)"},
	{"light", LIGHT, NULL, "leave data accesses alone: least disturbance, no objects"},
	{"passive", PASSIVE, NULL, "hook nothing, only read libitm's own counts of aborts"},
	{"objects", OBJECTS, NULL, "name data on the heap by where it was allocated; slows down malloc"},
	{"sample", SAMPLE, "N|auto", "measure 1 transaction in N; 1: all; auto: as few as keep it cheap (auto)"},
	{"timeline", TIMELINE, "[EVENTS]",
		"keep each event, of each thread the last EVENTS (65536), or with EVENTS,grow the first; measures all"},
	{"paths", PATHS, NULL, "keep all time by traceback, that of commits too; costs a stack walk per transaction"},
	{"stacks", STACKS, "HOW", "whose write was in the way: site, frames or full"},
	{"runs", RUNS, "N", "run it N times, each into a file of its own, for stmlog diff"},
	{"vs", VS, "OTHER", "with --runs: another build of COMMAND; the two take turns, as old and new"},
	{"no-report", NO_REPORT, NULL, "only record"},
	{"top", TOP, "N", "how many entries the report shows (5)"},
	{0},
};

struct wishes {
	const char *file; /* or directory; NULL: not said */
	struct record_wishes each;
	struct record_series series; /* runs is 0 where one run was asked for, and no series */
	bool has_report;
	uint64_t top;
};

static const char *const timeline_modes[] = {"", ",ring", ",grow", NULL};
static const char *const stacks[] = {"site", "frames", "full", NULL};

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

/* EVENTS, or EVENTS,grow. */
static bool is_timeline(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits > 0 && digits < 10 && text[0] != '0' && is_one_of(text + digits, timeline_modes);
}

static bool is_runs(const char *text, uint64_t *runs)
{
	return number_parse(text, runs) && *runs != 0 && *runs <= RECORD_RUNS_MOST;
}

/* False: the option is none of those without a value. */
static bool take_flag(struct wishes *wishes, int id)
{
	switch (id) {
	case LIGHT:
		return wishes->each.is_light = true;
	case PASSIVE:
		return wishes->each.is_passive = true;
	case OBJECTS:
		return wishes->each.has_objects = true;
	case PATHS:
		wishes->each.settings.paths = "on";
		return true;
	case NO_REPORT:
		wishes->has_report = false;
		return true;
	default:
		return false;
	}
}

static int take(struct wishes *wishes, struct arguments *arguments, int id)
{
	if (take_flag(wishes, id))
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
	case STACKS:
		if (!is_one_of(arguments->value, stacks))
			return arguments_refuse(arguments, "stacks", "site, frames or full");
		wishes->each.settings.stacks = arguments->value;
		break;
	case TIMELINE:
		wishes->each.settings.timeline = arguments->value != NULL ? arguments->value : "65536";
		if (!is_timeline(wishes->each.settings.timeline))
			return arguments_refuse(
				arguments, "timeline", "a number of events, and perhaps ,grow behind it");
		break;
	case RUNS:
		if (!is_runs(arguments->value, &wishes->series.runs))
			return arguments_refuse(arguments, "runs", "a number from 1 to 9999");
		break;
	case VS:
		wishes->series.other = arguments->value;
		break;
	case TOP:
		if (!number_parse(arguments->value, &wishes->top))
			return arguments_refuse(arguments, "top", "a number");
		break;
	}
	return 0;
}

static void print_report(const char *file, size_t top)
{
	struct recording recording;
	if (recording_load(&recording, file) == RECORDING_WHOLE) {
		struct symbols *symbols = symbols_create(&recording);
		struct report report = {&recording, symbols, {.top = top}, stderr, NULL};
		report_text(&report);
		symbols_destroy(&symbols);
	} else {
		diag(file, "%s", recording.fault);
	}
	recording_fini(&recording);
}

static int record(const struct wishes *wishes, char **argv)
{
	if (wishes->series.runs != 0) {
		struct record_series series = wishes->series;
		series.directory = wishes->file != NULL ? wishes->file : "stmlog.runs";
		series.is_quiet = !wishes->has_report;
		return record_series(&series, &wishes->each, argv);
	}
	const char *file = wishes->file != NULL ? wishes->file : "stmlog.data";
	struct record_result result = record_one(&wishes->each, file, argv);
	if (result.is_recorded && wishes->has_report)
		print_report(file, (size_t)wishes->top);
	return result.status;
}

/* What cannot be had together, and what to do; NULL: all can. */
static const char *contradiction_in(const struct wishes *wishes)
{
	if (wishes->each.is_passive && (wishes->each.is_light || wishes->each.settings.sample != NULL))
		return "--passive measures nothing; leave out --light and --sample";
	if (wishes->each.settings.timeline != NULL && (wishes->each.is_passive || wishes->each.settings.sample != NULL))
		return "--timeline measures each transaction; leave out --passive and --sample";
	if (wishes->each.settings.paths != NULL && wishes->each.is_passive)
		return "--passive measures nothing; leave out --paths";
	if (wishes->each.has_objects && (wishes->each.is_light || wishes->each.is_passive))
		return "--light and --passive see no data; leave out --objects";
	if (wishes->each.is_light && wishes->each.settings.stacks != NULL)
		return "--light leaves no writes on record, so --stacks has no use; leave out one of them";
	if (wishes->series.other != NULL && wishes->series.runs == 0)
		return "--vs compares several runs of each; add --runs=10";
	return NULL;
}

/* False: this agent is not for a program that has one linked in, which was told. */
static bool can_have_agent(const struct wishes *wishes, const char *program)
{
	if (record_agent_for(&wishes->each) == RECORD_ORDINARY || program == NULL || !record_has_agent(program))
		return true;
	diag(program, "the agent is linked into it, and does all it can do; leave out "
		      "--light, --passive and --stacks=full");
	return false;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.has_report = true, .top = REPORT_TOP_DEFAULT};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || take(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	const char *mistake = contradiction_in(&wishes);
	if (mistake == NULL && arguments.first == argc)
		mistake = "no COMMAND; see 'stmlog help record'";
	if (mistake != NULL) {
		diag("record", "%s", mistake);
		return STATUS_UNUSABLE;
	}
	if (!can_have_agent(&wishes, argv[arguments.first]) || !can_have_agent(&wishes, wishes.series.other))
		return STATUS_UNUSABLE;
	return record(&wishes, argv + arguments.first);
}

const struct command cmd_record = {
	.name = "record",
	.arguments = "[--] COMMAND [ARG...]",
	.summary = "runs a program, records what its transactions lose, and reports it on stderr",
	.options = options,
	.notes = "With --stacks=frames the callers of whoever was in the way are found by frame pointers (build "
		 "COMMAND\n"
		 "with -fno-omit-frame-pointer), with full by what gcc -finstrument-functions -include\n"
		 "stmlog/functions.h puts into it; with site (the default) only the write and its transaction.\n"
		 "COMMAND is a program built with gcc -fgnu-tm, unmodified, or one that embeds the library.\n"
		 "STMLOG_OPTIONS is passed on. The exit status is the program's own: 128 + N when signal N\n"
		 "ended it, 126 when it cannot be run, 127 when there is none; 2 is a mistake in the options.\n"
		 "With --runs the files are DIR/run-1.data and so on, with --vs old-1.data and new-1.data; none is\n"
		 "overwritten. A line on stderr tells of each run. The first one that fails is the last, and the\n"
		 "exit status its own. 'stmlog diff DIR/old-*.data -- DIR/new-*.data' compares them.\n",
	.stops_at_argument = true,
	.run = run,
};
