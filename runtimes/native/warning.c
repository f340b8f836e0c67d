/* SPDX-License-Identifier: MIT
 * Writes lines to standard error, text by text. */
#include "warning.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

static void put(const char *const *texts, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		ssize_t ignored = write(STDERR_FILENO, texts[i], strlen(texts[i]));
		(void)ignored;
	}
}

void native_warn(const char *text)
{
	const char *const texts[] = {"stmlog: ", text, "\n"};
	put(texts, sizeof texts / sizeof *texts);
}

void native_warn_with(const char *text, const char *remedy)
{
	const char *const texts[] = {"stmlog: ", text, remedy, "\n"};
	put(texts, sizeof texts / sizeof *texts);
}

void native_warn_of_option(const char *key, const char *value, const char *expected)
{
	const char *const texts[] = {
		"stmlog: STMLOG_OPTIONS: ", key, "=", value, " is not ", expected, "; using the default\n"};
	put(texts, sizeof texts / sizeof *texts);
}
