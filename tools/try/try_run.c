/* SPDX-License-Identifier: MIT
 * One run of the program with a setting: how its process is prepared, and the throughput that comes out, perhaps as a
 * number that the program prints. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "diag.h"
#include "memory.h"
#include "record.h"
#include "recorded_account.h"
#include "try.h"
#include "utf8.h"

/* ---- the number that a program prints ---- */

/* A number and nothing else; commas between its digits, as in 1,234.5, are left out. */
static bool parse(char *text, double *value)
{
	char *to = text, *end;
	for (const char *from = text; *from != '\0'; from++) {
		if (*from != ',' || from == text || !isdigit((unsigned char)from[-1]))
			*to++ = *from;
	}
	*to = '\0';
	*value = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*value) && *value > 0;
}

bool try_metric_read(const regex_t *metric, const char *text, double *value)
{
	regmatch_t found[2];
	if (regexec(metric, text, 2, found, 0) != 0)
		return false;
	const regmatch_t *match = metric->re_nsub > 0 && found[1].rm_so >= 0 ? &found[1] : &found[0];
	char *number = memory_format("%.*s", (int)(match->rm_eo - match->rm_so), text + match->rm_so);
	bool is_number = parse(number, value);
	free(number);
	return is_number;
}

/* ---- the directory ---- */

bool try_runner_init(struct try_runner *runner)
{
	const char *parent = getenv("TMPDIR");
	char *made = memory_format("%s/stmlog-try.XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp");
	runner->directory = mkdtemp(made);
	if (runner->directory != NULL)
		return true;
	diag(made, "cannot be made a directory: %s; name another place by TMPDIR", strerror(errno));
	free(made);
	return false;
}

/* Other processes of the program may have left recordings, too. */
static void remove_files(const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL)
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream != NULL)
		closedir(stream);
}

void try_runner_fini(struct try_runner *runner)
{
	remove_files(runner->directory);
	rmdir(runner->directory);
	free(runner->directory);
	runner->directory = NULL;
}

/* ---- the process ---- */

struct launch {
	const struct try_setting *setting;
	int in, out, err;
	unsigned looks; /* of note_long() */
};

/* In the program's process. */
static bool prepare(void *arg)
{
	const struct launch *launch = arg;
	const struct try_setting *setting = launch->setting;
	if (setting->variable != NULL && setenv(setting->variable, setting->value, 1) != 0)
		return false;
	if (setting->processors != NULL && sched_setaffinity(0, sizeof setting->cpus, &setting->cpus) != 0)
		return false;
	return dup2(launch->in, STDIN_FILENO) >= 0 && dup2(launch->out, STDOUT_FILENO) >= 0 &&
	       dup2(launch->err, STDERR_FILENO) >= 0;
}

static int open_stream(const char *directory, const char *name)
{
	char *path = memory_format("%s/%s", directory, name);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	free(path);
	return fd;
}

/* ---- what comes out ---- */

enum { MAX_OUTPUT = 1 << 24, MAX_TOLD = 4096 };

/* The last bytes of a file, at most so many; owned. */
static char *end_of(int fd, size_t max)
{
	off_t len = lseek(fd, 0, SEEK_END), from = len > (off_t)max ? len - (off_t)max : 0;
	char *text = memory_zeroed((size_t)(len > 0 ? len - from : 0) + 1, 1);
	ssize_t got = len > 0 ? pread(fd, text, (size_t)(len - from), from) : 0;
	text[got > 0 ? got : 0] = '\0';
	return text;
}

/* The program may have written anything: lines stay lines, but no other character acts on the terminal. */
static void show_errors(int fd)
{
	char *text = end_of(fd, MAX_TOLD), *rest = text, *line;
	while ((line = strsep(&rest, "\n")) != NULL && (rest != NULL || *line != '\0')) {
		for (char *at = line; (at = strchr(at, '\t')) != NULL;)
			*at = ' ';
		utf8_hide(line);
		fprintf(stderr, "%s\n", line);
	}
	free(text);
}

