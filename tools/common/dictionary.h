/* SPDX-License-Identifier: MIT
 * Texts and a number for each, from 1 in the order in which they came. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

struct dictionary {
	void *tree; /* of struct dictionary_entry */
	uint64_t len;
};

struct dictionary_entry {
	uint64_t number;
	bool is_new; /* this look-up has put it there */
	char text[];
};

/* An empty one is zeroed. The entry stays until dictionary_fini(). */
const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text);
void dictionary_fini(struct dictionary *dictionary);

#endif
