/* SPDX-License-Identifier: MIT */
#include "named_sums.h"

#include <stdlib.h>

#include "memory.h"

struct named_sums named_sums_make(const struct recording *recording, size_t max)
{
	return (struct named_sums){
		.tally = tally_make(recording, max),
		.names = memory_zeroed(max + 1, sizeof(const char *)),
	};
}

void named_sums_fini(struct named_sums *sums)
{
	tally_drop(&sums->tally);
	dictionary_fini(&sums->dictionary);
	free(sums->names);
	*sums = (struct named_sums){.names = NULL};
}

void named_sums_add(struct named_sums *sums, int kind, const char *name, const struct tally_sum *sum)
{
	uint64_t number = 0;
	if (sums->tally.len == sums->tally.cap)
		return;
	if (kind == NAMED_SUM) {
		const struct dictionary_entry *entry = dictionary_find(&sums->dictionary, name);
		number = entry->number;
		sums->names[number] = entry->text;
	}
	tally_add(&sums->tally, (uint64_t)kind, number, sum);
}

const char *named_sums_name(const struct named_sums *sums, const struct tally_row *row)
{
	static const char *const fixed[] = {NULL, "unknown", "(evicted)"};
	return row->key[0] == NAMED_SUM ? sums->names[row->key[1]] : fixed[row->key[0]];
}