static void read_metric(const struct try_runner *runner, int out, struct try_run *run)
{
	char *text = end_of(out, MAX_OUTPUT);
	if (!try_metric_read(runner->metric, text, &run->throughput))
		run->why = "prints no number above 0 where --metric looks for it";
	free(text);
}

static void read_commits(const struct recording *recording, const struct recorded_account *account, struct try_run *run)
{
	if (account->commits == 0 || recording->info.wall_ns == 0)
		run->why = "nothing was committed";
	else
		run->throughput = (double)account->commits / ((double)recording->info.wall_ns / 1e9);
}

static void read_recording(
	const struct try_runner *runner, const struct recording *recording, int out, struct try_run *run)
{
	struct recorded_account account = account_total(recording);
	uint64_t lost_ns = recording->row_ns[STMLOG_ACCOUNT_ABORTED] + recording->row_ns[STMLOG_ACCOUNT_PAUSED] +
			   recording->row_ns[STMLOG_ACCOUNT_WAITING];
	run->loss = account.attached_ns != 0 ? (double)lost_ns / (double)account.attached_ns : 0;
	run->is_of_libitm = strstr(recording->info.runtime, "libitm") != NULL;
	if (runner->metric != NULL)
		read_metric(runner, out, run);
	else
		read_commits(recording, &account, run);
}

static const char *why_not_recorded(const struct record_result *result)
{
	if (result->is_stopped)
		return "was stopped: it took far longer than the program as it is";
	return result->status != 0 ? "failed" : "nothing was recorded";
}

/* A first run that takes long is not to look as if nothing happened. */
static void note_long(void *arg, const char *directory, pid_t pid)
{
	enum { LOOKS = 20 }; /* of which there are four a second */
	struct launch *launch = arg;
	(void)directory;
	(void)pid;
	if (++launch->looks == LOOKS)
		diag("try", "COMMAND runs as it is; its time tells how long all settings take");
}

static struct try_run run_with(const struct try_runner *runner, char **argv, struct launch *launch)
{
	struct record_wishes wishes = {
		.is_of_series = true, .max_ns = runner->max_ns, .watch = {.prepare = prepare, .arg = launch}};
	if (runner->max_ns == 0 && !runner->is_quiet)
		wishes.watch.look = note_long;
	char *file = memory_format("%s/run.data", runner->directory);
	uint64_t began_ns = clock_gettime_ns();
	struct record_result result = record_one(&wishes, file, argv);
	struct try_run run = {.took_ns = clock_gettime_ns() - began_ns,
		.status = result.status,
		.is_told = result.is_told,
		.is_last = result.is_last};
	if (result.file != NULL)
		read_recording(runner, &result.recording, launch->out, &run);
	else
		run.why = why_not_recorded(&result);
	if (run.why != NULL && !result.is_stopped && !run.is_last)
		show_errors(launch->err);
	record_result_fini(&result);
	free(file);
	return run;
}

struct try_run try_run(const struct try_runner *runner, char **argv, const struct try_setting *setting)
{
	struct launch launch = {.setting = setting};
	struct try_run run = {
		.why = "cannot be tried: what it prints cannot be kept in a file; name another place by TMPDIR"};
	char **arguments = try_arguments(argv, setting);
	launch.in = open("/dev/null", O_RDWR | O_CLOEXEC);
	launch.out = runner->metric != NULL ? open_stream(runner->directory, "stdout")
					    : open("/dev/null", O_RDWR | O_CLOEXEC);
	launch.err = open_stream(runner->directory, "stderr");
	if (launch.in >= 0 && launch.out >= 0 && launch.err >= 0)
		run = run_with(runner, arguments, &launch);
	const int opened[] = {launch.in, launch.out, launch.err};
	for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
		if (opened[i] >= 0)
			close(opened[i]);
	remove_files(runner->directory);
	try_arguments_free(arguments);
	return run;
}
