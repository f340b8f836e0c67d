/* SPDX-License-Identifier: MIT */
#include "keyed.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new)
{
	size_t before = keyed_count(keyed), number = unique_find(&keyed->keys, key, len);
	*is_new = number == before;
	if (*is_new)
		keyed->records = memory_grown(keyed->records, number, &keyed->cap, keyed->size);
	char *record = (char *)keyed->records + number * keyed->size;
	if (*is_new)
		memset(record, 0, keyed->size);
	return record;
}

void keyed_fini(struct keyed *keyed)
{
	unique_fini(&keyed->keys);
	free(keyed->records);
	keyed->records = NULL;
	keyed->cap = 0;
}
