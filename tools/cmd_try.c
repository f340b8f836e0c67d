/* SPDX-License-Identifier: MIT
 * `stmlog try`: its options. The race is in try/. */
#include <stddef.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "number.h"
#include "record.h"
#include "try.h"

enum { RUNS = 256, SECONDS, METRIC, JSON };

static const struct option_row options[] = {
	{"runs", RUNS, "N", "runs of each setting at the most (5)"},
	{"seconds", SECONDS, "S", "make fewer runs if all would take longer than S (60)"},
	{"metric", METRIC, "REGEX", "compare the number that COMMAND prints where REGEX matches"},
	{"json", JSON, NULL, "print one JSON object"},
	{0},
};

struct wishes {
	struct try_race race;
	regex_t metric;
	bool has_metric, is_json;
};

static bool is_runs(const char *text, uint64_t *runs)
{
	return number_parse(text, runs) && *runs >= TRY_MIN_RUNS && *runs <= RECORD_RUNS_MAX;
}

static bool is_seconds(const char *text, uint64_t *ns)
{
	return number_parse_seconds(text, ns) && *ns > 0;
}

static int set_metric(struct wishes *wishes, struct arguments *arguments)
{
	char fault[128];
	if (wishes->has_metric)
		regfree(&wishes->metric);
	int error = regcomp(&wishes->metric, arguments->value, REG_EXTENDED | REG_NEWLINE);
	wishes->has_metric = error == 0;
	wishes->race.metric = arguments->value;
	if (error == 0)
		return 0;
	regerror(error, &wishes->metric, fault, sizeof fault);
	diag("try", "--metric '%s' is no extended regular expression: %s; see 'stmlog help try'", arguments->value,
		fault);
	arguments->status = STATUS_UNUSABLE;
	return ARGUMENTS_STOP;
}

static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	switch (id) {
	case RUNS:
		if (!is_runs(arguments->value, &wishes->race.runs))
			return arguments_refuse(arguments, "runs", "a number from 3 to 9999");
		break;
	case SECONDS:
		if (!is_seconds(arguments->value, &wishes->race.limit_ns))
			return arguments_refuse(arguments, "seconds", "a time above 0, such as 60 or 2.5");
		break;
	case METRIC:
		return set_metric(wishes, arguments);
	default:
		wishes->is_json = wishes->race.is_quiet = true;
	}
	return 0;
}

static int try(struct wishes *wishes)
{
	struct try_race *race = &wishes->race;
	int status = try_race_run(race, wishes->has_metric ? &wishes->metric : NULL);
	if (status == STATUS_DONE && wishes->is_json)
		try_json(race, stdout);
	else if (status == STATUS_DONE)
		try_text(race, stdout);
	return status == STATUS_DONE ? diag_finish_stdout(status) : status;
}

/* Returns false if the command ends here, with the status of the arguments. */
static bool read_options(struct wishes *wishes, struct arguments *arguments)
{
	int id;
	while ((id = arguments_next(arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(wishes, arguments, id) == ARGUMENTS_STOP)
			return false;
	}
	if (arguments->first < arguments->argc)
		return true;
	diag("try", "no COMMAND; see 'stmlog help try'");
	arguments->status = STATUS_UNUSABLE;
	return false;
}

static int cmd_try_run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.race = {.runs = TRY_RUNS, .limit_ns = (uint64_t)TRY_SECONDS * NUMBER_S}};
	struct arguments arguments = arguments_of(self, argc, argv);
	int status;
	if (read_options(&wishes, &arguments)) {
		wishes.race.argv = argv + arguments.first;
		status = try(&wishes);
	} else {
		status = arguments.status;
	}
	if (wishes.has_metric)
		regfree(&wishes.metric);
	try_race_fini(&wishes.race);
	return status;
}

const struct command cmd_try = {
	.name = "try",
	.arguments = "[--] COMMAND [ARG...]",
	.summary = "runs a program with other settings, in turns, and says which one makes it faster",
	.options = options,
	.notes =
		"Settings are what needs no change of the source: each method of libitm (ITM_DEFAULT_METHOD), all\n"
		"functions bound when the program begins (LD_BIND_NOW), one processor, and where the machine has\n"
		"them one processor of each core and those of one package. If {threads} stands in an ARG, numbers of\n"
		"threads are tried in its place: as it is, the program has as many as there are processors. Of a\n"
		"program that is not libitm's, such as a Haskell program, only processors and {threads} are tried: "
		"how\n"
		"many cores +RTS -N uses is its own business.\n"
		"\n"
		"In each turn the program as it is runs first and last, and each setting once, every other turn in\n"
		"reverse. Figures are medians. The throughput is the number of commits per second, or the number\n"
		"that --metric finds: the first group of the first match in what COMMAND prints to stdout, or the\n"
		"whole match. More is better. p is that of 'stmlog diff', corrected for the number of settings. A\n"
		"setting is recommended if p is at most 0.05 and it is at least 1.05 times as fast.\n"
		"\n"
		"After three runs, settings are dropped whose every run was slower than every run of the program as\n"
		"it is. A setting with which COMMAND fails, or takes five times as long, is out at once. However\n"
		"short --seconds is, each setting has three runs, or the four or five that many settings need to be\n"
		"told apart. Each run ends with all its processes, daemons included: those that go on get SIGTERM,\n"
		"and SIGKILL two seconds later. Ctrl-C, SIGTERM or SIGHUP ends the race, and nothing is compared.\n"
		"\n"
		"COMMAND reads an empty stdin. What it prints is not shown, except the end of its stderr if it fails.\n"
		"Exit status: 0 done; 2 a mistake in the options, or COMMAND fails as it is; 128 + N if signal N "
		"ended\n"
		"the race.\n",
	.stops_at_argument = true,
	.has_colours = true,
	.run = cmd_try_run,
};
