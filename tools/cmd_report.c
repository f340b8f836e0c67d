/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "number.h"
#include "recording.h"
#include "report.h"

enum { SORT = 256, BY, TOP, FULL, JSON };

static const struct option_row options[] = {
	{"sort", SORT, "lost|count|longest", "what comes first (lost)"},
	{"by", BY, "entry|pair|cause", "what is listed: losses, who aborts whom, sums (entry)"},
	{"top", TOP, "N", "how many of them (5; all causes; all in JSON)"},
	{"full", FULL, NULL, "all frames, all threads, whole paths"},
	{"json", JSON, NULL, "one JSON object per file; times in ns"},
	{0},
};

struct wishes {
	struct report_options options;
	bool has_top;
	bool is_json;
};

/* The position of `word` among `words` (ended by NULL); -1: not there. */
static int choice(const char *word, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

static int take(struct wishes *wishes, struct arguments *arguments, int id)
{
	static const char *const sorts[] = {"lost", "count", "longest", NULL}, *const bys[] = {
										       "entry", "pair", "cause", NULL};
	uint64_t top = 0;
	int found = 0;
	if (id == SORT && (found = choice(arguments->value, sorts)) < 0)
		return arguments_refuse(arguments, "sort", "lost, count or longest");
	if (id == SORT)
		wishes->options.sort = (enum tally_sort)found;
	if (id == BY && (found = choice(arguments->value, bys)) < 0)
		return arguments_refuse(arguments, "by", "entry, pair or cause");
	if (id == BY)
		wishes->options.by = (enum report_by)found;
	if (id == TOP && !number_parse(arguments->value, &top))
		return arguments_refuse(arguments, "top", "a number");
	if (id == TOP) {
		wishes->options.top = (size_t)top;
		wishes->has_top = true;
	}
	wishes->options.is_full |= id == FULL;
	wishes->is_json |= id == JSON;
	return 0;
}

/* A recording that ends early is reported as far as it goes, and is an error all the same. */
static int report_file(const char *path, const struct wishes *wishes)
{
	struct recording recording;
	enum recording_status status = recording_load(&recording, path);
	if (status != RECORDING_WHOLE)
		diag(path, "%s", recording.fault);
	if (status != RECORDING_UNUSABLE) {
		struct symbols *symbols = symbols_create(&recording);
		struct report report = {&recording, symbols, wishes->options, stdout};
		if (wishes->is_json)
			report_json(&report);
		else
			report_text(&report);
		symbols_destroy(&symbols);
	}
	recording_fini(&recording);
	return status == RECORDING_WHOLE ? STATUS_DONE : STATUS_UNUSABLE;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.options = {.top = REPORT_TOP_DEFAULT}};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || take(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	if (!wishes.has_top && (wishes.is_json || wishes.options.by == REPORT_BY_CAUSE))
		wishes.options.top = REPORT_ALL;
	if (arguments.first == argc)
		return diag_finish_stdout(report_file("stmlog.data", &wishes));
	int status = STATUS_DONE;
	for (int i = arguments.first; i < argc; i++) {
		int one = report_file(argv[i], &wishes);
		status = one > status ? one : status;
		if (i + 1 < argc && !wishes.is_json)
			putchar('\n');
	}
	return diag_finish_stdout(status);
}

const struct command cmd_report = {
	.name = "report",
	.arguments = "[FILE...]",
	.summary = "tells what a recording holds: where time was lost, and to whom",
	.options = options,
	.notes = "FILE is stmlog.data unless given.\n",
	.run = run,
};
