/* SPDX-License-Identifier: MIT
 * Makes the report and the file, and prints failures on stderr. */
#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "artifact.h"
#include "companion.h"
#include "locks.h"
#include "out.h"
#include "registry.h"
#include "sections.h"
#include "session.h"
#include "undisturbed.h"

/* Held by the thread that makes outputs. The end of the program, the watcher and stmlog_flush() may make outputs at the
 * same time. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* All under `making`. */
static bool are_final;       /* the outputs of the end are made */
static uint64_t progress_at; /* progress_of() when outputs were last made */
static int told;             /* the last error of a recording: snapshots report an error once only */
static struct destination report_output, record_output;
static char written[PATH_MAX]; /* the recording that was made last */

static bool has_named_sample; /* or there was no need to */
static bool is_verbose;
static volatile AO_t has_named_refused; /* any thread that makes outputs */

/* Resets the state: this process has made no outputs yet. */
static void begin_anew(void)
{
	are_final = false;
	progress_at = 0;
	told = 0;
	has_named_sample = false;
	AO_store(&has_named_refused, 0);
}

static bool has_report(void)
{
	return strcmp(report_output.pattern, "none") != 0;
}

void outputs_read_options(void)
{
	const char *verbose = options_get(&session.options, "verbose");
	is_verbose = verbose != NULL && strcmp(verbose, "0") != 0;
	report_output = (struct destination){.option = "report", .pattern = options_get(&session.options, "report")};
	if (report_output.pattern == NULL)
		report_output.pattern = session.report != NULL ? session.report : "stderr";
	record_output = (struct destination){.option = "out",
		.pattern = options_get(&session.options, "out"),
		.late = options_get(&session.run, "late")};
	begin_anew();
	destination_remember_directory();
}

/* Prints why an output could not be written. Under `stmlog record` the user has not set the option `out`, so the line
 * names -o. */
static void complain(const struct destination *output, int error)
{
	char path[PATH_MAX];
	const char *why = strerrordesc_np(-error), *remedy = artifact_remedy(error);
	bool is_users = remedy == NULL && output->late == NULL;
	if (remedy == NULL)
		remedy = is_users ? "; choose another place with STMLOG_OPTIONS="
				  : "; choose another place with stmlog record -o FILE";
	standard_error_tell(destination_name(output, path), ": cannot write it: ", why != NULL ? why : "unknown error",
		remedy, is_users ? output->option : "", is_users ? "=PATH" : "", NULL);
}

/* ---- making outputs ---- */

/* Chooses the path. The first time, removes temporary files that a killed process has left there. */
static int choose(struct destination *output, char path[PATH_MAX])
{
	int error = destination_choose(output, path);
	if (error == 0 && output->inode == 0)
		artifact_sweep(path);
	return error;
}

static int record_into(struct destination *output, struct sections *sections)
{
	int error = choose(output, written);
	if (error == 0)
		error = sections_record(sections, written);
	if (error == 0)
		destination_wrote(output, written);
	destination_leave(output);
	if (error != 0)
		return board_keep(sections) == 0 ? 0 : error;
	sections->file = written;
	if (is_verbose)
		standard_error_tell("wrote ", written, NULL);
	return 0;
}

static int report_into(struct destination *output, const struct sections *sections)
{
	char path[PATH_MAX];
	struct artifact artifact;
	int error = choose(output, path);
	if (error == 0)
		error = artifact_begin(&artifact, path, ARTIFACT_AT_ONCE);
	if (error != 0)
		return error;
	error = artifact_end(&artifact, sections_report(sections, artifact.fd));
	if (error == 0)
		destination_wrote(output, path);
	return error;
}

