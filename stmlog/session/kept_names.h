/* SPDX-License-Identifier: MIT
 *
 * Names that runtimes have given before they left (stmlog_leave()): of sites with codes of their own, and of objects.
 * Any thread may add and find at any time. */
#ifndef STMLOG_KEPT_NAMES_H
#define STMLOG_KEPT_NAMES_H

#include <stmlog/stmlog.h>

/* Copies the name of a site or object, which keeps the name that it was given first. Without memory it has none. */
void kept_names_add_site(struct tb_site site, const char *function, const char *file, uint32_t line);
void kept_names_add_object(uintptr_t object, const char *name);

/* Return false if none was added. An object's name is valid until kept_names_forget(). */
bool kept_names_site(struct tb_site site, struct stmlog_name *name);
const char *kept_names_object(uintptr_t object);

/* Frees all names, when no other thread adds or finds any. */
void kept_names_forget(void);

#endif
