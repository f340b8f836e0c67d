/* SPDX-License-Identifier: MIT
 * Lists the sites that accessed an address, as far as the entries show it. An attempt that fails for a lock fails in
 * the access of its object. If it fails otherwise, its place tells nothing of its object. The other transaction's
 * innermost place is that where it wrote its object, which is the same one unless the conflict is false. */
#include "accesses.h"

#include <stdlib.h>
#include <string.h>

#include "bisect.h"
#include "memory.h"
#include "sort.h"

struct access {
	uint64_t address;
	uint32_t site;
};

/* Invariant: addresses ascend; those of one address are in the order of the entries. sites[i] == at[i].site. */
struct accesses {
	struct access *at;
	uint32_t *sites;
	size_t len, cap;
};

static void add(struct accesses *accesses, const struct recording *recording, uint64_t address, uint32_t traceback)
{
	struct recording_traceback frames = recording_traceback(recording, traceback);
	if (address == 0 || frames.len == 0)
		return;
	accesses->at = memory_grown(accesses->at, accesses->len, &accesses->cap, sizeof *accesses->at);
	accesses->at[accesses->len++] = (struct access){address, frames.sites[0]};
}

static void add_entry(
	struct accesses *accesses, const struct recording *recording, const struct stmlog_entry_record *entry)
{
	const char *word = recording_string(recording, entry->detail);
	bool is_lock = strcmp(word, "LOCKED_READ") == 0 || strcmp(word, "LOCKED_WRITE") == 0;
	if (!is_lock && strncmp(word, "VALIDATE_", strlen("VALIDATE_")) != 0)
		return;
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		uint64_t address = entry->objects[i].address, other = entry->object_others[i];
		if (is_lock)
			add(accesses, recording, address, entry->local);
		add(accesses, recording, other != 0 ? other : address, entry->remote);
	}
}

static uint64_t order_number(const void *element, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return ((const struct access *)element)->address;
}

struct accesses *accesses_create(const struct recording *recording)
{
	struct accesses *accesses = memory_zeroed(1, sizeof *accesses);
	for (size_t i = 0; i < recording->entry_count; i++)
		add_entry(accesses, recording, &recording->entries[i]);
	if (accesses->len > 0)
		sort(accesses->at, accesses->len, sizeof *accesses->at, order_number, 1, NULL);
	accesses->sites = memory_zeroed(accesses->len, sizeof *accesses->sites);
	for (size_t i = 0; i < accesses->len; i++)
		accesses->sites[i] = accesses->at[i].site;
	return accesses;
}

void accesses_destroy(struct accesses **accesses)
{
	if (*accesses == NULL)
		return;
	free((*accesses)->at);
	free((*accesses)->sites);
	free(*accesses);
	*accesses = NULL;
}

static uint64_t address_at(const void *accesses, size_t i)
{
	return ((const struct access *)accesses)[i].address;
}

size_t accesses_of(const struct accesses *accesses, uint64_t address, const uint32_t **sites)
{
	size_t begin = address > 0 ? bisect(accesses->at, accesses->len, address - 1, address_at) : 0;
	*sites = accesses->sites + begin;
	return bisect(accesses->at, accesses->len, address, address_at) - begin;
}
