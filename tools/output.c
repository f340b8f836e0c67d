/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "memory.h"

/* As fopen() would make it. */
static void set_mode(int file)
{
	mode_t mask = umask(0);
	umask(mask);
	fchmod(file, 0666 & ~mask);
}

bool output_begin(struct output *output, const char *path)
{
	*output = (struct output){.path = path, .file = stdout};
	if (path == NULL)
		return true;
	output->beside = memory_format("%s.XXXXXX", path);
	int file = mkstemp(output->beside);
	output->file = file >= 0 ? fdopen(file, "w") : NULL;
	if (output->file != NULL) {
		set_mode(file);
		return true;
	}
	diag(path, "cannot be written: %s; choose another place", strerror(errno));
	free(output->beside);
	return false;
}

bool output_end(struct output *output)
{
	if (output->path == NULL)
		return diag_finish_stdout(STATUS_DONE) == STATUS_DONE;
	bool is_bad = ferror(output->file) != 0;
	is_bad |= fclose(output->file) != 0;
	is_bad = is_bad || rename(output->beside, output->path) != 0;
	if (is_bad) {
		diag(output->path, "cannot be written: %s; nothing was changed", strerror(errno));
		unlink(output->beside);
	}
	free(output->beside);
	return !is_bad;
}
