/* SPDX-License-Identifier: MIT
 * Prints a race as one JSON object. */
#include <stdlib.h>

#include "json_value.h"
#include "try.h"

static json_t *known(double value, bool is_known)
{
	return is_known ? json_real(value) : json_null();
}

/* The variables that are set; none for a setting of processors or threads. */
static json_t *environment_of(const struct try_setting *setting)
{
	json_t *environment = json_object();
	if (setting->variable != NULL)
		json_object_set_new(environment, setting->variable, string(setting->value));
	return environment;
}

static json_t *values_of(const double *values, size_t len)
{
	json_t *array = json_array();
	for (size_t i = 0; i < len; i++)
		json_array_append_new(array, json_real(values[i]));
	return array;
}

static json_t *setting_of(const struct try_race *race, const struct try_setting *setting)
{
	static const char *const states[] = {
		[TRY_RACING] = "compared", [TRY_SLOWER] = "dropped as slower", [TRY_FAILED] = "failed"};
	bool is_known = setting->state != TRY_FAILED && setting->runs > 0;
	bool is_judged = setting->state == TRY_RACING && setting != &race->settings[0];
	char *command = try_command(race, setting);
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:o, s:i, s:o}", "name",
		string(setting->name), "environment", environment_of(setting), "command", string(command), "throughput",
		known(setting->throughput.value, is_known), "lost_share", known(setting->loss, is_known), "ratio",
		known(setting->ratio, is_known), "p", known(setting->p, is_judged), "recommended",
		setting->is_recommended, "state", states[setting->state], "why", string(setting->why), "status",
		setting->status, "values", values_of(setting->throughputs, setting->runs));
	free(command);
	return object;
}

void try_json(const struct try_race *race, FILE *out)
{
	json_t *settings = json_array();
	for (size_t i = 0; i < race->len; i++)
		json_array_append_new(settings, setting_of(race, &race->settings[i]));
	json_t *object = json_pack("{s:s, s:o, s:I, s:o, s:f, s:f, s:b, s:b, s:o}", "unit",
		race->metric != NULL ? "the number that metric finds" : "commits per second", "metric",
		string(race->metric), "turns", (json_int_t)race->turns, "elapsed_ns", integer(race->elapsed_ns),
		"alpha", TRY_ALPHA, "least_ratio", TRY_MIN_GAIN, "is_decided", race->is_decided, "is_of_libitm",
		race->is_of_libitm, "settings", settings);
	json_value_write(out, object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	fputc('\n', out);
}
