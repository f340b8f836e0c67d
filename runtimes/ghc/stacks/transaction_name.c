/* SPDX-License-Identifier: MIT
 * Reads a name from the stack of a Haskell thread. The function behind atomicallyNamed has a frame directly outside of
 * the transaction, which holds a constructor StmlogTransaction with the name. The name is an evaluated String. */
#include "transaction_name.h"

#include <string.h>

#include "rts.h"

#define NAME_BYTES 64

bool transaction_names;

/* ---- a String ---- */

/* Appends the character in UTF-8. Returns false if there is no room. */
static bool append(char name[NAME_BYTES], size_t *len, uint32_t character)
{
	size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	if (*len + more + 1 >= NAME_BYTES)
		return false;
	name[(*len)++] = (char)(first[more] | character >> 6 * more);
	while (more-- > 0)
		name[(*len)++] = (char)(0x80 | (character >> 6 * more & 0x3f));
	return true;
}

/* Whether the closure is an evaluated constructor with so many pointers. */
static bool is_constructor(const struct hs_closure *closure, uint32_t pointers)
{
	return hs_constructor(closure->info) != NULL && hs_pointers(closure->info) == pointers;
}

/* A list of characters: its cells have two pointers, the end and the characters have none. */
static void read_string(uintptr_t string, char name[NAME_BYTES])
{
	size_t len = 0;
	const struct hs_closure *cell = hs_target(string);
	for (; is_constructor(cell, 2); cell = hs_target(cell->words[1])) {
		const struct hs_closure *character = hs_target(cell->words[0]);
		if (!is_constructor(character, 0) || !append(name, &len, (uint32_t)character->words[0]))
			break;
	}
	name[len] = '\0';
}

/* ---- the frame ---- */

static bool has_name(uintptr_t info)
{
	static const char constructor[] = ".StmlogTransaction";
	const char *name = hs_constructor(info);
	size_t len = name != NULL ? strlen(name) : 0;
	return len >= sizeof constructor && strcmp(name + len - (sizeof constructor - 1), constructor) == 0;
}

static uintptr_t intern(uintptr_t string)
{
	char name[NAME_BYTES];
	read_string(string, name);
	uintptr_t number = name[0] != '\0' ? tb_code_intern(name, "") : 0;
	return number != TB_CODE_UNKNOWN ? number : 0;
}

/* The layout word of a small frame: how many words it has after the first one, and a bit for each that is no pointer.
 */
uintptr_t transaction_name_slow(const uintptr_t *frame)
{
	uint64_t layout = hs_layout(*frame), words = layout & 63;
	if (hs_type(*frame) != HS_RET_SMALL)
		return 0;
	for (uint64_t i = 0; i < words; i++) {
		const struct hs_closure *closure = hs_untagged(frame[1 + i]);
		if ((layout >> (6 + i) & 1) == 0 && has_name(closure->info))
			return intern(closure->words[0]);
	}
	return 0;
}
