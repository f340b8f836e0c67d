/* SPDX-License-Identifier: MIT
 * The options of a subcommand, one at a time. --help is everybody's and answered here. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "command.h"

enum {
	ARGUMENTS_END = 0,   /* argv[first] and on are no options */
	ARGUMENTS_STOP = -1, /* end the command with `status`: help was printed, or a mistake was told */
};

struct arguments {
	const struct command *command;
	int argc;
	char **argv;
	const char *value; /* of the option just returned; NULL: it has none */
	int first;
	int status;
};

/* argv[0] is the subcommand's name. One parse at a time in the process (getopt_long). */
struct arguments arguments_of(const struct command *command, int argc, char **argv);

/* The next option's id, or one of the two above. */
int arguments_next(struct arguments *arguments);

/* Tells on stderr that the value of the option just returned is no good, and what would be; ARGUMENTS_STOP. */
int arguments_refuse(struct arguments *arguments, const char *name, const char *wanted);

/* The whole of a subcommand that has no options and looks at one file after the other: the worst status of `one`. */
int arguments_each_file(const struct command *command, int argc, char **argv, int (*one)(const char *path));

#endif
