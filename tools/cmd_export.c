/* SPDX-License-Identifier: MIT
 * `stmlog export`: its options, and which of them go together. The formats are in export/. */
#include <stddef.h>
#include <stdio.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "export.h"
#include "output.h"
#include "recording.h"
#include "work.h"

enum { FORMAT = 256, OF };

static const struct option_row options[] = {
	{"format", FORMAT, "FORMAT", "the format, one of those below"},
	{"of", OF, "loss|time", "pprof, folded: what was lost, or all time by call path (both; folded: loss)"},
	{"output", 'o', "OUT", "the file to write; -: stdout (-)"},
	{0},
};

struct wishes {
	const struct exporter *exporter; /* NULL: not given */
	const char *path;                /* NULL: stdout */
	enum export_of of;
};

static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	int found = id == FORMAT ? arguments_choice(arguments, "format")
		    : id == OF   ? arguments_choice(arguments, "of")
				 : 0;
	if (found == ARGUMENTS_STOP)
		return ARGUMENTS_STOP;
	if (id == FORMAT)
		wishes->exporter = &exporters[found];
	else if (id == OF)
		wishes->of = found == 0 ? EXPORT_OF_LOSS : EXPORT_OF_TIME;
	else
		wishes->path = arguments->value;
	return 0;
}

/* Whether the options can be had together; if not, prints why. */
static bool fit_together(const struct wishes *wishes)
{
	if (wishes->exporter == NULL)
		diag("export", "no --format; see 'stmlog help export'");
	else if (wishes->of != EXPORT_OF_ANY && (wishes->exporter->flags & EXPORT_OF) == 0)
		diag("export", "--of is not for --format=%s; leave it out", wishes->exporter->name);
	else
		return true;
	return false;
}

static bool write_out(struct recording *recording, const struct work *work, const struct wishes *wishes)
{
	struct output output;
	bool is_binary = (wishes->exporter->flags & EXPORT_BINARY) != 0;
	bool has_begun = is_binary ? output_begin_binary(&output, wishes->path) : output_begin(&output, wishes->path);
	if (!has_begun)
		return false;
	struct symbols *symbols = symbols_create(recording);
	struct progress progress = progress_begin("exporting", recording->event_count, output.file);
	wishes->exporter->write(&(struct export){recording, symbols, output.file, &progress, work, wishes->of});
	progress_end(&progress);
	symbols_destroy(&symbols);
	return output_end(&output);
}

/* Exporters only get timelines that do not contradict themselves. */
static int export_timeline(struct recording *recording, const char *path, const struct wishes *wishes)
{
	struct work work = {.fault = NULL};
	int status = STATUS_UNUSABLE;
	if (!recording->has_timeline)
		diag(path, "has no timeline; 'stmlog record --timeline' keeps one");
	else if (!work_build(&work, recording))
		diag(path, "has a timeline that contradicts itself: %s", work_fault(&work, recording).text);
	else if ((wishes->exporter->flags & EXPORT_TASKS) != 0 && work.segment_count == 0)
		diag(path, "has no tasks; a program tells of its tasks by the functions of stmlog/timeline.h");
	else if (write_out(recording, &work, wishes))
		status = STATUS_DONE;
	work_fini(&work);
	return status;
}

static bool is_of_timeline(const struct recording *recording, const struct exporter *exporter)
{
	return exporter->timeline == EXPORT_OF_TIMELINE ||
	       (exporter->timeline == EXPORT_WITH_TIMELINE && recording->has_timeline);
}

static int export_file(const char *path, const struct wishes *wishes)
{
	struct recording recording;
	int status = STATUS_UNUSABLE;
	if (recording_load(&recording, path) != RECORDING_WHOLE)
		diag(path, "%s", recording.fault);
	else if (wishes->of == EXPORT_OF_TIME && recording.path_count == 0)
		diag(path, "has no time by call path; 'stmlog record --paths' keeps it");
	else if (is_of_timeline(&recording, wishes->exporter))
		status = export_timeline(&recording, path, wishes);
	else if (write_out(&recording, NULL, wishes))
		status = STATUS_DONE;
	recording_fini(&recording);
	return status;
}

static int cmd_export_run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {0};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	if (!fit_together(&wishes))
		return STATUS_UNUSABLE;
	if (argc - arguments.first > 1) {
		diag("export", "more than one FILE; export one at a time");
		return STATUS_UNUSABLE;
	}
	return export_file(arguments.first < argc ? argv[arguments.first] : RECORDING_USUAL_FILE, &wishes);
}

static void choices(int id, command_visit *visit, void *arg)
{
	for (const struct exporter *exporter = exporters; exporter->name != NULL && id == FORMAT; exporter++)
		visit(arg, exporter->name, exporter->summary);
}

const struct command cmd_export = {
	.name = "export",
	.arguments = "[FILE]",
	.summary = "writes a recording in a format of another tool",
	.options = options,
	.choices = choices,
	.notes = "FILE is stmlog.data unless given; - is stdin.\n",
	.run = cmd_export_run,
};
