/* SPDX-License-Identifier: MIT
 * A hash table of short names, with open addressing. At least half of the slots are free. Two short names with equal
 * hashes count as the same: then whole names are shown, which is harmless. */
#include "short_names.h"

#include <string.h>

#include "report_memory.h"
#include "short_name.h"

enum { SITES_MAX = 4096, FRAMES_MAX = 2 * SITES_MAX, SLOTS = 2 * FRAMES_MAX };

struct slot {
	uint64_t hash;    /* of the short name, the file and the line; 0: free */
	const char *name; /* the whole one, borrowed from the symbols */
	bool is_shared;
};

struct short_names {
	struct slot slots[SLOTS];
	size_t len;
};

static uint64_t mix(uint64_t hash, const char *text)
{
	for (; text != NULL && *text != '\0'; text++) {
		hash = (hash ^ (unsigned char)*text) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool has_short_name(const char *name)
{
	return strpbrk(name, "<(") != NULL || short_name_module(name) > 0;
}

/* The hash of the short name; 0 if the name cannot be shortened. */
static uint64_t hash_of(const struct symbol_frame *frame)
{
	if (frame->function == NULL || !has_short_name(frame->function))
		return 0;
	char *name = short_name(frame->function);
	uint64_t hash = mix(mix(frame->line + 1, name), frame->file);
	memory_free(name);
	return hash != 0 ? hash : 1;
}

static size_t find(const struct short_names *names, uint64_t hash)
{
	size_t at = hash % SLOTS;
	while (names->slots[at].hash != 0 && names->slots[at].hash != hash)
		at = (at + 1) % SLOTS;
	return at;
}

static void add(struct short_names *names, const struct symbol_frame *frame)
{
	uint64_t hash = hash_of(frame);
	if (hash == 0 || names->len == FRAMES_MAX)
		return;
	struct slot *slot = &names->slots[find(names, hash)];
	if (slot->hash == 0) {
		*slot = (struct slot){hash, frame->function, false};
		names->len++;
	}
	slot->is_shared |= strcmp(slot->name, frame->function) != 0;
}

struct short_names *short_names_create(const struct recording *recording, struct symbols *symbols)
{
	struct short_names *names = memory_zeroed(1, sizeof *names);
	for (uint32_t i = 0; i < recording->site_count && i < SITES_MAX; i++) {
		const struct symbol_site *site = symbols_site(symbols, i);
		for (size_t k = 0; k < site->len; k++)
			add(names, &site->frames[k]);
	}
	return names;
}

void short_names_destroy(struct short_names **names)
{
	memory_free(*names);
	*names = NULL;
}

bool short_names_is_shared(const struct short_names *names, const struct symbol_frame *frame)
{
	uint64_t hash = names != NULL ? hash_of(frame) : 0;
	return hash != 0 && names->slots[find(names, hash)].is_shared;
}
