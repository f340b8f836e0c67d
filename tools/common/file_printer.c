/* SPDX-License-Identifier: MIT
 * Turns marks of meaning into colours and links. They are written as text is, so that a fold has them in their place.
 */
#include "file_printer.h"

#include <stdlib.h>
#include <unistd.h>

#include "fold.h"
#include "hyperlink.h"

static enum file_colour choice;
static int behind_stdout = -1;
static bool links_reach_it;

void file_printer_choose(enum file_colour colour)
{
	choice = colour;
}

void file_printer_behind_stdout(int terminal, bool links)
{
	behind_stdout = terminal;
	links_reach_it = links;
}

static void write_file(void *file, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, file);
}

static void mark(const struct printer *printer, enum printer_mark mark, const char *path)
{
	static const char *const colours[] = {
		[PRINTER_LOSS] = "\033[1;31m",
		[PRINTER_CAUSE] = "\033[33m",
		[PRINTER_CULPRIT] = "\033[35m",
		[PRINTER_PLACE] = "\033[36m",
	};
	/* Only one piece of text at a time is marked, and nothing is marked within it. */
	static bool is_linked, is_copied;
	bool was_copied = is_copied;
	is_copied = mark == PRINTER_COPY;
	if (was_copied || is_copied)
		return;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (out == NULL)
		return;
	if (mark == PRINTER_PLAIN) {
		fputs("\033[0m", out);
		if (is_linked)
			hyperlink_end(out);
		is_linked = false;
	} else {
		is_linked = printer->has_links && hyperlink_begin(out, path);
		fputs(colours[mark], out);
	}
	if (fclose(out) == 0)
		printer->write(printer->arg, text, len);
	free(text);
}

struct printer file_printer(FILE *file)
{
	struct printer printer = {.write = write_file, .arg = file, .is_utf8 = MB_CUR_MAX > 1};
	bool is_kept = file == stdout && behind_stdout >= 0;
	int fd = is_kept ? behind_stdout : fileno(file);
	printer_look(&printer, fd);
	if (choice != COLOUR_AUTO)
		printer.is_coloured = choice == COLOUR_ALWAYS;
	if (printer.is_coloured)
		printer.mark = mark;
	printer.has_links = printer.is_coloured && isatty(fd) && hyperlink_is_known() && (!is_kept || links_reach_it);
	return printer;
}

struct printer text_printer(FILE *file)
{
	static struct fold folds[2];
	struct printer printer = file_printer(file);
	return fold_printer(&folds[file == stderr], &printer);
}
