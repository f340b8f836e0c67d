/* SPDX-License-Identifier: MIT
 * A few lists of freed pieces, each of one size, behind a lock that nobody waits for: whoever does not get it asks the
 * kernel. So neither a signal handler nor a child that was forked meanwhile waits for ever. */
#include "pages.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic_ops.h>

enum { SIZES_MAX = 8, KEPT_BYTES_MAX = 16 << 20 };

/* The begin of a piece that is kept. */
struct piece {
	struct piece *next;
};

static volatile AO_t lock; /* 1: some thread has it */

static bool try_lock(void)
{
	return AO_compare_and_swap_full(&lock, 0, 1); /* partner: unlock() */
}

static void unlock(void)
{
	AO_store_release(&lock, 0); /* partner: try_lock() */
}

/* All with the lock. Invariant: `bytes` is the sum of the pieces in all lists. */
static struct {
	struct {
		size_t size; /* 0: the list is not used yet */
		struct piece *first;
	} lists[SIZES_MAX];
	size_t bytes;
	bool is_over; /* nothing is kept any more */
} kept;

/* The index of the list of that size, which a free one becomes; -1: there is none. */
static int list_of(size_t size)
{
	for (int i = 0; i < SIZES_MAX; i++) {
		if (kept.lists[i].size == 0)
			kept.lists[i].size = size;
		if (kept.lists[i].size == size)
			return i;
	}
	return -1;
}

static struct piece *take(size_t size)
{
	struct piece *piece = NULL;
	if (!try_lock())
		return NULL;
	int list = list_of(size);
	if (list >= 0 && (piece = kept.lists[list].first) != NULL) {
		kept.lists[list].first = piece->next;
		kept.bytes -= size;
	}
	unlock();
	return piece;
}

static bool keep(struct piece *piece, size_t size)
{
	if (!try_lock())
		return false;
	int list = kept.is_over || size > KEPT_BYTES_MAX - kept.bytes ? -1 : list_of(size);
	if (list >= 0) {
		piece->next = kept.lists[list].first;
		kept.lists[list].first = piece;
		kept.bytes += size;
	}
	unlock();
	return list >= 0;
}

void *native_pages(size_t size)
{
	void *memory = size >= sizeof(struct piece) ? take(size) : NULL;
	if (memory != NULL)
		return memset(memory, 0, size);
	int saved = errno;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	/* cppcheck-suppress memleak ; MAP_FAILED is none */
	return memory != MAP_FAILED ? memory : NULL;
}

void native_pages_free(void *memory, size_t size)
{
	int saved = errno;
	if (memory != NULL && (size < sizeof(struct piece) || !keep(memory, size)))
		munmap(memory, size);
	errno = saved;
}

/* The library may be unloaded, and its program go on. */
__attribute__((destructor)) static void give_all_back(void)
{
	if (!try_lock())
		return;
	kept.is_over = true;
	for (int i = 0; i < SIZES_MAX; i++) {
		struct piece *next;
		for (struct piece *piece = kept.lists[i].first; piece != NULL; piece = next) {
			next = piece->next;
			munmap(piece, kept.lists[i].size);
		}
		kept.lists[i].first = NULL;
	}
	unlock();
}
