/* SPDX-License-Identifier: MIT
 * The lines of source around the frames of entries, of those files that are found on this machine. */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"
#include "memory.h"
#include "page.h"
#include "report_json.h"
#include "source_file.h"

enum { CONTEXT = 4, LONGEST_LINE = 240 };

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

/* ---- which lines ---- */

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

static void add_traceback(struct sources *sources, const struct report *report, uint32_t reference, bool *is_seen)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	for (size_t i = 0; i < traceback.len; i++) {
		if (is_seen[traceback.sites[i]])
			continue;
		is_seen[traceback.sites[i]] = true;
		add_site(sources, symbols_site(report->symbols, traceback.sites[i]));
	}
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
