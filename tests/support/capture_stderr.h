/* SPDX-License-Identifier: MIT
 * What the code under test writes to stderr. */
#ifndef CAPTURE_STDERR_H
#define CAPTURE_STDERR_H

#include <stddef.h>

void capture_stderr_begin(void);

/* Puts what came since begin into `text`, cut to `size`, and stderr back where it was. */
void capture_stderr_end(char *text, size_t size);

#endif
