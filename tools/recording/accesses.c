/* SPDX-License-Identifier: MIT
 * Lists the sites that accessed an address, as far as the entries show it. An attempt that fails for a lock fails in
 * the access of its object. If it fails otherwise, its place tells nothing of its object. The other transaction's
 * innermost place is that where it wrote its object, which is the same one unless the conflict is false. */
#include "accesses.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "sort.h"

struct access {
	uint64_t address;
	uint32_t site;
};

struct address {
	uint64_t address;
	size_t first; /* of its sites */
};

/* Accesses while they are collected. */
struct list {
	struct access *at;
	size_t len, cap;
};

/* Invariant: addresses ascend, and so do their `first`; the sites of one address are in the order of the entries.
 * Behind the last address is one that only ends the sites. */
struct accesses {
	struct address *at;
	size_t len;
	uint32_t *sites;
};

static void accesses_add(struct list *list, const struct recording *recording, uint64_t address, uint32_t traceback)
{
	struct recording_traceback frames = recording_traceback(recording, traceback);
	if (address == 0 || frames.len == 0)
		return;
	list->at = memory_grown(list->at, list->len, &list->cap, sizeof *list->at);
	list->at[list->len++] = (struct access){address, frames.sites[0]};
}

static void add_entry(struct list *list, const struct recording *recording, const struct stmlog_entry_record *entry)
{
	const char *word = recording_string(recording, entry->detail);
	bool is_lock = strcmp(word, "LOCKED_READ") == 0 || strcmp(word, "LOCKED_WRITE") == 0;
	if (!is_lock && strncmp(word, "VALIDATE_", strlen("VALIDATE_")) != 0)
		return;
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		uint64_t address = entry->objects[i].address, other = entry->object_others[i];
		if (is_lock)
			accesses_add(list, recording, address, entry->local);
		accesses_add(list, recording, other != 0 ? other : address, entry->remote);
	}
}

static uint64_t order_number(const void *element, unsigned rank, const void *arg)
{
	(void)rank;
	(void)arg;
	return ((const struct access *)element)->address;
}

/* The accesses are sorted. */
static void part_by_address(struct accesses *accesses, const struct list *list)
{
	size_t cap = 0;
	for (size_t i = 0; i < list->len; i++) {
		accesses->sites[i] = list->at[i].site;
		if (i > 0 && list->at[i].address == list->at[i - 1].address)
			continue;
		accesses->at = memory_grown(accesses->at, accesses->len, &cap, sizeof *accesses->at);
		accesses->at[accesses->len++] = (struct address){list->at[i].address, i};
	}
	accesses->at = memory_grown(accesses->at, accesses->len, &cap, sizeof *accesses->at);
	accesses->at[accesses->len] = (struct address){UINT64_MAX, list->len};
}

struct accesses *accesses_create(const struct recording *recording)
{
	struct list list = {.at = NULL};
	struct accesses *accesses = memory_zeroed(1, sizeof *accesses);
	for (size_t i = 0; i < recording->entry_count; i++)
		add_entry(&list, recording, &recording->entries[i]);
	if (list.len > 0)
		sort(list.at, list.len, sizeof *list.at, order_number, 1, NULL);
	accesses->sites = memory_zeroed(list.len, sizeof *accesses->sites);
	part_by_address(accesses, &list);
	free(list.at);
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
	return ((const struct address *)accesses)[i].address;
}

size_t accesses_count(const struct accesses *accesses)
{
	return accesses->len;
}

size_t accesses_find(const struct accesses *accesses, uint64_t address)
{
	size_t below = bisect(accesses->at, accesses->len, address, address_at);
	return below > 0 && accesses->at[below - 1].address == address ? below - 1 : accesses->len;
}

size_t accesses_of(const struct accesses *accesses, size_t number, const uint32_t **sites)
{
	REQUIRES(number < accesses->len);
	const struct address *address = &accesses->at[number];
	*sites = accesses->sites + address->first;
	return address[1].first - address->first;
}
