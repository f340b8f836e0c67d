/* SPDX-License-Identifier: MIT
 * The library's implementation of symbol.h: names from the records alone. */
#include "report_memory.h"
#include "symbol.h"

/* Invariant: sites[i].len == 0 <=> site i was not looked up yet. */
struct symbols {
	const struct recording *recording;
	struct symbol_site *sites;
};

struct symbols *symbols_create(const struct recording *recording)
{
	struct symbols *symbols = memory_zeroed(1, sizeof *symbols);
	*symbols = (struct symbols){recording, memory_zeroed(recording->site_count, sizeof *symbols->sites)};
	return symbols;
}

const struct symbol_site *symbols_site(struct symbols *symbols, uint32_t site)
{
	struct symbol_site *found = &symbols->sites[site];
	if (found->len > 0)
		return found;
	*found = (struct symbol_site){.frames = memory_zeroed(1, sizeof *found->frames), .len = 1};
	*found->frames = symbol_recorded(symbols->recording, &symbols->recording->sites[site]);
	return found;
}

bool symbols_lack_lines(struct symbols *symbols, uint32_t site)
{
	(void)symbols;
	(void)site;
	return false;
}

const struct symbol_frame *symbols_unsafe_call(struct symbols *symbols, uint32_t site)
{
	(void)symbols;
	(void)site;
	return NULL;
}

char *symbols_object(struct symbols *symbols, uint64_t address)
{
	(void)symbols;
	(void)address;
	return NULL;
}

struct symbol_access symbols_access(struct symbols *symbols, uint64_t address)
{
	(void)symbols;
	(void)address;
	return (struct symbol_access){NULL, NULL};
}

uint64_t symbols_object_size(struct symbols *symbols, uint64_t address)
{
	(void)symbols;
	(void)address;
	return 0;
}
