/* SPDX-License-Identifier: MIT
 * The objects of an entry as JSON, with the blocks of memory that they lie in; and the labels of data. */
#include <inttypes.h>

#include "json_value.h"
#include "memory.h"
#include "report_json.h"

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

void report_json_labels(const struct report *report)
{
	struct report_labels labels = report_labels_make(report->recording);
	report_json_array(report, "labels");
	for (size_t i = 0; i < labels.len; i++) {
		const struct report_label *label = &labels.at[i];
		const struct stmlog_label_record *sum = label->record;
		double share = label->table_ns != 0 ? (double)sum->estimated_ns / (double)label->table_ns : 0;
		report_json_element(report, i,
			json_pack("{s:o, s:o, s:o, s:o, s:f}", "text", string(sum->text), "table", string(label->table),
				"count", integer(sum->count), "estimated_ns", integer(sum->estimated_ns), "share",
				share));
	}
	printer_text(report->out, "]");
	report_labels_fini(&labels);
}
