/* SPDX-License-Identifier: MIT
 * Interns places with their texts. */
#include "place.h"

#include <string.h>

struct place_copy {
	uint32_t line;
	struct place_texts texts; /* without the rest of its bytes */
};

struct interned place_copies;

static void append(struct place_texts *texts, const char *text)
{
	size_t len = text != NULL ? strnlen(text, PLACE_TEXT_MAX - 1) : 0;
	if (len > 0)
		memcpy(texts->bytes + texts->len, text, len);
	texts->bytes[texts->len + len] = '\0';
	texts->len += len + 1;
}

void place_texts_make(struct place_texts *texts, const char *function, const char *file)
{
	texts->len = 0;
	append(texts, function);
	texts->file = texts->len;
	append(texts, file);
}

void place_intern_on(const struct tb_place *place)
{
	struct place_copy copy;
	if (place == NULL)
		return;
	copy.line = place->line;
	place_texts_make(&copy.texts, place->function, place->file);
	interned_add(&place_copies, place, &copy, offsetof(struct place_copy, texts.bytes) + copy.texts.len);
}

struct tb_place tb_place_text(const struct tb_place *place)
{
	const struct place_copy *copy = interned_find(&place_copies, place);
	if (copy == NULL)
		return *place;
	const char *function = copy->texts.bytes;
	return (struct tb_place){.function = function, .file = function + copy->texts.file, .line = copy->line};
}

void place_forget(void)
{
	interned_clear(&place_copies);
}
