/* SPDX-License-Identifier: MIT
 * The parts of `stmlog record`: running the program with an agent preloaded, and collecting its recording. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <stmlog/board.h>

#include "recording.h"

/* ---- record_env.c ---- */

/* What is preloaded. */
enum record_agent {
	RECORD_LIBITM,
	RECORD_GHC,
	RECORD_OBJECTS, /* no agent: a library that remembers allocations for RECORD_LIBITM */
	RECORD_AGENTS
};

/* Returns the path of the agent beside this executable or in ../lib/stmlog/; owned. Returns NULL, and prints why, if it
 * is not there or LD_PRELOAD cannot hold its path. */
char *record_agent_find(enum record_agent which);

/* Options of the command line that are passed on to the program's runtime; NULL: not given. */
struct record_settings {
	const char *sample;
	const char *timeline;
	const char *paths;
};

/* The variables of the program's environment that `record` sets. */
struct record_env {
	struct record_variable {
		const char *name;
		char *value; /* owned; NULL: it is not set, even if an outer `record` has set it */
	} variables[6];
	size_t len;
};

/* Sets the variables that are the same for all runs of the program. Returns false, and prints why, if an agent is
 * missing. End it with record_env_fini(). */
bool record_env_init(struct record_env *env, const char *program, bool has_objects);
void record_env_fini(struct record_env *env);

/* Adds a variable. Takes the value. */
void record_env_set(struct record_env *env, const char *name, char *value);

/* In the program's process. Returns false, with errno, if that fails. */
bool record_env_apply(const struct record_env *env);

/* Returns a list whose first element is ours; owned. `users` is what the user has set, NULL or empty: nothing. */
char *record_env_before(const char *ours, const char *users);

struct record_directory;

/* Return the values of STMLOG_OPTIONS and STMLOG_RUN for recordings in the directory; owned. Where an option comes
 * twice the last one counts, so the user's own value (NULL or empty: none) stands before those that the user must not
 * override. */
char *record_env_options(
	const char *users, const struct record_settings *settings, const struct record_directory *directory);
char *record_env_run(const struct record_settings *settings, const struct record_directory *directory);

/* ---- record_runs.c: one run ---- */

/* What else is done when a program begins and while it runs. The snapshots of its processes are in `directory`. */
struct record_watch {
	/* In the program's process, before it becomes the program. Returns false, with errno, if the program shall not
	 * be run. NULL: nothing is done. */
	bool (*prepare)(void *arg);
	void (*look)(void *arg, const char *directory, pid_t pid); /* several times a second; NULL: not at all */
	/* When this process gets SIGUSR2. The recording will be `file`. NULL: nothing is done. */
	void (*dump)(void *arg, const char *file, const char *directory, pid_t pid);
	void (*over)(void *arg); /* when the program has ended; NULL: nothing */
	void *arg;
};

/* Options of the command line that hold for each run. */
struct record_wishes {
	bool has_objects;
	/* One of several runs that are compared. It ends with all its processes, and no recording is kept if the
	 * program fails, or if the user interrupts it. */
	bool is_of_series;
	uint64_t max_ns; /* a run of a series that takes longer is stopped; 0: none is */
	struct record_settings settings;
	struct record_watch watch;
};

struct record_result {
	int status;      /* exit status of the program, as in a shell; STATUS_UNUSABLE if none was run */
	bool is_told;    /* an error message was printed */
	bool is_stopped; /* after max_ns */
	/* No run of the series may follow: the user has interrupted it, and `status` is 128 and the signal; or
	 * processes of this run cannot be ended. */
	bool is_last;
	char *file;                 /* where the recording is, whole. NULL: there is none */
	struct recording recording; /* what is in the file */
};

/* Runs the program (argv ends with NULL) and puts its recording into `file`. A file that was there becomes `file`.old.
 * If another recorder has put its recording there meanwhile, that stays: this one goes into `file`.2 or so. */
struct record_result record_one(const struct record_wishes *wishes, const char *file, char **argv);
void record_result_fini(struct record_result *result);

/* Whether this process can open the files that recording takes: a directory, a board and a pipe. */
bool record_has_files(void);

/* Becomes the program, which is not recorded, and prints why. Returns an exit status if that fails. */
int record_not(char **argv);

/* ---- record_runs.c: a series ---- */

enum { RECORD_RUNS_MAX = 9999 };

struct record_series {
	const char *directory;
	uint64_t runs;     /* of each program; 1 to RECORD_RUNS_MAX */
	const char *other; /* the path of another build of the program; NULL: none */
	bool is_quiet;     /* print no line for each run */
};

/* One run of a series. The two programs take turns, and so does the right to go first: a machine that gets slower, and
 * what a run leaves behind for the next, affect both programs alike. */
struct record_step {
	bool is_other;
	char *file; /* owned */
};
uint64_t record_series_steps(const struct record_series *series);
struct record_step record_series_step(const struct record_series *series, uint64_t index);

/* Runs the series and prints a line for each run. The first run that fails ends it. Returns 0, or the exit status of
 * the run that failed; STATUS_UNUSABLE if a run left no recording or the directory has a series. */
int record_series(const struct record_series *series, const struct record_wishes *wishes, char **argv);

/* ---- record_runs.c: the last lines ---- */

/* Prints on stderr where the recording is. */
void record_print_where(const char *file);

/* The same behind a series, with the command that compares its two programs, by a page
 * if this command can make any, or that merges its runs. */
void record_print_next_series(const char *directory, bool are_pairs, bool has_page);

/* ---- record_child.c ---- */

struct record_run {
	char **argv; /* of the program, ended by NULL */
	const struct record_env *env;
	const struct record_wishes *wishes;
	const char *file; /* where the recording will be */
	const struct record_directory *directory;
};

