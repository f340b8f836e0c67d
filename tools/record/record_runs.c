/* SPDX-License-Identifier: MIT
 * Runs of a program: a single run, with all its error messages; a series of runs, each into a file of its own, which
 * are the samples for `stmlog diff`; and the last lines of `stmlog record`, with the command that shows more. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "artifact.h"
#include "diag.h"
#include "estimate.h"
#include "lookup.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "record.h"
#include "recorded_account.h"
#include "recording.h"
#include "utf8.h"

/* ---- one run ---- */

/* Prints why nothing was recorded, and the file with which the linker puts an agent into the program. */
static void print_why(const char *program)
{
	static const struct {
		const char *format, *file;
	} how[] = {
		[RECORD_LINK_NONE] = {"nothing was recorded: %s", ""},
		[RECORD_LINK_LIBITM] = {"nothing was recorded: %s; link it again with @%s added, or dynamically",
			"stmlog-itm.wrap"},
		[RECORD_LINK_GHC] = {"nothing was recorded: %s, or link it again with -optl@%s", "stmlog-ghc.wrap"},
	};
	struct record_why why = record_why_nothing(program);
	char *file = lookup_beside(how[why.link].file);
	diag(program, how[why.link].format, why.text, file != NULL ? file : how[why.link].file);
	free(file);
}

/* Without a board nobody knows whether a transaction has begun. What kept the board from being written keeps a
 * recording from it, too. */
static void print_no_board(const char *program, int error)
{
	const char *remedy = artifact_remedy(-error);
	diag(program, "nothing was recorded: no file could be written beside the recording: %s%s", strerror(error),
		remedy != NULL ? remedy : "; choose another place with -o");
}

static void print_nothing_recorded(
	const struct record_run *run, const struct record_board_summary *sum, int wait_status)
{
	char *why = record_board_why(sum, WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0);
	if (why != NULL)
		diag(run->argv[0], "nothing was recorded: %s", why);
	else if (run->directory->board < 0)
		print_no_board(run->argv[0], run->directory->board_error);
	else if (!sum->is_refused)
		print_why(run->argv[0]);
	free(why);
}

/* Prints why the program could not be run. By a name without a slash no file in the current directory is meant. */
static void print_not_run(const char *program, int error)
{
	char *here = memory_format("./%s", program);
	if (error == ENOENT && strchr(program, '/') == NULL && access(here, X_OK) == 0)
		diag(program, "cannot be run: it is not in PATH (did you mean '%s'?)", here);
	else
		diag(program, "cannot be run: %s; check its name and permissions", strerror(error));
	free(here);
}

bool record_has_files(void)
{
	int ends[4] = {-1, -1, -1, -1};
	bool has = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return has;
}

int record_not(char **argv)
{
	diag(argv[0], "is not recorded: too few files can be open; allow more (ulimit -n)");
	int error = lookup_exec(argv);
	print_not_run(argv[0], error);
	return record_exit_status(&(struct record_outcome){.exec_errno = error});
}

/* Prints why a run of a series is void, if it is; and once that runs do not end by themselves. */
static void judge(const struct record_outcome *outcome, const char *program, struct record_result *result)
{
	static bool is_told;
	int interruption = record_interruption();
	bool is_cut = result->status == 0 && interruption == 0 && outcome->recorder != 0;
	result->is_stopped = outcome->is_stopped;
	result->is_last = interruption != 0 || outcome->is_undying;
	result->is_told = is_cut || outcome->is_undying;
	if (outcome->is_undying)
		diag(program, "leaves processes behind that cannot be ended, and would disturb the next run");
	else if (is_cut)
		diag(program,
			"its process %ld went on and had to be ended, before its recording was whole; wait for it",
			(long)outcome->recorder);
	else if (outcome->has_left && !is_told && result->status == 0)
		diag(program, "leaves processes behind; they are ended with each run");
	is_told |= outcome->has_left;
	if (interruption != 0 || result->is_told)
		result->status = interruption != 0 ? 128 + interruption : STATUS_UNUSABLE;
}

