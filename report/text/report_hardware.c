/* SPDX-License-Identifier: MIT
 * Prints how many transactions ran in hardware, and what is not known of them. */
#include "recorded_account.h"
#include "number.h"
#include "report.h"

static void print_counts(const struct report *report, const struct recording_info *info)
{
	uint64_t commits = account_total(report->recording).commits;
	printer_format(report->out, "hardware: %s commits, fallbacks %s", number_count(info->hardware_commits).text,
		number_count(info->hardware_fallbacks).text);
	if (commits != 0)
		printer_format(
			report->out, " = %s of transactions", number_share(info->hardware_fallbacks, commits).text);
	printer_text(report->out, "\n");
}

void report_hardware(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	if (!recording_hides_losses(report->recording))
		return;
	if (info->hardware_commits != RECORDING_UNSAID)
		print_counts(report, info);
	printer_text(report->out,
		"libitm reports neither aborts nor waits of hardware transactions: their time is among that "
		"committed\n");
}
