/* SPDX-License-Identifier: MIT
 * Counts mistaken calls, and reports the first one. */
#include "misuse.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "out.h"
#include "undisturbed.h"

static volatile AO_t total;

static void print(const char *text)
{
	/* If stderr cannot be written, there is no other place to report that. */
	ssize_t ignored = write(standard_error(), text, strlen(text));
	(void)ignored;
}

void misuse_count(const char *what)
{
	if (AO_fetch_and_add1(&total) != 0)
		return;
	struct undisturbed was;
	int saved = errno;
	undisturbed_begin(&was);
	print("stmlog: caller's mistake, ignored: ");
	print(what);
	print(" (further ones are only counted)\n");
	undisturbed_end(&was);
	errno = saved;
}

size_t misuse_total(void)
{
	return AO_load(&total);
}
