/* SPDX-License-Identifier: MIT
 * The live view: chooses the snapshot to draw and the time for it, makes the text, and shows it in a panel of the
 * terminal. */
#include "live.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "diag.h"
#include "memory.h"
#include "number.h"
#include "output.h"
#include "recording.h"
#include "report_views.h"
#include "screen.h"
#include "short_name.h"

/* The last lines of a terminal, which do not scroll with the lines above, where the program's own output goes. Each
 * drawing is one write(), so that it does not come into the middle of a line that the program writes. Where stderr is
 * no terminal that can do that, there is no panel. */
struct live_panel {
	int fd;
	size_t rows, columns; /* of the terminal */
	size_t height;        /* 0: there is no panel */
};

/* The bytes of one write(). */
struct drawing {
	FILE *out;
	char *bytes;
	size_t len;
};

struct live {
	struct live_panel panel;
	struct stat drawn; /* the file of the snapshot that was drawn last */
	uint64_t due_ns;   /* the end of the rest */
	char *text;        /* of the last drawing; owned; NULL: none yet */
	bool has_left;     /* the terminal */
};

/* Lines: of all; of the first screen at least; and those that are kept free below it for the costliest entries. */
enum { HEIGHT = 28, MIN_OF_SCREEN = 12, OF_ENTRIES = 5 };

/* After each drawing there is a rest, so many times as long as the drawing has kept a processor busy: the program may
 * need all processors. */
enum { REST = 20 };

/* ---- the panel: a margin (DECSTBM) below which nothing scrolls ----
 * The cursor stays where the program has it, since each drawing saves and restores it. */

enum { MIN_HEIGHT = 8, MIN_ABOVE = 4 };

#define SAVE "\0337"
#define RESTORE "\0338"

static bool drawing_begin(struct drawing *drawing)
{
	*drawing = (struct drawing){.bytes = NULL};
	drawing->out = open_memstream(&drawing->bytes, &drawing->len);
	return drawing->out != NULL;
}

static void end(struct drawing *drawing, int fd)
{
	if (fclose(drawing->out) == 0) {
		ssize_t ignored = write(fd, drawing->bytes, drawing->len); /* the next drawing is whole again */
		(void)ignored;
	}
	free(drawing->bytes);
}

static bool is_able(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

/* Both 0 if it does not say. */
static void measure(struct live_panel *panel)
{
	struct winsize size = {0};
	if (ioctl(panel->fd, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){0};
	panel->rows = size.ws_row;
	panel->columns = size.ws_col;
}

/* First makes the terminal scroll until the panel has room below the cursor. ESC D (index) moves the cursor down, and
 * leaves it in its column. */
static void set_margin(struct live_panel *panel, size_t max)
{
	struct drawing drawing;
	size_t room = panel->rows > MIN_ABOVE ? panel->rows - MIN_ABOVE : 0;
	panel->height = room < max ? room : max;
	if (panel->height < MIN_HEIGHT || !drawing_begin(&drawing)) {
		panel->height = 0;
		return;
	}
	for (size_t i = 0; i < panel->height; i++)
		fputs("\033D", drawing.out);
	fprintf(drawing.out, "\033[%zuA" SAVE "\033[1;%zur" RESTORE, panel->height, panel->rows - panel->height);
	end(&drawing, panel->fd);
}

static void remove_margin(struct live_panel *panel)
{
	struct drawing drawing;
	if (panel->height == 0 || !drawing_begin(&drawing))
		return;
	fprintf(drawing.out, SAVE "\033[r\033[%zu;1H\033[J" RESTORE, panel->rows - panel->height + 1);
	end(&drawing, panel->fd);
	panel->height = 0;
}

/* A panel of at most `max` lines on this terminal. It has no height if the file is none, or leaves no room. */
static struct live_panel live_panel_begin(int fd, size_t max)
{
	struct live_panel panel = {.fd = fd};
	if (!is_able(fd))
		return panel;
	measure(&panel);
	set_margin(&panel, max);
	return panel;
}

/* Follows a change of the terminal's size; returns whether it has changed. */
static bool live_panel_fit(struct live_panel *panel, size_t max)
{
	struct live_panel now = *panel;
	if (panel->rows == 0)
		return false;
	measure(&now);
	if (now.rows == panel->rows && now.columns == panel->columns)
		return false;
	remove_margin(panel);
	panel->rows = now.rows;
	panel->columns = now.columns;
	set_margin(panel, max);
	return true;
}

/* Shows as many lines of the text as there is room for, instead of what was shown before. */
static void live_panel_show(const struct live_panel *panel, const char *text)
{
	struct drawing drawing;
	size_t first = panel->rows - panel->height + 1;
	if (panel->height == 0 || !drawing_begin(&drawing))
		return;
	fputs(SAVE "\033[0m", drawing.out);
	for (size_t i = 0; i < panel->height; i++) {
		size_t len = strcspn(text, "\n");
		fprintf(drawing.out, "\033[%zu;1H\033[K%.*s", first + i, (int)len, text);
		text += len + (text[len] != '\0');
	}
	fputs(RESTORE, drawing.out);
	end(&drawing, panel->fd);
}

/* All lines of the terminal scroll again, and the panel's are empty. */
static void live_panel_end(struct live_panel *panel)
{
	remove_margin(panel);
}

/* ---- which snapshot ---- */

static uint64_t time_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool is_older(const struct stat *one, const struct stat *other)
{
	if (one->st_mtim.tv_sec != other->st_mtim.tv_sec)
		return one->st_mtim.tv_sec < other->st_mtim.tv_sec;
	return one->st_mtim.tv_nsec < other->st_mtim.tv_nsec;
}

/* The path of the newest snapshot whose name begins so; owned. NULL: there is none. Files that are being written have a
 * dot before their names. */
static char *newest_of(const char *directory, const char *begin)
{
	char *newest = NULL;
	struct stat found, newest_found = {0};
	DIR *stream = opendir(directory);
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		char *path = entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0
				     ? memory_format("%s/%s", directory, entry->d_name)
				     : NULL;
		if (path != NULL && stat(path, &found) == 0 && (newest == NULL || is_older(&newest_found, &found))) {
			free(newest);
			newest = path;
			newest_found = found;
		} else {
			free(path);
		}
	}
	if (stream != NULL)
		closedir(stream);
	return newest;
}

/* The path of the newest snapshot, chosen as by live_look(); owned. NULL: there is none yet. */
static char *newest_snapshot(const char *directory, pid_t pid)
{
	char *begin = memory_format("%ld-", (long)pid), *path = newest_of(directory, begin);
	free(begin);
	return path != NULL ? path : newest_of(directory, "");
}

/* ---- drawing ---- */

/* Prints into `out`, but with the colours and the width of stderr, where the text will be shown. */
static struct printer printer_of(FILE *out)
{
	struct printer printer = file_printer(stderr);
	printer.arg = out;
	return printer;
}

/* The first screen leaves at least OF_ENTRIES lines, if there are so many: one is left blank, and the others are the
 * entries'. */
static void print_report(const struct report *report, size_t lines)
{
	size_t for_screen = lines > MIN_OF_SCREEN + OF_ENTRIES ? lines - OF_ENTRIES : MIN_OF_SCREEN;
	size_t used = screen_print_rows(report, for_screen) + 1;
	printer_text(report->out, "\n");
	report_entries_briefly(report, used < lines ? lines - used : 0);
}

/* The first line tells whose snapshot this is. */
static char *live_text_of(const struct live *live, struct recording *recording)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (out == NULL)
		return NULL;
	struct printer printer = printer_of(out);
	struct symbols *symbols = symbols_create(recording);
	struct short_names *names = short_names_create(recording, symbols);
	struct report report = {recording, symbols, {.top = REPORT_TOP_DEFAULT}, &printer, REPORT_USUAL_FILE, names};
	fprintf(out, "live: process %" PRIu64 " goes on after %s\n", recording->info.pid,
		number_time(recording->info.wall_ns).text);
	print_report(&report, (live->panel.height != 0 ? live->panel.height : HEIGHT) - 1);
	short_names_destroy(&names);
	symbols_destroy(&symbols);
	return fclose(out) == 0 ? text : NULL;
}

