/* SPDX-License-Identifier: MIT
 * Keeps the names of sites and objects that only callbacks of a runtime know, before that runtime leaves. */
#include "kept_names.h"
#include "registry.h"
#include "sections.h"
#include "session.h"

static const char *text(const struct sections *sections, uint32_t offset)
{
	return sections->intern.strings.bytes + offset;
}

static void keep_sites(const struct sections *sections)
{
	const struct stmlog_site_record *site = (const void *)sections->intern.sites.bytes;
	size_t count = sections->intern.sites.len / sizeof *site;
	for (const struct stmlog_site_record *end = site + count; site < end; site++)
		if (site->kind == STMLOG_SITE_OPAQUE && site->function != 0)
			kept_names_add_site(tb_site_make(site->code, site->position), text(sections, site->function),
				text(sections, site->file), site->line);
}

static void keep_objects(const struct sections *sections)
{
	const struct stmlog_entry_record *entry = (const void *)sections->entries.bytes;
	size_t count = sections->entries.len / sizeof *entry;
	for (const struct stmlog_entry_record *end = entry + count; entry < end; entry++)
		for (size_t i = 0; i < STMLOG_OBJECTS; i++)
			if (entry->object_names[i] != 0)
				kept_names_add_object(
					entry->objects[i].address, text(sections, entry->object_names[i]));
}

static int keep(const struct sections *sections, const void *unused)
{
	(void)unused;
	keep_sites(sections);
	keep_objects(sections);
	return 0;
}

void sections_keep_names(void)
{
	if (AO_load(&session.has_more) || !registry_is_idle())
		sections_run(SECTIONS_OF_FILE, keep, NULL);
}
