/* SPDX-License-Identifier: MIT
 * Whether short names tell the functions of a recording apart: several instances of a template have one line and one
 * short name. */
#ifndef SHORT_NAMES_H
#define SHORT_NAMES_H

#include <stdbool.h>

#include "symbol.h"

struct short_names;

/* Looks at the first thousands of sites. */
struct short_names *short_names_create(const struct recording *recording, struct symbols *symbols);
void short_names_destroy(struct short_names **names);

/* Whether another function has the same short name at the same line. NULL: not known, so none has. False
 * of a frame without a function. */
bool short_names_is_shared(const struct short_names *names, const struct symbol_frame *frame);

#endif
