/* SPDX-License-Identifier: MIT
 * Passes the sections to the reporter, which prints the report from them. */
#include <errno.h>

#include "reporter.h"
#include "sections.h"
#include "session.h"

static struct process_section section_of(const struct buffer *buffer)
{
	return (struct process_section){buffer->bytes, buffer->len};
}

int sections_report(const struct sections *sections, int fd)
{
	const struct intern *intern = &sections->intern;
	const struct process_reporter *reporter = reporter_get();
	if (reporter == NULL)
		return -ENOSYS;
	const struct process_records records = {
		.sections =
			{
				[STMLOG_SECTION_INFO] = section_of(&sections->info),
				[STMLOG_SECTION_STRINGS] = section_of(&intern->strings),
				[STMLOG_SECTION_MODULES] = section_of(&intern->modules),
				[STMLOG_SECTION_SITES] = section_of(&intern->sites),
				[STMLOG_SECTION_TRACEBACKS] = section_of(&intern->tracebacks),
				[STMLOG_SECTION_TOTALS] = section_of(&sections->totals),
				[STMLOG_SECTION_THREADS] = section_of(&sections->threads),
				[STMLOG_SECTION_ENTRIES] = section_of(&sections->entries),
				[STMLOG_SECTION_BLOCKS] = section_of(&sections->blocks),
				[STMLOG_SECTION_TRANSACTIONS] = section_of(&sections->transactions),
				[STMLOG_SECTION_BLOCKED] = section_of(&sections->blocked),
				[STMLOG_SECTION_OPEN] = section_of(&sections->open),
				[STMLOG_SECTION_GREEN] = section_of(&sections->green),
			},
		.has_timeline = sections->timeline != NULL,
		.file = sections->file,
		.top = session.top,
	};
	return reporter->print(&records, fd);
}

static int report_to(const struct sections *sections, const void *fd)
{
	return sections_report(sections, *(const int *)fd);
}

int stmlog_report(int fd)
{
	return sections_run(SECTIONS_OF_REPORT, report_to, &fd);
}
