/* SPDX-License-Identifier: MIT
 * A series of runs, each into a file of its own: the samples for `stmlog diff`. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recorded_account.h"
#include "diag.h"
#include "estimate.h"
#include "memory.h"
#include "number.h"
#include "record.h"

uint64_t record_series_steps(const struct record_series *series)
{
	return series->other != NULL ? 2 * series->runs : series->runs;
}

struct record_step record_series_step(const struct record_series *series, uint64_t index)
{
	uint64_t run = series->other != NULL ? index / 2 : index;
	bool is_other = series->other != NULL && (index % 2 == 1) != (run % 2 == 1);
	const char *side = series->other == NULL ? "run" : is_other ? "new" : "old";
	int width = snprintf(NULL, 0, "%" PRIu64, series->runs);
	char *file = memory_format("%s/%s-%0*" PRIu64 ".data", series->directory, side, width, run + 1);
	return (struct record_step){is_other, file};
}

/* Makes the directory if there is none. Returns false, and prints why, if that fails. */
static bool open_directory(const char *directory)
{
	struct stat status;
	if (mkdir(directory, 0777) == 0 || (stat(directory, &status) == 0 && S_ISDIR(status.st_mode)))
		return true;
	diag(directory, "cannot be made a directory: %s; name another DIR with -o", strerror(errno));
	return false;
}

/* Whether the file is of this series or of any other: the command that is printed behind "Next:" names all of them. */
static bool is_of_series(const char *name)
{
	return fnmatch("old-[0-9]*.data", name, 0) == 0 || fnmatch("new-[0-9]*.data", name, 0) == 0 ||
	       fnmatch("run-[0-9]*.data", name, 0) == 0;
}

/* Whether the directory has no series yet; if it has one, prints that. Called before the first run. */
static bool is_free(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry = NULL;
	while (stream != NULL && (entry = readdir(stream)) != NULL && !is_of_series(entry->d_name))
		;
	if (stream == NULL)
		diag(directory, "cannot be read: %s; name another DIR with -o", strerror(errno));
	else if (entry != NULL)
		diag(directory, "has a series already (%s); remove its files, or name another DIR with -o",
			entry->d_name);
	if (stream != NULL)
		closedir(stream);
	return stream != NULL && entry == NULL;
}

/* "1.34 aborts per transaction", or why not. */
static struct number aborts_text(const struct recorded_account *total)
{
	struct number number;
	if (total->commits == 0)
		snprintf(number.text, sizeof number.text, "no commits");
	else
		snprintf(number.text, sizeof number.text, "%.4f aborts per transaction",
			(double)total->aborts / (double)total->commits);
	return number;
}

static void print_run(const char *file, const struct recording *recording)
{
	struct recorded_account total = account_total(recording);
	diag(file, "%s, %s, lost %s", number_time(recording->info.wall_ns).text, aborts_text(&total).text,
		estimate_text_total(recording).text);
}

static int run_step(const struct record_series *series, const struct record_step *step,
	const struct record_wishes *wishes, char **argv)
{
	char *program = argv[0];
	if (step->is_other)
		argv[0] = (char *)series->other;
	struct record_result result = record_one(wishes, step->file, argv);
	argv[0] = program;
	if (result.file != NULL && !series->is_quiet)
		print_run(result.file, &result.recording);
	if (result.is_last && !result.is_told)
		diag(step->file, "this run was ended by signal %d, and so is the series", result.status - 128);
	else if (result.file == NULL && !result.is_told)
		diag(step->file, "this run failed with status %d and ends the series", result.status);
	int status = result.file != NULL || result.status != 0 ? result.status : STATUS_UNUSABLE;
	record_result_fini(&result);
	return status;
}

int record_series(const struct record_series *series, const struct record_wishes *wishes, char **argv)
{
	struct record_wishes each = *wishes;
	each.is_of_series = true;
	if (!open_directory(series->directory) || !is_free(series->directory))
		return STATUS_UNUSABLE;
	if (series->other != NULL && !series->is_quiet)
		diag(series->directory, "old is %s, new is %s; they take turns", argv[0], series->other);
	int status = STATUS_DONE;
	record_signals_guard();
	for (uint64_t i = 0; i < record_series_steps(series) && status == STATUS_DONE; i++) {
		struct record_step step = record_series_step(series, i);
		status = run_step(series, &step, &each, argv);
		free(step.file);
	}
	record_signals_release();
	return status;
}
