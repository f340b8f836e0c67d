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
#include "libitm.h"
#include "memory.h"
#include "record.h"

/* Prints why nothing was recorded, and the file with which the linker puts an agent into the program. These files lie
 * beside the agent for preloading. */
static void print_why(const char *program, const char *agent)
{
	static const char *const how[] = {
		[RECORD_LINK_NONE] = "nothing was recorded: %s",
		[RECORD_LINK_LIBITM] =
			"nothing was recorded: %s; link it again with @%.*sstmlog-itm.wrap added, or dynamically",
		[RECORD_LINK_GHC] = "nothing was recorded: %s, or link it again with -optl@%.*sstmlog-ghc.wrap",
	};
	struct record_why why = record_why_nothing(program);
	diag(program, how[why.link], why.text, (int)(strrchr(agent, '/') + 1 - agent), agent);
}

static void print_begun(const char *program)
{
	diag(program, "nothing was recorded: it ended before its recording could be written");
}

/* Without a board nobody knows whether a transaction has begun. What kept the board from being written keeps a
 * recording from it, too. */
static void print_no_board(const char *program, int error)
{
	const char *remedy = artifact_remedy(-error);
	diag(program, "nothing was recorded: no file could be written beside the recording: %s%s", strerror(error),
		remedy != NULL ? remedy : "; choose another place with -o");
}

