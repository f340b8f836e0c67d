/* SPDX-License-Identifier: MIT
 * The table of shells. */
#include "completion.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	void (*print)(const struct help_tables *tables);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

bool completion_print(const struct help_tables *tables, const char *shell)
{
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print(tables);
			return true;
		}
	}
	return false;
}
