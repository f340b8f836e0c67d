/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"

static int run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	if (arguments_next(&arguments) == ARGUMENTS_STOP)
		return arguments.status;
	if (arguments.first == argc) {
		command_print_overview();
		return diag_finish_stdout(STATUS_DONE);
	}
	const struct command *command = command_find(argv[arguments.first]);
	if (command == NULL) {
		diag("help", "unknown command '%s'; 'stmlog help' lists them", argv[arguments.first]);
		return STATUS_UNUSABLE;
	}
	command_print_help(command);
	return diag_finish_stdout(STATUS_DONE);
}

static const struct option_row options[] = {{0}};

const struct command cmd_help = {
	.name = "help",
	.arguments = "[COMMAND]",
	.summary = "tells what the commands do",
	.options = options,
	.run = run,
};
