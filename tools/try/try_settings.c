/* SPDX-License-Identifier: MIT
 * The settings that a program can be run with, and the command that runs it so. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "quoted.h"
#include "try.h"

#define SYS_CPU "/sys/devices/system/cpu"

static struct try_setting *add(struct try_race *race, char *name)
{
	race->settings = memory_grown(race->settings, race->len, &race->cap, sizeof *race->settings);
	struct try_setting *setting = &race->settings[race->len++];
	*setting = (struct try_setting){.name = name, .threads = race->len > 1 ? race->settings[0].threads : 0};
	return setting;
}

/* ---- variables ---- */

/* Adds nothing if the variable has that value already: then the program would run as it is. */
static void add_variable(struct try_race *race, const char *variable, const char *value)
{
	const char *now = getenv(variable);
	if (now != NULL && strcmp(now, value) == 0)
		return;
	struct try_setting *setting = add(race, memory_format("%s=%s", variable, value));
	setting->variable = variable;
	setting->value = value;
}

/* Whether the processor has Intel's hardware transactions, and the system lets programs use them. */
static bool has_rtm(void)
{
	bool has_rtm = false;
	char *line = NULL;
	size_t cap = 0;
	FILE *info = fopen("/proc/cpuinfo", "re");
	while (info != NULL && !has_rtm && getline(&line, &cap, info) > 0)
		has_rtm = strncmp(line, "flags", 5) == 0 && strstr(line, " rtm ") != NULL;
	if (info != NULL)
		fclose(info);
	free(line);
	return has_rtm;
}

/* LD_BIND_NOW spares a program the search for a function within its first transactions. */
static void add_of_libitm(struct try_race *race)
{
	static const char *const methods[] = {"ml_wt", "gl_wt", "serialirr", "serialirr_onwrite", "serial"};
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		add_variable(race, "ITM_DEFAULT_METHOD", methods[i]);
	if (has_rtm())
		add_variable(race, "ITM_DEFAULT_METHOD", "htm");
	add_variable(race, "LD_BIND_NOW", "1");
}

/* ---- processors and threads ---- */

/* Whether a setting has these processors already. On a machine of one core, say, two of the parts are the same. */
static bool has_part(const struct try_race *race, const cpu_set_t *part)
{
	for (size_t i = 0; i < race->len; i++) {
		if (race->settings[i].processors != NULL && CPU_EQUAL(&race->settings[i].cpus, part))
			return true;
	}
	return false;
}

static void add_part(struct try_race *race, const cpu_set_t *part)
{
	if (has_part(race, part))
		return;
	char *list = try_processors_list(part);
	struct try_setting *setting = add(race, memory_format("taskset -c %s", list));
	setting->processors = list;
	setting->cpus = *part;
}

static void add_processors(struct try_race *race)
{
	cpu_set_t usable, part;
	if (!try_processors_usable(&usable))
		return;
	if (try_processors_first(&usable, &part))
		add_part(race, &part);
	if (try_processors_one_of_each_core(&usable, SYS_CPU, &part))
		add_part(race, &part);
	if (try_processors_one_package(&usable, SYS_CPU, &part))
		add_part(race, &part);
}

static bool takes_threads(char **argv)
{
	for (; *argv != NULL; argv++) {
		if (strstr(*argv, TRY_THREADS) != NULL)
			return true;
	}
	return false;
}

/* Adds the powers of two below the number of processors. The program as it is runs with that number of threads. */
static void add_threads(struct try_race *race)
{
	size_t max = race->settings[0].threads;
	for (size_t threads = 1; takes_threads(race->argv) && threads < max; threads *= 2)
		add(race, memory_format(TRY_THREADS " = %zu", threads))->threads = threads;
}

void try_settings_begin(struct try_race *race)
{
	cpu_set_t usable;
	size_t threads = try_processors_usable(&usable) ? (size_t)CPU_COUNT(&usable) : 1;
	char *name = takes_threads(race->argv) ? memory_format("as it is, " TRY_THREADS " = %zu", threads)
					       : memory_text("as it is");
	add(race, name)->threads = threads;
}

void try_settings_add(struct try_race *race)
{
	REQUIRES(race->len > 0);
	if (race->is_of_libitm)
		add_of_libitm(race);
	add_processors(race);
	add_threads(race);
}

/* ---- commands ---- */

/* The argument with the number in place of each TRY_THREADS; owned. */
static char *with_threads(const char *argument, size_t threads)
{
	char *text = memory_text("");
	const char *at;
	for (; (at = strstr(argument, TRY_THREADS)) != NULL; argument = at + strlen(TRY_THREADS)) {
		char *longer = memory_format("%s%.*s%zu", text, (int)(at - argument), argument, threads);
		free(text);
		text = longer;
	}
	char *whole = memory_format("%s%s", text, argument);
	free(text);
	return whole;
}

static size_t count(char **argv)
{
	size_t len = 0;
	while (argv[len] != NULL)
		len++;
	return len;
}

char **try_arguments(char **argv, const struct try_setting *setting)
{
	size_t len = count(argv);
	char **copy = memory_zeroed(len + 1, sizeof *copy);
	for (size_t i = 0; i < len; i++)
		copy[i] = with_threads(argv[i], setting->threads);
	return copy;
}

void try_arguments_free(char **argv)
{
	for (char **argument = argv; *argument != NULL; argument++)
		free(*argument);
	free(argv);
}

char *try_command(const struct try_race *race, const struct try_setting *setting)
{
	char **argv = try_arguments(race->argv, setting);
	char *program = quoted_command((const char *const *)argv, count(argv));
	char *command = setting->variable != NULL
				? memory_format("%s=%s %s", setting->variable, setting->value, program)
			: setting->processors != NULL ? memory_format("%s %s", setting->name, program)
						      : memory_text(program);
	free(program);
	try_arguments_free(argv);
	return command;
}
