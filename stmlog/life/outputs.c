/* SPDX-License-Identifier: MIT
 * Makes the report and the file: expands the patterns of their paths, and reports failures on stderr. */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifact.h"
#include "death.h"
#include "locks.h"
#include "out.h"
#include "registry.h"
#include "sections.h"
#include "session.h"
#include "standard_error.h"

/* One thread at a time makes outputs. The end of the program, the watcher and stmlog_flush() may come together. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* An output, and the file that was written last. */
struct output {
	const char *option; /* "out" or "report" */
	const char *to;     /* pattern of its path; NULL: none */
	dev_t device;
	ino_t inode; /* 0: nothing was written yet */
};

/* Both under `making`. */
static bool are_final;       /* the outputs of the end are made */
static uint64_t progress_at; /* progress_of() when outputs were last made */

static bool is_verbose;
static struct output report_output, record_output;
static char began_in[PATH_MAX]; /* relative paths are relative to this directory, which the program may leave */

void outputs_read_options(void)
{
	const char *verbose = options_get(&session.options, "verbose");
	is_verbose = verbose != NULL && strcmp(verbose, "0") != 0;
	report_output = (struct output){.option = "report", .to = options_get(&session.options, "report")};
	if (report_output.to == NULL)
		report_output.to = session.report != NULL ? session.report : "stderr";
	are_final = false;
	progress_at = 0;
	record_output = (struct output){.option = "out", .to = options_get(&session.options, "out")};
	if (getcwd(began_in, sizeof began_in) == NULL)
		began_in[0] = '\0';
}

static bool append(char *path, size_t *len, const char *text)
{
	size_t more = strlen(text);
	if (*len + more >= PATH_MAX)
		return false;
	memcpy(path + *len, text, more + 1);
	*len += more;
	return true;
}

