/* SPDX-License-Identifier: MIT */
#include "capture_stderr.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "out.h"

/* Tests of the command have none. */
#pragma weak standard_error_note

static int real_stderr = -1;
static int file = -1;

void capture_stderr_begin(void)
{
	file = memfd_create("stderr", 0);
	real_stderr = dup(STDERR_FILENO);
	if (file < 0 || real_stderr < 0 || dup2(file, STDERR_FILENO) < 0)
		abort();
	if (standard_error_note != NULL)
		standard_error_note();
}

void capture_stderr_end(char *text, size_t size)
{
	ssize_t len = pread(file, text, size - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	if (dup2(real_stderr, STDERR_FILENO) < 0)
		abort();
	if (standard_error_note != NULL)
		standard_error_note();
	close(real_stderr);
	close(file);
}
