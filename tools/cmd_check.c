/* SPDX-License-Identifier: MIT
 * `stmlog check`: prints the violations that verify_recording() finds, a line each. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "output.h"
#include "recording.h"
#include "utf8.h"
#include "verify.h"

enum { MAX_LINES = 20 };

struct violations {
	const char *path;
	size_t lines;
};

static void print_line(const char *path, const char *text)
{
	char *clean = utf8_clean(path, UTF8_HIDE_CONTROLS);
	struct printer out = text_printer(stdout);
	printer_format(&out, "%s: %s\n", clean, text);
	free(clean);
}

static void print_violation(const char *text, void *arg)
{
	struct violations *violations = arg;
	if (violations->lines++ < MAX_LINES)
		print_line(violations->path, text);
}

static int check_loaded(const struct recording *recording, const char *path)
{
	struct violations printed = {path, 0};
	size_t violations = verify_recording(recording, print_violation, &printed);
	if (violations == 0) {
		print_line(path, "ok");
		return STATUS_DONE;
	}
	if (violations > MAX_LINES)
		printf("... and %zu more\n", violations - MAX_LINES);
	return STATUS_VIOLATION;
}

static int check_file(const char *path)
{
	struct recording recording;
	int result = STATUS_UNUSABLE;
	if (recording_load(&recording, path) == RECORDING_WHOLE)
		result = check_loaded(&recording, path);
	else
		diag(path, "%s", recording.fault);
	recording_fini(&recording);
	return result;
}

static int cmd_check_run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	return arguments_next(&arguments) == ARGUMENTS_STOP ? arguments.status
							    : arguments_each_file(&arguments, check_file);
}

static const struct option_row options[] = {{0}};

const struct command cmd_check = {
	.name = "check",
	.arguments = "[FILE...]",
	.summary = "verifies recordings: their structure, and that all times and counts add up",
	.options = options,
	.notes = "FILE is stmlog.data unless given; - is stdin.\n"
		 "Prints one line per violation, or that the file is ok.\n"
		 "Exit status: 0 ok, 1 violations, 2 unreadable.\n",
	.run = cmd_check_run,
};
