/* SPDX-License-Identifier: MIT
 * The section GAINS: its records, and the file around them. */
#include "foresee.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "file.h"
#include "line_transfer.h"
#include "memory.h"
#include "recording.h"
#include "recording_save.h"
#include "symbol.h"

static const char line_name[] = "line-transfer";

double foresee_line_ns(const struct recording *recording)
{
	const struct stmlog_gain_record *line = recording_gain(recording, line_name, 0);
	return line != NULL ? line->ratio : 0;
}

struct gains {
	struct stmlog_gain_record *at;
	size_t len, cap;
};

/* Returns the record; NULL: there is none, since the ratio is not known. */
static struct stmlog_gain_record *add(
	struct gains *gains, const char *name, size_t number, const struct foresee_ratio *ratio)
{
	if (!(ratio->value > 0))
		return NULL;
	gains->at = memory_grown(gains->at, gains->len, &gains->cap, sizeof *gains->at);
	struct stmlog_gain_record *record = &gains->at[gains->len++];
	*record = (struct stmlog_gain_record){
		.number = (uint32_t)number, .ratio = ratio->value, .low = ratio->low, .high = ratio->high};
	snprintf(record->name, sizeof record->name, "%s", name);
	return record;
}

static struct gains gains_of(const struct foreseen *foreseen, const struct findings *findings, double line_ns)
{
	struct gains gains = {.len = 0};
	const struct foresee_check *check = &foreseen->check;
	double ratio = check->recorded_per_s > 0 ? check->replayed_per_s / check->recorded_per_s : 0;
	add(&gains, "replay", 0, &(struct foresee_ratio){ratio, 0, check->off});
	add(&gains, line_name, 0, &(struct foresee_ratio){line_ns, line_ns, line_ns});
	add(&gains, "one-thread", foreseen->threads, &foreseen->one_thread);
	add(&gains, "no-shared-data", 0, &foreseen->all_own);
	for (size_t i = 0; i < FORESEE_METHODS; i++) {
		char *name = memory_format("method-%s", foreseen->methods[i].name);
		add(&gains, name, 0, &foreseen->methods[i].ratio);
		free(name);
	}
	for (size_t i = 0; i < foreseen->finding_count; i++) {
		struct stmlog_gain_record *record = add(&gains, finding_rule_row(findings->at[i].rule)->name,
			finding_number(findings, i), &foreseen->findings[i].ratio);
		if (record != NULL)
			record->way = foreseen->findings[i].way;
	}
	return gains;
}

/* The file's own sections but GAINS. Returns false if one of them is of a later version, and was not read. */
static bool copy_sections(const struct file *file, struct recording_section *sections, size_t *len)
{
	*len = 0;
	for (uint32_t i = 0; i < file->section_count; i++) {
		const struct file_section *section = &file->sections[i];
		if (section->type == STMLOG_SECTION_END || section->type == STMLOG_SECTION_GAINS)
			continue;
		if (section->type > STMLOG_SECTION_GREEN || (section->bytes == NULL && section->length != 0))
			return false;
		sections[(*len)++] = (struct recording_section){
			(enum stmlog_section)section->type, section->record_size, section->bytes, section->length};
	}
	return true;
}

/* Sections stand in the order of their numbers. */
static void insert(struct recording_section *sections, size_t len, struct recording_section section)
{
	size_t at = len;
	for (; at > 0 && sections[at - 1].type > section.type; at--)
		sections[at] = sections[at - 1];
	sections[at] = section;
}

static bool save(const char *path, const struct gains *gains)
{
	struct file file;
	struct recording_section sections[STMLOG_SECTION_END + 1];
	size_t len = 0;
	bool is_saved = false;
	if (!file_read(&file, path) || !file.is_complete) {
		diag(path, "%s", file.fault);
	} else if (!copy_sections(&file, sections, &len)) {
		diag(path, "is of a later version of stmlog, and stays as it is; predict with that version");
	} else {
		insert(sections, len,
			(struct recording_section){
				STMLOG_SECTION_GAINS, sizeof *gains->at, gains->at, gains->len * sizeof *gains->at});
		is_saved = recording_save(path, sections, len + 1);
	}
	file_fini(&file);
	return is_saved;
}

bool foresee_save(const char *path, const struct foreseen *foreseen, const struct findings *findings, double line_ns)
{
	struct gains gains = gains_of(foreseen, findings, line_ns);
	bool is_saved = gains.len == 0 || save(path, &gains);
	free(gains.at);
	return is_saved;
}

/* ---- behind a run ---- */

/* So few findings have room on the first screen. */
enum { FINDINGS_MAX = 5 };

static bool has_enough(const struct recording *recording)
{
	const uint64_t min_ns = 900000000;
	return recording->access_count != 0 && recording->info.wall_ns >= min_ns;
}

static bool is_worth_it(const struct findings *findings)
{
	return findings->len > 0 && findings->at[0].rule != FINDING_LITTLE_LOST;
}

/* If the processors were moved since `line_before_ns`, it is not known how near they were. */
static void foresee_recording(
	const char *path, const struct recording *recording, double line_before_ns, double seconds)
{
	double line_ns = line_transfer_ns();
	struct foresee_effort effort = {
		seconds, 1, line_transfers_are_alike(line_before_ns, line_ns) ? fmin(line_before_ns, line_ns) : 0};
	struct symbols *symbols = symbols_create(recording);
	struct report report = {recording, symbols, {.top = 0}, NULL, NULL, path, NULL};
	struct findings findings = findings_of(&report);
	if (is_worth_it(&findings)) {
		struct findings first = findings;
		first.len = first.len < FINDINGS_MAX ? first.len : FINDINGS_MAX;
		struct foreseen foreseen = foresee(&report, &first, &effort);
		foresee_save(path, &foreseen, &first, effort.line_ns);
		foreseen_fini(&foreseen);
	}
	findings_fini(&findings);
	symbols_destroy(&symbols);
}

void foresee_at_end(const char *path, double line_before_ns, double seconds)
{
	struct recording recording;
	if (recording_load(&recording, path) == RECORDING_WHOLE && has_enough(&recording))
		foresee_recording(path, &recording, line_before_ns, seconds);
	recording_fini(&recording);
}
