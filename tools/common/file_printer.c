/* SPDX-License-Identifier: MIT
 * Finds out what a file can show, by whether it is a terminal, and by the environment: COLUMNS (used without a terminal
 * as well), TERM, NO_COLOR. Turns marks of meaning into colours. They are written as text is, so that a fold has them
 * in their place. */
#include "file_printer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "utf8.h"

static enum file_colour choice;
static int behind_stdout = -1;

void file_printer_choose(enum file_colour colour)
{
	choice = colour;
}

void file_printer_behind_stdout(int terminal)
{
	behind_stdout = terminal;
}

static void write_file(void *file, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, file);
}

static void mark(const struct printer *printer, enum printer_meaning mark)
{
	static const char *const colours[] = {
		[PRINTER_LOSS] = "\033[1;31m",
		[PRINTER_CAUSE] = "\033[33m",
		[PRINTER_CULPRIT] = "\033[35m",
		[PRINTER_PLACE] = "\033[36m",
	};
	/* Only one piece of text at a time is marked, and nothing is marked within it. */
	static bool is_copied;
	bool was_copied = is_copied;
	is_copied = mark == PRINTER_COPY;
	if (was_copied || is_copied)
		return;
	const char *text = mark == PRINTER_PLAIN ? "\033[0m" : colours[mark];
	printer->write(printer->arg, text, strlen(text));
}

static bool may_colour(void)
{
	const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");
	bool is_refused = never != NULL && never[0] != '\0';
	return !is_refused && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

struct printer file_printer(FILE *file)
{
	struct printer printer = {.write = write_file, .arg = file, .width = fit_asked()};
	struct winsize size = {0};
	int saved = errno;
	bool is_kept = file == stdout && behind_stdout >= 0;
	int fd = is_kept ? behind_stdout : fileno(file);
	bool is_terminal = isatty(fd) != 0;
	if (printer.width == 0 && is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0)
		printer.width = size.ws_col != 0 ? size.ws_col : FIT_USUAL;
	printer.is_coloured = choice == COLOUR_AUTO ? is_terminal && may_colour() : choice == COLOUR_ALWAYS;
	if (printer.is_coloured)
		printer.mark = mark;
	errno = saved;
	return printer;
}

struct printer text_printer(FILE *file)
{
	static struct fold folds[2];
	struct printer printer = file_printer(file);
	return fold_printer(&folds[file == stderr], &printer);
}
