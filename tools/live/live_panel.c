/* SPDX-License-Identifier: MIT
 * The panel: a margin (DECSTBM) below which nothing scrolls. The cursor stays where the program has it, since each
 * drawing saves and restores it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "live.h"

enum { MIN_HEIGHT = 8, MIN_ABOVE = 4 };

#define SAVE "\0337"
#define RESTORE "\0338"

/* ---- one write ---- */

struct drawing {
	FILE *out;
	char *bytes;
	size_t len;
};

static bool begin(struct drawing *drawing)
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

/* ---- the margin ---- */

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
	if (panel->height < MIN_HEIGHT || !begin(&drawing)) {
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
	if (panel->height == 0 || !begin(&drawing))
		return;
	fprintf(drawing.out, SAVE "\033[r\033[%zu;1H\033[J" RESTORE, panel->rows - panel->height + 1);
	end(&drawing, panel->fd);
	panel->height = 0;
}

struct live_panel live_panel_begin(int fd, size_t max)
{
	struct live_panel panel = {.fd = fd};
	if (!is_able(fd))
		return panel;
	measure(&panel);
	set_margin(&panel, max);
	return panel;
}

bool live_panel_fit(struct live_panel *panel, size_t max)
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

void live_panel_show(const struct live_panel *panel, const char *text)
{
	struct drawing drawing;
	size_t first = panel->rows - panel->height + 1;
	if (panel->height == 0 || !begin(&drawing))
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

void live_panel_end(struct live_panel *panel)
{
	remove_margin(panel);
}
