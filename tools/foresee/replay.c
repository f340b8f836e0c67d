/* SPDX-License-Identifier: MIT
 * One run of stmlog-replay. */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libitm.h"
#include "lookup.h"
#include "memory.h"

/* The loader finds it: a path in the recording may be that of any library, which would then run here. */
static char libitm[] = "libitm.so.1";

bool replayer_init(struct replayer *replayer)
{
	enum { REPEATS = 12 };
	*replayer = (struct replayer){lookup_beside("stmlog-replay"), -1, NULL, REPEATS};
	if (replayer->program == NULL)
		return false;
	replayer->memory = memfd_create("stmlog-replay", 0); /* inherited by the program */
	replayer->file = memory_format("/proc/self/fd/%d", replayer->memory);
	return replayer->memory >= 0;
}

void replayer_fini(struct replayer *replayer)
{
	if (replayer->file != NULL && replayer->memory >= 0)
		close(replayer->memory);
	free(replayer->program);
	free(replayer->file);
}

/* What stmlog-replay prints. */
struct printed {
	struct replayed replayed;
	unsigned long preempted;
};

static struct printed read_result(const char *text)
{
	double commits, attempts, seconds;
	unsigned long preempted;
	if (text == NULL ||
		sscanf(text, "commits=%lf attempts=%lf seconds=%lf preempted=%lu", &commits, &attempts, &seconds,
			&preempted) != 4 ||
		!(commits > 0) || !(seconds > 0))
		return (struct printed){.preempted = 0};
	return (struct printed){{commits / seconds, attempts / commits}, preempted};
}

static struct printed run_once(char *const *argv)
{
	char *output = libitm_output_of(argv, true);
	struct printed printed = read_result(output);
	free(output);
	return printed;
}

struct replayed replay(struct replayer *replayer, const struct streams *streams, const char *method, double seconds)
{
	char *length = memory_format("%.3f", seconds);
	char *method_setting = memory_format("ITM_DEFAULT_METHOD=%s", method != NULL ? method : "");
	char *const argv[] = {"/usr/bin/env", method != NULL ? method_setting : "--unset=ITM_DEFAULT_METHOD",
		replayer->program, libitm, length, replayer->file, NULL};
	enum { PREEMPTED_MAX = 2 };
	struct printed printed = {.preempted = 0};
	bool is_written = streams_write(streams, replayer->file);
	if (is_written)
		printed = run_once(argv);
	while (is_written && printed.preempted > PREEMPTED_MAX && replayer->repeats > 0) {
		replayer->repeats--;
		printed = run_once(argv);
	}
	free(method_setting);
	free(length);
	return printed.replayed;
}
