/* SPDX-License-Identifier: MIT
 * An output file appears when it is whole. What a file can show is found out before it is printed to. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "artifact.h"
#include "check.h"
#include "diag.h"
#include "memory.h"
#include "printer.h"
#include "utf8.h"

/* ---- files ---- */

/* The name of the unfinished file; "": it has none. It is removed however the command ends. */
static char unfinished[PATH_MAX];

static void remove_unfinished(void)
{
	if (unfinished[0] != '\0')
		unlink(unfinished);
}

static void remove_and_die(int signal)
{
	remove_unfinished();
	raise(signal); /* by SA_RESETHAND the signal has its default action again */
}

static void guard(const char *beside)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)}, old;
	if (unfinished[0] == '\0')
		atexit(remove_unfinished);
	snprintf(unfinished, sizeof unfinished, "%s", beside);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

/* Puts the file in its place, unless there is an error. Returns it, or one of its own. */
static int end_artifact(struct output *output, int error)
{
	error = artifact_end(output->artifact, error);
	free(output->artifact);
	output->artifact = NULL;
	unfinished[0] = '\0';
	return error;
}

/* The stream has a descriptor of its own, as it is closed before the file is put in its place. Returns 0 or a negative
 * errno. */
static int open_stream(struct output *output)
{
	int copy = fcntl(output->artifact->fd, F_DUPFD_CLOEXEC, 0);
	output->file = copy >= 0 ? fdopen(copy, "w") : NULL;
	if (output->file != NULL)
		return 0;
	int error = -errno;
	if (copy >= 0)
		close(copy);
	return end_artifact(output, error);
}

static int open_artifact(struct output *output)
{
	artifact_sweep(output->path);
	output->artifact = memory_zeroed(1, sizeof *output->artifact);
	int error = artifact_begin(output->artifact, output->path, ARTIFACT_AT_ONCE);
	if (error == -ENXIO) {
		diag(output->path, "waits until somebody reads it");
		error = artifact_begin(output->artifact, output->path, ARTIFACT_WAITING);
	}
	if (error != 0) {
		free(output->artifact);
		return error;
	}
	if (output->artifact->beside[0] != '\0')
		guard(output->artifact->beside);
	return open_stream(output);
}

bool output_begin(struct output *output, const char *path)
{
	bool is_stdout = path == NULL || strcmp(path, "-") == 0;
	*output = (struct output){.path = is_stdout ? NULL : path, .file = stdout};
	int error = is_stdout ? 0 : open_artifact(output);
	const char *remedy = artifact_remedy(error);
	if (error != 0)
		diag(path, "cannot be written: %s%s", strerror(-error),
			remedy != NULL ? remedy : "; choose another place");
	return error == 0;
}

bool output_begin_binary(struct output *output, const char *path)
{
	if (!output_begin(output, path))
		return false;
	if (!isatty(fileno(output->file)))
		return true;
	diag(output->path != NULL ? output->path : "stdout",
		"is a terminal, and this output is not text; name a file with -o, or use a pipe");
	if (output->path != NULL) {
		fclose(output->file);
		end_artifact(output, 0);
	}
	return false;
}

bool output_end(struct output *output)
{
	if (output->path == NULL)
		return diag_finish_stdout(STATUS_DONE) == STATUS_DONE;
	int error = ferror(output->file) != 0 ? -EIO : 0;
	if (fclose(output->file) != 0)
		error = -errno;
	bool is_changed = output->artifact->is_in_place && (output->artifact->old < 0 || error == 0);
	error = end_artifact(output, error);
	if (error != 0)
		diag(output->path, "cannot be written: %s; %s", strerror(-error),
			is_changed ? "a part may be there" : "nothing was changed");
	return error == 0;
}

/* ---- compression ---- */

enum { GZIP_FORMAT = 16, MEMORY_LEVEL = 9, MIN_ROOM = 1 << 16 };

/* Level 6, zlib's default and gzip's. Level 4 is a third faster, but its files are 4 % longer; level 9 takes twice the
 * time, and its files are 1 % shorter. */
void gzip_begin(struct gzip *gzip, FILE *out)
{
	gzip->out = out;
	gzip->len = 0;
	gzip->cap = MIN_ROOM;
	gzip->in = memory_zeroed(gzip->cap, 1);
	gzip->stream = (z_stream){.zalloc = NULL};
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		memory_end();
}

static void pack(struct gzip *gzip, int flush)
{
	gzip->stream.next_in = gzip->in;
	gzip->stream.avail_in = (uInt)gzip->len;
	do {
		gzip->stream.next_out = gzip->packed;
		gzip->stream.avail_out = sizeof gzip->packed;
		deflate(&gzip->stream, flush);
		fwrite(gzip->packed, 1, sizeof gzip->packed - gzip->stream.avail_out, gzip->out);
	} while (gzip->stream.avail_out == 0);
	gzip->len = 0;
}

void *gzip_room(struct gzip *gzip, size_t max)
{
	if (max > gzip->cap - gzip->len)
		pack(gzip, Z_NO_FLUSH);
	if (max > gzip->cap) {
		free(gzip->in);
		gzip->cap = 2 * max;
		gzip->in = memory_zeroed(gzip->cap, 1);
	}
	return gzip->in + gzip->len;
}

void gzip_add(struct gzip *gzip, size_t len)
{
	gzip->len += len;
}

void gzip_end(struct gzip *gzip)
{
	pack(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip->in);
}

/* ---- printers ----
 *
 * What a file can show depends on whether it is a terminal, and on the environment: COLUMNS (used without a terminal
 * as well), TERM, NO_COLOR. Marks of meaning become colours. They are written as text is, so that a fold has them
 * in their place. The pager shows what a terminal has no room for. */

static enum file_colour choice;

/* The terminal that was stdout before pager_begin(), and gets what is kept; -1: nothing is kept. */
static int behind_stdout = -1;

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
