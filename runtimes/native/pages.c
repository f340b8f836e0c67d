/* SPDX-License-Identifier: MIT
 * Keeps freed pieces of a few sizes, each size in a table. A thread in a transaction may need a piece while other
 * threads wait for it, and a signal handler or a forked child may need one at any moment: so there is no lock. The
 * thread that changes an entry of a table to 0 has the piece. */
#include "pages.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic_ops.h>

enum { SIZES_MAX = 8, KEPT_MAX = 1024 };

static struct table {
	volatile AO_t size; /* 0: the table is not used yet, nor are the tables after it */
	volatile AO_t len;  /* of the entries that are not 0; other threads may be about to correct it */
	volatile AO_t pieces[KEPT_MAX];
} tables[SIZES_MAX];

static volatile AO_t is_over; /* 1: nothing is kept any more */

/* The table of that size; NULL: there is none. With `may_begin` an unused table becomes the one of that size, if there
 * is an unused table. */
static struct table *table_of(size_t size, bool may_begin)
{
	for (int i = 0; i < SIZES_MAX; i++) {
		struct table *table = &tables[i];
		if (may_begin && AO_load(&table->size) == 0)
			AO_compare_and_swap_full(&table->size, 0, size);
		if (AO_load(&table->size) == size)
			return table;
	}
	return NULL;
}

/* Returns the piece of an entry, which is empty then; NULL: there is none, or another thread has it. */
static void *detach(struct table *table, AO_t entry)
{
	AO_t piece = AO_load(&table->pieces[entry]);
	if (piece == 0 || !AO_compare_and_swap_full(&table->pieces[entry], piece, 0)) /* partner: push() */
		return NULL;
	AO_fetch_and_sub1(&table->len);
	return (void *)piece;
}

/* Other threads may have filled entries behind `len`, or emptied some before it, without having changed `len` yet. */
static void *pop(size_t size)
{
	enum { BEHIND = 16 };
	struct table *table = table_of(size, false);
	void *piece = NULL;
	if (table == NULL)
		return NULL;
	AO_t from = AO_load(&table->len) + BEHIND;
	for (AO_t i = from < KEPT_MAX ? from : KEPT_MAX; i-- > 0 && piece == NULL;)
		piece = detach(table, i);
	return piece;
}

/* Returns false if the piece is not kept. ThreadSanitizer does not see that one thread alone has the piece: it would
 * report that two threads write to it. */
static bool push(void *piece, size_t size)
{
	struct table *table = has_sanitizer() || AO_load(&is_over) ? NULL : table_of(size, true);
	if (table == NULL)
		return false;
	for (AO_t i = AO_load(&table->len); i < KEPT_MAX; i++)
		if (AO_compare_and_swap_full(&table->pieces[i], 0, (AO_t)piece)) { /* partner: detach() */
			AO_fetch_and_add1(&table->len);
			return true;
		}
	return false;
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
	AO_store(&is_over, 1);
	for (int i = 0; i < SIZES_MAX; i++)
		for (AO_t k = 0; k < KEPT_MAX && AO_load(&tables[i].size) != 0; k++) {
			void *piece = detach(&tables[i], k);
			if (piece != NULL)
				munmap(piece, AO_load(&tables[i].size));
		}
}