/* Collects the recording of a program that has run. */
static struct record_result collect(const struct record_run *run, const struct record_outcome *outcome)
{
	struct record_result result = {.status = record_exit_status(outcome)};
	const char *program = run->argv[0];
	if (run->wishes->is_of_series)
		judge(outcome, program, &result);
	if (run->wishes->is_of_series && (result.status != 0 || result.is_stopped))
		return result;
	result.file = record_collect(run->directory, outcome->pid, run->file, &result.recording);
	result.is_told = result.file == NULL;
	struct record_board_summary sum = record_board_sum_up(run->directory->board);
	long running = sum.running;
	if (running != 0)
		diag(run->file, "process %ld goes on; when it ends, its recording will be %s.%ld", running, run->file,
			running);
	if (sum.filtered != 0)
		diag(program, "its processes filter their system calls; %" PRIu64 " of them left no recording",
			sum.filtered);
	if (result.recording.fault[0] != '\0')
		diag(program, "its recording cannot be used: it %s", result.recording.fault);
	else if (result.file == NULL && running == 0 && sum.filtered == 0)
		print_nothing_recorded(run, &sum, outcome->wait_status);
	return result;
}

static struct record_result run_program(const struct record_run *run)
{
	struct record_outcome outcome;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (record_run(run, &outcome) != 0) {
		diag(run->argv[0], "cannot be started: %s", strerror(errno));
	} else if (outcome.exec_errno != 0) {
		print_not_run(run->argv[0], outcome.exec_errno);
		result.status = record_exit_status(&outcome);
	} else {
		result = collect(run, &outcome);
	}
	return result;
}

/* The file that FILE stands for: where a symbolic link leads, even if nothing is there yet. The link stays one. Owned.
 */
static char *followed(const char *file)
{
	enum { LINKS_MAX = 40 }; /* as the kernel's */
	char *last = memory_text(file), target[PATH_MAX];
	for (int links = 0; links < LINKS_MAX && artifact_follow(last, target); links++) {
		free(last);
		last = memory_text(target);
	}
	return last;
}

struct record_result record_one(const struct record_wishes *wishes, const char *name, char **argv)
{
	struct record_env env;
	struct record_directory directory;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (wishes->is_of_series && record_interruption() != 0)
		return (struct record_result){.status = 128 + record_interruption(), .is_last = true};
	if (!record_env_init(&env, argv[0], wishes->has_objects))
		return result;
	char *file = followed(name);
	record_signals_guard();
	record_adopt(file);
	if (record_directory_create(&directory, file)) {
		record_env_set(&env, "STMLOG_OPTIONS",
			record_env_options(getenv("STMLOG_OPTIONS"), &wishes->settings, &directory));
		record_env_set(&env, "STMLOG_RUN", record_env_run(&wishes->settings, &directory));
		result = run_program(&(struct record_run){argv, &env, wishes, file, &directory});
		record_directory_destroy(&directory);
	}
	/* Nothing is left to be removed: from here on a signal may end this process. */
	record_signals_release();
	free(file);
	record_env_fini(&env);
	return result;
}

void record_result_fini(struct record_result *result)
{
	recording_fini(&result->recording);
	free(result->file);
}

/* ---- a series ---- */

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

/* ---- the last lines ---- */

static struct number size_of_file(const char *file)
{
	struct stat status;
	return number_bytes(stat(file, &status) == 0 ? (uint64_t)status.st_size : 0);
}

/* Prints both, each on a line of its own if one line has no room. No line is broken: users copy the command. Frees
 * both.
 */
static void print_both(char *where, char *next)
{
	struct printer out = file_printer(stderr);
	utf8_hide(where);
	utf8_hide(next);
	bool fits = out.width == 0 || fit_width(where) + 2 + fit_width(next) <= out.width;
	fprintf(stderr, "\n%s%s%s\n", where, fits ? "  " : "\n", next);
	free(where);
	free(next);
}

void record_print_next_series(const char *directory, bool are_pairs, bool has_page)
{
	char *at = quoted_word(directory),
	     *page = has_page ? memory_format("--html=%s/diff.html ", at) : memory_text("");
	print_both(memory_format("Recordings: %s", directory),
		are_pairs
			? memory_format("Next: stmlog diff %s%s/old-*.data -- %s/new-*.data", page, at, at)
			: memory_format("Next: stmlog merge -o %s/all.data %s/run-*.data && stmlog report %s/all.data",
				  at, at, at));
	free(page);
	free(at);
}

void record_print_where(const char *file)
{
	char *where = utf8_cleaned(memory_text(file));
	fprintf(stderr, "\nRecording: %s (%s)\n", where, size_of_file(file).text);
	free(where);
}
