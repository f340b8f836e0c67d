/* SPDX-License-Identifier: MIT
 * Writes a recording anew, without any of its strings. Its records stay as they are otherwise, and so does each sum
 * that a report makes of them. */
#ifndef ANONYMIZE_H
#define ANONYMIZE_H

#include <stdbool.h>

#include "recording.h"

/* Writes the recording of the file `in`, which is whole, to `out`, and prints which parts are left out, as it does not
 * know them. Returns false, and prints why, if it cannot be written; an older file is left as it was then. */
bool anonymize(struct recording *recording, const char *in, const char *out);

#endif
