/* SPDX-License-Identifier: MIT
 * The environment of the program: the agents that are preloaded into it, found in the build directory or as
 * installed, and the variables that tell them where recordings go. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "diag.h"
#include "libitm.h"
#include "lookup.h"
#include "memory.h"
#include "record.h"

/* ---- agents ---- */

/* Why there is no agent for the processor that this command is built for; NULL: there are agents. */
#ifdef __x86_64__
static const char *const why_none = NULL;
#else
static const char *const why_none = "the agents for libitm are for x86-64 only; a program that embeds the library "
				    "records by itself: STMLOG_OPTIONS=out=stmlog.data COMMAND";
#endif

char *record_agent_find(enum record_agent which)
{
	static const char *const names[RECORD_AGENTS] = {
		[RECORD_LIBITM] = "libstmlog-itm.so",
		[RECORD_GHC] = "libstmlog-ghc.so",
		[RECORD_OBJECTS] = "libstmlog-objects.so",
	};
	const char *name = names[which];
	if (why_none != NULL) {
		diag("record", "%s", why_none);
		return NULL;
	}
	char *agent = lookup_beside(name);
	if (agent == NULL) {
		diag(name, "not found beside stmlog nor in ../lib/stmlog; build or install it");
		return NULL;
	}
	if (strpbrk(agent, " :") != NULL) {
		diag(agent, "LD_PRELOAD cannot hold a path with a space or colon; install stmlog elsewhere");
		free(agent);
		return NULL;
	}
	return agent;
}

/* ---- the same for all runs ---- */

char *record_env_before(const char *ours, const char *users)
{
	bool has_users = users != NULL && users[0] != '\0';
	return has_users ? memory_format("%s:%s", ours, users) : memory_text(ours);
}

/* The agents, that for libitm first, and then what the user preloads. NULL: an agent is missing. Owned. */
static char *preload(bool has_objects)
{
	const char *users = getenv("LD_PRELOAD");
	char *list = memory_text(users != NULL ? users : "");
	for (int which = has_objects ? RECORD_OBJECTS : RECORD_GHC; which >= 0 && list != NULL; which--) {
		char *agent = record_agent_find((enum record_agent)which), *behind = list;
		list = agent != NULL ? record_env_before(agent, behind) : NULL;
		free(behind);
		free(agent);
	}
	return list;
}

/* Owned. NULL: it is not installed. */
static char *library(void)
{
	const char *users = getenv("STMLOG_LIBRARY");
	char *found = users != NULL ? memory_text(users) : lookup_beside("libstmlog.so");
	return found != NULL ? found : lookup_beside("../libstmlog.so");
}

void record_env_set(struct record_env *env, const char *name, char *value)
{
	env->variables[env->len++] = (struct record_variable){name, value};
}

/* Without verify_asan_link_order=0 a program that is built with that sanitizer would end with 1, because the agent is
 * loaded before the sanitizer. */
bool record_env_init(struct record_env *env, const char *program, bool has_objects)
{
	char *agents = preload(has_objects);
	*env = (struct record_env){.len = 0};
	if (agents == NULL)
		return false;
	struct libitm libitm = libitm_of(program, LIBITM_TRUSTED);
	record_env_set(env, "LD_PRELOAD", agents);
	record_env_set(env, LIBITM_VARIABLE, libitm_variable(&libitm));
	record_env_set(env, "STMLOG_LIBRARY", library());
	record_env_set(env, "ASAN_OPTIONS", record_env_before("verify_asan_link_order=0", getenv("ASAN_OPTIONS")));
	libitm_fini(&libitm);
	return true;
}

void record_env_fini(struct record_env *env)
{
	while (env->len > 0)
		free(env->variables[--env->len].value);
}

bool record_env_apply(const struct record_env *env)
{
	int error = 0;
	for (const struct record_variable *at = env->variables; at < env->variables + env->len && error == 0; at++)
		error = at->value != NULL ? setenv(at->name, at->value, 1) : unsetenv(at->name);
	return error == 0;
}

/* ---- where recordings go ---- */

/* In an option a backslash precedes ':' and '\', and what looks like a wrong separator. Takes the path. Owned. */
static char *path_in_option(char *path)
{
	return record_escaped(path, ":\\,; ", '\\');
}

/* In a pattern of paths '%' is doubled, too. */
static char *pattern_in_option(char *path)
{
	return path_in_option(record_escaped(path, "%", '%'));
}

/* A single backslash at the end would escape the colon that is put behind it. */
static bool ends_in_escape(const char *text)
{
	size_t len = strlen(text), backslashes = 0;
	while (backslashes < len && text[len - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2 == 1;
}

/* Appends an option if it has a value. Takes the options. Owned. */
static char *with(char *options, const char *key, const char *value)
{
	if (value == NULL)
		return options;
	char *longer = memory_format("%s%s=%s:", options, key, value);
	free(options);
	return longer;
}

/* The user's options override those before them, and are overridden by those behind them. sample= is passed only
 * if it was given: not every runtime knows it, and an unknown option makes a warning. */
char *record_env_options(
	const char *users, const struct record_settings *settings, const struct record_directory *directory)
{
	const char *before = users != NULL ? users : "";
	const char *between = before[0] == '\0' ? "" : ends_in_escape(before) ? "\\:" : ":";
	char *options = memory_format("kill=flush:snapshot=auto:%s%s", before, between);
	options = with(options, "sample", settings->sample);
	options = with(options, "timeline", settings->timeline);
	options = with(options, "paths", settings->paths);
	char *path = pattern_in_option(memory_text(directory->path)), *out = memory_format("%s/%%p-%%s", path);
	options = with(options, "out", out);
	free(out);
	free(path);
	return with(options, "report", "none");
}

/* Where the kernel itself relies on the TSC: it looks whether all processors agree about it. Not with a timeline, which
 * may be laid beside another tool's. */
static bool is_tsc_wanted(const struct record_settings *settings)
{
	char name[8] = "";
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
	if (file == NULL)
		return false;
	const char *read = fgets(name, sizeof name, file);
	fclose(file);
	return read != NULL && strcmp(name, "tsc\n") == 0 && settings->sample != NULL &&
	       strcmp(settings->sample, "1") == 0 && settings->timeline == NULL;
}

/* in=DEVICE.NUMBER: a process writes nothing into a directory that has the name of the run's, and is another one.
 * late=PATH: where its recording goes once the run's directory has been removed. board=FILE: where it notes what has
 * become of its recording (include/stmlog/board.h). inherited=NUMBER: a descriptor of that file. tsc=BASE.NS.SCALE: the
 * calibration of the TSC, which is read where each transaction is measured, since a reading of CLOCK_MONOTONIC takes
 * twice as long. */
char *record_env_run(const struct record_settings *settings, const struct record_directory *directory)
{
	struct stat status = {.st_dev = 0};
	struct clock_tsc tsc;
	fstat(directory->fd, &status);
	char *late = pattern_in_option(record_directory_file(directory));
	char *board = path_in_option(record_board_path(directory->path));
	char *run = memory_format("in=%ju.%ju:late=%s.%%p:board=%s:inherited=%d:", (uintmax_t)status.st_dev,
		(uintmax_t)status.st_ino, late, board, directory->board);
	free(board);
	free(late);
	if (!is_tsc_wanted(settings) || clock_calibrate_tsc(&tsc) != NULL)
		return run;
	char *known = memory_format("%ju.%ju.%ju", (uintmax_t)tsc.base, (uintmax_t)tsc.base_ns, (uintmax_t)tsc.scale);
	run = with(run, "tsc", known);
	free(known);
	return run;
}