struct record_outcome {
	pid_t pid;
	int exec_errno; /* 0: the program began */
	int wait_status;
	/* Of a run of a series: */
	bool is_stopped; /* it took too long, or did not end after an interruption */
	bool has_left;   /* processes of it went on after the program, and were ended */
	pid_t recorder;  /* one of them, which had something to record; 0: none */
	bool is_undying; /* some of them could not be ended */
};

/* Between the two calls SIGINT, SIGQUIT, SIGTERM and SIGHUP do not end this process, so that temporary files are
 * removed. From the first call on, SIGPIPE and SIGXFSZ do not either, so that it returns the program's exit status. The
 * calls may be nested. */
void record_signals_guard(void);
void record_signals_release(void);

/* The first of those signals that the user has sent since then; 0: none. */
int record_interruption(void);

/* Runs the program to its end, with a look at it now and then. If it is one of a series, all its processes end, at the
 * latest some seconds after an interruption. Returns 0, or -1 with errno if no process could be made. Requires
 * record_signals_guard(). */
int record_run(const struct record_run *run, struct record_outcome *outcome);

/* The exit status of the program, as in a shell. */
int record_exit_status(const struct record_outcome *outcome);

/* ---- record_board.c: see stmlog/board.h ---- */

/* The path of the board in the directory; owned. */
char *record_board_path(const char *directory);

/* The board as `record` reads it: the descriptor of its file; -1: there is none. The file belongs to the program, which
 * may have written anything into it, or cut it off: what is missing counts as empty. */

/* Programs inherit a board that has this number or a higher one: few programs use such descriptors. Where so many are
 * not allowed, a new board has a low number, and is not inherited. */
enum { RECORD_BOARD_INHERITED = 200 };

/* Make a new board, or open one, read only, in the directory of a descriptor. Return -1, and set errno, if that
 * fails. */
int record_board_create(int directory);
int record_board_open(int directory);

/* What the processes of the run say. */
struct record_board_summary {
	/* A process that still runs and has something to record, by its number in its own PID namespace; 0: none. */
	pid_t running;
	long failed;       /* a process that could not write its recording; 0: none */
	int error;         /* why not, an errno */
	bool has_begun;    /* a process had something to record, and has not written it */
	bool is_refused;   /* an agent has said itself why it cannot record a process */
	uint64_t filtered; /* so many recordings are missing because processes filter their system calls */
};

struct record_board_summary record_board_sum_up(int board);

/* Why there is no recording, as the processes say themselves, or because of the signal that has ended the program (0:
 * none). Owned; NULL: neither. */
char *record_board_why(const struct record_board_summary *sum, int signal);

/* Waits until the recordings of processes that have ended are made; a minute at most. */
void record_board_await(int board);

/* Puts the recordings that processes could only write onto the board into files of the directory. */
void record_board_unload(int board, const char *directory);

/* Tells the processes that still run that nobody takes recordings from the board any more. */
void record_board_end(int board);

/* ---- record_directory.c ---- */

struct record_directory {
	char *path; /* absolute; owned */
	int fd;     /* of the directory, which is locked as long as this is open */
	/* Another path of it, through `fd`. It leads to the directory even if somebody has put something else at
	 * `path`. Owned. */
	char *held;
	int board;       /* -1: none could be made */
	int board_error; /* why not, an errno */
	/* The file beside which it is, when it was made; 0: there was none. */
	dev_t file_device;
	ino_t file_inode;
};

/* Makes a private directory beside `file`. Returns false, and prints why, if that fails. */
bool record_directory_create(struct record_directory *directory, const char *file);

/* The absolute path of the file beside which the directory is. Owned. */
char *record_directory_file(const struct record_directory *directory);

/* Whether somebody has put another file at the path since then. */
bool record_directory_is_overtaken(const struct record_directory *directory, const char *file);

/* A name that no file has: FILE.PID, or FILE.PID.2 and so on, for the recording of the name PID-SERIAL;
 * FILE.PID.GENERATION for PID-SERIAL.GENERATION; FILE.2 and so on without a name. Owned. */
char *record_free_name(const char *file, const char *name);

/* Returns the text with an escape before each special character; owned. Takes the text. */
char *record_escaped(char *text, const char *special, char escape);

/* Removes the directory and the files in it. */
void record_directory_destroy(struct record_directory *directory);

/* Looks for directories of this user's beside `file` whose recorder was killed, and in which no process records any
 * more. Whole recordings in them become `file`.NAME, with a line about each; the rest is removed. */
void record_adopt(const char *file);

/* ---- record_collect.c ---- */

/* Adds up the recordings of all processes, and moves the sum to `file`, or beside it if another recorder has put one
 * there meanwhile. Facts of the run as a whole, such as its arguments, are those of process `pid`. If that has no
 * recording, they are those of the process with the largest number of transactions. Moves those that cannot be added to
 * free names, `file`.PID, and prints a line about them. Returns where the sum is, owned, and loads it into `recording`.
 * NULL: there is no recording that can be used: then `recording->fault` says what is wrong with one of those found, or
 * is "" if none was found; an older `file` stays. Call recording_fini() in any case. */
char *record_collect(
	const struct record_directory *directory, pid_t pid, const char *file, struct recording *recording);

/* ---- record_why.c ---- */

/* Which file for the linker puts an agent into the program. */
enum record_link { RECORD_LINK_NONE, RECORD_LINK_LIBITM, RECORD_LINK_GHC };

/* Why a program left no recording. */
struct record_why {
	const char *text; /* the reason and, unless a link is all that helps, what to do; never freed */
	enum record_link link;
};

struct record_why record_why_nothing(const char *program);

/* Why nothing was recorded if the program is GHC itself, by its name; NULL if it is not. */
const char *record_why_interpreter(const char *program);

#endif
