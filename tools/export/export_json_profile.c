/* SPDX-License-Identifier: MIT
 * The report and the calling contexts as members of the JSON export. */
#include "contexts.h"
#include "export_json.h"
#include "file_printer.h"
#include "json_value.h"
#include "report_json.h"

static void write_report(const struct export *export)
{
	struct printer printer = file_printer(export->out);
	struct report report = export_report(export);
	report.out = &printer;
	fputs(",\n \"report\": ", export->out);
	report_json(&report);
}

/* The root and the overflow have all members of a frame, too. */
static json_t *context_object(const struct contexts *contexts, size_t index)
{
	const struct context *context = &contexts->at[index];
	const char *name = context->frame == NULL ? contexts_fixed_name(contexts, index) : NULL;
	json_t *object = report_json_frame_or(context->frame, name);
	json_object_set_new(
		object, "parent", context->parent != CONTEXTS_NONE ? integer(context->parent) : json_null());
	json_object_set_new(object, "calls", integer(context->calls));
	json_object_set_new(object, "aborted_ns", integer(context->aborted_ns));
	json_object_set_new(object, "paused_ns", integer(context->paused_ns));
	json_object_set_new(object, "waiting_ns", integer(context->waiting_ns));
	json_object_set_new(object, "committed_ns", integer(context->committed_ns));
	return object;
}

void export_json_profile(const struct export *export)
{
	write_report(export);
	struct contexts contexts = contexts_init(export->recording, export->symbols);
	fputs(",\n \"profile\": [", export->out);
	for (size_t i = 0; i < contexts.len; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		export_json_value(export, context_object(&contexts, i));
	}
	fputs("]", export->out);
	contexts_fini(&contexts);
}
