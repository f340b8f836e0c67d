/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "export.h"
#include "memory.h"
#include "output.h"
#include "work.h"

enum { FORMAT = 256 };

static const struct option_row options[] = {
	{"format", FORMAT, "FORMAT", "of a timeline: perfetto, chrome, json or text"},
	{"output", 'o', "OUT", "where it goes (stdout)"},
	{0},
};

struct wishes {
	const struct exporter *exporter; /* NULL: not said */
	const char *path;                /* NULL: stdout */
};

static int refuse_format(struct arguments *arguments)
{
	char *names = memory_text(exporters[0].name);
	for (const struct exporter *exporter = &exporters[1]; exporter->name != NULL; exporter++) {
		char *longer = memory_format("%s%s%s", names, exporter[1].name != NULL ? ", " : " or ", exporter->name);
		free(names);
		names = longer;
	}
	int status = arguments_refuse(arguments, "format", names);
	free(names);
	return status;
}

static int take(struct wishes *wishes, struct arguments *arguments, int id)
{
	if (id == 'o')
		wishes->path = arguments->value;
	if (id == FORMAT && (wishes->exporter = exporter_find(arguments->value)) == NULL)
		return refuse_format(arguments);
	return 0;
}

static bool write_out(const struct recording *recording, const struct work *work, const struct wishes *wishes)
{
	struct output output;
	if (!output_begin(&output, wishes->path))
		return false;
	struct symbols *symbols = symbols_create(recording);
	struct progress progress = progress_begin("exporting", recording->event_count, output.file);
	wishes->exporter->write(&(struct export){recording, symbols, output.file, &progress, work});
	progress_end(&progress);
	symbols_destroy(&symbols);
	return output_end(&output);
}

/* No exporter is to be asked what it makes of events that cannot be. */
static int export_timeline(const struct recording *recording, const char *path, const struct wishes *wishes)
{
	struct work work = {.fault = NULL};
	int status = STATUS_UNUSABLE;
	if (!recording->has_timeline)
		diag(path, "has no timeline; 'stmlog record --timeline' keeps one");
	else if (!work_build(&work, recording))
		diag(path, "has a timeline that cannot be: %s", work_fault(&work, recording).text);
	else if (write_out(recording, &work, wishes))
		status = STATUS_DONE;
	work_fini(&work);
	return status;
}

static int export_file(const char *path, const struct wishes *wishes)
{
	struct recording recording;
	int status = STATUS_UNUSABLE;
	if (recording_load(&recording, path) != RECORDING_WHOLE)
		diag(path, "%s", recording.fault);
	else if (wishes->exporter->needs_timeline)
		status = export_timeline(&recording, path, wishes);
	else if (write_out(&recording, NULL, wishes))
		status = STATUS_DONE;
	recording_fini(&recording);
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {NULL, NULL};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || take(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	if (wishes.exporter == NULL) {
		diag("export", "no --format; see 'stmlog help export'");
		return STATUS_UNUSABLE;
	}
	if (argc - arguments.first > 1) {
		diag("export", "more than one FILE; export them one by one");
		return STATUS_UNUSABLE;
	}
	return export_file(arguments.first < argc ? argv[arguments.first] : "stmlog.data", &wishes);
}

const struct command cmd_export = {
	.name = "export",
	.arguments = "[FILE]",
	.summary = "writes a recording in the format of other tools",
	.options = options,
	.notes = "FILE is stmlog.data unless given.\n",
	.run = run,
};
