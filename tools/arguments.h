/* SPDX-License-Identifier: MIT
 * The options of a subcommand, one at a time. --help is an option of each, and handled here. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "command.h"

enum {
	ARGUMENTS_END = 0,   /* no more options: argv[first] is the first argument */
	ARGUMENTS_STOP = -1, /* end the command with `status`: the help or an error message was printed */
};

struct arguments {
	const struct command *command;
	int argc;
	char **argv;
	const char *value; /* of the option just returned; NULL: it has none */
	int first;
	int status;
};

/* Requires argc > 0: argv[0] is a name, which is skipped. The state of getopt_long() is one for the process: no other
 * options are parsed meanwhile. */
struct arguments arguments_of(const struct command *command, int argc, char **argv);

/* Returns the id of the next option, or one of the two above. */
int arguments_next(struct arguments *arguments);

/* Prints that the value of the option just returned is wrong, and what is `wanted`. Returns ARGUMENTS_STOP. */
int arguments_refuse(struct arguments *arguments, const char *name, const char *wanted);

/* Returns which of the words that it may be the value of the option just returned is, from 0 on. If it is none of them,
 * prints them, and returns ARGUMENTS_STOP. Requires that they are at least two. */
int arguments_choice(struct arguments *arguments, const char *name);

/* Calls `one` for each file behind the options, or for RECORDING_USUAL_FILE if there is none. Returns the largest of
 * the statuses. */
int arguments_each_file(const struct arguments *arguments, int (*one)(const char *path));

#endif
