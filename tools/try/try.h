/* SPDX-License-Identifier: MIT
 * The parts of `stmlog try`: runs a program with one setting after the other, in turns, and judges which setting makes
 * it faster. A setting is something outside of the program's source: a variable of the environment, the processors that
 * it may use, the number of threads in its arguments. */
#ifndef TRY_H
#define TRY_H

#include <regex.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "statistics.h"

/* With fewer than TRY_MIN_RUNS runs no setting leaves the race for being slow. */
enum { TRY_MIN_RUNS = 3, TRY_RUNS = 5, TRY_SECONDS = 60 };

/* A setting is recommended if it is significantly faster, and by this much. */
#define TRY_ALPHA 0.05
#define TRY_MIN_GAIN 1.05

enum try_state {
	TRY_RACING,
	TRY_SLOWER, /* left the race: each of its runs was slower than each of the program as it is */
	TRY_FAILED, /* left the race: a run failed, or its throughput is not known */
};

struct try_setting {
	char *name;           /* what to set; owned */
	const char *variable; /* of the environment, and its value; NULL: none is set */
	const char *value;
	char *processors; /* a list as taskset takes it; owned. NULL: those that the program has anyway */
	cpu_set_t cpus;   /* the same; valid if `processors` is not NULL */
	size_t threads;   /* takes the place of TRY_THREADS in the arguments */
	enum try_state state;
	int status;      /* of the run that failed */
	const char *why; /* it failed; never freed */
	/* One value for each run: the throughput, and the share of the threads' time that was lost. */
	double *throughputs, *losses;
	size_t runs, throughputs_cap, losses_cap;
	/* Set by try_judge(), if there are runs. */
	struct statistics_median throughput;
	double loss, ratio; /* medians; the ratio is that to the program as it is */
	double p;           /* corrected; 1 for the program as it is */
	bool is_recommended;
};

/* The first setting is the program as it is. */
struct try_race {
	struct try_setting *settings;
	size_t len, cap;
	char **argv;                /* of the program, ended by NULL; with TRY_THREADS as the user wrote it */
	const char *metric;         /* a regular expression; NULL: commits per second */
	uint64_t runs;              /* the most of each setting; of the program as it is twice as many */
	bool is_quiet;              /* print no line for each turn */
	uint64_t limit_ns;          /* no new turn is begun if it would end later, unless try_min_turns() wants it */
	uint64_t turns, elapsed_ns; /* up to now */
	bool is_of_libitm;          /* else libitm's settings are not tried */
	const struct try_setting *recommended; /* by try_judge(); NULL: none */
	bool is_decided;                       /* by try_judge(): enough runs for a setting to be significant */
};

void try_race_fini(struct try_race *race);

/* Adds the values of one run. */
void try_add_run(struct try_setting *setting, double throughput, double loss);

/* ---- try_settings.c ---- */

/* In arguments of the program, the number of threads takes its place. */
#define TRY_THREADS "{threads}"

/* Adds the first setting: the program as it is. */
void try_settings_begin(struct try_race *race);

/* Adds the other ones, which depend on the machine, the arguments and race->is_of_libitm. Requires the
 * first setting, of try_settings_begin(). */
void try_settings_add(struct try_race *race);

/* The program's arguments with the setting's number of threads. Free them with try_arguments_free(). */
char **try_arguments(char **argv, const struct try_setting *setting);
void try_arguments_free(char **argv);

/* The command that runs the program with this setting, as a shell takes it. Owned. */
char *try_command(const struct try_race *race, const struct try_setting *setting);

/* ---- try_settings.c: parts of the processors ---- */

/* The processors that this process may use. Returns false if they cannot be told. */
bool try_processors_usable(cpu_set_t *cpus);

/* A part of the usable processors. Return false if the part is all of them, or not known. `sys` is the folder
 * /sys/devices/system/cpu. */
bool try_processors_first(const cpu_set_t *usable, cpu_set_t *part);
bool try_processors_one_of_each_core(const cpu_set_t *usable, const char *sys, cpu_set_t *part);
bool try_processors_one_package(const cpu_set_t *usable, const char *sys, cpu_set_t *part);

/* "0-3,8"; owned. */
char *try_processors_list(const cpu_set_t *cpus);

/* ---- try.c: turns ---- */

/* Fills `order`, which has room for race->len + 1 numbers, with the settings of the next turn, and returns how many:
 * the program as it is, all settings in the race, and the program as it is again. Every other turn has them in reverse.
 */
size_t try_turn(const struct try_race *race, size_t *order);

/* Takes the settings out of the race that are clearly slower, once they have had TRY_MIN_RUNS. */
void try_drop_slower(struct try_race *race);

/* So many turns are made in any case: the fewest from TRY_MIN_RUNS on in which a setting can become significant, at
 * most race->runs. */
uint64_t try_min_turns(const struct try_race *race);

/* Whether there is another turn, if it takes this time. */
bool try_goes_on(const struct try_race *race, uint64_t turn_ns);

/* ---- try.c: verdicts ---- */

/* Sets the medians, p, and which setting is recommended. Requires a run of the program as it is. */
void try_judge(struct try_race *race);

/* How many tests there are: the settings that have not failed. */
size_t try_tests(const struct try_race *race);

/* try_run.c: the number that the first match of the regular expression has in the text: its first group, or the whole
 * match. Returns false if there is no match, or it is no number. */
bool try_metric_read(const regex_t *metric, const char *text, double *value);

/* ---- try_run.c ---- */

struct try_runner {
	char *directory;       /* for recordings and what the program prints; owned */
	const regex_t *metric; /* NULL: commits per second */
	uint64_t max_ns;       /* a run that takes longer is stopped; 0: none is, in the first run */
	bool is_quiet;         /* say nothing of a first run that takes long */
};

/* Makes the directory. Returns false, and prints why, if that fails. */
bool try_runner_init(struct try_runner *runner);
void try_runner_fini(struct try_runner *runner);

struct try_run {
	double throughput, loss;
	uint64_t took_ns;
	int status;      /* of the program */
	const char *why; /* the run is of no use; NULL: it is. Never freed */
	bool is_told;    /* a message says why already */
	bool is_last;    /* no other run may follow; see record_result */
	bool is_of_libitm;
};

/* Runs the program once, as the setting wants it. If that fails, the end of what it has printed to stderr is shown. */
struct try_run try_run(const struct try_runner *runner, char **argv, const struct try_setting *setting);

/* ---- try.c: the race ---- */

/* Runs the race to its end. Requires argv and runs. Returns 0; or another exit status, after it has
 * printed why, if the program as it is fails or the user ends the race. */
int try_race_run(struct try_race *race, const regex_t *metric);

/* ---- try_print.c ---- */

void try_text(const struct try_race *race, FILE *out);
void try_json(const struct try_race *race, FILE *out);

#endif
