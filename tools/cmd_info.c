/* SPDX-License-Identifier: MIT
 * `stmlog info`: how a recording was made and what is in the file; or, with --libitm, what is known of a libitm. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "libitm.h"
#include "memory.h"
#include "module.h"
#include "number.h"
#include "output.h"
#include "printer.h"
#include "recorded_account.h"
#include "recording.h"
#include "utf8.h"

static void print_text(const char *name, const char *value)
{
	struct printer out = text_printer(stdout);
	printer_format(&out, "%-9s ", name);
	printer_name(&out, value);
	printer_text(&out, "\n");
}

static void print_sample(const struct recording *recording)
{
	struct printer out = text_printer(stdout);
	const struct recording_info *info = &recording->info;
	uint64_t every = account_measured_every(recording);
	printer_format(&out, "%-9s %s%s transactions (%s of %s commits)\n", "measured", every != 0 ? "1 in " : "no",
		every != 0 ? number_count(every).text : "", number_count(account_measured_commits(recording)).text,
		number_count(account_total(recording).commits).text);
	if (info->timed_commits != 0)
		printer_format(
			&out, "%-9s %s commits of the others\n", "timed", number_count(info->timed_commits).text);
}

static void print_facts(const char *path, const struct recording *recording)
{
	struct printer out = text_printer(stdout);
	const struct recording_info *info = &recording->info;
	print_text("file", path);
	printer_format(&out, "%-9s %d\n", "format", STMLOG_FILE_VERSION);
	print_text("version", info->version);
	print_text("runtime", info->runtime);
	if (info->method[0] != '\0')
		print_text("method", info->method);
	if (info->processors != 0)
		printer_format(&out, "%-9s %s processor%s\n", "machine", number_count(info->processors).text,
			info->processors == 1 ? "" : "s");
	print_text("clock", info->clock);
	if (info->runs != 1)
		printer_format(&out, "%-9s %s, merged\n", "runs", number_count(info->runs).text);
	else
		printer_format(&out, "%-9s %" PRIu64 "\n", "pid", info->pid);
	if (info->killed_by != 0)
		printer_format(&out, "%-9s by signal %" PRIu64 "\n", "ended", info->killed_by);
	if (info->snapshot != 0)
		print_text("snapshot", "the program went on after this file was written");
	print_text("program", info->program);
	for (size_t i = 0; i < info->args.len; i++)
		print_text("arg", info->args.at[i]);
	for (size_t i = 0; i + 1 < info->options.len; i += 2) {
		char *option = memory_format("%s=%s", info->options.at[i], info->options.at[i + 1]);
		print_text("option", option);
		free(option);
	}
	printer_format(&out, "%-9s %s\n", "wall", number_time(info->wall_ns).text);
	if (!recording_has_times(recording))
		print_text("measured", "nothing");
	else if (!recording_is_sampled(recording))
		print_text("measured", "every transaction");
	else
		print_sample(recording);
}

static void print_sections(const struct recording *recording)
{
	static const struct table_column columns[] = {
		{"section", TABLE_LEFT}, {"type", TABLE_RIGHT}, {"bytes", TABLE_RIGHT}, {"records", TABLE_RIGHT}, {0}};
	struct printer out = text_printer(stdout);
	struct report_table *table = report_table_create(&out, columns);
	for (uint32_t i = 0; i < recording->file->section_count; i++) {
		const struct file_section *section = &recording->file->sections[i];
		struct number type = number_count(section->type), bytes = number_count(section->length);
		struct number records = {""};
		if (section->record_size != 0)
			records = number_count(section->length / section->record_size);
		const char *cells[] = {file_section_name(section->type), type.text, bytes.text, records.text};
		report_table_row(table, cells);
	}
	report_table_finish(&table);
}

static void module_row(struct report_table *table, const struct module *module, const char *path)
{
	struct module_id id = module_build_id(module->record);
	const char *cells[] = {path, module_state_name(module->state), id.text};
	report_table_row(table, cells);
}

static void print_modules(const struct recording *recording)
{
	static const struct table_column columns[] = {
		{"module", TABLE_LEFT}, {"now", TABLE_LEFT}, {"build-id", TABLE_RIGHT}, {0}};
	struct printer out = text_printer(stdout);
	out.is_whole = true;
	struct report_table *table = report_table_create(&out, columns);
	for (size_t i = 0; i < recording->module_count; i++) {
		const struct stmlog_module_record *record = &recording->modules[i];
		struct module module = {.path = recording_string(recording, record->path), .record = record};
		module_open(&module);
		char *clean = utf8_clean(module.path, UTF8_HIDE_CONTROLS);
		module_row(table, &module, clean);
		free(clean);
		module_close(&module);
	}
	report_table_finish(&table);
}

/* Of a file that ends early, its whole sections are shown, as in `report`. */
static int print_file(const char *path)
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

