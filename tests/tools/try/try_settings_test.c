/* SPDX-License-Identifier: MIT
 * The settings, their commands, parts of made-up machines, and the number that a program prints. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "temp_dir.h"
#include "test.h"
#include "try.h"

/* ---- settings ---- */

static struct try_race race_with(char **argv, bool is_of_libitm)
{
	struct try_race race = {.argv = argv, .is_of_libitm = is_of_libitm};
	try_settings_begin(&race);
	assert_int_equal(race.len, 1);
	try_settings_add(&race);
	return race;
}

static bool has(const struct try_race *race, const char *name)
{
	for (size_t i = 0; i < race->len; i++)
		if (strcmp(race->settings[i].name, name) == 0)
			return true;
	return false;
}

TEST(a_value_that_the_environment_has_is_no_setting)
{
	char *argv[] = {"program", NULL};
	setenv("ITM_DEFAULT_METHOD", "gl_wt", 1);
	unsetenv("LD_BIND_NOW");
	OWNED(try_race_fini) struct try_race race = race_with(argv, true);
	assert_string_equal(race.settings[0].name, "as it is");
	assert_false(has(&race, "ITM_DEFAULT_METHOD=gl_wt"));
	assert_true(has(&race, "ITM_DEFAULT_METHOD=ml_wt"));
	assert_true(has(&race, "ITM_DEFAULT_METHOD=serialirr_onwrite"));
	assert_true(has(&race, "LD_BIND_NOW=1"));
}

TEST(methods_are_tried_with_libitm_only)
{
	char *argv[] = {"program", NULL};
	OWNED(try_race_fini) struct try_race race = race_with(argv, false);
	for (size_t i = 0; i < race.len; i++)
		assert_null(race.settings[i].variable);
}

TEST(threads_are_powers_of_two_below_the_number_of_processors)
{
	char *argv[] = {"program", "-n{threads}", NULL};
	OWNED(try_race_fini) struct try_race race = {.argv = argv};
	try_settings_begin(&race);
	race.settings[0].threads = 6;
	try_settings_add(&race);
	assert_true(has(&race, "{threads} = 1") && has(&race, "{threads} = 2") && has(&race, "{threads} = 4"));
	assert_false(has(&race, "{threads} = 6"));
}

TEST(the_command_is_what_a_shell_takes)
{
	char *argv[] = {"./a program", "--of={threads},{threads}", "-v", "it's", "", NULL};
	struct try_race race = {.argv = argv};
	struct try_setting setting = {.variable = "ITM_DEFAULT_METHOD", .value = "gl_wt", .threads = 12};
	char *command = try_command(&race, &setting);
	assert_string_equal(command, "ITM_DEFAULT_METHOD=gl_wt './a program' --of=12,12 -v 'it'\\''s' ''");
	free(command);
	struct try_setting pinned = {.name = "taskset -c 0-1", .processors = "0-1", .threads = 2};
	command = try_command(&race, &pinned);
	assert_string_equal(command, "taskset -c 0-1 './a program' --of=2,2 -v 'it'\\''s' ''");
	free(command);
}

/* ---- processors ---- */

/* Two packages of two cores, each of two processors: of core 0 the processors 0 and 4, and so on. */
static const char *made_machine(void)
{
	const char *sys = temp_dir_path("cpu");
	mkdir(sys, 0777);
	for (int cpu = 0; cpu < 8; cpu++) {
		char path[512];
		for (int level = 0; level < 2; level++) {
			snprintf(path, sizeof path, "%s/cpu%d%s", sys, cpu, level == 0 ? "" : "/topology");
			mkdir(path, 0777);
		}
		const int numbers[] = {cpu % 4 / 2, cpu % 2};
		static const char *const names[] = {"physical_package_id", "core_id"};
		for (int i = 0; i < 2; i++) {
			snprintf(path, sizeof path, "%s/cpu%d/topology/%s", sys, cpu, names[i]);
			FILE *file = fopen(path, "w");
			fprintf(file, "%d\n", numbers[i]);
			fclose(file);
		}
	}
	return sys;
}

static cpu_set_t processors(const char *which)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	for (; *which != '\0'; which++)
		CPU_SET((size_t)(*which - '0'), &cpus);
	return cpus;
}

static void expect_list(const cpu_set_t *cpus, const char *expected)
{
	OWNED(owned_free) char *list = try_processors_list(cpus);
	assert_string_equal(list, expected);
}

TEST_WITH(temp_dir_fixture, parts_are_one_processor_one_of_each_core_and_one_package)
{
	const char *sys = made_machine();
	cpu_set_t all = processors("01234567"), few = processors("13567"), part;
	assert_true(try_processors_first(&all, &part));
	expect_list(&part, "0");
	assert_true(try_processors_one_of_each_core(&all, sys, &part));
	expect_list(&part, "0-3");
	assert_true(try_processors_one_package(&all, sys, &part));
	expect_list(&part, "0-1,4-5");
	assert_true(try_processors_one_of_each_core(&few, sys, &part));
	expect_list(&part, "1,3,6");
	assert_true(try_processors_one_package(&few, sys, &part));
	expect_list(&part, "1,5");
}

TEST_WITH(temp_dir_fixture, a_part_that_is_all_or_not_known_is_none)
{
	const char *sys = made_machine();
	cpu_set_t one = processors("3"), cores = processors("0123"), package = processors("014"), part;
	assert_false(try_processors_first(&one, &part));
	assert_false(try_processors_one_of_each_core(&cores, sys, &part));
	assert_false(try_processors_one_package(&package, sys, &part));
	assert_false(try_processors_one_of_each_core(&package, "/nowhere/at/all", &part));
	assert_false(try_processors_one_package(&cores, "/nowhere/at/all", &part));
}

/* ---- the number ---- */

static bool reads(const char *pattern, const char *text, double expected)
{
	regex_t metric;
	double value = 0;
	assert_int_equal(regcomp(&metric, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	bool is_read = try_metric_read(&metric, text, &value);
	regfree(&metric);
	return is_read && value >= expected && value <= expected;
}

TEST(the_number_is_the_first_group_or_else_the_match)
{
	assert_true(reads("speed: ([0-9.]+)", "a 1\nspeed: 12.5 x\nspeed: 9\n", 12.5));
	assert_true(reads("[0-9]+", "a 17 b 18", 17));
	assert_true(reads("^ops ([0-9,]+)$", "no ops 3\nops 1,234,567\n", 1234567));
	assert_true(reads("x(1)|([0-9]+)", "22", 22));
	assert_true(reads("[0-9.e+]+", "1.5e+3", 1500));
}

TEST(what_is_no_number_above_0_is_not_read)
{
	assert_false(reads("speed: (.*)", "speed: fast", 0));
	assert_false(reads("speed: (.*)", "speed: ", 0));
	assert_false(reads("speed: (.*)", "", 0));
	assert_false(reads("speed: (.*)", "speed: 0", 0));
	assert_false(reads("speed: (.*)", "speed: -4", -4));
	assert_false(reads("speed: (.*)", "speed: inf", 0));
	assert_false(reads("speed: (.*)", "speed: nan", 0));
}
