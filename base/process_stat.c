/* SPDX-License-Identifier: MIT */
#include "process_stat.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decimal.h"

struct process_stat process_stat_read(pid_t pid)
{
	struct process_stat stat = {.text = ""};
	char number[DECIMAL_SIZE], path[sizeof "/proc//stat" + DECIMAL_SIZE];
	stpcpy(stpcpy(stpcpy(path, "/proc/"), decimal_text(number, (uint64_t)pid)), "/stat");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return stat;
	ssize_t len = read(file, stat.text, sizeof stat.text - 1);
	close(file);
	stat.text[len > 0 ? len : 0] = '\0';
	return stat;
}

/* Returns the text of a field, which ends at the next space; NULL: there is no such field. The second field is the name
 * in parentheses, which may have spaces, so the search begins after it. */
static const char *text_of(const struct process_stat *stat, int field)
{
	const char *at = strrchr(stat->text, ')');
	for (int i = PROCESS_STATE; at != NULL && i <= field; i++) {
		at = strchr(at, ' ');
		at = at != NULL ? at + 1 : NULL;
	}
	return at;
}

char process_stat_state(const struct process_stat *stat)
{
	const char *text = text_of(stat, PROCESS_STATE);
	return text != NULL ? *text : '\0';
}

uint64_t process_stat_number(const struct process_stat *stat, int field)
{
	const char *text = text_of(stat, field);
	return text != NULL ? strtoull(text, NULL, 10) : 0;
}
