/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "memory.h"

/* The unfinished file; "": none. It is removed however the command ends. */
static char unfinished[4096];

static void remove_unfinished(void)
{
	if (unfinished[0] != '\0')
		unlink(unfinished);
}

static void remove_and_die(int signal)
{
	remove_unfinished();
	raise(signal); /* the default by now: SA_RESETHAND */
}

static void guard(const char *beside)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)}, old;
	if (unfinished[0] == '\0')
		atexit(remove_unfinished);
	snprintf(unfinished, sizeof unfinished, "%s", beside);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

/* Gives the file the mode that fopen() would have. */
static void set_mode(int file)
{
	mode_t mask = umask(0);
	umask(mask);
	fchmod(file, 0666 & ~mask);
}

/* A device or a pipe must not be replaced by a file. */
static bool is_special(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static FILE *open_beside(struct output *output)
{
	output->beside = memory_format("%s.XXXXXX", output->path);
	int file = mkstemp(output->beside);
	if (file < 0)
		return NULL;
	guard(output->beside);
	set_mode(file);
	return fdopen(file, "w");
}

bool output_begin(struct output *output, const char *path)
{
	bool is_stdout = path == NULL || strcmp(path, "-") == 0;
	*output = (struct output){.path = is_stdout ? NULL : path, .file = stdout};
	if (is_stdout)
		return true;
	output->file = is_special(path) ? fopen(path, "w") : open_beside(output);
	if (output->file != NULL)
		return true;
	diag(path, "cannot be written: %s; choose another place", strerror(errno));
	free(output->beside);
	return false;
}

bool output_begin_binary(struct output *output, const char *path)
{
	if (!output_begin(output, path))
		return false;
	if (!isatty(fileno(output->file)))
		return true;
	diag(output->path != NULL ? output->path : "stdout",
		"is a terminal, and this output is not text; name a file with -o, or use a pipe");
	if (output->path != NULL)
		fclose(output->file);
	return false;
}

bool output_end(struct output *output)
{
	if (output->path == NULL)
		return diag_finish_stdout(STATUS_DONE) == STATUS_DONE;
	bool is_bad = ferror(output->file) != 0;
	is_bad |= fclose(output->file) != 0;
	is_bad = is_bad || (output->beside != NULL && rename(output->beside, output->path) != 0);
	if (is_bad) {
		diag(output->path, "cannot be written: %s; nothing was changed", strerror(errno));
		remove_unfinished();
	}
	unfinished[0] = '\0';
	free(output->beside);
	return !is_bad;
}
