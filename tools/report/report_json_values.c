/* SPDX-License-Identifier: MIT
 * Values of the JSON report: sums of losses, frames, tracebacks and places; and the objects of an entry, with the
 * blocks of memory that they lie in. */
#include <inttypes.h>

#include "estimate.h"
#include "json_value.h"
#include "memory.h"
#include "report_json.h"
#include "report_memory.h"
#include "short_name.h"

/* ---- values ---- */

/* "lost_ns" and its interval are estimates for all transactions; "measured_ns" is of the measured transactions. */
void report_json_estimate(json_t *object, const struct estimate *estimate)
{
	json_object_set_new(object, "lost_ns", integer(estimate->ns));
	json_object_set_new(object, "lost_low_ns", integer(estimate->low_ns));
	json_object_set_new(object, "lost_high_ns", integer(estimate->high_ns));
	json_object_set_new(object, "measured_ns", integer(estimate->measured_ns));
}

void report_json_lost(json_t *object, const struct recording *recording, const struct tally_sum *sum)
{
	struct estimate estimate = estimate_of(recording, sum);
	report_json_estimate(object, &estimate);
	json_object_set_new(object, "too_few", json_boolean(estimate_is_too_few(recording, sum->count)));
}

static json_t *frame_json(const struct symbol_frame *frame, const char *function)
{
	char *brief = function != NULL ? short_name(function) : NULL;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "function", string(function), "short",
		string(brief), "file", string(frame->file), "line", integer(frame->line), "last_line",
		frame->last_line != 0 ? integer(frame->last_line) : json_null(), "module", string(frame->module),
		"offset", integer(frame->offset));
	memory_free(brief);
	return object;
}

json_t *report_json_frame(const struct symbol_frame *frame)
{
	return frame_json(frame, frame->function);
}

json_t *report_json_frame_or(const struct symbol_frame *frame, const char *name)
{
	const struct symbol_frame none = {.module = NULL};
	return frame != NULL ? report_json_frame(frame) : frame_json(&none, name);
}

/* The text of each frame is made once, since many tracebacks share them. */
static json_t *site_json(struct symbols *symbols, uint32_t site)
{
	const struct symbol_site *found = symbols_site(symbols, site);
	json_t **json = symbols_kept_json(symbols, site);
	if (*json != NULL)
		return *json;
	*json = json_array();
	for (size_t k = 0; k < found->len; k++)
		json_array_append_new(*json, json_value_raw(report_json_frame(&found->frames[k])));
	return *json;
}

static json_t *frames_of(const struct report *report, const struct recording_traceback *traceback)
{
	json_t *array = json_array();
	for (size_t i = 0; i < traceback->len; i++)
		json_array_extend(array, site_json(report->symbols, traceback->sites[i]));
	return array;
}

void report_json_begin(const struct report *report, json_t *object, uint32_t reference)
{
	uint32_t begin = recording_traceback(report->recording, reference).begin;
	if (begin != STMLOG_NO_SITE)
		json_object_set_new(object, "begin", report_json_frame(symbols_site(report->symbols, begin)->frames));
}

json_t *report_json_traceback(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	json_t *object = json_object();
	json_object_set_new(object, "known", json_boolean(traceback.is_known));
	json_object_set_new(object, "frames", frames_of(report, &traceback));
	report_json_begin(report, object, reference);
	if (traceback.is_cut)
		json_object_set_new(object, "cut", json_true());
	if (traceback.left_out != 0)
		json_object_set_new(object, "left_out", integer(traceback.left_out));
	return object;
}

json_t *report_json_place(const struct places *places, uint32_t place)
{
	return report_json_place_of(places_frame(places, place), place);
}

json_t *report_json_place_of(const struct symbol_frame *frame, uint32_t place)
{
	json_t *object = report_json_frame_or(frame, frame == NULL ? place_fixed_name(place) : NULL);
	json_object_set_new(object, "known", json_boolean(frame != NULL || place != PLACE_UNKNOWN));
	return object;
}

