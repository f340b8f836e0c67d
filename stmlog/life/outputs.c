/* SPDX-License-Identifier: MIT
 * Makes the report and the file: expands the patterns of their paths, and reports failures on stderr. */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "artifact.h"
#include "out.h"
#include "registry.h"
#include "sections.h"
#include "session.h"

/* One thread at a time makes outputs. The end of the program, the watcher and stmlog_flush() may come together. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static bool is_verbose;
static const char *report_to;
static const char *record_to;
static char began_in[PATH_MAX]; /* relative paths are relative to this directory, which the program may leave */

void outputs_read_options(void)
{
	const char *verbose = options_get(&session.options, "verbose");
	is_verbose = verbose != NULL && strcmp(verbose, "0") != 0;
	report_to = options_get(&session.options, "report");
	if (report_to == NULL)
		report_to = session.setup.report != NULL ? session.setup.report : "stderr";
	record_to = options_get(&session.options, "out");
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

static void complain(const char *path, int error, const char *option)
{
	struct out out;
	out_begin(&out, STDERR_FILENO);
	const char *why = strerrordesc_np(-error);
	out_texts(&out, "stmlog: ", path, ": cannot write it: ", why != NULL ? why : "unknown error",
		"; choose another place with STMLOG_OPTIONS=", option, "=PATH\n", NULL);
	out_end(&out);
}

static void tell_success(const char *path)
{
	struct out out;
	out_begin(&out, STDERR_FILENO);
	out_texts(&out, "stmlog: wrote ", path, "\n", NULL);
	out_end(&out);
}

static int record_into(const char *pattern, const struct sections *sections)
{
	char path[PATH_MAX];
	if (!expand(pattern, path))
		return -ENAMETOOLONG;
	int error = sections_record(sections, path);
	if (error == 0 && is_verbose)
		tell_success(path);
	return error;
}

/* NULL: of sections of its own, which need less memory than those of a file. */
static int report(const struct sections *sections, int fd)
{
	return sections != NULL ? sections_report(sections, fd) : stmlog_report(fd);
}

static int report_into(const char *pattern, const struct sections *sections)
{
	char path[PATH_MAX];
	struct artifact artifact;
	if (!expand(pattern, path))
		return -ENAMETOOLONG;
	int error = artifact_begin(&artifact, path);
	if (error != 0)
		return error;
	return artifact_end(&artifact, report(sections, artifact.fd));
}

static void make_report(const struct sections *sections)
{
	int error = 0;
	if (strcmp(report_to, "none") == 0)
		return;
	if (strcmp(report_to, "stderr") == 0)
		report(sections, STDERR_FILENO); /* if this fails, there is no other place to report that */
	else
		error = report_into(report_to, sections);
	if (error != 0)
		complain(report_to, error, "report");
}

/* Both of the same sections, so that the report is that of the file. */
static void make_both(void)
{
	struct sections sections;
	int error = record_to != NULL ? sections_init(&sections, SECTIONS_OF_FILE) : 0;
	bool has_sections = record_to != NULL && error == 0;
	if (has_sections)
		error = record_into(record_to, &sections);
	if (error != 0)
		complain(record_to, error, "out");
	make_report(has_sections ? &sections : NULL);
	if (has_sections)
		sections_fini(&sections);
}

void outputs_make(void)
{
	session_before_report();
	if (!AO_load(&session.has_more) && registry_is_idle())
		return;
	pthread_mutex_lock(&making);
	options_warn_unknown(&session.options);
	make_both();
	pthread_mutex_unlock(&making);
}

void outputs_forget(void)
{
	pthread_mutex_init(&making, NULL);
}
