/* SPDX-License-Identifier: MIT
 *
 * Stores the names of opaque sites and of objects that runtimes have given before they left (stmlog_leave()). Any
 * thread may add and find names at any time. */
#ifndef STMLOG_KEPT_NAMES_H
#define STMLOG_KEPT_NAMES_H

#include <stmlog/stmlog.h>

/* Copies the name of a site or object, if it has none yet. Without memory it gets none. */
void kept_names_add_site(struct tb_site site, const char *function, const char *file, uint32_t line);
void kept_names_add_object(uintptr_t object, const char *name);

/* Return false or NULL if no name was added. An object's name is valid until kept_names_forget(). */
bool kept_names_site(struct tb_site site, struct stmlog_name *name);
const char *kept_names_object(uintptr_t object);

/* Frees all names. Called when no other thread adds or finds names. */
void kept_names_forget(void);

#endif
