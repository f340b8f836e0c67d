/* SPDX-License-Identifier: MIT
 * Lets a process print a report of itself: the recorder passes its sections, in memory, to the reporter. libstmlog
 * contains the reporter. The agents do not: they load it from a library of its own, in their folder. */
#ifndef STMLOG_PROCESS_REPORTER_H
#define STMLOG_PROCESS_REPORTER_H

#include <stdbool.h>
#include <stddef.h>

#include <stmlog/compiler.h>
#include <stmlog/format.h>

struct process_section {
	const void *bytes;
	size_t len;
};

enum { PROCESS_SECTIONS = STMLOG_SECTION_GREEN + 1 };

enum { REPORT_TOP_DEFAULT = 5 };

/* The sections as the recording file would have them, without padding. All references in them are valid, and the last
 * record of TOTALS is the sum of the evicted losses: the recorder promises that. */
struct process_records {
	struct process_section
		sections[PROCESS_SECTIONS]; /* by enum stmlog_section; a report reads no events, places, paths */
	bool has_timeline;
	const char *file; /* the path of the recording made of the same sections; NULL: none was made */
	size_t top;       /* how many of the costliest entries are listed */
};

struct process_reporter {
	/* STMLOG_VERSION of the reporter. A reporter of another version than the recorder is not called, since it may
	 * have other structs. */
	const char *version;
	/* Writes the report to a file descriptor. Any thread. Returns 0 or a negative errno; after -ENOMEM the last
	 * line that was written says so. Requires whole records in each section that has records, and one in TOTALS. */
	int (*print)(const struct process_records *records, int fd);
};

/* Visible, so that dlsym() finds it. libstmlog does not export it, because the public headers do not declare it. */
extern STMLOG_API const struct process_reporter stmlog_process_reporter;

#endif
