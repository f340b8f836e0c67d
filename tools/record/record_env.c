/* SPDX-License-Identifier: MIT
 * The environment of the program: the values of STMLOG_OPTIONS, STMLOG_RUN, STMLOG_TSC, LD_PRELOAD and ASAN_OPTIONS. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "memory.h"
#include "record.h"

/* In a value of STMLOG_OPTIONS a backslash precedes ':' and '\', and what looks like a wrong separator; in a pattern of
 * a path '%' is doubled. */
static char *escaped(const char *path, bool is_pattern)
{
	char *escaped = memory_zeroed(2 * strlen(path) + 1, 1);
	size_t used = 0;
	for (; *path != '\0'; path++) {
		if (strchr(":\\,; ", *path) != NULL)
			escaped[used++] = '\\';
		if (*path == '%' && is_pattern)
			escaped[used++] = '%';
		escaped[used++] = *path;
	}
	return escaped;
}

/* A single backslash at the end would escape the colon that is put behind it. */
static bool ends_in_escape(const char *text)
{
	size_t len = strlen(text), backslashes = 0;
	while (backslashes < len && text[len - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2 == 1;
}

/* "KEY=VALUE:", or "" without a value. Owned. */
static char *setting(const char *key, const char *value)
{
	return value != NULL ? memory_format("%s=%s:", key, value) : memory_text("");
}

/* The user's options override those before them, and are overridden by those behind them. sample= and stacks= are
 * passed only if they were given: not every runtime knows them, and an unknown option makes a warning. */
char *record_env_options(const char *users, const struct record_settings *settings, const struct record_place *place)
{
	const char *before = users != NULL ? users : "";
	const char *between = before[0] == '\0' ? "" : ends_in_escape(before) ? "\\:" : ":";
	char *out = escaped(place->directory, true);
	char *sample = setting("sample", settings->sample);
	char *stacks = setting("stacks", settings->stacks);
	char *timeline = setting("timeline", settings->timeline);
	char *paths = setting("paths", settings->paths);
	char *options = memory_format("kill=flush:snapshot=auto:%s%s%s%s%s%sout=%s/%%p-%%s:report=none", before,
		between, sample, stacks, timeline, paths, out);
	free(paths);
	free(timeline);
	free(stacks);
	free(sample);
	free(out);
	return options;
}

/* in=DEVICE.NUMBER: a process writes nothing into a directory that has the name of the run's, and is another one.
 * late=PATH: where its recording goes once the run's directory has been removed. board=FILE: where it notes what has
 * become of its recording (include/stmlog/board.h). */
char *record_env_run(const struct record_place *place)
{
	char *board_path = record_board_path(place->directory);
	char *late = escaped(place->file, true), *board = escaped(board_path, false);
	char *run = memory_format(
		"in=%ju.%ju:late=%s.%%p:board=%s", (uintmax_t)place->device, (uintmax_t)place->number, late, board);
	free(board);
	free(late);
	free(board_path);
	return run;
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

char *record_env_tsc(const struct record_settings *settings)
{
	struct clock_tsc tsc;
	if (!is_tsc_wanted(settings) || clock_calibrate_tsc(&tsc) != NULL)
		return NULL;
	return memory_format("%ju.%ju.%ju", (uintmax_t)tsc.base, (uintmax_t)tsc.base_ns, (uintmax_t)tsc.scale);
}

char *record_env_preload(const char *users, const char *agent)
{
	if (users == NULL || users[0] == '\0')
		return memory_text(agent);
	return memory_format("%s:%s", agent, users);
}

char *record_env_asan(const char *users)
{
	if (users == NULL || users[0] == '\0')
		return memory_text("verify_asan_link_order=0");
	return memory_format("verify_asan_link_order=0:%s", users);
}
