/* SPDX-License-Identifier: MIT
 * Keeps a few lists of freed pieces, each of one size, guarded by a lock for which no thread waits: a thread that does
 * not get it asks the kernel for memory. So neither a signal handler nor a child that was forked meanwhile waits for
 * ever. */
#include "pages.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic_ops.h>

#include "sanitizer.h"

enum { SIZES_MAX = 8, KEPT_MAX = 1024 };

/* The first word of a piece that is kept. There is room for it, whatever the size: a piece is a page at least. */
struct piece {
	struct piece *next;
};

struct list {
	size_t size; /* 0: the list is not used yet, nor are the lists after it */
	struct piece *first;
	size_t len; /* KEPT_MAX at most */
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

/* To be used only with the lock. */
static struct {
	struct list lists[SIZES_MAX];
	bool is_over; /* nothing is kept any more */
} free_lists;

/* The list of that size; NULL: there is none. With `may_begin` an unused list becomes the one of that size, if there is
 * an unused list. */
static struct list *list_of(size_t size, bool may_begin)
{
	for (int i = 0; i < SIZES_MAX; i++) {
		struct list *list = &free_lists.lists[i];
		if (list->size == 0 && may_begin)
			list->size = size;
		if (list->size == size)
			return list;
	}
	return NULL;
}

static struct piece *pop(size_t size)
{
	struct piece *piece = NULL;
	if (!try_lock())
		return NULL;
	struct list *list = list_of(size, false);
	if (list != NULL && (piece = list->first) != NULL) {
		list->first = piece->next;
		list->len--;
	}
	unlock();
	return piece;
}

/* Returns false if the piece is not kept. ThreadSanitizer does not see the lock: it would report that two threads write
 * to a piece. */
static bool push(struct piece *piece, size_t size)
{
	if (has_sanitizer() || !try_lock())
		return false;
	struct list *list = !free_lists.is_over ? list_of(size, true) : NULL;
	bool has_room = list != NULL && list->len < KEPT_MAX;
	if (has_room) {
		piece->next = list->first;
		list->first = piece;
		list->len++;
	}
	unlock();
	return has_room;
}

static void *map(size_t size)
{
	int saved = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	/* cppcheck-suppress memleak ; MAP_FAILED is none */
	return memory != MAP_FAILED ? memory : NULL;
}

void *native_pages(size_t size)
{
	void *memory = pop(size);
	return memory != NULL ? memset(memory, 0, size) : map(size);
}

void *native_pages_unzeroed(size_t size)
{
	void *memory = pop(size);
	return memory != NULL ? memory : map(size);
}

void native_pages_free(void *memory, size_t size)
{
	int saved = errno;
	if (memory != NULL && !push(memory, size))
		munmap(memory, size);
	errno = saved;
}

/* Unmaps all kept pieces, since the library may be unloaded while its program goes on. */
__attribute__((destructor)) static void unmap_all(void)
{
	if (!try_lock())
		return;
	free_lists.is_over = true;
	for (int i = 0; i < SIZES_MAX; i++) {
		struct piece *next;
		for (struct piece *piece = free_lists.lists[i].first; piece != NULL; piece = next) {
			next = piece->next;
			munmap(piece, free_lists.lists[i].size);
		}
		free_lists.lists[i].first = NULL;
	}
	unlock();
}
