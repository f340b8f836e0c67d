/* SPDX-License-Identifier: MIT
 * The command's text report: the same bytes for the same recording and the same files on disk, but for colour on a
 * terminal. */
#include "report_views.h"

/* Where nothing was lost they still say how often. */
static void print_distributions(const struct report *report)
{
	if (report->options.is_full || report->options.by == REPORT_BY_SITE)
		report_transactions(report);
}

void report_text(const struct report *report)
{
	static report_part *const by[] = {
		[REPORT_BY_ENTRY] = report_entries_and_pairs,
		[REPORT_BY_SITE] = report_sites,
		[REPORT_BY_PAIR] = report_pairs,
		[REPORT_BY_OBJECT] = report_by_object,
		[REPORT_BY_THREAD] = report_by_thread,
		[REPORT_BY_CAUSE] = report_causes,
	};
	if (report_print(report, by[report->options.by], print_distributions))
		report_work(report);
}