static bool append_number(char *path, size_t *len, uint64_t number)
{
	char text[24];
	size_t at = sizeof text - 1;
	text[at] = '\0';
	do
		text[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	return append(path, len, text + at);
}

/* %p: pid, %n: name of the program, %%: a percent sign. Two processes never get the same path from one
 * pattern: a forked child adds its pid if there is no %p, and a program after exec() adds its generation. */
static bool expand(const char *pattern, char path[PATH_MAX])
{
	size_t len = 0;
	bool fits = true, has_pid = false;
	path[0] = '\0';
	if (pattern[0] != '/' && began_in[0] != '\0')
		fits = append(path, &len, began_in) && append(path, &len, "/");
	for (const char *at = pattern; *at != '\0' && fits; at++) {
		char one[2] = {*at, '\0'};
		if (*at != '%' || at[1] == '\0') {
			fits = append(path, &len, one);
			continue;
		}
		at++;
		one[0] = *at;
		if (*at == 'p') {
			has_pid = true;
			fits = append_number(path, &len, (uint64_t)session.pid);
		} else {
			fits = append(path, &len, *at == 'n' ? program_invocation_short_name : one);
		}
	}
	if (session.is_forked && !has_pid)
		fits = fits && append(path, &len, ".") && append_number(path, &len, (uint64_t)session.pid);
	if (session.generation != 0)
		fits = fits && append(path, &len, ".") && append_number(path, &len, session.generation);
	return fits;
}

static void tell(const char *first, const char *second)
{
	struct out out;
	out_begin(&out, standard_error());
	out_texts(&out, "stmlog: ", first, second, "\n", NULL);
	out_end(&out);
}

static void complain(const struct output *output, int error)
{
	struct out out;
	out_begin(&out, standard_error());
	const char *why = strerrordesc_np(-error);
	out_texts(&out, "stmlog: ", output->to, ": cannot write it: ", why != NULL ? why : "unknown error",
		"; choose another place with STMLOG_OPTIONS=", output->option, "=PATH\n", NULL);
	out_end(&out);
}

/* ---- paths that others use, too ---- */

#define OTHERS_MOST 1000 /* files beside a path */

/* Whether the file was written since the session was opened, but not by it: by another process with the same options,
 * or by another copy of the library in this process. */
static bool is_of_another(const struct output *output, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	if (status.st_dev == output->device && status.st_ino == output->inode)
		return false;
	uint64_t written_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	return written_ns > session.began_unix_ns;
}

/* The path, or, if others have written it meanwhile, PATH.2, PATH.3 and so on. Returns 0 or a negative errno. */
static int choose_path(const struct output *output, char path[PATH_MAX])
{
	size_t len;
	if (!expand(output->to, path))
		return -ENAMETOOLONG;
	len = strlen(path);
	for (uint64_t n = 2; is_of_another(output, path); n++) {
		size_t end = len;
		if (n > OTHERS_MOST)
			return -EEXIST;
		if (!append(path, &end, ".") || !append_number(path, &end, n))
			return -ENAMETOOLONG;
	}
	if (path[len] != '\0' && output->inode == 0)
		tell(path,
			" is where the output is, because the file without the number was written by another session");
	return 0;
}

static void remember(struct output *output, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	output->device = status.st_dev;
	output->inode = status.st_ino;
}

/* ---- making them ---- */

static int record_into(struct output *output, const struct sections *sections)
{
	char path[PATH_MAX];
	int error = choose_path(output, path);
	if (error == 0)
		error = sections_record(sections, path);
	if (error != 0)
		return error;
	remember(output, path);
	if (is_verbose)
		tell("wrote ", path);
	return 0;
}

static int report_into(struct output *output, const struct sections *sections)
{
	char path[PATH_MAX];
	struct artifact artifact;
	int error = choose_path(output, path);
	if (error == 0)
		error = artifact_begin(&artifact, path);
	if (error != 0)
		return error;
	error = artifact_end(&artifact, sections_report(sections, artifact.fd));
	if (error == 0)
		remember(output, path);
	return error;
}

static void make_report(const struct sections *sections)
{
	int error = 0;
	if (strcmp(report_output.to, "none") == 0)
		return;
	if (strcmp(report_output.to, "stderr") == 0)
		sections_report(sections, standard_error()); /* if this fails, there is no other place to report that */
	else
		error = report_into(&report_output, sections);
	if (error != 0)
		complain(&report_output, error);
}

/* Grows with all that is recorded. */
static uint64_t progress_of(const struct sections *sections)
{
	const struct stmlog_account *sum = &sections->all.total.account;
	uint64_t progress = sections->all.threads_len + sum->events + sum->commits + sum->blocked_unattached;
	progress += sum->unmeasured_commits + sum->unmeasured_aborts + sum->descheduled;
	return progress + sections_events(sections);
}

/* Of the session, for INFO: how it stands when the outputs are made. */
static int say_occasion(struct sections *sections, enum outputs_occasion occasion)
{
	if (occasion == OUTPUTS_ON_SIGNAL || occasion == OUTPUTS_SNAPSHOT)
		return sections_say(sections, "snapshot", 1);
	return occasion == OUTPUTS_AT_DEATH ? sections_say(sections, "killed_by", (uint64_t)death_signal()) : 0;
}

/* Both of the same sections, so that the report is that of the file. */
static void make_of(struct sections *sections, enum outputs_occasion occasion)
{
	uint64_t progress = progress_of(sections);
	if (occasion == OUTPUTS_SNAPSHOT && progress == progress_at)
		return;
	progress_at = progress;
	int error = say_occasion(sections, occasion);
	if (error == 0 && sections->use == SECTIONS_OF_FILE)
		error = record_into(&record_output, sections);
	if (error != 0)
		complain(&record_output, error);
	make_report(sections);
}

/* A report needs less memory than a file. */
static void make_both(enum outputs_occasion occasion)
{
	struct sections sections;
	int error = -ENOMEM;
	if (record_output.to != NULL) {
		error = sections_init(&sections, SECTIONS_OF_FILE);
		if (error != 0)
			complain(&record_output, error);
	}
	if (error != 0)
		error = sections_init(&sections, SECTIONS_OF_REPORT);
	if (error != 0) {
		complain(&report_output, error);
		return;
	}
	make_of(&sections, occasion);
	sections_fini(&sections);
}

bool outputs_are_barred(void)
{
	if (!locks_are_held_here())
		return false;
	tell("nothing is written: ", "a signal handler ends the process in the middle of a call of stmlog");
	return true;
}

void outputs_make(enum outputs_occasion occasion)
{
	if (outputs_are_barred())
		return;
	session_before_report();
	if (!AO_load(&session.has_more) && registry_is_idle())
		return;
	locks_take(&making);
	if (!are_final) {
		are_final = occasion == OUTPUTS_AT_END;
		options_warn_unknown(&session.options);
		make_both(occasion);
	}
	locks_drop(&making);
}

void outputs_forget(void)
{
	pthread_mutex_init(&making, NULL);
	are_final = false;
	progress_at = 0;
}
