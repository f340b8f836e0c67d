/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "memory.h"
#include "module.h"
#include "number.h"
#include "passive.h"
#include "recording.h"
#include "table.h"
#include "utf8.h"

static void print_text(const char *name, const char *value)
{
	char *clean = utf8_clean(value, UTF8_HIDE_CONTROLS);
	printf("%-9s %s\n", name, clean);
	free(clean);
}

static void print_facts(const char *path, const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	print_text("file", path);
	printf("%-9s %d\n", "format", STMLOG_FILE_VERSION);
	print_text("version", info->version);
	print_text("runtime", info->runtime);
	print_text("clock", info->clock);
	if (info->runs != 1)
		printf("%-9s %s, merged\n", "runs", number_count(info->runs).text);
	else
		printf("%-9s %" PRIu64 "\n", "pid", info->pid);
	print_text("program", info->program);
	for (size_t i = 0; i < info->args.len; i++)
		print_text("arg", info->args.at[i]);
	for (size_t i = 0; i + 1 < info->options.len; i += 2) {
		char *option = memory_format("%s=%s", info->options.at[i], info->options.at[i + 1]);
		print_text("option", option);
		free(option);
	}
	printf("%-9s %s\n", "wall", number_time(info->wall_ns).text);
	if (passive_is(recording))
		print_text("measured", "nothing: passive");
	else if (!recording_is_sampled(recording))
		print_text("measured", "every transaction");
	else
		printf("%-9s 1 in %s transactions\n", "measured", number_count(info->sample_every).text);
}

static void print_sections(const struct recording *recording)
{
	static const struct table_column columns[] = {
		{"section", TABLE_LEFT}, {"type", TABLE_RIGHT}, {"bytes", TABLE_RIGHT}, {"records", TABLE_RIGHT}, {0}};
	struct libscols_table *table = table_create(stdout, columns);
	for (uint32_t i = 0; i < recording->file.section_count; i++) {
		const struct file_section *section = &recording->file.sections[i];
		struct number type = number_count(section->type), bytes = number_count(section->length);
		struct number records = {""};
		if (section->record_size != 0)
			records = number_count(section->length / section->record_size);
		const char *cells[] = {file_section_name(section->type), type.text, bytes.text, records.text};
		table_row(table, cells);
	}
	table_finish(&table);
}

static void module_row(struct libscols_table *table, const struct module *module, const char *path)
{
	struct module_id id = module_build_id(module->record);
	const char *cells[] = {path, module_state_name(module->state), id.text};
	table_row(table, cells);
}

static void print_modules(const struct recording *recording)
{
	static const struct table_column columns[] = {
		{"module", TABLE_LEFT}, {"now", TABLE_LEFT}, {"build-id", TABLE_LEFT}, {0}};
	struct libscols_table *table = table_create(stdout, columns);
	for (size_t i = 0; i < recording->module_count; i++) {
		const struct stmlog_module_record *record = &recording->modules[i];
		struct module module = {.path = recording_string(recording, record->path), .record = record};
		module_open(&module);
		char *clean = utf8_clean(module.path, UTF8_HIDE_CONTROLS);
		module_row(table, &module, clean);
		free(clean);
		module_close(&module);
	}
	table_finish(&table);
}

/* What can be told of a file that ends early is told, as in `report`. */
static int tell_file(const char *path)
{
	struct recording recording;
	enum recording_status status = recording_load(&recording, path);
	if (status != RECORDING_WHOLE)
		diag(path, "%s", recording.fault);
	if (status != RECORDING_UNUSABLE) {
		print_facts(path, &recording);
		putchar('\n');
		print_sections(&recording);
		putchar('\n');
		print_modules(&recording);
		putchar('\n');
	}
	recording_fini(&recording);
	return status == RECORDING_WHOLE ? STATUS_DONE : STATUS_UNUSABLE;
}

static int run(const struct command *self, int argc, char **argv)
{
	return arguments_each_file(self, argc, argv, tell_file);
}

static const struct option_row options[] = {{0}};

const struct command cmd_info = {
	.name = "info",
	.arguments = "FILE...",
	.summary = "tells what made a recording: program, options, sections and modules",
	.options = options,
	.notes = "Of each module it says whether the file that ran is still there.\n",
	.run = run,
};
