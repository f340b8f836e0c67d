/* SPDX-License-Identifier: MIT
 * The page as a whole: the bundle, with the data at its mark. The data are a report's, with lines of its sources, or
 * those of a comparison. */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "json_value.h"
#include "memory.h"
#include "report_json.h"
#include "source_file.h"

/* Lines of a source, as a range. */
struct lines {
	size_t first, last;
};

/* A file as frames name it, in one module. */
struct source {
	const char *module, *file;
	char *path;           /* as the compiler knew it */
	bool is_doubtful;     /* several files have this name, and frames do not tell which one is meant */
	struct lines *ranges; /* of frames */
	size_t len, cap;
};

struct sources {
	struct source *at;
	size_t len, cap;
};

/* ---- sources: the lines around the frames of entries, of those files that are found on this machine ---- */

enum { CONTEXT = 4, LONGEST_LINE = 240 };

/* The source of the frame's file, which is added if it is not there yet. */
static struct source *find_or_add(struct sources *sources, const struct symbol_frame *frame, const char *directory)
{
	char *path = source_path(frame->file, directory);
	for (size_t i = 0; i < sources->len; i++) {
		struct source *source = &sources->at[i];
		if (!symbol_same_names(source->file, frame->file) || !symbol_same_names(source->module, frame->module))
			continue;
		source->is_doubtful |= strcmp(source->path, path) != 0;
		free(path);
		return source;
	}
	sources->at = memory_grown(sources->at, sources->len, &sources->cap, sizeof *sources->at);
	sources->at[sources->len] = (struct source){.module = frame->module, .file = frame->file, .path = path};
	return &sources->at[sources->len++];
}

static void add_site(struct sources *sources, const struct symbol_site *site)
{
	for (size_t i = 0; i < site->len; i++) {
		const struct symbol_frame *frame = &site->frames[i];
		if (frame->file == NULL || frame->line == 0)
			continue;
		struct source *source = find_or_add(sources, frame, site->directory);
		uint32_t last = frame->last_line != 0 ? frame->last_line : frame->line;
		source->ranges = memory_grown(source->ranges, source->len, &source->cap, sizeof *source->ranges);
		source->ranges[source->len++] = (struct lines){frame->line, last};
	}
}

static void add_once(struct sources *sources, const struct report *report, uint32_t site, bool *is_seen)
{
	if (!is_seen[site])
		add_site(sources, symbols_site(report->symbols, site));
	is_seen[site] = true;
}

static void add_traceback(struct sources *sources, const struct report *report, uint32_t reference, bool *is_seen)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	for (size_t i = 0; i < traceback.len; i++)
		add_once(sources, report, traceback.sites[i], is_seen);
	if (traceback.begin != STMLOG_NO_SITE)
		add_once(sources, report, traceback.begin, is_seen);
}

static struct sources sources_of(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct sources sources = {.len = 0};
	bool *is_seen = memory_zeroed(recording->site_count, sizeof *is_seen);
	for (size_t i = 0; i < recording->entry_count; i++) {
		add_traceback(&sources, report, recording->entries[i].local, is_seen);
		add_traceback(&sources, report, recording->entries[i].remote, is_seen);
	}
	free(is_seen);
	return sources;
}

static void drop(struct sources *sources)
{
	for (size_t i = 0; i < sources->len; i++) {
		free(sources->at[i].path);
		free(sources->at[i].ranges);
	}
	free(sources->at);
}

/* ---- the text of lines ---- */

static json_t *line_of(const struct source_text *text, size_t line)
{
	const char *begin = text->lines[line - 1];
	size_t len = (size_t)(text->lines[line] - begin);
	char *copy = memory_format("%.*s", (int)(len < LONGEST_LINE ? len : LONGEST_LINE), begin);
	copy[strcspn(copy, "\r\n")] = '\0';
	json_t *value = string(copy);
	free(copy);
	return value;
}

