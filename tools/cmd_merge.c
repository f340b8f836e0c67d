/* SPDX-License-Identifier: MIT
 * `stmlog merge`: its option, and the files one after the other. The merge is in merge/. */
#include <inttypes.h>
#include <stddef.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "merge.h"
#include "recording.h"

/* Only one recording is in memory at a time. */
static int add_file(struct merge *merge, const char *path)
{
	struct recording recording;
	int status = STATUS_UNUSABLE;
	if (recording_load(&recording, path) != RECORDING_WHOLE) {
		diag(path, "%s", recording.fault);
	} else {
		const char *mismatch = merge_add(merge, &recording);
		if (mismatch != NULL)
			diag(path, "%s; leave it out", mismatch);
		else
			status = STATUS_DONE;
	}
	recording_fini(&recording);
	return status;
}

static int merge_files(const char *out, char **files, int count)
{
	struct merge merge;
	int status = STATUS_DONE;
	merge_init(&merge);
	for (int i = 0; i < count && status == STATUS_DONE; i++)
		status = add_file(&merge, files[i]);
	if (status == STATUS_DONE && !merge_save(&merge, out))
		status = STATUS_UNUSABLE;
	if (status == STATUS_DONE && merge.timelines != 0)
		diag(out, "%" PRIu64 " of %d files have a timeline; timelines are not merged, and left out",
			merge.timelines, count);
	merge_fini(&merge);
	return status;
}

static int cmd_merge_run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	const char *out = NULL;
	int option;
	while ((option = arguments_next(&arguments)) == 'o')
		out = arguments.value;
	if (option == ARGUMENTS_STOP)
		return arguments.status;
	if (out == NULL || arguments.first == argc) {
		diag(self->name, "no %s; see 'stmlog help %s'", out == NULL ? "-o OUT" : "FILE", self->name);
		return STATUS_UNUSABLE;
	}
	return merge_files(out, argv + arguments.first, argc - arguments.first);
}

static const struct option_row options[] = {
	{"output", 'o', "OUT", "the recording to write; it may be one of the files; -: stdout"},
	{0},
};

const struct command cmd_merge = {
	.name = "merge",
	.arguments = "FILE...",
	.summary = "adds up recordings of one program, from many runs or hosts, into one",
	.options = options,
	.notes =
		"Losses that have the same cause and places are added up, and so are threads of the same number, and\n"
		"the n-th processes of a program. Two places are the same if they have the same function, file and\n"
		"line, or the same offset in modules of the same build-id. Accesses are those of the run that has the\n"
		"most of them. Timelines and allocations are left out. If a file is of another program, runtime or\n"
		"clock, nothing is written.\n",
	.run = cmd_merge_run,
};
