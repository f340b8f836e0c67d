/* SPDX-License-Identifier: MIT
 * One run of a program: what is preloaded, the environment, and the recording. Prints the error messages of all that.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "artifact.h"
#include "diag.h"
#include "lookup.h"
#include "memory.h"
#include "record.h"

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
