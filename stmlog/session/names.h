/* SPDX-License-Identifier: MIT
 * Finds names of sites and objects without debug information: names that the library itself knows, and names that the
 * runtimes' callbacks return. Called where outputs are made, never in hooks, because the callbacks may take any time.
 */
#ifndef STMLOG_NAMES_H
#define STMLOG_NAMES_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

/* Names a site of TB_CODE_PLACE or of tb_code_intern() or, by a runtime's callback, an opaque site. Returns false for
 * an address, whose name only debug information has, and for an opaque site that no runtime has named. */
bool names_expand(struct tb_site site, struct stmlog_name *name);

/* Continues a hash (0: begins one) with a text, its NUL included. */
uint64_t names_text_hash(uint64_t hash, const char *text);

#define OBJECT_NAME 128 /* bytes, terminated */

/* Names an object by the program's label, the name that its number stands for (tb_code_intern()), a runtime's callback,
 * or the name that a runtime gave before it left. Returns false, with an empty name, if there is none of them. */
bool names_object(uintptr_t object, char name[OBJECT_NAME]);

/* Finds the allocated block that contains an object, by a runtime's callback. Returns false if there is none. */
bool names_block(uintptr_t object, struct stmlog_block *block);

/* ---- names of opaque sites and of objects that runtimes have given before they left (stmlog_leave()) ---- */

/* Copies the name of a site or object, if it has none yet. Without memory it gets none. Any thread, at any
 * time. */
void names_intern_site(struct tb_site site, const char *function, const char *file, uint32_t line);
void names_intern_object(uintptr_t object, const char *name);

/* Frees all names. Called when no other thread adds or finds names. */
void names_forget_interned(void);

#endif
