/* SPDX-License-Identifier: MIT
 * Between pager_begin() and pager_end() stdout is a file without a name: whether the output fits the terminal is known
 * only when all of it is there. */
#include "file_printer.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The terminal that was stdout; -1: nothing is kept. */
static int terminal = -1;

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
	terminal = kept >= 0 ? dup(STDOUT_FILENO) : -1;
	if (terminal >= 0) {
		fflush(stdout);
		dup2(kept, STDOUT_FILENO);
		file_printer_behind_stdout(terminal);
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
	if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
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
	if (terminal < 0)
		return;
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	size_t len = kept >= 0 && fstat(kept, &status) == 0 ? (size_t)status.st_size : 0;
	char *text = len > 0 ? mmap(NULL, len, PROT_READ, MAP_SHARED, kept, 0) : MAP_FAILED;
	dup2(terminal, STDOUT_FILENO);
	if (text != MAP_FAILED && (fits(text, len) || !page(kept)))
		print(text, len);
	if (text != MAP_FAILED)
		munmap(text, len);
	close(kept);
	close(terminal);
	terminal = -1;
	file_printer_behind_stdout(-1);
}
