/* SPDX-License-Identifier: MIT
 * Calls the naming callbacks of struct stmlog_setup, and checks the names and blocks of objects that they return. */
#include "names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "index.h"
#include "interned.h"
#include "labels.h"
#include "modules.h"
#include "runtimes.h"
#include "session.h"

static void names_copy(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);
	memcpy(to, from, len);
	to[len] = '\0';
}

/* ---- names that runtimes have given before they left ---- */

/* The tables are searched by one word; the word of a site is its hash. Of two sites with the same hash the second gets
 * no name. */
static struct interned sites, objects;

struct interned_site {
	struct tb_site site;
	struct stmlog_name name;
};

static const void *key_of(struct tb_site site)
{
	return (const void *)(uintptr_t)(site_hash(site) | 1);
}

void names_intern_site(struct tb_site site, const char *function, const char *file, uint32_t line)
{
	struct interned_site interned = {.site = site, .name = {.line = line}};
	names_copy(interned.name.function, sizeof interned.name.function, function);
	names_copy(interned.name.file, sizeof interned.name.file, file);
	if (interned_find(&sites, key_of(site)) == NULL)
		interned_add(&sites, key_of(site), &interned, sizeof interned);
}

/* Returns false if no name was added. */
static bool interned_site(struct tb_site site, struct stmlog_name *name)
{
	const struct interned_site *interned = interned_find(&sites, key_of(site));
	if (interned == NULL || !site_is_same(interned->site, site))
		return false;
	*name = interned->name;
	return true;
}

void names_intern_object(uintptr_t object, const char *name)
{
	if (object != 0 && interned_find(&objects, (const void *)object) == NULL)
		interned_add(&objects, (const void *)object, name, strlen(name) + 1);
}

/* Returns NULL if no name was added. The name is valid until names_forget_interned(). */
static const char *interned_object(uintptr_t object)
{
	return interned_find(&objects, (const void *)object);
}

void names_forget_interned(void)
{
	interned_clear(&sites);
	interned_clear(&objects);
}

/* ---- names now ---- */

/* Finds the place of a site that the library can name itself. */
static bool find_place(struct tb_site site, struct tb_place *place)
{
	if (site.code != TB_CODE_PLACE)
		return tb_code_place(site, place);
	*place = tb_place_text((const struct tb_place *)site.position);
	return true;
}

/* No output has a line without its file, so the line of code without a file goes with the name. */
static void name_place(const struct tb_place *place, struct stmlog_name *name)
{
	char line[16] = "";
	if (place->file[0] == '\0' && place->line != 0)
		snprintf(line, sizeof line, ":%" PRIu32, place->line);
	names_copy(name->function, sizeof name->function - strlen(line), place->function);
	strcat(name->function, line);
	names_copy(name->file, sizeof name->file, place->file);
	name->line = place->line;
}

/* Asks each runtime in turn, until one knows the answer. */
typedef bool question(const struct stmlog_setup *setup, const void *what, void *answer);
static bool ask(question *asked, const void *what, void *answer)
{
	bool is_known = false;
	for (size_t i = 0; i < STMLOG_RUNTIMES && !is_known; i++) {
		const struct stmlog_setup *setup = runtimes_enter(i);
		is_known = setup != NULL && asked(setup, what, answer);
		runtimes_leave(i);
	}
	return is_known;
}

static bool expand_by(const struct stmlog_setup *setup, const void *site, void *answer)
{
	struct stmlog_name *name = answer;
	*name = (struct stmlog_name){.line = 0};
	return setup->expand != NULL && setup->expand(*(const struct tb_site *)site, name, setup->expand_arg);
}

bool names_expand(struct tb_site site, struct stmlog_name *name)
{
	struct tb_place place;
	*name = (struct stmlog_name){.line = 0};
	if (site.code == TB_CODE_ADDRESS)
		return false;
	if (find_place(site, &place)) {
		name_place(&place, name);
		return true;
	}
	return ask(expand_by, &site, name) || interned_site(site, name);
}

static bool object_by(const struct stmlog_setup *setup, const void *object, void *answer)
{
	char *name = answer;
	name[0] = '\0';
	if (setup->name_object == NULL ||
		!setup->name_object(*(const uintptr_t *)object, name, OBJECT_NAME, setup->name_object_arg))
		name[0] = '\0';
	name[OBJECT_NAME - 1] = '\0';
	return name[0] != '\0';
}

bool names_object(uintptr_t object, char name[OBJECT_NAME])
{
	struct tb_place place;
	const char *label = labels_text(object);
	name[0] = '\0';
	if (object == 0)
		return false;
	if (label != NULL || tb_code_place(tb_site_make(object, 0), &place)) {
		names_copy(name, OBJECT_NAME, label != NULL ? label : place.function);
		return true;
	}
	if (ask(object_by, &object, name))
		return true;
	const char *interned = interned_object(object);
	if (interned != NULL)
		names_copy(name, OBJECT_NAME, interned);
	return interned != NULL;
}

static bool block_by(const struct stmlog_setup *setup, const void *object, void *answer)
{
	struct stmlog_block *block = answer;
	uintptr_t address = *(const uintptr_t *)object;
	return setup->find_block != NULL && setup->find_block(address, block, setup->find_block_arg) &&
	       block->allocated.len <= TB_COPY_FRAMES && address - block->start < block->size;
}

bool names_block(uintptr_t object, struct stmlog_block *block)
{
	return object != 0 && runtimes_find_blocks() && ask(block_by, &object, block);
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

void stmlog_keep_modules(void)
{
	int saved = errno;
	if (session_is_open())
		modules_keep();
	errno = saved;
}
