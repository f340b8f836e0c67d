/* SPDX-License-Identifier: MIT
 * Interns places with their texts. */
#include "place.h"

#include <string.h>

#define TEXT_MAX 256 /* of a function's name, and of a file's; longer ones are cut */

/* A copy: the function's name, a NUL, and the file's name. */
struct place_copy {
	uint32_t line;
	uint32_t file; /* where the file's name begins in `texts` */
	char texts[2 * TEXT_MAX];
};

struct interned place_copies;

/* Appends a text. Returns how many bytes of `texts` are used afterwards. */
static size_t append(struct place_copy *copy, size_t at, const char *text)
{
	size_t len = text != NULL ? strnlen(text, TEXT_MAX - 1) : 0;
	if (len > 0)
		memcpy(copy->texts + at, text, len);
	copy->texts[at + len] = '\0';
	return at + len + 1;
}

void place_intern_on(const struct tb_place *place)
{
	struct place_copy copy;
	if (place == NULL)
		return;
	size_t len = append(&copy, 0, place->function);
	copy.line = place->line;
	copy.file = (uint32_t)len;
	len = append(&copy, len, place->file);
	interned_add(&place_copies, place, (const char *)&copy, offsetof(struct place_copy, texts) + len);
}

struct tb_place tb_place_text(const struct tb_place *place)
{
	const struct place_copy *copy = interned_find(&place_copies, place);
	if (copy == NULL)
		return *place;
	struct tb_place text = {.function = copy->texts, .file = copy->texts + copy->file, .line = copy->line};
	return text;
}

void place_forget(void)
{
	interned_clear(&place_copies);
}
