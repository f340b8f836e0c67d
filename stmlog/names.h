/* SPDX-License-Identifier: MIT
 * What sites and objects are called, as far as the process itself can tell. */
#ifndef STMLOG_NAMES_H
#define STMLOG_NAMES_H

#include <stmlog/stmlog.h>

/* Names a TB_CODE_PLACE or, by the runtime's callback, an opaque site. Returns false for an address,
 * whose name only the debug information knows, and for what the callback cannot name. */
bool names_expand(struct tb_site site, struct stmlog_name *name);

#define OBJECT_NAME 128 /* bytes, terminated */

/* Names an object by the runtime's callback. Returns false, and the empty name, when it cannot. */
bool names_object(uintptr_t object, char name[OBJECT_NAME]);

#endif
