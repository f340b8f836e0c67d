/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "number.h"
#include "record.h"
#include "recording.h"
#include "report.h"

enum { LIGHT = 256, PASSIVE, OBJECTS, SAMPLE, STACKS, TIMELINE, PATHS, NO_REPORT, TOP };

static const struct option_row options[] = {
	{"output", 'o', "FILE", "where the recording goes (stmlog.data)"},
	{"light", LIGHT, NULL, "leave data accesses alone: least disturbance, no objects"},
	{"passive", PASSIVE, NULL, "hook nothing, only read libitm's own counts of aborts"},
	{"objects", OBJECTS, NULL, "name data on the heap by where it was allocated; slows down malloc"},
	{"sample", SAMPLE, "N|auto", "measure 1 transaction in N; 1: all; auto: as few as keep it cheap (auto)"},
	{"timeline", TIMELINE, "[EVENTS]",
		"keep each event, of each thread the last EVENTS (65536), or with EVENTS,grow the first; measures all"},
	{"paths", PATHS, NULL, "keep all time by traceback, that of commits too; costs a stack walk per transaction"},
	{"stacks", STACKS, "HOW", "whose write was in the way: site, frames or full"},
	{"no-report", NO_REPORT, NULL, "only record"},
	{"top", TOP, "N", "how many entries the report shows (5)"},
	{0},
};