void report_json_sum(const struct report *report, json_t *object, const struct tally_sum *sum)
{
	json_object_set_new(object, "count", integer(sum->count));
	report_json_lost(object, report->recording, sum);
	json_object_set_new(object, "longest_ns", integer(sum->longest_ns));
	json_object_set_new(object, "descheduled_ns", integer(sum->descheduled_ns));
	json_object_set_new(object, "wasted", report_json_wasted(report->recording, sum->wasted, sum->wasted_ns));
}

json_t *report_json_wasted(const struct recording *recording, uint64_t count, uint64_t lost_ns)
{
	return json_pack("{s:o, s:o, s:o}", "count", integer(count), "lost_ns",
		recording_is_sampled(recording) ? json_null() : integer(lost_ns), "measured_ns", integer(lost_ns));
}

/* ---- writing ---- */

static int print(const char *bytes, size_t len, void *printer)
{
	const struct printer *out = printer;
	out->write(out->arg, bytes, len);
	return 0;
}

void report_json_value(const struct report *report, json_t *value)
{
	struct printer out = *report->out;
	if (value == NULL || json_value_dump(value, print, &out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) != 0)
		printer_text(report->out, "null");
	json_decref(value);
}

void report_json_member(const struct report *report, const char *name, json_t *value)
{
	printer_format(report->out, ",\n \"%s\": ", name);
	report_json_value(report, value);
}

void report_json_array(const struct report *report, const char *name)
{
	printer_format(report->out, ",\n \"%s\": [", name);
}

void report_json_element(const struct report *report, size_t i, json_t *value)
{
	printer_text(report->out, i > 0 ? ",\n  " : "\n  ");
	report_json_value(report, value);
}

/* ---- objects of an entry ---- */

/* null: the address lies in no known block. */
static json_t *block_of(const struct report *report, uint64_t address)
{
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	if (block == NULL)
		return json_null();
	json_t *object = report_json_traceback(report, block->traceback);
	json_object_set_new(object, "size", integer(block->size));
	json_object_set_new(object, "offset", integer(address - block->address));
	json_object_set_new(object, "freed", json_boolean((block->flags & STMLOG_BLOCK_FREED) != 0));
	return object;
}

static json_t *place_of(const struct report *report, uint64_t address)
{
	char *hexadecimal = memory_format("0x%" PRIx64, address);
	char *symbol = symbols_object(report->symbols, address);
	struct symbol_access access = {NULL, NULL};
	if (symbol == NULL)
		access = symbols_access(report->symbols, address);
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o}", "address", string(hexadecimal), "symbol",
		string(symbol), "block", block_of(report, address), "member", string(access.member), "line",
		string(access.line));
	free(symbol);
	free(hexadecimal);
	return object;
}

static json_t *other_of(const struct report *report, uint64_t address)
{
	const struct stmlog_label_record *label = recording_label(report->recording, address);
	json_t *object = place_of(report, address);
	json_object_set_new(object, "name", string(label != NULL ? label->text : NULL));
	return object;
}

json_t *report_json_objects(const struct report *report, const struct stmlog_entry_record *entry)
{
	json_t *array = json_array();
	for (size_t i = 0; i < sizeof entry->objects / sizeof entry->objects[0]; i++) {
		if (entry->objects[i].address == 0)
			continue;
		const char *name = recording_string(report->recording, entry->object_names[i]);
		uint64_t other = entry->object_others[i];
		json_t *object = place_of(report, entry->objects[i].address);
		json_object_set_new(object, "name", string(name[0] != '\0' ? name : NULL));
		json_object_set_new(object, "other", other != 0 ? other_of(report, other) : json_null());
		json_object_set_new(object, "count", integer(entry->objects[i].count));
		json_array_append_new(array, object);
	}
	return array;
}
