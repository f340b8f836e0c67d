/* SPDX-License-Identifier: MIT
 * Losses for speedscope, as profiles, among which its user chooses: all losses by time, by time with the culprits'
 * frames, and by count; then the losses of each cause by time, the costliest cause first; then all time by call path,
 * and each part of it. There are no profiles of threads, since an entry is of all threads together. Profiles refer to
 * frames by number; the list of frames is written behind them.
 *
 * speedscope shows no more of a frame than its name, so the name has the line in it. */
#include <inttypes.h>
#include <stdlib.h>

#include "cause.h"
#include "dictionary.h"
#include "export.h"
#include "export_json.h"
#include "export_time.h"
#include "glue.h"
#include "json_value.h"
#include "memory.h"
#include "tally.h"

struct speedscope {
	const struct export *export;
	struct glue glue;
	struct dictionary frames; /* by their JSON */
	FILE *list;               /* of the frames, as they are numbered */
	bool has_profile;
};

/* The losses that a profile has. Causes of a later version are one. */
enum lane_kind { LANE_ALL, LANE_CAUSE, LANE_EVICTED };

struct lane {
	const char *name, *unit;
	enum lane_kind kind;
	uint32_t reason, contention; /* of LANE_CAUSE */
	bool with_culprit, is_count;
};

static uint32_t known_reason(const struct stmlog_entry_record *entry)
{
	return entry->reason < STMLOG_REASONS ? entry->reason : STMLOG_REASONS;
}

static uint32_t known_contention(const struct stmlog_entry_record *entry)
{
	return entry->contention < STMLOG_CONTENTIONS ? entry->contention : STMLOG_CONTENTIONS;
}

static bool is_in(const struct lane *lane, const struct loss *loss)
{
	if (lane->kind == LANE_ALL)
		return true;
	if (loss->entry == NULL)
		return lane->kind == LANE_EVICTED;
	return lane->kind == LANE_CAUSE && known_reason(loss->entry) == lane->reason &&
	       known_contention(loss->entry) == lane->contention;
}

/* The next loss of the lane. Returns false at the end. */
static bool next_in(const struct lane *lane, struct losses *losses, struct loss *loss)
{
	while (losses_next(losses, loss)) {
		if (is_in(lane, loss))
			return true;
	}
	return false;
}

static char *json_of_frame(const struct symbol_frame *frame)
{
	char *name = loss_frame_place(frame);
	json_t *object = json_pack("{s:o}", "name", string(name));
	if (frame->file != NULL)
		json_object_set_new(object, "file", string(frame->file));
	if (frame->file != NULL && frame->line != 0)
		json_object_set_new(object, "line", integer(frame->line));
	char *text = json_value_text(object, JSON_COMPACT);
	json_decref(object);
	free(name);
	return text;
}

/* The number of a frame. */
static char *number_of(void *arg, const struct symbol_frame *frame)
{
	struct speedscope *speedscope = arg;
	char *json = json_of_frame(frame);
	const struct dictionary_entry *entry = dictionary_find(&speedscope->frames, json);
	if (entry->is_new)
		fprintf(speedscope->list, "%s\n  %s", entry->number > 1 ? "," : "", json);
	free(json);
	return memory_format("%" PRIu64, entry->number - 1);
}

static void write_stacks(struct speedscope *speedscope, const struct lane *lane)
{
	struct losses losses = losses_of(speedscope->export->recording);
	struct loss loss;
	for (size_t i = 0; next_in(lane, &losses, &loss); i++) {
		fputs(i > 0 ? ",\n   [" : "\n   [", speedscope->export->out);
		glue_write(&speedscope->glue, &loss, lane->with_culprit);
		fputs("]", speedscope->export->out);
	}
}

/* Readers of JSON have no larger whole numbers. */
static uint64_t at_most_largest(uint64_t number)
{
	return number < INT64_MAX ? number : INT64_MAX;
}

/* Returns their sum, or the largest number. */
static uint64_t write_weights(const struct export *export, const struct lane *lane)
{
	struct losses losses = losses_of(export->recording);
	struct loss loss;
	uint64_t sum = 0;
	for (size_t i = 0; next_in(lane, &losses, &loss); i++) {
		uint64_t weight = at_most_largest(lane->is_count ? loss.count : loss.lost_ns);
		fprintf(export->out, "%s%" PRIu64, i == 0 ? "" : i % 16 == 0 ? ",\n   " : ",", weight);
		sum = at_most_largest(sum + weight);
	}
	return sum;
}

static void begin_profile(struct speedscope *speedscope, const char *name, const char *unit)
{
	fprintf(speedscope->export->out,
		"%s{\"type\": \"sampled\", \"name\": \"%s\", \"unit\": \"%s\", \"startValue\": 0,\n  \"samples\": [",
		speedscope->has_profile ? ",\n " : "\n ", name, unit);
	speedscope->has_profile = true;
}

static void end_profile(const struct speedscope *speedscope, uint64_t sum)
{
	fprintf(speedscope->export->out, "],\n  \"endValue\": %" PRIu64 "}", sum);
}

static void write_profile(struct speedscope *speedscope, const struct lane *lane)
{
	begin_profile(speedscope, lane->name, lane->unit);
	write_stacks(speedscope, lane);
	fputs("],\n  \"weights\": [", speedscope->export->out);
	end_profile(speedscope, write_weights(speedscope->export, lane));
}

