/* SPDX-License-Identifier: MIT
 * A balanced tree (tsearch): unlike a hash table, it cannot be slowed down by texts that a file chooses. */
#include "dictionary.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* The tree holds texts that lie in entries. */
static struct dictionary_entry *entry_of(char *text)
{
	return (struct dictionary_entry *)(void *)(text - offsetof(struct dictionary_entry, text));
}

static int compare(const void *left, const void *right)
{
	return strcmp(left, right);
}

static void destroy(void *text)
{
	free(entry_of(text));
}

const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text)
{
	char **found = tfind(text, &dictionary->tree, compare);
	if (found != NULL) {
		entry_of(*found)->is_new = false;
		return entry_of(*found);
	}
	struct dictionary_entry *entry = memory_zeroed(1, sizeof *entry + strlen(text) + 1);
	entry->number = ++dictionary->len;
	entry->is_new = true;
	strcpy(entry->text, text);
	if (tsearch(entry->text, &dictionary->tree, compare) == NULL)
		memory_end();
	return entry;
}

void dictionary_fini(struct dictionary *dictionary)
{
	tdestroy(dictionary->tree, destroy);
	*dictionary = (struct dictionary){0};
}
