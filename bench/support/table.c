/* SPDX-License-Identifier: MIT
 *
 * The chains are long enough for a search to be some work, and unsorted: whoever looks for an id that is not there
 * reads a whole chain, and loses against any change of it.
 */
#include "table.h"

#include <stdlib.h>

#include "options.h"

enum { CHAIN_LENGTH = 4 };

void table_open(struct table *table, size_t limit)
{
	table->chains_len = (limit + CHAIN_LENGTH - 1) / CHAIN_LENGTH;
	table->chains = calloc(table->chains_len, sizeof(struct table_entry *));
	if (table->chains == NULL)
		options_refuse("no memory for %zu entries", limit);
}

void table_close(struct table *table)
{
	for (size_t i = 0; i < table->chains_len; i++)
		for (struct table_entry *entry = table->chains[i]; entry != NULL;) {
			struct table_entry *next = entry->next;
			free(entry);
			entry = next;
		}
	free(table->chains);
}

TM_SAFE struct table_entry **table_find(const struct table *table, long id)
{
	struct table_entry **link = &table->chains[(size_t)id % table->chains_len];
	while (*link != NULL && (*link)->id != id)
		link = &(*link)->next;
	return link;
}

TM_SAFE void *table_add(struct table_entry **end, long id, size_t size)
{
	struct table_entry *added = calloc(1, size);
	if (added != NULL)
		added->id = id;
	*end = added;
	return added;
}

bool table_check(const struct table *table, bool (*is_right)(const struct table_entry *entry), int64_t *len)
{
	for (size_t i = 0; i < table->chains_len; i++)
		for (struct table_entry **link = &table->chains[i]; *link != NULL; link = &(*link)->next, ++*len)
			if ((size_t)(*link)->id % table->chains_len != i || table_find(table, (*link)->id) != link ||
				!is_right(*link))
				return false;
	return true;
}
