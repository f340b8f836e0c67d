/* SPDX-License-Identifier: MIT
 * Runs a subcommand, and keeps what it prints. */
#ifndef RAN_COMMAND_H
#define RAN_COMMAND_H

#include "capture_stderr.h"
#include "command.h"
#include "loaded.h"

static char out[8192], told[1024];

/* Returns its exit status, with stdout in `out` and stderr in `told`. */
static inline int run_command(const struct command *command, int argc, char **argv)
{
	fflush(stdout);
	int real = dup(STDOUT_FILENO), pipe_like = memfd_create("stdout", 0);
	dup2(pipe_like, STDOUT_FILENO);
	capture_stderr_begin();
	int status = command->run(command, argc, argv);
	capture_stderr_end(told, sizeof told);
	fflush(stdout);
	ssize_t len = pread(pipe_like, out, sizeof out - 1, 0);
	out[len > 0 ? len : 0] = '\0';
	dup2(real, STDOUT_FILENO);
	close(real);
	close(pipe_like);
	return status;
}

#endif
