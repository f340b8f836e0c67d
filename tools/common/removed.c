/* SPDX-License-Identifier: MIT */
#include "removed.h"

#include <string.h>

#include "diag.h"

struct row {
	const char *command, *word, *instead;
};

static const struct row rows[] = {
#define REMOVED(command, word, instead) {command, word, instead},
#include "removed.def"
};

static bool is_same(const struct row *row, const char *command, const char *word, size_t len)
{
	return strcmp(row->command, command) == 0 && strlen(row->word) == len && memcmp(row->word, word, len) == 0;
}

bool removed_refuse(const char *command, const char *word, size_t len)
{
	for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
		if (!is_same(row, command, word, len))
			continue;
		if (len == 0)
			diag(NULL, "%s has been removed; %s", command, row->instead);
		else
			diag(command, "%s has been removed; %s", row->word, row->instead);
		return true;
	}
	return false;
}
