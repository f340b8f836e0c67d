/* SPDX-License-Identifier: MIT
 * Ends a process in which a requirement was broken. Prints by write(), because the thread may have been interrupted
 * while it used stdio. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void check_failed(const char *file, int line, const char *text)
{
	char message[512];
	int len = snprintf(message, sizeof message, "stmlog: %s:%d: %s\n", file, line, text);
	if (len > 0) {
		size_t whole = (size_t)len < sizeof message ? (size_t)len : sizeof message - 1;
		ssize_t ignored = write(STDERR_FILENO, message, whole);
		(void)ignored;
	}
	abort();
}
