/* SPDX-License-Identifier: MIT
 * One run of a program: what is preloaded, the environment, and the recording. Prints the error messages of all that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "diag.h"
#include "libitm.h"
#include "record.h"

/* stmlog-itm.wrap, for linking, lies beside the agent for preloading. */
static void tell_why(const char *program, const char *agent)
{
	struct record_why why = record_why_nothing(program);
	if (why.can_link)
		diag(program, "nothing was recorded: %s; link it again with @%.*sstmlog-itm.wrap added, or dynamically",
			why.text, (int)(strrchr(agent, '/') + 1 - agent), agent);
	else
		diag(program, "nothing was recorded: %s", why.text);
}

static void tell_nothing(
	const struct record_outcome *outcome, const char *program, const char *agent, const char *fault)
{
	if (fault != NULL)
		diag(program, "its recording cannot be used: it %s", fault);
	else if (WIFSIGNALED(outcome->wait_status))
		diag(program,
			"nothing was recorded: signal %d (%s) ended it before it could write; "
			"STMLOG_OPTIONS=snapshot=1 writes every second",
			WTERMSIG(outcome->wait_status), strsignal(WTERMSIG(outcome->wait_status)));
	else
		tell_why(program, agent);
}

enum record_agent record_agent_for(const struct record_wishes *wishes)
{
	if (wishes->is_passive)
		return RECORD_PASSIVE;
	if (wishes->is_light)
		return RECORD_LIGHT;
	return wishes->settings.stacks != NULL && strcmp(wishes->settings.stacks, "full") == 0 ? RECORD_FULL
											       : RECORD_ORDINARY;
}

/* The libraries that the program may load; owned. */
struct libraries {
	char *agent;
	char *objects; /* NULL: not asked for */
	char *library; /* for programs that find it at run time; not preloaded. NULL: it is not installed */
};

/* Returns false, and prints why, if one of them is missing. */
static bool find_libraries(struct libraries *libraries, const struct record_wishes *wishes)
{
	*libraries = (struct libraries){.agent = record_agent_find(record_agent_for(wishes))};
	if (libraries->agent != NULL && wishes->has_objects)
		libraries->objects = record_agent_find(RECORD_OBJECTS);
	libraries->library = record_library_find();
	return libraries->agent != NULL && (libraries->objects != NULL || !wishes->has_objects);
}

static void libraries_fini(struct libraries *libraries)
{
	free(libraries->agent);
	free(libraries->objects);
	free(libraries->library);
}

/* The agent comes first. The caller frees it. */
static char *preload_of(const struct libraries *libraries)
{
	const char *users = getenv("LD_PRELOAD");
	if (libraries->objects == NULL)
		return record_env_preload(users, libraries->agent);
	char *behind = record_env_preload(users, libraries->objects);
	char *preload = record_env_preload(behind, libraries->agent);
	free(behind);
	return preload;
}

/* Collects the recording of a program that has run. */
static struct record_result collect(const struct record_wishes *wishes, const char *file, const char *directory,
	const struct record_outcome *outcome, char **argv, const char *agent)
{
	struct record_result result = {.status = record_exit_status(outcome)};
	if (wishes->only_of_success && result.status != 0)
		return result;
	char *fault;
	result.is_recorded = record_collect(directory, outcome->pid, file, &fault);
	result.is_told = !result.is_recorded;
	if (!result.is_recorded)
		tell_nothing(outcome, argv[0], agent, fault);
	free(fault);
	return result;
}

static struct record_result run_in(const struct record_wishes *wishes, const char *file, char **argv,
	const struct libraries *libraries, const char *directory, const char *libitm)
{
	char *preload = preload_of(libraries);
	char *settings = record_env_options(getenv("STMLOG_OPTIONS"), &wishes->settings, directory);
	struct record_run run = {argv, preload, settings, libitm, libraries->library};
	struct record_outcome outcome;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (record_run(&run, &outcome) != 0) {
		diag(argv[0], "cannot be started: %s", strerror(errno));
	} else if (outcome.exec_errno != 0) {
		diag(argv[0], "cannot be run: %s; check its name and permissions", strerror(outcome.exec_errno));
		result.status = record_exit_status(&outcome);
	} else {
		result = collect(wishes, file, directory, &outcome, argv, libraries->agent);
	}
	free(settings);
	free(preload);
	return result;
}

struct record_result record_one(const struct record_wishes *wishes, const char *file, char **argv)
{
	struct libraries libraries;
	struct record_result result = {.status = STATUS_UNUSABLE, .is_told = true};
	if (!find_libraries(&libraries, wishes)) {
		libraries_fini(&libraries);
		return result;
	}
	struct libitm libitm = libitm_of(argv[0]);
	char *known = libitm_variable(&libitm);
	record_signals_guard();
	char *directory = record_directory_create(file);
	if (directory != NULL) {
		result = run_in(wishes, file, argv, &libraries, directory, known);
		record_directory_destroy(&directory);
	}
	/* Nothing is left to be removed: from here on a signal may end this process. */
	record_signals_release();
	free(known);
	libitm_fini(&libitm);
	libraries_fini(&libraries);
	return result;
}
