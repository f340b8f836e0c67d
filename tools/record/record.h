/* SPDX-License-Identifier: MIT
 * The parts of `stmlog record`: what is run, how, and what is taken from it. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- record_agent.c ---- */

enum record_agent {
	RECORD_ORDINARY,
	RECORD_LIGHT,   /* leaves data accesses alone */
	RECORD_FULL,    /* hears functions built with -finstrument-functions */
	RECORD_PASSIVE, /* hooks nothing of libitm's */
	RECORD_OBJECTS, /* no agent: remembers allocations for one */
	RECORD_AGENTS
};

/* The path of the agent beside this executable or in ../lib/stmlog/, owned. NULL: not there, or a path that
 * LD_PRELOAD cannot hold; one line was printed. */
char *record_agent_find(enum record_agent which);

/* ---- record_env.c ---- */

/* What was said on the command line, for the runtime in the program; NULL: not said. */
struct record_settings {
	const char *sample;
	const char *stacks;
	const char *timeline;
	const char *paths;
};

/* The value of STMLOG_OPTIONS: the user's own (NULL or empty: none), then ours, since the last one wins. Owned. */
char *record_env_options(const char *users, const struct record_settings *settings, const char *directory);

/* The value of LD_PRELOAD: ours, then the user's own. Owned. */
char *record_env_preload(const char *users, const char *agent);

/* ---- record_one.c ---- */

/* What was asked for on the command line, for each run alike. */
struct record_wishes {
	bool is_light;
	bool is_passive;
	bool has_objects;
	bool only_of_success; /* a program that fails leaves no recording */
	struct record_settings settings;
};

struct record_result {
	int status;       /* of the program, as shells tell it; STATUS_UNUSABLE where none was run */
	bool is_recorded; /* the recording is whole and in its place */
	bool is_told;     /* why it is not was printed in one line */
};

enum record_agent record_agent_for(const struct record_wishes *wishes);

/* Runs the program (argv ended by NULL) and puts its recording into `file`. */
struct record_result record_one(const struct record_wishes *wishes, const char *file, char **argv);

/* ---- record_series.c ---- */

enum { RECORD_RUNS_MOST = 9999 };

struct record_series {
	const char *directory;
	uint64_t runs;     /* of each program; 1 to RECORD_RUNS_MOST */
	const char *other; /* the path of another build of the program; NULL: there is but one */
	bool is_quiet;     /* no line for each run */
};

/* What each of the steps runs, and where to. The two programs take turns, also in who goes first, so that a machine
 * that gets slower or warmer, and whatever one run leaves behind for the next, does no more to one than to the other.
 */
struct record_step {
	bool is_other;
	char *file; /* owned */
};
uint64_t record_series_steps(const struct record_series *series);
struct record_step record_series_step(const struct record_series *series, uint64_t index);

/* Runs all of them and tells a line of each. Returns the exit status: 0, or that of the first run that failed, which
 * is the last one; STATUS_UNUSABLE where one left no recording, or a file is there already. */
int record_series(const struct record_series *series, const struct record_wishes *wishes, char **argv);

/* ---- record_child.c ---- */

struct record_run {
	char **argv;         /* of the program, ended by NULL */
	const char *preload; /* for its environment */
	const char *options;
	const char *libitm; /* LIBITM_VARIABLE; NULL: not set */
};

struct record_outcome {
	pid_t pid;
	int exec_errno; /* 0: the program began */
	int wait_status;
};

/* Between the two no signal ends us: what is begun is put away. */
void record_signals_guard(void);
void record_signals_release(void);

/* Runs the program to its end. As a shell does, ignores SIGINT and SIGQUIT meanwhile, which the program gets from
 * the terminal itself; forwards SIGTERM and SIGHUP. Returns 0, or -1 with errno when there is no process to be had.
 * Requires the guard. */
int record_run(const struct record_run *run, struct record_outcome *outcome);

/* The exit status that tells what became of the program, as shells tell it. */
int record_exit_status(const struct record_outcome *outcome);

/* ---- record_collect.c ---- */

/* A fresh private directory beside `file`, as an absolute path, owned. NULL: one line was printed. */
char *record_directory_create(const char *file);

/* Removes it and what is left in it. */
void record_directory_destroy(char **directory);

/* Moves the recording of process `pid`, else the one with most transactions, to `file`, others to `file`.NAME, and
 * tells of those in one line. Returns false when there is none; then *fault (owned) is NULL, or says why the ones
 * found are no good, and an older `file` is as it was. */
bool record_collect(const char *directory, pid_t pid, const char *file, char **fault);

/* ---- record_why.c ---- */

/* Why a program left no recording. */
struct record_why {
	const char *text; /* for the user, and, but where linking helps, what to do; never freed */
	bool can_link;    /* the agent can be linked into it */
};

struct record_why record_why_nothing(const char *program);

/* Whether the agent is linked into the file that execvp() would run. */
bool record_has_agent(const char *program);

#endif
