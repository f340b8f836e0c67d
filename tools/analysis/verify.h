/* SPDX-License-Identifier: MIT
 * What must hold between the records of a recording, beyond their being well formed. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stddef.h>

#include "recording.h"

/* Is told of each violation; `text` is valid during the call. */
typedef void verify_told(const char *text, void *arg);

/* Returns how many violations there are. */
size_t verify_recording(const struct recording *recording, verify_told *told, void *arg);

/* The part of it that is about paths and transactions. */
size_t verify_spent(const struct recording *recording, verify_told *told, void *arg);

#endif
