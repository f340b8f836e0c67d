/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <unistd.h>

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
