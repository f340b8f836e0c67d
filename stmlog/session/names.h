/* SPDX-License-Identifier: MIT
 * What sites and objects are called, as far as the process itself can tell. */
#ifndef STMLOG_NAMES_H
#define STMLOG_NAMES_H

#include <stmlog/stmlog.h>

/* Names a TB_CODE_PLACE or, by the runtime's callback, an opaque site. Returns false for an address,
 * whose name only the debug information knows, and for what the callback cannot name. */
bool names_expand(struct tb_site site, struct stmlog_name *name);

/* Whether two sites are called the same: by name where they have one, otherwise only if they are one. The hashes of
 * such sites are equal. */
bool names_same(struct tb_site a, struct tb_site b);
uint64_t names_hash(struct tb_site site);

/* Continues the hash of what came before, or 0, by a text and its end. */
uint64_t names_text_hash(uint64_t hash, const char *text);

#define OBJECT_NAME 128 /* bytes, terminated */

/* Names an object by the runtime's callback. Returns false, and the empty name, when it cannot. */
bool names_object(uintptr_t object, char name[OBJECT_NAME]);

/* Finds the block of memory that an object lies in, by the runtime's callback. Returns false when there is none, and
 * for what names_object() names. */
bool names_block(uintptr_t object, struct stmlog_block *block);

#endif
