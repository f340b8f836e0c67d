/* SPDX-License-Identifier: MIT
 * The command's text report. The same recording and the same files on disk give the same bytes, except for colour and
 * width of a terminal. */
#include "report_views.h"
#include "screen.h"

/* Also if nothing was lost: they have committed transactions, too. */
static void print_transactions(const struct report *report)
{
	if (report->options.by == REPORT_BY_PATH)
		report_paths(report);
	if (report->options.by == REPORT_BY_TRANSACTION)
		report_by_transaction(report);
}

/* print_transactions() prints the losses by path, with all other time, and transactions. */
static void print_no_losses(const struct report *report)
{
	(void)report;
}

void report_text(const struct report *report)
{
	static report_part *const by[] = {
		[REPORT_BY_ENTRY] = report_entries,
		[REPORT_BY_SITE] = report_sites,
		[REPORT_BY_PAIR] = report_pairs,
		[REPORT_BY_OBJECT] = report_by_object,
		[REPORT_BY_THREAD] = report_by_thread,
		[REPORT_BY_CAUSE] = report_causes,
		[REPORT_BY_PATH] = print_no_losses,
		[REPORT_BY_REGION] = report_by_region,
		[REPORT_BY_TRANSACTION] = print_no_losses,
	};
	bool is_whole = report_print(report, screen_print, by[report->options.by], print_transactions);
	if (is_whole && report->options.by != REPORT_BY_REGION)
		report_work(report);
}
