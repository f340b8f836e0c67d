/* SPDX-License-Identifier: MIT
 * What the hooks in malloc.c call: the real functions and the arena for calls before these are found; and the notes, in
 * a single table of blocks for all threads. */
#include "allocation.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>

#include <atomic_ops.h>

#include "blocks.h"
#include "objects.h"
#include "pages.h"

/* ---- the real functions ---- */

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

/* ---- the arena ---- */

#define ARENA 65536u

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

/* ---- the lock ---- */

/* It is no pthread_mutex_t: programs that are built with a sanitizer have functions of their own for those, and the
 * first allocation comes before the sanitizer is ready for them. It is held for some hundred instructions. */
struct lock {
	volatile AO_t is_held;
};

/* Acquire; partner: the release in lock_release(). Keeps errno, since sched_yield() does not fail. */
static void lock_acquire(struct lock *lock)
{
	while (AO_load(&lock->is_held) != 0 || !AO_compare_and_swap_acquire(&lock->is_held, 0, 1))
		sched_yield();
}

static void lock_release(struct lock *lock)
{
	AO_store_release(&lock->is_held, 0);
}

/* ---- the table of blocks ---- */

/* A lock guards it: blocks of different threads may follow each other at the same address. */

#define BLOCKS_MAX (1u << 20)

static struct lock lock;
static struct table *table;
volatile AO_t note_is_watching; /* set once, with release, after `table`; partner: note_is_wanted() */

/* This thread holds the lock, is about to take it, or forks. A signal handler that interrupts the thread then notes
 * nothing and finds nothing: otherwise it would wait for ever, even in the outputs at the end of the process, if the
 * handler ends it. */
static __thread bool is_busy __attribute__((tls_model("initial-exec")));

/* Begins to use the table. False: nothing is to be noted, or to be found. */
static bool begin(void)
{
	if (is_busy || !note_is_wanted())
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
	lock_acquire(&lock);
	if (where->number == 0)
		where->number = places_number(&where->place);
	table_add(table, (uintptr_t)memory, size, where->number);
	lock_release(&lock);
	end(saved);
}

static void change(const void *memory, void (*action)(struct table *, uintptr_t))
{
	int saved = errno;
	if (memory == NULL || !begin())
		return;
	lock_acquire(&lock);
	action(table, (uintptr_t)memory);
	lock_release(&lock);
	end(saved);
}

void note_freed(const void *memory)
{
	change(memory, table_free);
}

void note_not_freed(const void *memory)
{
	change(memory, table_undo_free);
}

/* ---- the agent's side ---- */

/* Memory for a table without room: each allocation is counted as missing then. */
static void *no_table(void)
{
	static _Alignas(16) char memory[1024];
	return memory;
}

/* A sanitizer names an allocation by the return address and the frame pointer that its malloc() finds. If a hook with a
 * frame of its own called it, the program's function would be missing in its reports, and the program's suppressions of
 * them would not match: it would end with another status. */
bool stmlog_objects_watch(void)
{
	if (has_sanitizer())
		return false;
	bool was_busy = is_busy;
	is_busy = true;
	lock_acquire(&lock);
	if (table == NULL) {
		void *memory = mmap(NULL, table_size(BLOCKS_MAX), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		table = memory != MAP_FAILED ? table_init(memory, BLOCKS_MAX) : table_init(no_table(), 0);
		AO_store_release(&note_is_watching, 1);
	}
	lock_release(&lock);
	is_busy = was_busy;
	return true;
}

static void copy_place(struct tb_copy *copy, const struct place *place)
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
	lock_acquire(&lock);
	bool is_found = table_find(table, object, &found);
	lock_release(&lock);
	if (is_found) {
		block->start = found.start;
		block->size = found.size;
		block->is_freed = found.is_freed;
		copy_place(&block->allocated, places_at(found.place));
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
	lock_acquire(&lock);
	counts = table_counts(table);
	lock_release(&lock);
	end(saved);
	return counts;
}

/* ---- fork: no thread is changing the table that the child gets ---- */

static void before_fork(void)
{
	is_busy = true;
	lock_acquire(&lock);
}

static void after_fork(void)
{
	lock_release(&lock);
	is_busy = false;
}

__attribute__((constructor)) static void at_load(void)
{
	int saved = errno;
	pthread_atfork(before_fork, after_fork, after_fork);
	errno = saved;
}
