/* SPDX-License-Identifier: MIT
 * Finds out what a file can show, by whether it is a terminal, and by the environment: COLUMNS (used without a terminal
 * as well), TERM, NO_COLOR. Turns marks of meaning into colours. They are written as text is, so that a fold has them
 * in their place. The pager shows what a terminal has no room for. */
#include "file_printer.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "printer.h"
#include "utf8.h"

static enum file_colour choice;

/* The terminal that was stdout before pager_begin(), and gets what is kept; -1: nothing is kept. */
static int behind_stdout = -1;

/* ---- printers ---- */

void file_printer_choose(enum file_colour colour)
{
	choice = colour;
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

/* ---- pager ---- */

/* Between pager_begin() and pager_end() stdout is a file without a name: whether the output fits the terminal is known
 * only when all of it is there. */

/* The user's pager, for a shell; NULL: none is named. */
static const char *users_pager(void)
{
	const char *ours = getenv("STMLOG_PAGER"), *usual = getenv("PAGER");
	return ours != NULL ? ours : usual;
}

static bool is_wanted(void)
{
	const char *type = getenv("TERM"), *pager = users_pager();
	if (!isatty(STDOUT_FILENO) || type == NULL || strcmp(type, "dumb") == 0)
		return false;
	return pager == NULL || (pager[0] != '\0' && strcmp(pager, "cat") != 0);
}

void pager_begin(void)
{
	if (!is_wanted())
		return;
	int kept = memfd_create("output", MFD_CLOEXEC);
	behind_stdout = kept >= 0 ? dup(STDOUT_FILENO) : -1;
	if (behind_stdout >= 0) {
		fflush(stdout);
		dup2(kept, STDOUT_FILENO);
		atexit(pager_end);
	}
	if (kept >= 0)
		close(kept);
}

/* The length of the escape sequence (ESC [ ... letter) at the beginning of the text; 0: there is none. */
static unsigned long escape_len(const char *text, unsigned long len)
{
	unsigned long at = 2;
	if (len < 2 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < len && (text[at] < '@' || text[at] > '~'))
		at++;
	return at < len ? at + 1 : len;
}

unsigned long pager_rows(const char *text, unsigned long len, unsigned long columns)
{
	unsigned long rows = 0, column = 0;
	REQUIRES(columns > 0);
	for (unsigned long at = 0; at < len;) {
		unsigned long escape = escape_len(text + at, len - at);
		if (escape == 0 && text[at] == '\n') {
			rows += 1 + (column > 0 ? (column - 1) / columns : 0);
			column = 0;
		} else if (escape == 0) {
			/* Bytes that continue a character take no column. */
			column += ((unsigned char)text[at] & 0xc0) != 0x80;
		}
		at += escape != 0 ? escape : 1;
	}
	return rows + (column > 0 ? 1 + (column - 1) / columns : 0);
}

/* The last row is for the shell's prompt. */
static bool fits(const char *text, size_t len)
{
	struct winsize size = {0};
	if (ioctl(behind_stdout, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
		return true;
	return pager_rows(text, len, size.ws_col) < size.ws_row;
}

static void print(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t done = write(STDOUT_FILENO, text, len);
		if (done < 0 && errno != EINTR)
			return;
		text += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
	}
}

/* In the new process. 127: there is no pager. */
static void run_pager(int kept)
{
	static const char usual[] = "command -v less >/dev/null || exit 127; exec less";
	const char *pager = users_pager();
	dup2(kept, STDIN_FILENO);
	lseek(STDIN_FILENO, 0, SEEK_SET);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager != NULL ? pager : usual, (char *)NULL);
	_exit(127);
}

/* Returns false if there is no pager. An interrupt from the keyboard is the pager's to handle. */
static bool page(int kept)
{
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
	int status = 0;
	pid_t pager = fork();
	if (pager == 0)
		run_pager(kept);
	sigaction(SIGINT, &ignored, &before);
	while (pager > 0 && waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	return pager > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

void pager_end(void)
{
	struct stat status;
	if (behind_stdout < 0)
		return;
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	size_t len = kept >= 0 && fstat(kept, &status) == 0 ? (size_t)status.st_size : 0;
	char *text = len > 0 ? mmap(NULL, len, PROT_READ, MAP_SHARED, kept, 0) : MAP_FAILED;
	dup2(behind_stdout, STDOUT_FILENO);
	if (text != MAP_FAILED && (fits(text, len) || !page(kept)))
		print(text, len);
	if (text != MAP_FAILED)
		munmap(text, len);
	close(kept);
	close(behind_stdout);
	behind_stdout = -1;
}
