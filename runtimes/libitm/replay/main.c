/* SPDX-License-Identifier: MIT
 *
 * stmlog-replay LIBITM SECONDS FILE
 *
 * Makes recorded transactions again, on the real libitm and this machine: so the real conflicts, libitm's method, and
 * cache lines that move between processors have their costs. FILE is an array of struct stmlog_access_record, a stream
 * for each thread and window (recorded.h). The environment decides libitm's method (ITM_DEFAULT_METHOD).
 *
 * Prints "commits=N attempts=N seconds=S preempted=N": sums over all threads, but of seconds the mean. It is a process
 * of its own, so that nothing that the library does can harm another one. It ends soon, whatever happens.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "end_soon.h"
#include "threads.h"

enum {
	SECONDS_MAX = 86400,
	MORE_S = 5, /* the time for everything else, on a busy machine */
};

/* Writes one line to stderr, and returns the exit status of a failure. */
__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("stmlog-replay: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return EXIT_FAILURE;
}

static double parse_seconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);
	return end != text && *end == '\0' && seconds > 0 && seconds <= SECONDS_MAX ? seconds : 0;
}

static bool open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		complain("%s", dlerror());
		return false;
	}
	const char *missing = barriers_init(library);
	if (missing != NULL)
		complain("%s: no libitm: it has no %s", path, missing);
	return missing == NULL;
}

static bool read_recorded(struct recorded *recorded, const char *path)
{
	struct recorded_fault fault;
	if (recorded_read(recorded, path, &fault))
		return true;
	if (fault.record == RECORDED_NO_RECORD)
		complain("%s: %s", path, fault.what);
	else
		complain("%s: record %zu: %s", path, fault.record, fault.what);
	return false;
}

static bool convert(const struct recorded *recorded, const struct targets *targets, const struct gap_scale *scale,
	struct threads_stream *streams)
{
	for (size_t i = 0; i < recorded->stream_count; i++) {
		const struct recorded_stream *stream = &recorded->streams[i];
		streams[i] = (struct threads_stream){steps_create(stream, targets, scale), stream->count};
		if (streams[i].steps == NULL)
			return false;
	}
	return true;
}

static int replay(const struct recorded *recorded, const char *path, double seconds)
{
	static struct threads_stream streams[RECORDED_STREAMS_MAX];
	struct targets targets;
	struct threads_result result;
	struct gap_scale scale = gap_measure();
	const char *why = targets_init(&targets, recorded);
	if (why != NULL)
		return complain("%s: %s", path, why);
	if (!convert(recorded, &targets, &scale, streams))
		return complain("%s: has too many records", path);
	struct threads_schedule schedule = schedule_make(recorded, streams);
	if (schedule.streams == NULL || !threads_run(&schedule, &scale, seconds, &result))
		return complain("%s: its threads could not be started", path);
	printf("commits=%" PRIu64 " attempts=%" PRIu64 " seconds=%.6f preempted=%" PRIu64 "\n", result.commits,
		result.attempts, result.seconds, result.preempted);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : complain("stdout: cannot be written");
}

static int run(char *const *argv)
{
	static struct recorded recorded;
	double seconds = parse_seconds(argv[2]);
	if (seconds == 0)
		return complain("SECONDS is a number above 0, and %d at most", SECONDS_MAX);
	end_soon((unsigned)seconds + 1 + MORE_S);
	/* The kernel may otherwise wake each thread some 50 us later than asked. */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (!open_library(argv[1]) || !read_recorded(&recorded, argv[3]))
		return EXIT_FAILURE;
	return replay(&recorded, argv[3], seconds);
}

int main(int argc, char **argv)
{
	int status = argc == 4 ? run(argv) : complain("usage: stmlog-replay LIBITM SECONDS FILE");
	/* No destructors: after a failure threads may be inside libitm. */
	_exit(status);
}