/* {"51": "text"}: the lines of frames, and CONTEXT lines before and behind each. */
static json_t *lines_of(const struct source *source, const struct source_text *text)
{
	json_t *object = json_object();
	for (size_t i = 0; i < source->len; i++) {
		struct lines range = source->ranges[i];
		size_t from = range.first > CONTEXT ? range.first - CONTEXT : 1;
		for (size_t at = from; at <= range.last + CONTEXT && at <= text->len; at++) {
			char key[24];
			snprintf(key, sizeof key, "%zu", at);
			if (json_object_get(object, key) == NULL)
				json_object_set_new(object, key, line_of(text, at));
		}
	}
	return object;
}

/* Adds the path to the list; owned. */
static char *with_path(char *paths, const char *path)
{
	char *more = paths != NULL ? memory_format("%s, %s", paths, path) : memory_text(path);
	free(paths);
	return more;
}

/* Adds the path to `*paths`. NULL: the file is not found, or cannot be read. */
static json_t *source_object(const struct source *source, const char *srcdir, char **paths)
{
	struct source_text text;
	char *found = source->is_doubtful ? NULL : source_find(source->path, srcdir);
	json_t *object = NULL;
	if (found != NULL && source_read(&text, found) == NULL) {
		object = json_pack("{s:o, s:o, s:o}", "module", string(source->module), "file", string(source->file),
			"lines", lines_of(source, &text));
		source_fini(&text);
		*paths = with_path(*paths, found);
	}
	free(found);
	return object;
}

char *page_sources(const struct report *report, const char *srcdir)
{
	struct sources sources = sources_of(report);
	size_t written = 0;
	char *paths = NULL;
	printer_text(report->out, "[");
	for (size_t i = 0; i < sources.len; i++) {
		json_t *object = source_object(&sources.at[i], srcdir, &paths);
		if (object != NULL)
			report_json_element(report, written++, object);
	}
	printer_text(report->out, "]");
	drop(&sources);
	return paths;
}

/* ---- the data of a comparison ----
 * The JSON of `diff`, the lines of its text with the verdict, and of each side the report of a typical run. */

size_t page_typical_run(const struct diff *diff, int side)
{
	size_t best = 0;
	const struct diff_row *row = diff->has_throughput ? &diff->throughput : &diff->whole;
	const double *values = row->values[side], median = row->median[side].value;
	for (size_t i = 1; i < diff->sides[side].len; i++)
		best = fabs(values[i] - median) < fabs(values[best] - median) ? i : best;
	return best;
}

/* The text that `print` prints of the comparison; owned. */
static char *printed(const struct diff *diff, void (*print)(const struct diff *diff, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	print(diff, out);
	fclose(out);
	return text;
}

char *page_diff_data(const struct page *page, const struct printer *printer, FILE *out)
{
	const struct diff *diff = page->diff;
	const struct report printing = {.out = printer};
	char *json = printed(diff, diff_json), *verdict = printed(diff, diff_text_verdict);
	fputs("<script type=\"application/json\" id=\"data-diff\">{\"diff\": ", out);
	printer_text(printer, json);
	report_json_member(&printing, "verdict", string(verdict));
	fprintf(out, ",\n \"typical\": [%zu, %zu]", page_typical_run(diff, DIFF_OLD), page_typical_run(diff, DIFF_NEW));
	for (int side = 0; side < 2; side++) {
		struct symbols *symbols = symbols_create(&page->sides[side]);
		/* Of a report the page shows the first screen only, so its lists are empty. */
		struct report report = {&page->sides[side], symbols, {.top = 0}, printer, REPORT_USUAL_FILE, NULL};
		fputs(side == DIFF_OLD ? ",\n \"old\": " : ",\n \"new\": ", out);
		report_json(&report);
		symbols_destroy(&symbols);
	}
	fputs("}</script>\n", out);
	free(verdict);
	free(json);
	return NULL;
}

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

static const char mark[] = "<!--stmlog:data-->";

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
