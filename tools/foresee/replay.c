/* SPDX-License-Identifier: MIT
 * One run of stmlog-replay. */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libitm.h"
#include "line_transfer.h"
#include "lookup.h"
#include "memory.h"

/* The loader finds it: a path in the recording may be that of any library, which would then run here. */
static char libitm[] = "libitm.so.1";

bool replayer_init(struct replayer *replayer, double patience_s)
{
	enum { REPEATS = 24 };
	*replayer = (struct replayer){
		.program = lookup_beside("stmlog-replay"), .memory = -1, .repeats = REPEATS, .patience_s = patience_s};
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
	double preempted;
};

/* Returns the number behind the name in the text; below 0: there is none. */
static double number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	return at != NULL ? strtod(at + strlen(name), NULL) : -1;
}

static struct printed read_result(const char *text)
{
	if (text == NULL)
		return (struct printed){.preempted = 0};
	double commits = number_of(text, "commits="), attempts = number_of(text, "attempts="),
	       seconds = number_of(text, "seconds="), preempted = number_of(text, "preempted=");
	if (!(commits > 0) || !(attempts >= 0) || !(seconds > 0) || !(preempted >= 0))
		return (struct printed){.preempted = 0};
	return (struct printed){{commits / seconds, attempts / commits}, preempted};
}

/* ---- where the processors are ---- */

/* A measurement for which other processes left no time says nothing: the processors may have been moved. */
static bool is_as_near(const struct replayer *replayer)
{
	if (replayer->line_ns == 0)
		return true;
	double line_ns = line_transfer_ns();
	return line_ns > 0 && line_transfers_are_alike(line_ns, replayer->line_ns);
}

static void wait_until_near(struct replayer *replayer)
{
	const double pause_s = 0.01;
	while (!is_as_near(replayer)) {
		if (replayer->patience_s <= 0) {
			replayer->is_elsewhere = true;
			return;
		}
		nanosleep(&(struct timespec){.tv_nsec = (long)(pause_s * 1e9)}, NULL);
		replayer->patience_s -= pause_s;
	}
}

/* ---- a run ---- */

static struct printed run_once(struct replayer *replayer, char *const *argv)
{
	wait_until_near(replayer);
	char *output = libitm_output_of(argv, true);
	struct printed printed = read_result(output);
	free(output);
	return printed;
}

/* Whether the run was disturbed, and is made again. */
static bool must_repeat(struct replayer *replayer, const struct printed *printed)
{
	enum { PREEMPTED_MAX = 2 };
	bool is_moved = !is_as_near(replayer);
	if (replayer->repeats == 0 || replayer->is_elsewhere) {
		replayer->is_elsewhere |= is_moved;
		return false;
	}
	if (!is_moved && printed->preempted <= PREEMPTED_MAX)
		return false;
	replayer->repeats--;
	return true;
}

struct replayed replay(struct replayer *replayer, const struct streams *streams, const char *method, double seconds)
{
	char *length = memory_format("%.3f", seconds);
	char *method_setting = memory_format("ITM_DEFAULT_METHOD=%s", method != NULL ? method : "");
	char *const argv[] = {"/usr/bin/env", method != NULL ? method_setting : "--unset=ITM_DEFAULT_METHOD",
		replayer->program, libitm, length, replayer->file, NULL};
	struct printed printed = {.preempted = 0};
	if (streams_write(streams, replayer->file))
		do
			printed = run_once(replayer, argv);
		while (must_repeat(replayer, &printed));
	free(method_setting);
	free(length);
	return printed.replayed;
}
