/* SPDX-License-Identifier: MIT
 * The report as a page for browsers: one file that needs no other one, and no network. It is the page's program, which
 * tools/page/web has been bundled into, with data in it, each an element of its own with JSON: the report, as
 * report_json() writes it; lines of the sources; the timeline, if there is one, and its tasks, with their picture as
 * SVG; the pages of `stmlog help`. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "diff.h"
#include "picture.h"
#include "report.h"
#include "work.h"

/* The page's program, HTML with a mark at the place for the data; NULL: this command was built without it. The build
 * chooses: page_bundle.c or page_without_bundle.c. */
struct page_bundle {
	const char *bytes;
	size_t len;
};
struct page_bundle page_bundle(void);

#define PAGE_IS_MISSING \
	"--html: this stmlog was built without its page; run 'make page' in its sources, which needs npm"

struct page {
	const struct report *report; /* its printer is not used */
	const struct work *work;     /* NULL: there is no timeline. With a fault the page says so instead */
	bool has_no_source;          /* no line of a source is shown */
	const char *srcdir;          /* where sources are looked for first; NULL: nowhere */
	const struct diff *diff;     /* the page compares two sides, and has none of the above; NULL: it does not */
	struct recording *sides;     /* the recordings of their typical runs */
};

/* Returns the paths of the sources of which the page has lines, with commas between; owned. NULL: none. Errors of the
 * file are checked by its owner. Requires a bundle. */
char *page_write(const struct page *page, FILE *out);

/* The number of the run whose throughput is next to the median; if not every run has commits, whose loss is. */
size_t page_typical_run(const struct diff *diff, int side);

/* ---- the data, each one JSON value; report->out is their destination ---- */

/* A printer of JSON into an HTML element: '<' becomes an escape, so that no text ends the element or begins another. */
struct printer page_printer(FILE *out);

/* Returns the paths, as page_write(). */
char *page_sources(const struct report *report, const char *srcdir);
void page_timeline(const struct report *report, const struct work *work);
void page_help(const struct report *report);

/* The element with the comparison: {"diff", "verdict", "typical", "old", "new"}. Returns NULL. */
char *page_diff_data(const struct page *page, const struct printer *printer, FILE *out);

/* The segments of the tasks, with the boxes of the picture that stand for them. */
void page_tasks(const struct report *report, const struct picture *picture);

#endif
