/* SPDX-License-Identifier: MIT */
#include "diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

/* ---- progress ---- */

struct progress progress_begin(const char *what, size_t total, FILE *out)
{
	bool is_seen = isatty(STDERR_FILENO) && (out == NULL || !isatty(fileno(out)));
	return (struct progress){.to = is_seen ? stderr : NULL, .what = what, .total = total, .percent = -1};
}

void progress_step(struct progress *progress, size_t done)
{
	if (progress == NULL || progress->to == NULL || progress->total == 0)
		return;
	int percent = (int)((double)done / (double)progress->total * 100);
	if (percent == progress->percent)
		return;
	progress->percent = percent;
	fprintf(progress->to, "\r%s: %d %%", progress->what, percent);
	fflush(progress->to);
}

void progress_end(struct progress *progress)
{
	if (progress == NULL || progress->to == NULL || progress->percent < 0)
		return;
	fputs("\r\033[K", progress->to);
	fflush(progress->to);
}
