/* SPDX-License-Identifier: MIT
 * Turns marks of meaning into colours and links. They are written as text is, so that a fold has them in their place.
 */
#include "file_printer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold.h"

/* ---- links ---- */

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0';
}

static bool contains(const char *name, const char *const *words)
{
	const char *value = getenv(name);
	for (; value != NULL && *words != NULL; words++) {
		if (strstr(value, *words) != NULL)
			return true;
	}
	return false;
}

bool hyperlink_is_known(void)
{
	static const char *const programs[] = {"iTerm", "WezTerm", "vscode", "ghostty", "Hyper", NULL};
	static const char *const types[] = {"kitty", "alacritty", "foot", "ghostty", "wezterm", NULL};
	const char *forced = getenv("FORCE_HYPERLINK"), *vte = getenv("VTE_VERSION");
	if (forced != NULL && forced[0] != '\0')
		return strcmp(forced, "0") != 0;
	if (vte != NULL && strtoul(vte, NULL, 10) >= 5000)
		return true;
	return is_set("WT_SESSION") || is_set("KONSOLE_VERSION") || is_set("DOMTERM") ||
	       contains("TERM_PROGRAM", programs) || contains("TERM", types);
}

/* Prints all but a few characters as %XX, so that a name of any bytes ends neither the link nor the line. */
static void print_encoded(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte < 0x80 && (isalnum(byte) || strchr("/._-~+", byte) != NULL))
			putc(byte, out);
		else
			fprintf(out, "%%%02X", byte);
	}
}

bool hyperlink_begin(FILE *out, const char *path)
{
	struct stat status;
	char host[256] = "";
	char *whole = path != NULL ? realpath(path, NULL) : NULL;
	bool is_file = whole != NULL && stat(whole, &status) == 0 && S_ISREG(status.st_mode);
	if (is_file) {
		gethostname(host, sizeof host - 1);
		fputs("\033]8;;file://", out);
		print_encoded(out, host);
		print_encoded(out, whole);
		fputs("\033\\", out);
	}
	free(whole);
	return is_file;
}

void hyperlink_end(FILE *out)
{
	fputs("\033]8;;\033\\", out);
}

/* ---- printers ---- */

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

static void mark(const struct printer *printer, enum printer_meaning mark, const char *path)
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
	struct printer printer = {.write = write_file, .arg = file};
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
