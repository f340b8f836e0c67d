/* SPDX-License-Identifier: MIT */
#include "diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

void diag(const char *subject, const char *format, ...)
{
	char line[4096];
	size_t used = 0;
	if (subject != NULL)
		used = (size_t)snprintf(line, sizeof line / 2, "%s: ", subject);
	if (used >= sizeof line / 2)
		used = sizeof line / 2 - 1;
	va_list arguments;
	va_start(arguments, format);
	int wanted = vsnprintf(line + used, sizeof line - used, format, arguments);
	va_end(arguments);
	if (wanted < 0)
		line[used] = '\0';
	utf8_hide(line);
	fprintf(stderr, "stmlog: %s\n", line);
}

int diag_finish_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	diag(NULL, "cannot write to stdout: %s", strerror(errno));
	return STATUS_UNUSABLE;
}
