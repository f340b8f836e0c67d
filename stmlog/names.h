/* SPDX-License-Identifier: MIT
 * What a site is called, as far as the process itself can tell. */
#ifndef STMLOG_NAMES_H
#define STMLOG_NAMES_H

#include <stmlog/stmlog.h>

/* Names a TB_CODE_PLACE or, by the runtime's callback, an opaque site. Returns false for an address,
 * whose name only the debug information knows, and for what the callback cannot name. */
bool names_expand(struct tb_site site, struct stmlog_name *name);

#endif
