/* SPDX-License-Identifier: MIT
 * The command `stmlog`: its table of subcommands, and nothing else. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/stmlog.h>

#include "command.h"
#include "diag.h"

const struct command *const commands[] = {
	&cmd_record, &cmd_report, &cmd_export, &cmd_merge, &cmd_diff, &cmd_check, &cmd_info, &cmd_help, NULL};

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		diag(NULL, "no command; 'stmlog help' lists them");
		return STATUS_UNUSABLE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("stmlog " STMLOG_VERSION);
		return diag_finish_stdout(STATUS_DONE);
	}
	const char *name = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ? "help" : argv[1];
	const struct command *command = command_find(name);
	if (command == NULL) {
		diag(NULL, "unknown %s '%s'; 'stmlog help' lists the commands", name[0] == '-' ? "option" : "command",
			name);
		return STATUS_UNUSABLE;
	}
	return command->run(command, argc - 1, argv + 1);
}
