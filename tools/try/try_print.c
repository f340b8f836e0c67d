/* SPDX-License-Identifier: MIT
 * Prints a race: as a table of settings, and the setting that is recommended or why there is none; or as one JSON
 * object. */
#include <inttypes.h>
#include <stdlib.h>

#include "json_value.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "printer.h"
#include "try.h"
#include "utf8.h"

/* ---- text ---- */

static struct number throughput_text(double value)
{
	return value >= 999.5 && value < 1e18 ? number_count((uint64_t)(value + 0.5)) : number_rounded(value, 2);
}

static struct number p_text(double p)
{
	static const struct number tiny = {"< 0.0001"};
	return p < 0.0001 ? tiny : number_rounded(p, 4);
}

static struct number share_text(double share)
{
	return number_tenths((unsigned)(1000 * share + 0.5));
}

static void add_row(struct report_table *table, const struct try_setting *setting, bool is_first)
{
	bool is_known = setting->state != TRY_FAILED, is_judged = !is_first && setting->state == TRY_RACING;
	struct number throughput = throughput_text(setting->throughput.value), lost = share_text(setting->loss);
	struct number ratio = number_rounded(setting->ratio, 2), p = p_text(setting->p);
	struct number runs = number_count(setting->runs);
	const char *cells[] = {setting->name, is_known ? throughput.text : "-", is_known && !is_first ? ratio.text : "",
		is_known ? lost.text : "-", is_judged ? p.text : "", runs.text};
	report_table_row(table, cells);
}

static void print_table(const struct try_race *race, const struct printer *out)
{
	static const struct table_column columns[] = {{"setting", TABLE_LEFT}, {"commits/s", TABLE_RIGHT},
		{"ratio", TABLE_RIGHT}, {"lost", TABLE_LOSS}, {"p", TABLE_RIGHT}, {"runs", TABLE_RIGHT}, {0}};
	static const struct table_column with_metric[] = {{"setting", TABLE_LEFT}, {"printed", TABLE_RIGHT},
		{"ratio", TABLE_RIGHT}, {"lost", TABLE_LOSS}, {"p", TABLE_RIGHT}, {"runs", TABLE_RIGHT}, {0}};
	struct report_table *table = report_table_create(out, race->metric != NULL ? with_metric : columns);
	for (size_t i = 0; i < race->len; i++)
		add_row(table, &race->settings[i], i == 0);
	report_table_finish(&table);
	printer_text(out, "\n");
}

/* Why settings have left the race. */
static void print_leavers(const struct try_race *race, const struct printer *out)
{
	for (size_t i = 0; i < race->len; i++) {
		const struct try_setting *setting = &race->settings[i];
		if (setting->state == TRY_SLOWER)
			printer_format(out, "%s: slower, dropped after %zu runs\n", setting->name, setting->runs);
		else if (setting->state == TRY_FAILED && setting->status != 0)
			printer_format(out, "%s: %s (status %d)\n", setting->name, setting->why, setting->status);
		else if (setting->state == TRY_FAILED)
			printer_format(out, "%s: %s\n", setting->name, setting->why);
	}
}

/* Users copy the command: no line is broken within it. */
static void print_recommended(const struct try_race *race, const struct printer *out)
{
	const struct try_setting *setting = race->recommended;
	char *command = try_command(race, setting);
	utf8_hide(command);
	printer_format(out, "recommended: %s, %s times as fast as the program as it is (p %s)\n", setting->name,
		number_rounded(setting->ratio, 2).text, p_text(setting->p).text);
	printer_text(out, "Next: ");
	printer_marked(out, PRINTER_COPY, command);
	printer_text(out, "\n");
	free(command);
}

static void print_verdict(const struct try_race *race, const struct printer *out)
{
	if (race->recommended != NULL)
		print_recommended(race, out);
	else if (race->is_decided)
		printer_format(out,
			"no setting is faster than the program as it is: none by %s times or more, with a p of %s or "
			"less\n",
			number_rounded(TRY_MIN_GAIN, 2).text, number_rounded(TRY_ALPHA, 2).text);
	else
		printer_format(out,
			"cannot decide: among %zu settings so few runs can never reach a p of %s; use --runs=%d or "
			"more\n",
			try_tests(race), number_rounded(TRY_ALPHA, 2).text, TRY_RUNS);
}

void try_text(const struct try_race *race, FILE *out)
{
	struct printer printer = text_printer(out);
	char *program = try_command(race, &race->settings[0]);
	utf8_hide(program);
	printer_text(&printer, program);
	printer_format(&printer, ": %" PRIu64 " turns, %s\n", race->turns, number_time(race->elapsed_ns).text);
	free(program);
	if (!race->is_of_libitm)
		printer_text(&printer, "not a program of libitm, whose settings the methods are: "
				       "only processors and threads are tried\n");
	if (race->len == 1) {
		printer_text(&printer, "nothing can be tried here: the machine has one processor\n");
		return;
	}
	printer_text(&printer, "\n");
	print_table(race, &printer);
	print_leavers(race, &printer);
	print_verdict(race, &printer);
}

/* ---- JSON ---- */

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
