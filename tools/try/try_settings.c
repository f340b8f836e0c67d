/* SPDX-License-Identifier: MIT
 * The settings that a program can be run with, the parts of the processors to which it can be pinned (one of them,
 * one of each core, those of one package), and the command that runs it so. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "number.h"
#include "try.h"
#include "utf8.h"

/* Where a processor is; both -1: not known. */
struct place {
	int package, core;
};

/* ---- parts of the processors ---- */

bool try_processors_usable(cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	return sched_getaffinity(0, sizeof *cpus, cpus) == 0 && CPU_COUNT(cpus) > 0;
}

static size_t first_of(const cpu_set_t *cpus)
{
	size_t cpu = 0;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, cpus))
		cpu++;
	return cpu;
}

bool try_processors_first(const cpu_set_t *usable, cpu_set_t *part)
{
	CPU_ZERO(part);
	CPU_SET(first_of(usable), part);
	return CPU_COUNT(usable) > 1;
}

static int number_in(const char *sys, size_t cpu, const char *name)
{
	char text[16] = "", *path = memory_format("%s/cpu%zu/topology/%s", sys, cpu, name);
	uint64_t number;
	FILE *file = fopen(path, "re");
	if (file != NULL && fgets(text, sizeof text, file) != NULL)
		text[strcspn(text, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	free(path);
	return number_parse(text, &number) && number <= INT_MAX ? (int)number : -1;
}

static struct place place_of(const char *sys, size_t cpu)
{
	return (struct place){number_in(sys, cpu, "physical_package_id"), number_in(sys, cpu, "core_id")};
}

/* Copies the processors that `is_in` takes, each with those that were taken before it. */
static bool choose(const cpu_set_t *usable, const char *sys, cpu_set_t *part,
	bool (*is_in)(const struct place *places, const cpu_set_t *before, size_t cpu))
{
	struct place *places = memory_zeroed(CPU_SETSIZE, sizeof *places);
	bool is_known = true;
	CPU_ZERO(part);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, usable))
			continue;
		places[cpu] = place_of(sys, cpu);
		is_known &= places[cpu].package >= 0 && places[cpu].core >= 0;
		if (is_in(places, part, cpu))
			CPU_SET(cpu, part);
	}
	free(places);
	return is_known && !CPU_EQUAL(part, usable);
}

static bool is_of_new_core(const struct place *places, const cpu_set_t *before, size_t cpu)
{
	for (size_t other = 0; other < cpu; other++) {
		bool is_same_core =
			places[other].package == places[cpu].package && places[other].core == places[cpu].core;
		if (CPU_ISSET(other, before) && is_same_core)
			return false;
	}
	return true;
}

static bool is_of_first_package(const struct place *places, const cpu_set_t *before, size_t cpu)
{
	return CPU_COUNT(before) == 0 || places[first_of(before)].package == places[cpu].package;
}

bool try_processors_one_of_each_core(const cpu_set_t *usable, const char *sys, cpu_set_t *part)
{
	return choose(usable, sys, part, is_of_new_core);
}

bool try_processors_one_package(const cpu_set_t *usable, const char *sys, cpu_set_t *part)
{
	return choose(usable, sys, part, is_of_first_package);
}

char *try_processors_list(const cpu_set_t *cpus)
{
	char *list = memory_text("");
	for (size_t cpu = 0, last; cpu < CPU_SETSIZE; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET(cpu, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		const char *comma = list[0] != '\0' ? "," : "";
		char *longer = last > cpu ? memory_format("%s%s%zu-%zu", list, comma, cpu, last)
					  : memory_format("%s%s%zu", list, comma, cpu);
		free(list);
		list = longer;
	}
	return list;
}

/* ---- settings ---- */

#define SYS_CPU "/sys/devices/system/cpu"

static struct try_setting *try_setting_add(struct try_race *race, char *name)
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
	struct try_setting *setting = try_setting_add(race, memory_format("%s=%s", variable, value));
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
	struct try_setting *setting = try_setting_add(race, memory_format("taskset -c %s", list));
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
		try_setting_add(race, memory_format(TRY_THREADS " = %zu", threads))->threads = threads;
}

void try_settings_begin(struct try_race *race)
{
	cpu_set_t usable;
	size_t threads = try_processors_usable(&usable) ? (size_t)CPU_COUNT(&usable) : 1;
	char *name = takes_threads(race->argv) ? memory_format("as it is, " TRY_THREADS " = %zu", threads)
					       : memory_text("as it is");
	try_setting_add(race, name)->threads = threads;
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
