/* SPDX-License-Identifier: MIT
 * The list of the costliest entries in the report that a process prints of itself. */
#ifndef STMLOG_COSTLIEST_H
#define STMLOG_COSTLIEST_H

#include "out.h"
#include "sections.h"

/* Writes the first session.top entries, each with the places of both sides. `lost_ns`: the time that the account has
 * for all losses. */
void costliest_write(struct out *out, const struct sections *sections, uint64_t lost_ns);

#endif
