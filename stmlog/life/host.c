/* SPDX-License-Identifier: MIT
 * Observes the program's process by its /proc/PID/stat. */
#include "host.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decimal.h"

/* Numbers of fields, see proc(5). */
enum { STATE = 3, START_CODE = 26, START_STACK = 28, EXIT_CODE = 52 };

static struct {
	pid_t pid;
	char path[sizeof "/proc//stat" + DECIMAL_SIZE];
	uint64_t code, stack; /* where the program's code and the first thread's stack begin; 0: not known */
} host;

/* The text of /proc/PID/stat; empty if it cannot be read. */
struct stat_line {
	char text[1024];
};

static struct stat_line read_stat(void)
{
	struct stat_line line = {.text = ""};
	int file = open(host.path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return line;
	ssize_t len = read(file, line.text, sizeof line.text - 1);
	close(file);
	line.text[len > 0 ? len : 0] = '\0';
	return line;
}

/* Returns the text of a field, which ends at the next space; NULL: there is no such field. The second field is the name
 * in parentheses, which may have spaces, so the search begins after it. */
static const char *field(const struct stat_line *line, int number)
{
	const char *at = strrchr(line->text, ')');
	for (int i = STATE; at != NULL && i <= number; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	return at;
}

static uint64_t number_in(const struct stat_line *line, int number)
{
	const char *text = field(line, number);
	return text != NULL ? strtoull(text, NULL, 10) : 0;
}

void host_note(pid_t pid)
{
	char number[DECIMAL_SIZE];
	host.pid = pid;
	stpcpy(stpcpy(stpcpy(host.path, "/proc/"), decimal_text(number, (uint64_t)pid)), "/stat");
	struct stat_line line = read_stat();
	host.code = number_in(&line, START_CODE);
	host.stack = number_in(&line, START_STACK);
}

bool host_has_ended(void)
{
	return getppid() != host.pid;
}

/* After exec() the code and the stack have other addresses, unless the kernel does not randomise them: then the watcher
 * stays until the process ends. A zombie has no addresses. */
bool host_has_left(void)
{
	if (host_has_ended())
		return true;
	struct stat_line line = read_stat();
	uint64_t code = number_in(&line, START_CODE), stack = number_in(&line, START_STACK);
	bool is_known = host.code != 0 && code != 0;
	return is_known && (code != host.code || stack != host.stack);
}

int host_signal(void)
{
	struct stat_line line = read_stat();
	const char *state = field(&line, STATE);
	return state != NULL && *state == 'Z' ? (int)(number_in(&line, EXIT_CODE) & 0x7f) : 0;
}
