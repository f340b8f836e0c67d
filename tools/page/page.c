/* SPDX-License-Identifier: MIT
 * The page as a whole: the bundle, with the data at its mark. */
#include "page.h"

#include <string.h>

#include "check.h"
#include "json_value.h"
#include "report_json.h"

/* ---- the words of `stmlog help`: those of the rows, the terms, and what could not be recorded ---- */

static json_t *rows(void)
{
	static const char *const pages[][4] = {
#define HOW(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#define DATA(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#include "ranking.def"
	};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
		json_object_set_new(object, pages[i][0],
			json_pack("{s:s, s:s, s:s}", "meaning", pages[i][1], "figures", pages[i][2], "mending",
				pages[i][3]));
	return object;
}

static json_t *terms(void)
{
	static const char *const terms[][2] = {
#define TERM(word, first, second) {word, first " " second},
#include "terms.def"
	};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
		json_object_set_new(object, terms[i][0], json_string(terms[i][1]));
	return object;
}

/* The members of the report's "losses", each with its name and what it says. */
static json_t *losses(void)
{
	json_t *object = json_object();
#define STMLOG_INFO_LOSS(key, merge, name, doc) json_object_set_new(object, #key, json_pack("[s, s]", name, doc));
#include <stmlog/info.def>
	return object;
}

void page_help(const struct report *report)
{
	report_json_value(report, json_pack("{s:o, s:o, s:o}", "rows", rows(), "terms", terms(), "losses", losses()));
}

static const char mark[] = "<!--stmlog:data-->";

/* ---- JSON within HTML ---- */

/* In JSON '<' is found in strings only, where an escape has the same value. */
static void write_escaped(void *out, const char *bytes, size_t len)
{
	const char *end = bytes + len, *tag;
	for (; (tag = memchr(bytes, '<', (size_t)(end - bytes))) != NULL; bytes = tag + 1) {
		fwrite(bytes, 1, (size_t)(tag - bytes), out);
		fputs("\\u003c", out);
	}
	fwrite(bytes, 1, (size_t)(end - bytes), out);
}

struct printer page_printer(FILE *out)
{
	return (struct printer){.write = write_escaped, .arg = out};
}

/* ---- elements ---- */

static void begin(FILE *out, const char *id)
{
	fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
}

static void end(FILE *out)
{
	fputs("</script>\n", out);
}

/* Returns the paths of sources, as page_write(). */
static char *write_sources(const struct page *page, const struct report *report, FILE *out)
{
	char *paths = NULL;
	begin(out, "data-sources");
	if (page->has_no_source)
		fputs("[]", out);
	else
		paths = page_sources(report, page->srcdir);
	end(out);
	return paths;
}

/* The picture is XML, in which no text has a '<'; so none ends the element. */
static void write_tasks(const struct page *page, const struct report *report, FILE *out)
{
	if (page->work->fault != NULL || page->work->segment_count == 0)
		return;
	struct picture picture = picture_of(report->recording, page->work);
	begin(out, "data-tasks");
	page_tasks(report, &picture);
	end(out);
	fputs("<script type=\"image/svg+xml\" id=\"data-picture\">", out);
	picture_write(&picture, out);
	end(out);
	picture_fini(&picture);
}

/* Returns the paths of sources, as page_write(). */
static char *write_data(const struct page *page, FILE *out)
{
	struct printer printer = page_printer(out);
	struct report report = *page->report;
	report.out = &printer;
	report.options.top = REPORT_ALL;
	begin(out, "data-report");
	report_json(&report);
	end(out);
	char *paths = write_sources(page, &report, out);
	begin(out, "data-help");
	page_help(&report);
	end(out);
	if (page->work == NULL)
		return paths;
	begin(out, "data-timeline");
	page_timeline(&report, page->work);
	end(out);
	write_tasks(page, &report, out);
	return paths;
}

char *page_write(const struct page *page, FILE *out)
{
	struct page_bundle bundle = page_bundle();
	REQUIRES(bundle.bytes != NULL);
	const char *at = memmem(bundle.bytes, bundle.len, mark, sizeof mark - 1);
	size_t before = at != NULL ? (size_t)(at - bundle.bytes) : bundle.len;
	size_t after = at != NULL ? before + sizeof mark - 1 : bundle.len;
	fwrite(bundle.bytes, 1, before, out);
	struct printer printer = page_printer(out);
	char *paths = page->diff != NULL ? page_diff_data(page, &printer, out) : write_data(page, out);
	fwrite(bundle.bytes + after, 1, bundle.len - after, out);
	return paths;
}
