/* SPDX-License-Identifier: MIT
 * Calls the naming callbacks of struct stmlog_setup, and checks the names and blocks of objects that they return. */
#include "names.h"

#include <string.h>

#include "session.h"

static void copy(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);
	memcpy(to, from, len);
	to[len] = '\0';
}

/* The place of a site that the library can name itself. */
static bool find_place(struct tb_site site, struct tb_place *place)
{
	if (site.code != TB_CODE_PLACE)
		return tb_code_place(site, place);
	*place = tb_place_text((const struct tb_place *)site.position);
	return true;
}

bool names_expand(struct tb_site site, struct stmlog_name *name)
{
	struct tb_place place;
	*name = (struct stmlog_name){.line = 0};
	if (site.code == TB_CODE_ADDRESS)
		return false;
	if (find_place(site, &place)) {
		copy(name->function, sizeof name->function, place.function);
		copy(name->file, sizeof name->file, place.file);
		name->line = place.line;
		return true;
	}
	return session.setup.expand != NULL && session.setup.expand(site, name, session.setup.expand_arg);
}

bool names_object(uintptr_t object, char name[OBJECT_NAME])
{
	const struct stmlog_setup *setup = &session.setup;
	bool is_named = object != 0 && setup->name_object != NULL;
	name[0] = '\0';
	if (is_named && !setup->name_object(object, name, OBJECT_NAME, setup->name_object_arg))
		name[0] = '\0';
	name[OBJECT_NAME - 1] = '\0';
	return name[0] != '\0';
}

bool names_block(uintptr_t object, struct stmlog_block *block)
{
	const struct stmlog_setup *setup = &session.setup;
	char name[OBJECT_NAME];
	if (object == 0 || setup->find_block == NULL || names_object(object, name) ||
		!setup->find_block(object, block, setup->find_block_arg))
		return false;
	return block->allocated.len <= TB_COPY_FRAMES && object - block->start < block->size;
}

/* FNV-1a, with the upper half folded into the lower at the end. A hash of 0 begins with FNV's offset basis. */
uint64_t names_text_hash(uint64_t hash, const char *text)
{
	hash ^= 0xcbf29ce484222325u;
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	while (*text++ != '\0');
	return hash ^ hash >> 32;
}
