/* SPDX-License-Identifier: MIT
 * A single table of blocks for all threads, guarded by a lock: blocks of different threads may follow each other at the
 * same address. */
#include "note.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic_ops.h>

#include "table.h"
#include "objects.h"
#include "where.h"

#define BLOCKS_MOST (1u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *table;
static volatile AO_t is_watching; /* set once, with release, after `table`; partner: begin() */

/* This thread is making a note, or forks. */
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

/* False: nothing is to be noted. */
static bool begin(void)
{
	if (is_busy || AO_load_acquire(&is_watching) == 0)
		return false;
	is_busy = true;
	return true;
}

static void end(int saved)
{
	is_busy = false;
	errno = saved;
}

void note_allocated(const void *memory, size_t size, const uintptr_t *slot)
{
	int saved = errno;
	if (memory == NULL || !begin())
		return;
	struct where *where = where_now(slot);
	pthread_mutex_lock(&lock);
	if (where->number == 0)
		where->number = places_number(&where->place);
	table_add(table, (uintptr_t)memory, size, where->number);
	pthread_mutex_unlock(&lock);
	end(saved);
}

static void change(const void *memory, void (*what)(struct table *, uintptr_t))
{
	int saved = errno;
	if (memory == NULL || !begin())
		return;
	pthread_mutex_lock(&lock);
	what(table, (uintptr_t)memory);
	pthread_mutex_unlock(&lock);
	end(saved);
}

void note_freed(const void *memory)
{
	change(memory, table_free);
}

void note_kept(const void *memory)
{
	change(memory, table_keep);
}

/* ---- the agent's side ---- */

/* Memory for a table without room: each allocation is counted as missing then. */
static void *no_table(void)
{
	static _Alignas(16) char memory[1024];
	return memory;
}

void stmlog_objects_watch(void)
{
	pthread_mutex_lock(&lock);
	if (table == NULL) {
		void *memory = mmap(NULL, table_size(BLOCKS_MOST), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		table = memory != MAP_FAILED ? table_init(memory, BLOCKS_MOST) : table_init(no_table(), 0);
		AO_store_release(&is_watching, 1);
	}
	pthread_mutex_unlock(&lock);
}

static void take_place(struct tb_copy *copy, const struct place *place)
{
	tb_copy_forget(copy);
	if (place == NULL)
		return;
	copy->len = place->len;
	copy->is_whole = place->is_whole;
	for (uint32_t i = 0; i < place->len; i++)
		copy->sites[i] = tb_site_make(TB_CODE_ADDRESS, place->frames[i]);
}

bool stmlog_objects_find(uintptr_t object, struct stmlog_block *block, void *unused)
{
	int saved = errno;
	struct table_block found;
	(void)unused;
	if (!begin())
		return false;
	pthread_mutex_lock(&lock);
	bool is_found = table_find(table, object, &found);
	pthread_mutex_unlock(&lock);
	if (is_found) {
		block->start = found.start;
		block->size = found.size;
		block->is_freed = found.is_freed;
		take_place(&block->allocated, places_at(found.place));
	}
	end(saved);
	return is_found;
}

struct objects_counts stmlog_objects_count(void)
{
	struct objects_counts counts = {0, 0};
	int saved = errno;
	if (!begin())
		return counts;
	pthread_mutex_lock(&lock);
	struct table_counts found = table_counts(table);
	pthread_mutex_unlock(&lock);
	end(saved);
	counts.missing = found.missing;
	counts.forgotten = found.forgotten;
	return counts;
}

/* ---- fork: no thread is changing the table that the child gets ---- */

static void before_fork(void)
{
	is_busy = true;
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
	is_busy = false;
}

__attribute__((constructor)) static void at_load(void)
{
	int saved = errno;
	pthread_atfork(before_fork, after_fork, after_fork);
	errno = saved;
}