static void make_report(const struct sections *sections)
{
	int error = 0;
	if (strcmp(report_output.pattern, "stderr") == 0)
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

/* Adds to INFO that the recording is a snapshot, or which signal has ended the process. */
static int say_occasion(struct sections *sections, enum outputs_occasion occasion)
{
	if (occasion == OUTPUTS_ON_SIGNAL || occasion == OUTPUTS_SNAPSHOT)
		return sections_say(sections, "snapshot", 1);
	int signal = occasion == OUTPUTS_AT_DEATH ? host_signal() : 0;
	return signal != 0 ? sections_say(sections, "killed_by", (uint64_t)signal) : 0;
}

static void make_record(struct sections *sections, enum outputs_occasion occasion)
{
	bool goes_on = occasion == OUTPUTS_SNAPSHOT || occasion == OUTPUTS_ON_SIGNAL;
	int error = say_occasion(sections, occasion);
	if (error == 0)
		error = record_into(&record_output, sections);
	board_note(goes_on ? STMLOG_BOARD_SNAPSHOT : STMLOG_BOARD_WRITTEN, error);
	if (error != 0 && error != told)
		complain(&record_output, error);
	told = error;
}

/* Makes file and report from the same sections, so that they agree. */
static void make_of(struct sections *sections, enum outputs_occasion occasion)
{
	uint64_t progress = progress_of(sections);
	if (occasion == OUTPUTS_SNAPSHOT && progress == progress_at && sections->open.len == 0)
		return;
	progress_at = progress;
	if (sections->use == SECTIONS_OF_FILE)
		make_record(sections, occasion);
	if (has_report())
		make_report(sections);
}

/* A report needs less memory than a file. Returns false if there can be neither. */
static bool begin_sections(struct sections *sections)
{
	int error = 0;
	if (record_output.pattern != NULL) {
		error = sections_init(sections, SECTIONS_OF_FILE);
		if (error == 0)
			return true;
		board_note(STMLOG_BOARD_FAILED, error);
		complain(&record_output, error);
	}
	if (!has_report())
		return false;
	error = sections_init(sections, SECTIONS_OF_REPORT);
	if (error != 0)
		complain(&report_output, error);
	return error == 0;
}

static void make_both(enum outputs_occasion occasion)
{
	struct sections sections;
	if (!begin_sections(&sections))
		return;
	make_of(&sections, occasion);
	sections_fini(&sections);
}

bool outputs_are_barred(void)
{
	if (!locks_are_held_here())
		return false;
	standard_error_tell(
		"nothing is written: a signal handler ends the process in the middle of a call of stmlog", NULL);
	return true;
}

void outputs_tell_stuck(void)
{
	standard_error_tell(
		"nothing is written: a signal handler ends the process in the middle of a call of the system's", NULL);
}

void outputs_note_filtered(void)
{
	if (AO_load(&session.has_more) || !registry_is_idle())
		board_note_filtered();
}

static void tell_refused(void)
{
	if (AO_load(&has_named_refused) == 0)
		standard_error_tell("nothing is recorded: there was no memory for the record of a thread", NULL);
	AO_store(&has_named_refused, 1); /* outputs may be made several times */
}

/* Called if nothing was recorded, because there were no transactions, or no memory for any thread. */
static void note_nothing(enum outputs_occasion occasion)
{
	bool is_refused = registry_refused() != 0;
	if (is_refused) {
		tell_refused();
		board_note(STMLOG_BOARD_FAILED, -ENOMEM);
	} else if (occasion == OUTPUTS_AT_END || occasion == OUTPUTS_ON_CALL) {
		board_note(STMLOG_BOARD_NOTHING, 0);
	}
}

/* The user has asked for a sample, and no runtime has taken one. */
static void warn_unused_sample(void)
{
	if (session.sample > 1 && !session_is_sampled() && !has_named_sample)
		standard_error_tell("sample= has no effect: this runtime measures each transaction", NULL);
	has_named_sample = true;
}

static void make(void *argument)
{
	enum outputs_occasion occasion = *(enum outputs_occasion *)argument;
	if (outputs_are_barred())
		return;
	session_before_report();
	if (!AO_load(&session.has_more) && registry_is_idle()) {
		note_nothing(occasion);
		return;
	}
	locks_lock(&making);
	if (!are_final) {
		are_final = occasion == OUTPUTS_AT_END;
		options_warn_unknown(&session.options);
		warn_unused_sample();
		make_both(occasion);
	}
	locks_unlock(&making);
}

void outputs_make(enum outputs_occasion occasion)
{
	undisturbed_run(make, &occasion);
}

void outputs_forget(void)
{
	pthread_mutex_init(&making, NULL);
	begin_anew();
}
