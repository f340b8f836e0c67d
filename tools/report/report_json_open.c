/* SPDX-License-Identifier: MIT
 * Transactions and waits that were under way, as JSON. */
#include <stmlog/stmlog.h>

#include "json_value.h"
#include "open_kind.h"
#include "report_json.h"

static json_t *frame_of(const struct report *report, uint32_t site)
{
	return site != STMLOG_NO_SITE ? report_json_frame(symbols_site(report->symbols, site)->frames) : json_null();
}

static json_t *open_of(const struct report *report, const struct stmlog_open_record *open)
{
	const char *kind = open_kind_name(open->kind);
	bool is_known = open->other_thread != 0;
	json_t *other = is_known ? json_pack("{s:o, s:o, s:s}", "thread", integer(open->other_thread), "at",
					   frame_of(report, open->other_site), "grade", stmlog_grade_name(open->grade))
				 : json_null();
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "thread", integer(open->thread), "kind",
		kind != NULL ? kind : "?", "open_ns", integer(open->open_ns), "begin", frame_of(report, open->site),
		"because", other);
}

void report_json_open(const struct report *report)
{
	report_json_array(report, "open");
	for (size_t i = 0; i < report->recording->open_count; i++)
		report_json_element(report, i, open_of(report, &report->recording->open[i]));
	printer_text(report->out, "]");
}