static void print_nothing_recorded(const struct record_outcome *outcome, const char *program, const char *agent,
	const struct record_directory *directory)
{
	const struct record_board *board = directory->board;
	int status = outcome->wait_status;
	char *why = record_board_why(board, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	if (why != NULL)
		diag(program, "nothing was recorded: %s", why);
	else if (record_board_has_begun(board))
		print_begun(program);
	else if (board == NULL)
		print_no_board(program, directory->board_error);
	else if (!record_board_is_refused(board))
		print_why(program, agent);
	free(why);
}

/* Prints how many processes left no recording because they filter system calls. Returns false if there is none. */
static bool print_filtered(const struct record_board *board, const char *program)
{
	uint64_t filtered = record_board_filtered(board);
	if (filtered != 0)
		diag(program, "its processes filter their system calls; %" PRIu64 " of them left no recording",
			filtered);
	return filtered != 0;
}

/* Prints which process of the program goes on. Returns false if none does. */
static bool print_running(const struct record_board *board, const char *file)
{
	pid_t running = record_board_running(board);
	if (running != 0)
		diag(file, "process %ld goes on; when it ends, its recording will be %s.%ld", (long)running, file,
			(long)running);
	return running != 0;
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
	execvp(argv[0], argv);
	int error = errno;
	print_not_run(argv[0], error);
	return record_exit_status(&(struct record_outcome){.exec_errno = error});
}

/* The libraries that the program may load; owned. */
struct libraries {
	char *agent;
	char *ghc;     /* the module for GHC */
	char *objects; /* NULL: not asked for */
	char *library; /* for programs that find it at run time; not preloaded. NULL: it is not installed */
};

/* Returns false, and prints why, if one of them is missing. */
static bool find_libraries(struct libraries *libraries, const struct record_wishes *wishes)
{
	*libraries = (struct libraries){.agent = record_agent_find(RECORD_LIBITM)};
	if (libraries->agent == NULL)
		return false;
	libraries->ghc = record_agent_find(RECORD_GHC);
	if (wishes->has_objects)
		libraries->objects = record_agent_find(RECORD_OBJECTS);
	libraries->library = record_library_find();
	return libraries->ghc != NULL && (libraries->objects != NULL || !wishes->has_objects);
}

static void libraries_fini(struct libraries *libraries)
{
	free(libraries->agent);
	free(libraries->ghc);
	free(libraries->objects);
	free(libraries->library);
}

/* The agent comes first. The caller frees it. */
static char *preload_of(const struct libraries *libraries)
{
	/* Each is put before those that are there already. */
	const char *const preloaded[] = {libraries->objects, libraries->ghc, libraries->agent};
	const char *users = getenv("LD_PRELOAD");
	char *preload = memory_text(users != NULL ? users : "");
	for (size_t i = 0; i < sizeof preloaded / sizeof *preloaded; i++) {
		char *behind = preload;
		if (preloaded[i] == NULL)
			continue;
		preload = record_env_preload(behind, preloaded[i]);
		free(behind);
	}
	return preload;
}

struct run {
	const struct record_wishes *wishes;
	const char *file;
	char **argv;
	const struct libraries *libraries;
	const struct record_directory *directory;
	const char *libitm; /* LIBITM_VARIABLE; NULL: not set */
};

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
static struct record_result collect(const struct run *run, const struct record_outcome *outcome)
{
	struct record_result result = {.status = record_exit_status(outcome)};
	const struct record_board *board = run->directory->board;
	if (run->wishes->is_of_series)
		judge(outcome, run->argv[0], &result);
	if (run->wishes->is_of_series && (result.status != 0 || result.is_stopped))
		return result;
	result.file = record_collect(run->directory, outcome->pid, run->file, &result.recording);
	result.is_told = result.file == NULL;
	bool is_elsewhere = print_running(board, run->file);
	is_elsewhere |= print_filtered(board, run->argv[0]);
	if (result.recording.fault[0] != '\0')
		diag(run->argv[0], "its recording cannot be used: it %s", result.recording.fault);
	else if (result.file == NULL && !is_elsewhere)
		print_nothing_recorded(outcome, run->argv[0], run->libraries->agent, run->directory);
	return result;
}

/* Sets the values of STMLOG_OPTIONS and STMLOG_RUN; both owned. */
static void describe(const struct run *run, char **options, char **place_of_run)
{
	const struct record_directory *directory = run->directory;
	struct stat status = {.st_dev = 0};
	char *file = record_directory_file(directory);
	fstat(directory->fd, &status);
	const struct record_place place = {directory->path, status.st_dev, status.st_ino, file};
	*options = record_env_options(getenv("STMLOG_OPTIONS"), &run->wishes->settings, &place);
	*place_of_run = record_env_run(&place);
	free(file);
}

static struct record_result run_program(const struct run *run)
{
	char *options, *place;
	describe(run, &options, &place);
	char *preload = preload_of(run->libraries);
	char *tsc = record_env_tsc(&run->wishes->settings);
	char *asan = record_env_asan(getenv("ASAN_OPTIONS"));
	struct record_run program = {.argv = run->argv,
		.preload = preload,
		.options = options,
		.run = place,
		.asan = asan,
		.libitm = run->libitm,
		.tsc = tsc,
		.library = run->libraries->library,
		.wishes = run->wishes,
		.file = run->file,
		.directory = run->directory->held,
		.board = run->directory->board};
	struct record_outcome outcome;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (record_run(&program, &outcome) != 0) {
		diag(run->argv[0], "cannot be started: %s", strerror(errno));
	} else if (outcome.exec_errno != 0) {
		print_not_run(run->argv[0], outcome.exec_errno);
		result.status = record_exit_status(&outcome);
	} else {
		result = collect(run, &outcome);
	}
	free(asan);
	free(tsc);
	free(preload);
	free(place);
	free(options);
	return result;
}

/* The file that FILE stands for: where a symbolic link leads, even if nothing is there yet. The link stays one. Owned.
 */
static char *followed(const char *file)
{
	struct stat status;
	bool is_link = lstat(file, &status) == 0 && S_ISLNK(status.st_mode);
	int made = is_link && stat(file, &status) != 0 ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	char *target = is_link ? realpath(file, NULL) : NULL;
	if (made >= 0)
		close(made);
	if (made >= 0 && target != NULL)
		unlink(target);
	return target != NULL ? target : memory_text(file);
}

struct record_result record_one(const struct record_wishes *wishes, const char *name, char **argv)
{
	struct libraries libraries;
	struct record_directory directory;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (wishes->is_of_series && record_interruption() != 0)
		return (struct record_result){.status = 128 + record_interruption(), .is_last = true};
	if (!find_libraries(&libraries, wishes)) {
		libraries_fini(&libraries);
		return result;
	}
	struct libitm libitm = libitm_of(argv[0], LIBITM_TRUSTED);
	char *known = libitm_variable(&libitm);
	char *file = followed(name);
	record_signals_guard();
	record_adopt(file);
	if (record_directory_create(&directory, file)) {
		result = run_program(&(struct run){wishes, file, argv, &libraries, &directory, known});
		record_directory_destroy(&directory);
	}
	/* Nothing is left to be removed: from here on a signal may end this process. */
	record_signals_release();
	free(file);
	free(known);
	libitm_fini(&libitm);
	libraries_fini(&libraries);
	return result;
}

void record_result_fini(struct record_result *result)
{
	recording_fini(&result->recording);
	free(result->file);
}
