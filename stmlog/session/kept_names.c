/* SPDX-License-Identifier: MIT
 * Interns names in keeps. A keep finds a copy by one word, and the word of a site is its hash. Of two sites with the
 * same hash the second gets no name. */
#include "kept_names.h"

#include <string.h>

#include "keep.h"
#include "site_hash.h"

static struct keep sites, objects;

struct kept_site {
	struct tb_site site;
	struct stmlog_name name;
};

static const void *key_of(struct tb_site site)
{
	return (const void *)(uintptr_t)(site_hash(site) | 1);
}

static void copy(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);
	memcpy(to, from, len);
}

void kept_names_add_site(struct tb_site site, const char *function, const char *file, uint32_t line)
{
	struct kept_site kept = {.site = site, .name = {.line = line}};
	copy(kept.name.function, sizeof kept.name.function, function);
	copy(kept.name.file, sizeof kept.name.file, file);
	if (keep_find(&sites, key_of(site)) == NULL)
		keep_add(&sites, key_of(site), &kept, sizeof kept);
}

bool kept_names_site(struct tb_site site, struct stmlog_name *name)
{
	const struct kept_site *kept = keep_find(&sites, key_of(site));
	if (kept == NULL || !site_is_same(kept->site, site))
		return false;
	*name = kept->name;
	return true;
}

void kept_names_add_object(uintptr_t object, const char *name)
{
	if (object != 0 && keep_find(&objects, (const void *)object) == NULL)
		keep_add(&objects, (const void *)object, name, strlen(name) + 1);
}

const char *kept_names_object(uintptr_t object)
{
	return keep_find(&objects, (const void *)object);
}

void kept_names_forget(void)
{
	keep_clear(&sites);
	keep_clear(&objects);
}