struct wishes {
	const char *file;
	bool is_light;
	bool is_passive;
	bool has_objects;
	struct record_settings settings;
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

static int take(struct wishes *wishes, struct arguments *arguments, int id)
{
	switch (id) {
	case 'o':
		wishes->file = arguments->value;
		break;
	case LIGHT:
		wishes->is_light = true;
		break;
	case PASSIVE:
		wishes->is_passive = true;
		break;
	case OBJECTS:
		wishes->has_objects = true;
		break;
	case SAMPLE:
		if (!is_sample(arguments->value))
			return arguments_refuse(arguments, "sample", "auto, or a number from 1 on");
		wishes->settings.sample = arguments->value;
		break;
	case STACKS:
		if (!is_one_of(arguments->value, stacks))
			return arguments_refuse(arguments, "stacks", "site, frames or full");
		wishes->settings.stacks = arguments->value;
		break;
	case TIMELINE:
		wishes->settings.timeline = arguments->value != NULL ? arguments->value : "65536";
		if (!is_timeline(wishes->settings.timeline))
			return arguments_refuse(
				arguments, "timeline", "a number of events, and perhaps ,grow behind it");
		break;
	case PATHS:
		wishes->settings.paths = "on";
		break;
	case NO_REPORT:
		wishes->has_report = false;
		break;
	case TOP:
		if (!number_parse(arguments->value, &wishes->top))
			return arguments_refuse(arguments, "top", "a number");
		break;
	}
	return 0;
}

static void print_report(const struct wishes *wishes)
{
	struct recording recording;
	if (recording_load(&recording, wishes->file) == RECORDING_WHOLE) {
		struct symbols *symbols = symbols_create(&recording);
		struct report report = {&recording, symbols, {.top = (size_t)wishes->top}, stderr, NULL};
		report_text(&report);
		symbols_destroy(&symbols);
	} else {
		diag(wishes->file, "%s", recording.fault);
	}
	recording_fini(&recording);
}

/* What is linked into a program lies beside the agent that is preloaded. */
static void tell_why(const char *program, const char *agent)
{
	struct record_why why = record_why_nothing(program);
	if (why.can_link)
		diag(program, "nothing was recorded: %s; link it again with @%.*sstmlog-itm.wrap added, or dynamically",
			why.text, (int)(strrchr(agent, '/') + 1 - agent), agent);
	else
		diag(program, "nothing was recorded: %s", why.text);
}

/* One line, whatever the reason is. */
static void tell_nothing(
	const struct record_outcome *outcome, const char *program, const char *agent, const char *fault)
{
	if (fault != NULL)
		diag(program, "its recording cannot be used: it %s", fault);
	else if (WIFSIGNALED(outcome->wait_status))
		diag(program,
			"nothing was recorded: signal %d (%s) ended it before it could write; "
			"STMLOG_OPTIONS=snapshot=1 writes every second",
			WTERMSIG(outcome->wait_status), strsignal(WTERMSIG(outcome->wait_status)));
	else
		tell_why(program, agent);
}

static enum record_agent agent_for(const struct wishes *wishes)
{
	if (wishes->is_passive)
		return RECORD_PASSIVE;
	if (wishes->is_light)
		return RECORD_LIGHT;
	return wishes->settings.stacks != NULL && strcmp(wishes->settings.stacks, "full") == 0 ? RECORD_FULL
											       : RECORD_ORDINARY;
}

/* What is preloaded; owned. */
struct libraries {
	char *agent;
	char *objects; /* NULL: not asked for */
};

/* False: not all of them are there, which was told. */
static bool find_libraries(struct libraries *libraries, const struct wishes *wishes)
{
	*libraries = (struct libraries){.agent = record_agent_find(agent_for(wishes))};
	if (libraries->agent != NULL && wishes->has_objects)
		libraries->objects = record_agent_find(RECORD_OBJECTS);
	return libraries->agent != NULL && (libraries->objects != NULL || !wishes->has_objects);
}

static void drop_libraries(struct libraries *libraries)
{
	free(libraries->agent);
	free(libraries->objects);
}

/* The agent comes first. The caller frees it. */
static char *preload_of(const struct libraries *libraries)
{
	const char *users = getenv("LD_PRELOAD");
	if (libraries->objects == NULL)
		return record_env_preload(users, libraries->agent);
	char *behind = record_env_preload(users, libraries->objects);
	char *preload = record_env_preload(behind, libraries->agent);
	free(behind);
	return preload;
}

/* Runs the program with its environment set up, and collects. Returns the exit status of the command. */
static int run_in(const struct wishes *wishes, char **argv, const struct libraries *libraries, const char *directory,
	bool *is_recorded)
{
	char *preload = preload_of(libraries);
	char *settings = record_env_options(getenv("STMLOG_OPTIONS"), &wishes->settings, directory);
	struct record_run run = {argv, preload, settings};
	struct record_outcome outcome;
	int status = STATUS_UNUSABLE;
	if (record_run(&run, &outcome) != 0) {
		diag(argv[0], "cannot be started: %s", strerror(errno));
	} else if (outcome.exec_errno != 0) {
		diag(argv[0], "cannot be run: %s; check its name and permissions", strerror(outcome.exec_errno));
		status = record_exit_status(&outcome);
	} else {
		char *fault;
		status = record_exit_status(&outcome);
		*is_recorded = record_collect(directory, outcome.pid, wishes->file, &fault);
		if (!*is_recorded)
			tell_nothing(&outcome, argv[0], libraries->agent, fault);
		free(fault);
	}
	free(settings);
	free(preload);
	return status;
}

static int record(const struct wishes *wishes, char **argv)
{
	struct libraries libraries;
	int status = STATUS_UNUSABLE;
	bool is_recorded = false;
	if (!find_libraries(&libraries, wishes)) {
		drop_libraries(&libraries);
		return status;
	}
	record_signals_guard();
	char *directory = record_directory_create(wishes->file);
	if (directory != NULL) {
		status = run_in(wishes, argv, &libraries, directory, &is_recorded);
		record_directory_destroy(&directory);
	}
	/* From here on there is nothing to put away: a report may be interrupted. */
	record_signals_release();
	if (is_recorded && wishes->has_report)
		print_report(wishes);
	drop_libraries(&libraries);
	return status;
}

/* What cannot be had together, and what to do; NULL: all can. */
static const char *contradiction_in(const struct wishes *wishes)
{
	if (wishes->is_passive && (wishes->is_light || wishes->settings.sample != NULL))
		return "--passive measures nothing; leave out --light and --sample";
	if (wishes->settings.timeline != NULL && (wishes->is_passive || wishes->settings.sample != NULL))
		return "--timeline measures each transaction; leave out --passive and --sample";
	if (wishes->settings.paths != NULL && wishes->is_passive)
		return "--passive measures nothing; leave out --paths";
	if (wishes->has_objects && (wishes->is_light || wishes->is_passive))
		return "--light and --passive see no data; leave out --objects";
	if (wishes->is_light && wishes->settings.stacks != NULL)
		return "--light leaves no writes on record, so --stacks has no use; leave out one of them";
	return NULL;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.file = "stmlog.data", .has_report = true, .top = REPORT_TOP_DEFAULT};
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
	if (agent_for(&wishes) != RECORD_ORDINARY && record_has_agent(argv[arguments.first])) {
		diag(argv[arguments.first], "the agent is linked into it, and does all it can do; leave out "
					    "--light, --passive and --stacks=full");
		return STATUS_UNUSABLE;
	}
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
		 "ended it, 126 when it cannot be run, 127 when there is none; 2 is a mistake in the options.\n",
	.stops_at_argument = true,
	.run = run,
};