/* ---- --libitm ---- */

static const struct {
	const char *name;
	const char *from; /* the value is an offset from there */
	const char *what_for;
} pieces[LIBITM_PIECES] = {
	[LIBITM_COUNTERS] = {"counters", "thread", "restarts by reason: totals and causes of aborts"},
	[LIBITM_COMMITS] = {"commits", "module", "the count of commits: the order in which transactions committed"},
	[LIBITM_LOCKS] = {"locks", "module", "the locks, and the hash from addresses to locks: certain culprits"},
	[LIBITM_DISPATCH] = {"dispatch", "module", "the method that runs a transaction that uses locks"},
	[LIBITM_SERIAL] = {"serial", "module", "the holder of the serial lock: waits in begin"},
};

static void print_pieces(const struct libitm *libitm)
{
	struct printer out = text_printer(stdout);
	struct libitm_value values[LIBITM_PIECES] = {0};
	if (libitm->findings != NULL)
		libitm_read(libitm->findings, values);
	for (size_t i = 0; i < LIBITM_PIECES; i++) {
		char *value = values[i].hex[0] != '\0' ? memory_format("%s+0x%s", pieces[i].from, values[i].hex)
						       : memory_text("not known");
		printer_format(&out, "%-9s %-15s %s\n", pieces[i].name, value, pieces[i].what_for);
		free(value);
	}
}

static const char *how_text(const struct libitm *libitm)
{
	switch (libitm->how) {
	case LIBITM_TRIED:
		return "by experiment";
	case LIBITM_UNRUN:
		return "not: it comes with the program, and nothing of that is run here; 'stmlog record' finds out";
	default:
		return libitm->id[0] == '\0' ? "not: it has no build-id to know it by"
					     : "not: the experiment came to no result";
	}
}

static void print_libitm(const struct libitm *libitm)
{
	print_text("libitm", libitm->path);
	print_text("loaded", libitm->source == LIBITM_OF_PROGRAM ? "by the program, as its loader says"
								 : "by its name, where a program names none");
	print_text("build-id", libitm->id[0] != '\0' ? libitm->id : "none");
	print_text("found", how_text(libitm));
	print_pieces(libitm);
}

static int info_of_libitm(const char *program, bool as_variable)
{
	/* Whoever preloads an agent by hand is about to run the program. */
	struct libitm libitm = libitm_of(program, as_variable ? LIBITM_TRUSTED : LIBITM_UNTRUSTED);
	char *variable = libitm_variable(&libitm);
	int status = STATUS_DONE;
	if (libitm.path == NULL) {
		diag(program != NULL ? program : "libitm.so.1", "there is no libitm that the loader can find");
		status = STATUS_UNUSABLE;
	} else if (as_variable) {
		puts(variable != NULL ? variable : "");
	} else {
		print_libitm(&libitm);
	}
	free(variable);
	libitm_fini(&libitm);
	return diag_finish_stdout(status);
}

/* ---- the command ---- */

enum { LIBITM = 256, VARIABLE };

static const struct option_row options[] = {
	{"libitm", LIBITM, NULL, "show which libitm PROGRAM would load, and what is known of it"},
	{"variable", VARIABLE, NULL, "with --libitm: print the value of STMLOG_LIBITM, to preload an agent by hand"},
	{0},
};

static int cmd_info_run(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	bool is_libitm = false, as_variable = false;
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP)
			return arguments.status;
		is_libitm |= id == LIBITM;
		as_variable |= id == VARIABLE;
	}
	int count = argc - arguments.first;
	const char *mistake = !is_libitm && as_variable ? "--variable is about a libitm; add --libitm"
			      : is_libitm && count > 1  ? "--libitm is about one PROGRAM"
							: NULL;
	if (mistake != NULL) {
		diag(self->name, "%s", mistake);
		return STATUS_UNUSABLE;
	}
	return is_libitm ? info_of_libitm(argv[arguments.first], as_variable)
			 : arguments_each_file(&arguments, print_file);
}

const struct command cmd_info = {
	.name = "info",
	.arguments = "[FILE...] | --libitm [PROGRAM]",
	.summary = "shows program, options, sections and modules of a recording; or what is known of a libitm",
	.options = options,
	.notes = "FILE is stmlog.data unless given; - is stdin.\n"
		 "For each module it shows whether the file that ran is still there.\n"
		 "The agent reads private counters and locks of libitm. An experiment finds their addresses, in a\n"
		 "process of its own, before a program is recorded.\n",
	.has_colours = true,
	.is_paged = true,
	.run = cmd_info_run,
};
