/* SPDX-License-Identifier: MIT */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"

enum { SLOTS_AT_FIRST = 64 };

/* The slot of the text, or the free slot for it. */
static struct dictionary_slot *slot_of(const struct dictionary *dictionary, const char *text, uint64_t hash)
{
	uint64_t mask = dictionary->slot_count - 1, at = hash & mask;
	for (; dictionary->slots[at].entry != NULL; at = (at + 1) & mask) {
		const struct dictionary_slot *slot = &dictionary->slots[at];
		if (slot->hash == hash && strcmp(slot->entry->text, text) == 0)
			break;
	}
	return &dictionary->slots[at];
}

static void put_back(struct dictionary *dictionary, const struct dictionary_slot *slot)
{
	uint64_t mask = dictionary->slot_count - 1, at = slot->hash & mask;
	while (dictionary->slots[at].entry != NULL)
		at = (at + 1) & mask;
	dictionary->slots[at] = *slot;
}

static void widen(struct dictionary *dictionary)
{
	struct dictionary_slot *slots = dictionary->slots;
	uint64_t slot_count = dictionary->slot_count;
	dictionary->slot_count = slot_count != 0 ? 2 * slot_count : SLOTS_AT_FIRST;
	dictionary->slots = memory_zeroed(dictionary->slot_count, sizeof *dictionary->slots);
	for (uint64_t i = 0; i < slot_count; i++)
		if (slots[i].entry != NULL)
			put_back(dictionary, &slots[i]);
	free(slots);
}

static struct dictionary_entry *entry_of(const char *text, size_t len, uint64_t number)
{
	struct dictionary_entry *entry = memory_zeroed(1, sizeof *entry + len + 1);
	entry->number = number;
	memcpy(entry->text, text, len);
	return entry;
}

const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text)
{
	if (4 * (dictionary->len + 1) > 3 * dictionary->slot_count)
		widen(dictionary);
	size_t len = strlen(text);
	uint64_t hash = hash_of(text, len);
	struct dictionary_slot *slot = slot_of(dictionary, text, hash);
	struct dictionary_entry *entry = slot->entry;
	bool is_new = entry == NULL;
	if (is_new) {
		entry = entry_of(text, len, ++dictionary->len);
		*slot = (struct dictionary_slot){hash, entry};
	}
	entry->is_new = is_new;
	return entry;
}

void dictionary_fini(struct dictionary *dictionary)
{
	for (uint64_t i = 0; i < dictionary->slot_count; i++)
		free(dictionary->slots[i].entry);
	free(dictionary->slots);
	*dictionary = (struct dictionary){0};
}
