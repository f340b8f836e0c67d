/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact.h"
#include "diag.h"
#include "memory.h"

/* The name of the unfinished file; "": it has none. It is removed however the command ends. */
static char unfinished[PATH_MAX];

static void remove_unfinished(void)
{
	if (unfinished[0] != '\0')
		unlink(unfinished);
}

static void remove_and_die(int signal)
{
	remove_unfinished();
	raise(signal); /* by SA_RESETHAND the signal has its default action again */
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

/* Puts the file in its place, unless there is an error. Returns it, or one of its own. */
static int end_artifact(struct output *output, int error)
{
	error = artifact_end(output->artifact, error);
	free(output->artifact);
	output->artifact = NULL;
	unfinished[0] = '\0';
	return error;
}

/* The stream has a descriptor of its own, as it is closed before the file is put in its place. Returns 0 or a negative
 * errno. */
static int open_stream(struct output *output)
{
	int copy = fcntl(output->artifact->fd, F_DUPFD_CLOEXEC, 0);
	output->file = copy >= 0 ? fdopen(copy, "w") : NULL;
	if (output->file != NULL)
		return 0;
	int error = -errno;
	if (copy >= 0)
		close(copy);
	return end_artifact(output, error);
}

static int open_artifact(struct output *output)
{
	artifact_sweep(output->path);
	output->artifact = memory_zeroed(1, sizeof *output->artifact);
	int error = artifact_begin(output->artifact, output->path, ARTIFACT_AT_ONCE);
	if (error == -ENXIO) {
		diag(output->path, "waits until somebody reads it");
		error = artifact_begin(output->artifact, output->path, ARTIFACT_WAITING);
	}
	if (error != 0) {
		free(output->artifact);
		return error;
	}
	if (output->artifact->beside[0] != '\0')
		guard(output->artifact->beside);
	return open_stream(output);
}

bool output_begin(struct output *output, const char *path)
{
	bool is_stdout = path == NULL || strcmp(path, "-") == 0;
	*output = (struct output){.path = is_stdout ? NULL : path, .file = stdout};
	int error = is_stdout ? 0 : open_artifact(output);
	const char *remedy = artifact_remedy(error);
	if (error != 0)
		diag(path, "cannot be written: %s%s", strerror(-error),
			remedy != NULL ? remedy : "; choose another place");
	return error == 0;
}

bool output_begin_binary(struct output *output, const char *path)
{
	if (!output_begin(output, path))
		return false;
	if (!isatty(fileno(output->file)))
		return true;
	diag(output->path != NULL ? output->path : "stdout",
		"is a terminal, and this output is not text; name a file with -o, or use a pipe");
	if (output->path != NULL) {
		fclose(output->file);
		end_artifact(output, 0);
	}
	return false;
}

bool output_end(struct output *output)
{
	if (output->path == NULL)
		return diag_finish_stdout(STATUS_DONE) == STATUS_DONE;
	int error = ferror(output->file) != 0 ? -EIO : 0;
	if (fclose(output->file) != 0)
		error = -errno;
	bool is_changed = output->artifact->is_in_place && (output->artifact->old < 0 || error == 0);
	error = end_artifact(output, error);
	if (error != 0)
		diag(output->path, "cannot be written: %s; %s", strerror(-error),
			is_changed ? "a part may be there" : "nothing was changed");
	return error == 0;
}
