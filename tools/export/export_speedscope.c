/* SPDX-License-Identifier: MIT
 * Losses for speedscope, as three profiles: by time, by time with the culprits' frames, and by count. There are no
 * profiles of threads, since an entry is of all threads together. Profiles refer to frames by number; the list of
 * frames is written behind them. */
#include <inttypes.h>
#include <stdlib.h>

#include "dictionary.h"
#include "export.h"
#include "export_json.h"
#include "glue.h"
#include "json_value.h"
#include "memory.h"

struct speedscope {
	const struct export *export;
	struct glue glue;
	struct dictionary frames; /* by their JSON */
	FILE *list;               /* of the frames, as they are numbered */
};

struct weight {
	const char *name, *unit;
	bool with_culprit, is_count;
};

static char *json_of_frame(const struct symbol_frame *frame)
{
	char *name = loss_frame_name(frame);
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

static void write_stacks(struct speedscope *speedscope, bool with_culprit)
{
	struct losses losses = losses_of(speedscope->export->recording);
	struct loss loss;
	for (size_t i = 0; losses_next(&losses, &loss); i++) {
		fputs(i > 0 ? ",\n   [" : "\n   [", speedscope->export->out);
		glue_write(&speedscope->glue, &loss, with_culprit);
		fputs("]", speedscope->export->out);
	}
}

/* Readers of JSON have no larger whole numbers. */
static uint64_t at_most_largest(uint64_t number)
{
	return number < INT64_MAX ? number : INT64_MAX;
}

/* Returns their sum, or the largest number. */
static uint64_t write_weights(const struct export *export, bool is_count)
{
	struct losses losses = losses_of(export->recording);
	struct loss loss;
	uint64_t sum = 0;
	for (size_t i = 0; losses_next(&losses, &loss); i++) {
		uint64_t weight = at_most_largest(is_count ? loss.count : loss.lost_ns);
		fprintf(export->out, "%s%" PRIu64, i == 0 ? "" : i % 16 == 0 ? ",\n   " : ",", weight);
		sum = at_most_largest(sum + weight);
	}
	return sum;
}

static void write_profile(struct speedscope *speedscope, const struct weight *weight)
{
	FILE *out = speedscope->export->out;
	fprintf(out, "{\"type\": \"sampled\", \"name\": \"%s\", \"unit\": \"%s\", \"startValue\": 0,\n  \"samples\": [",
		weight->name, weight->unit);
	write_stacks(speedscope, weight->with_culprit);
	fputs("],\n  \"weights\": [", out);
	uint64_t sum = write_weights(speedscope->export, weight->is_count);
	fprintf(out, "],\n  \"endValue\": %" PRIu64 "}", sum);
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

static void write_all(struct speedscope *speedscope)
{
	static const struct weight weights[] = {
		{"time lost", "nanoseconds", false, false},
		{"time lost, and to whom", "nanoseconds", true, false},
		{"how often", "none", false, true},
	};
	FILE *out = speedscope->export->out;
	write_head(speedscope->export);
	fputs(",\n \"activeProfileIndex\": 0,\n \"profiles\": [", out);
	for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
		fputs(i > 0 ? ",\n " : "\n ", out);
		write_profile(speedscope, &weights[i]);
	}
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
