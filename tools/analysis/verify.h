/* SPDX-License-Identifier: MIT
 * Verifies the records of a recording that is well formed: that times and counts that were kept apart add up. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stddef.h>

#include "recording.h"

/* Called for each violation; `text` is valid during the call. */
typedef void verify_violation(const char *text, void *arg);

/* Returns the number of violations. */
size_t verify_recording(const struct recording *recording, verify_violation *on_violation, void *arg);

/* The parts of verify_recording() that are about paths and transactions, about the estimated rows of accounts, and
 * about accesses. */
size_t verify_spent(const struct recording *recording, verify_violation *on_violation, void *arg);
size_t verify_rows(const struct recording *recording, verify_violation *on_violation, void *arg);
size_t verify_accesses(const struct recording *recording, verify_violation *on_violation, void *arg);

#endif
