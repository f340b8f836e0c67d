/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* ---- compression ---- */

enum { GZIP_FORMAT = 16, MEMORY_LEVEL = 9, MIN_ROOM = 1 << 16 };

/* Level 6, zlib's default and gzip's. Level 4 is a third faster, but its files are 4 % longer; level 9 takes twice the
 * time, and its files are 1 % shorter. */
void gzip_begin(struct gzip *gzip, FILE *out)
{
	gzip->out = out;
	gzip->len = 0;
	gzip->cap = MIN_ROOM;
	gzip->in = memory_zeroed(gzip->cap, 1);
	gzip->stream = (z_stream){.zalloc = NULL};
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		memory_end();
}

static void pack(struct gzip *gzip, int flush)
{
	gzip->stream.next_in = gzip->in;
	gzip->stream.avail_in = (uInt)gzip->len;
	do {
		gzip->stream.next_out = gzip->packed;
		gzip->stream.avail_out = sizeof gzip->packed;
		deflate(&gzip->stream, flush);
		fwrite(gzip->packed, 1, sizeof gzip->packed - gzip->stream.avail_out, gzip->out);
	} while (gzip->stream.avail_out == 0);
	gzip->len = 0;
}

void *gzip_room(struct gzip *gzip, size_t max)
{
	if (max > gzip->cap - gzip->len)
		pack(gzip, Z_NO_FLUSH);
	if (max > gzip->cap) {
		free(gzip->in);
		gzip->cap = 2 * max;
		gzip->in = memory_zeroed(gzip->cap, 1);
	}
	return gzip->in + gzip->len;
}

void gzip_add(struct gzip *gzip, size_t len)
{
	gzip->len += len;
}

void gzip_end(struct gzip *gzip)
{
	pack(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip->in);
}