static void show(const struct live *live)
{
	if (live->text == NULL)
		return;
	if (live->panel.height != 0)
		live_panel_show(&live->panel, live->text);
	else
		fprintf(stderr, "%s\n", live->text);
	fflush(stderr);
}

static bool is_drawn(const struct live *live, const struct stat *file)
{
	return live->drawn.st_ino == file->st_ino && live->drawn.st_dev == file->st_dev &&
	       live->drawn.st_size == file->st_size && !is_older(&live->drawn, file);
}

/* A snapshot that cannot be read, because its process has just replaced or removed it, is not drawn. */
static void draw(struct live *live, const char *path)
{
	struct recording recording;
	if (recording_load(&recording, path) == RECORDING_WHOLE) {
		free(live->text);
		live->text = live_text_of(live, &recording);
		show(live);
	}
	recording_fini(&recording);
}

void live_look(struct live *live, const char *directory, pid_t pid)
{
	struct stat file;
	REQUIRES(!live->has_left);
	bool has_changed = live_panel_fit(&live->panel, HEIGHT);
	if (!has_changed && time_ns(CLOCK_MONOTONIC) < live->due_ns)
		return;
	char *path = newest_snapshot(directory, pid);
	if (path != NULL && stat(path, &file) == 0 && (has_changed || !is_drawn(live, &file))) {
		uint64_t before_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID);
		live->drawn = file;
		draw(live, path);
		uint64_t took_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns;
		live->due_ns = time_ns(CLOCK_MONOTONIC) + REST * took_ns;
	}
	free(path);
}

struct live *live_begin(void)
{
	struct live *live = memory_zeroed(1, sizeof *live);
	live->panel = live_panel_begin(STDERR_FILENO, HEIGHT);
	return live;
}

void live_leave(struct live *live)
{
	live_panel_end(&live->panel);
	live->has_left = true;
}

void live_end(struct live **live)
{
	live_leave(*live);
	free((*live)->text);
	free(*live);
	*live = NULL;
}

/* ---- the first screen when asked ---- */

void live_dump(const char *file, const char *directory, pid_t pid)
{
	struct recording recording;
	char *path = newest_snapshot(directory, pid);
	if (path == NULL) {
		diag("record", "nothing was recorded yet; ask again later");
		return;
	}
	if (recording_load(&recording, path) == RECORDING_WHOLE) {
		struct symbols *symbols = symbols_create(&recording);
		struct printer out = text_printer(stderr);
		struct report_options options = {.is_brief = true, .is_early = true};
		report_text(&(struct report){&recording, symbols, options, &out, file, NULL});
		symbols_destroy(&symbols);
	}
	recording_fini(&recording);
	free(path);
}