/* ---- the profiles ---- */

static void write_cause(struct speedscope *speedscope, uint32_t reason, uint32_t contention)
{
	char *name = memory_format("time lost: %s, %s", cause_reason_name(reason), cause_contention_name(contention));
	write_profile(speedscope, &(struct lane){.name = name,
					  .unit = "nanoseconds",
					  .kind = LANE_CAUSE,
					  .reason = reason,
					  .contention = contention,
					  .with_culprit = true});
	free(name);
}

static void write_causes(struct speedscope *speedscope)
{
	const struct recording *recording = speedscope->export->recording;
	struct tally causes = tally_make(recording, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		tally_add(&causes, known_reason(entry), known_contention(entry), &sum);
	}
	tally_group(&causes, TALLY_LOST);
	for (size_t i = 0; i < causes.len; i++)
		write_cause(speedscope, (uint32_t)causes.rows[i]->key[0], (uint32_t)causes.rows[i]->key[1]);
	tally_drop(&causes);
}

/* The causes of what was evicted are not known. */
static void write_evicted(struct speedscope *speedscope)
{
	static const struct lane evicted = {
		.name = "time lost: (evicted)", .unit = "nanoseconds", .kind = LANE_EVICTED};
	struct losses losses = losses_of(speedscope->export->recording);
	struct loss loss;
	if (next_in(&evicted, &losses, &loss))
		write_profile(speedscope, &evicted);
}

static void write_head(const struct export *export)
{
	const struct recording_info *info = &export->recording->info;
	char *exporter = memory_format("stmlog@%s", info->version);
	fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n \"exporter\": ", export->out);
	export_json_value(export, string(exporter));
	fputs(",\n \"name\": ", export->out);
	export_json_value(export, string(symbol_basename(info->program)));
	free(exporter);
}

/* ---- all time by call path ---- */

static void write_time(struct speedscope *speedscope, struct export_time_stacks *stacks, enum export_time_value value)
{
	FILE *out = speedscope->export->out;
	const struct contexts *contexts = stacks->contexts;
	uint64_t sum = 0;
	char *name = memory_format("all by call path: %s", export_time_name(value));
	begin_profile(speedscope, name, value == EXPORT_TIME_ENTRIES ? "none" : "nanoseconds");
	for (size_t i = 0, written = 0; i < contexts->len; i++) {
		if (export_time_of(&contexts->at[i], value) == 0)
			continue;
		fputs(written++ > 0 ? ",\n   [" : "\n   [", out);
		export_time_write(stacks, out, i);
		fputs("]", out);
	}
	fputs("],\n  \"weights\": [", out);
	for (size_t i = 0, written = 0; i < contexts->len; i++) {
		int64_t weight = export_time_of(&contexts->at[i], value);
		if (weight == 0)
			continue;
		fprintf(out, "%s%" PRId64, written == 0 ? "" : written % 16 == 0 ? ",\n   " : ",", weight);
		written++;
		sum = at_most_largest(sum + (uint64_t)weight);
	}
	end_profile(speedscope, sum);
	free(name);
}

/* All time first, then its parts, and the counts last. */
static void write_times(struct speedscope *speedscope)
{
	struct contexts contexts = contexts_init(speedscope->export->recording, speedscope->export->symbols);
	struct export_time_stacks stacks = {
		.contexts = &contexts, .separator = ',', .text = number_of, .arg = speedscope};
	for (int i = EXPORT_TIME_ALL; i < EXPORT_TIME_VALUES; i++)
		write_time(speedscope, &stacks, (enum export_time_value)i);
	write_time(speedscope, &stacks, EXPORT_TIME_ENTRIES);
	export_time_fini(&stacks);
	contexts_fini(&contexts);
}

static void write_losses(struct speedscope *speedscope)
{
	static const struct lane lanes[] = {
		{.name = "time lost", .unit = "nanoseconds"},
		{.name = "time lost, and to whom", .unit = "nanoseconds", .with_culprit = true},
		{.name = "how often", .unit = "none", .is_count = true},
	};
	for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
		write_profile(speedscope, &lanes[i]);
	write_causes(speedscope);
	write_evicted(speedscope);
}

static void write_all(struct speedscope *speedscope)
{
	write_head(speedscope->export);
	fputs(",\n \"activeProfileIndex\": 0,\n \"profiles\": [", speedscope->export->out);
	if (export_has_losses(speedscope->export))
		write_losses(speedscope);
	if (export_has_time(speedscope->export))
		write_times(speedscope);
}

void export_speedscope(const struct export *export)
{
	char *frames = NULL;
	size_t len;
	struct speedscope speedscope = {.export = export, .list = open_memstream(&frames, &len)};
	if (speedscope.list == NULL)
		memory_end();
	speedscope.glue = (struct glue){
		.out = export->out,
		.symbols = export->symbols,
		.site_count = export->recording->site_count,
		.separator = ',',
		.text = number_of,
		.arg = &speedscope,
	};
	write_all(&speedscope);
	if (fclose(speedscope.list) != 0)
		memory_end();
	fprintf(export->out, "],\n \"shared\": {\"frames\": [%s]}}\n", frames);
	free(frames);
	glue_fini(&speedscope.glue);
	dictionary_fini(&speedscope.frames);
}
