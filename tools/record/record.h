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

/* ---- record_child.c ---- */

struct record_run {
	char **argv;         /* of the program, ended by NULL */
	const char *preload; /* for its environment */
	const char *options;
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
