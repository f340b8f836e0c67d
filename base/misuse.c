/* SPDX-License-Identifier: MIT */
#include "misuse.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <atomic_ops.h>

static volatile AO_t total;

static void tell(const char *text)
{
	/* There is nobody to tell that telling failed. */
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
	(void)ignored;
}

void misuse_count(const char *what)
{
	if (AO_fetch_and_add1(&total) != 0)
		return;
	int saved = errno;
	tell("stmlog: caller's mistake, ignored: ");
	tell(what);
	tell(" (further ones are only counted)\n");
	errno = saved;
}

size_t misuse_total(void)
{
	return AO_load(&total);
}
