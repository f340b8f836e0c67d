/* SPDX-License-Identifier: MIT
 * Looks up the real functions, and has the arena for the calls before that. */
#include "allocation.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "objects.h"

#define ARENA 65536u

struct behind behind;

/* dlsym() returns functions as void *, which POSIX allows. malloc comes last: its presence means that all are there. */
static const struct {
	const char *name;
	void *place;
} entries[] = {
	{"calloc", &behind.calloc},
	{"realloc", &behind.realloc},
	{"free", &behind.free},
	{"posix_memalign", &behind.posix_memalign},
	{"aligned_alloc", &behind.aligned_alloc},
	{"memalign", &behind.memalign},
	{"malloc", &behind.malloc},
};

static bool is_finding;

/* The allocations of programs that do not transact, such as the shells that LD_PRELOAD reaches, are not recorded. */
bool behind_find(void)
{
	if (is_finding)
		return false;
	int saved = errno;
	is_finding = true;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		*(void **)entries[i].place = dlsym(RTLD_NEXT, entries[i].name);
	is_finding = false;
	if (behind.malloc != NULL && dlsym(RTLD_NEXT, "_ITM_beginTransaction") != NULL)
		stmlog_objects_watch();
	errno = saved;
	return behind.malloc != NULL;
}

static _Alignas(4096) char arena[ARENA];
static size_t arena_used;

void *behind_early(size_t size, size_t alignment)
{
	if (size == 0) /* so that the address lies in the used part, by which it is recognised */
		size = 1;
	size_t from = (arena_used + alignment - 1) & ~(alignment - 1);
	if (from > ARENA || size > ARENA - from) {
		errno = ENOMEM;
		return NULL;
	}
	arena_used = from + size;
	return arena + from;
}

size_t behind_early_left(const void *memory)
{
	uintptr_t at = (uintptr_t)memory - (uintptr_t)arena;
	return at < arena_used ? arena_used - at : 0;
}
