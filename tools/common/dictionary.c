/* SPDX-License-Identifier: MIT */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static struct dictionary_entry *entry_of(const char *text, size_t len, uint64_t number)
{
	struct dictionary_entry *entry = memory_zeroed(1, sizeof *entry + len + 1);
	entry->number = number;
	memcpy(entry->text, text, len);
	return entry;
}

struct wanted {
	const struct dictionary *dictionary;
	const char *text;
};

static bool is_same(const void *arg, size_t number)
{
	const struct wanted *wanted = arg;
	return strcmp(wanted->dictionary->entries[number]->text, wanted->text) == 0;
}

static struct dictionary_entry *add(struct dictionary *dictionary, const char *text, size_t len)
{
	struct dictionary_entry *entry = entry_of(text, len, dictionary->len + 1);
	dictionary->entries =
		memory_grown(dictionary->entries, dictionary->len, &dictionary->cap, sizeof(struct dictionary_entry *));
	dictionary->entries[dictionary->len++] = entry;
	return entry;
}

const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text)
{
	size_t len = strlen(text);
	uint32_t hash = (uint32_t)hash_of(text, len);
	if (dictionary->len == UINT32_MAX - 1)
		memory_end();
	hash_slots_reserve(&dictionary->slots, dictionary->len + 1);
	struct hash_slot *slot = hash_slots_find(&dictionary->slots, hash, is_same, &(struct wanted){dictionary, text});
	bool is_new = slot->number_plus_1 == 0;
	if (is_new)
		*slot = (struct hash_slot){hash, (uint32_t)add(dictionary, text, len)->number};
	struct dictionary_entry *entry = dictionary->entries[slot->number_plus_1 - 1];
	entry->is_new = is_new;
	return entry;
}

void dictionary_fini(struct dictionary *dictionary)
{
	for (size_t i = 0; i < dictionary->len; i++)
		free(dictionary->entries[i]);
	free(dictionary->entries);
	hash_slots_fini(&dictionary->slots);
	*dictionary = (struct dictionary){.len = 0};
}
