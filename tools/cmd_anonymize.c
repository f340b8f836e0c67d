/* SPDX-License-Identifier: MIT
 * `stmlog anonymize`: its two files. The new recording is made in anonymize/. */
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "anonymize.h"
#include "arguments.h"
#include "command.h"
#include "diag.h"

static bool is_same_file(const char *in, const char *out)
{
	struct stat one, other;
	int error = strcmp(in, "-") == 0 ? fstat(STDIN_FILENO, &one) : stat(in, &one);
	return error == 0 && stat(out, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

static int anonymize_file(const char *in, const char *out)
{
	struct recording recording;
	int status = STATUS_UNUSABLE;
	if (is_same_file(in, out)) {
		diag(out, "is the recording itself, whose names would be lost; name another file for OUT");
		return status;
	}
	if (recording_load_untold(&recording, in) != RECORDING_WHOLE)
		diag(in, "%s", recording.fault);
	else if (anonymize(&recording, in, out))
		status = STATUS_DONE;
	recording_fini(&recording);
	return status;
}

static int cmd_anonymize_run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	if (arguments_next(&arguments) == ARGUMENTS_STOP)
		return arguments.status;
	int count = argc - arguments.first;
	if (count == 2)
		return anonymize_file(argv[arguments.first], argv[arguments.first + 1]);
	diag(self->name, "%s; see 'stmlog help %s'",
		count == 0   ? "no IN"
		: count == 1 ? "no OUT"
			     : "more than IN and OUT",
		self->name);
	return STATUS_UNUSABLE;
}

static const struct option_row options[] = {{0}};

const struct command cmd_anonymize = {
	.name = "anonymize",
	.arguments = "IN OUT",
	.summary = "writes a recording again without its names, for a bug report",
	.options = options,
	.notes = "IN may be -, which is stdin, and OUT may be -, which is stdout.\n"
		 "\n"
		 "Names of functions, files, modules, threads and objects, the program, its arguments and the values "
		 "of\n"
		 "options become new ones, such as function_12; build-ids are left out. All figures stay, and so do\n"
		 "addresses, times, numbers of processes and of lines, and words of stmlog, libitm and GHC. Names are\n"
		 "looked up in the files of the program: do it where the program ran. In another file a new name "
		 "stands\n"
		 "for something else: merge and compare recordings before.\n",
	.run = cmd_anonymize_run,
};
