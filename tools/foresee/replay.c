/* SPDX-License-Identifier: MIT
 * One run of stmlog-replay. */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libitm.h"
#include "lookup.h"
#include "memory.h"

/* That of the recording's modules; it may be another file by now, whose costs are the ones that count from now on. */
static char *libitm_of_recording(const struct recording *recording)
{
	for (size_t i = 0; i < recording->module_count; i++) {
		const char *path = recording_string(recording, recording->modules[i].path);
		if (strstr(path, "/libitm.so") != NULL && access(path, R_OK) == 0)
			return memory_text(path);
	}
	return NULL;
}

static char *make_file(void)
{
	const char *parent = getenv("TMPDIR");
	char *path = memory_format("%s/stmlog-replay.XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp");
	int fd = mkstemp(path);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	free(path);
	return NULL;
}

bool replayer_init(struct replayer *replayer, const struct recording *recording)
{
	*replayer = (struct replayer){lookup_beside("stmlog-replay"), libitm_of_recording(recording), NULL};
	if (replayer->program == NULL || replayer->libitm == NULL)
		return false;
	replayer->file = make_file();
	return replayer->file != NULL;
}

void replayer_fini(struct replayer *replayer)
{
	if (replayer->file != NULL)
		unlink(replayer->file);
	free(replayer->program);
	free(replayer->libitm);
	free(replayer->file);
}

/* "commits=N attempts=N seconds=S" */
static struct replayed read_result(const char *text)
{
	double commits, attempts, seconds;
	if (text == NULL || sscanf(text, "commits=%lf attempts=%lf seconds=%lf", &commits, &attempts, &seconds) != 3 ||
		!(commits > 0) || !(seconds > 0))
		return (struct replayed){0};
	return (struct replayed){commits / seconds, attempts / commits};
}

struct replayed replay(
	const struct replayer *replayer, const struct streams *streams, const char *method, double seconds)
{
	char *length = memory_format("%.3f", seconds);
	char *method_setting = memory_format("ITM_DEFAULT_METHOD=%s", method != NULL ? method : "");
	char *const argv[] = {"/usr/bin/env", method != NULL ? method_setting : "--unset=ITM_DEFAULT_METHOD",
		replayer->program, replayer->libitm, length, replayer->file, NULL};
	char *output = streams_write(streams, replayer->file) ? libitm_output_of(argv, true) : NULL;
	struct replayed result = read_result(output);
	free(output);
	free(method_setting);
	free(length);
	return result;
}
