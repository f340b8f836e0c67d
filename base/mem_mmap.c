/* SPDX-License-Identifier: MIT
 * Memory from the kernel, in whole pages: independent of the program's malloc().
 *
 * Pieces of up to PIECE_PAGES pages are cut from chunks. The kernel has one lock for all mappings of a process: many
 * threads that begin at once would wait for each other there, and a thread that loses its processor while it has the
 * lock would stop them all. Larger pieces, and those that find no chunk, have a mapping of their own. Below valgrind
 * all have: it knows that the memory of a new mapping is zeroed, and that nobody may use it once it is unmapped. */
#include "check.h"
#include "mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, PIECE_PAGES = 64 /* bits of a word */, WORDS = 16, CHUNKS_MAX = 128 };
#define CHUNK_BYTES ((size_t)WORDS * PIECE_PAGES * PAGE_BYTES)
#define ALL_FREE (~(AO_t)0)
#define BEING_MAPPED 1

/* Bit i of word w is set while page PIECE_PAGES * w + i is free. A free page is zeroed. No page is free before the
 * chunk is mapped and after a thread has decided to unmap it: a thread that has allocated a page may use the chunk
 * until it frees the page. A piece lies in the pages of one word, so one compare-and-swap allocates it.
 *
 * `memory` is set after mmap(), and 0 before munmap(): a piece lies in no chunk but its own. If the process forks while
 * another thread maps a chunk, it stays BEING_MAPPED in the child. The child's further pieces have mappings of their
 * own, unless they fit into the chunks that are there. A chunk that the other thread is unmapping stays unused. */
struct chunk {
	volatile AO_t memory; /* char *, BEING_MAPPED, or 0 */
	volatile AO_t free_pages[WORDS];
};

static struct chunk chunks[CHUNKS_MAX];
static volatile AO_t is_without_madvise;

void mem_stop_madvise(void)
{
	AO_store(&is_without_madvise, 1);
}

/* ---- mappings ---- */

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* cppcheck-suppress memleak ; MAP_FAILED is no memory */
	return memory == MAP_FAILED ? NULL : memory;
}

/* False also where the kernel's pages are larger than ours, since it would zero the rest of the last one. */
static bool advise(void *memory, size_t size, int advice)
{
	return AO_load(&is_without_madvise) == 0 && getpagesize() == PAGE_BYTES && madvise(memory, size, advice) == 0;
}

/* ---- pages of a chunk ---- */

static AO_t first_bits(size_t len)
{
	return ALL_FREE >> (PIECE_PAGES - len);
}

/* The bits at which `len` set bits begin. */
static AO_t begins_of_runs(AO_t bits, size_t len)
{
	for (size_t shift; len > 1; len -= shift) {
		shift = len / 2;
		bits &= bits >> shift;
	}
	return bits;
}

static void *alloc_in(struct chunk *chunk, size_t len)
{
	for (size_t w = 0; w < WORDS; w++) {
		volatile AO_t *word = &chunk->free_pages[w];
		AO_t pages, begins;
		while ((begins = begins_of_runs(pages = AO_load(word), len)) != 0) {
			size_t at = (size_t)__builtin_ctzl(begins);
			AO_t left = pages & ~(first_bits(len) << at);
			if (AO_compare_and_swap_full(word, pages, left)) /* partner: publish(), free_in() */
				return (char *)AO_load(&chunk->memory) + (w * PIECE_PAGES + at) * PAGE_BYTES;
		}
	}
	return NULL;
}

/* Makes all pages but the first `len` free. */
static void publish(struct chunk *chunk, size_t len)
{
	AO_store_release(&chunk->free_pages[0], ALL_FREE & ~first_bits(len)); /* partner: alloc_in() */
	for (size_t w = 1; w < WORDS; w++)
		AO_store_release(&chunk->free_pages[w], ALL_FREE);
}

/* Maps the chunk and allocates its first `len` pages. Huge pages are declined, since each would take 2 MiB at the first
 * touch. NULL: there is no memory, or another thread has begun to map the chunk. */
static void *alloc_in_new(struct chunk *chunk, size_t len)
{
	if (!AO_compare_and_swap_full(&chunk->memory, 0, BEING_MAPPED))
		return NULL;
	char *memory = map(CHUNK_BYTES);
	AO_store(&chunk->memory, (AO_t)memory);
	if (memory == NULL)
		return NULL;
	(void)advise(memory, CHUNK_BYTES, MADV_NOHUGEPAGE);
	publish(chunk, len);
	return memory;
}

/* Unmaps the chunk if all its pages are free. */
static void unmap_unused(struct chunk *chunk)
{
	size_t w = 0;
	while (w < WORDS && AO_compare_and_swap_full(&chunk->free_pages[w], ALL_FREE, 0))
		w++;
	if (w == WORDS) {
		void *memory = (void *)AO_load(&chunk->memory);
		AO_store_full(&chunk->memory, 0); /* before munmap(), as the chunk's invariant says */
		munmap(memory, CHUNK_BYTES);
	} else {
		while (w > 0)
			AO_store_release(&chunk->free_pages[--w], ALL_FREE); /* partner: alloc_in() */
	}
}

static void free_in(struct chunk *chunk, char *piece, size_t len)
{
	size_t at = (size_t)(piece - (char *)AO_load(&chunk->memory)) / PAGE_BYTES;
	volatile AO_t *word = &chunk->free_pages[at / PIECE_PAGES];
	AO_t pages = first_bits(len) << at % PIECE_PAGES;
	REQUIRES((AO_load(word) & pages) == 0);
	if (!advise(piece, len * PAGE_BYTES, MADV_DONTNEED)) /* false also if the program has locked its memory */
		memset(piece, 0, len * PAGE_BYTES);
	AO_or_full(word, pages); /* partner: alloc_in() */
	unmap_unused(chunk);
}

/* ---- pieces ---- */

static size_t pages_of(size_t size)
{
	return size != 0 ? (size + PAGE_BYTES - 1) / PAGE_BYTES : 1;
}

/* NULL: there is no memory, there are CHUNKS_MAX full chunks, or another thread maps one. */
static void *alloc_piece(size_t len)
{
	struct chunk *absent = NULL;
	bool is_growing = false;
	for (struct chunk *chunk = chunks; chunk < chunks + CHUNKS_MAX; chunk++) {
		AO_t memory = AO_load(&chunk->memory);
		is_growing |= memory == BEING_MAPPED;
		if (memory == 0 && absent == NULL)
			absent = chunk;
		void *piece = memory > BEING_MAPPED ? alloc_in(chunk, len) : NULL;
		if (piece != NULL)
			return piece;
	}
	return absent != NULL && !is_growing ? alloc_in_new(absent, len) : NULL;
}

static struct chunk *chunk_of(const char *piece)
{
	for (struct chunk *chunk = chunks; chunk < chunks + CHUNKS_MAX; chunk++) {
		uintptr_t memory = AO_load(&chunk->memory);
		if (memory > BEING_MAPPED && (uintptr_t)piece - memory < CHUNK_BYTES)
			return chunk;
	}
	return NULL;
}

void *mem_source_alloc(size_t size)
{
	size_t len = pages_of(size);
	void *piece = len <= PIECE_PAGES && !has_checker() ? alloc_piece(len) : NULL;
	return piece != NULL ? piece : map(len * PAGE_BYTES);
}

void mem_source_free(void *memory, size_t size)
{
	REQUIRES(memory != NULL);
	size_t len = pages_of(size);
	struct chunk *chunk = len <= PIECE_PAGES ? chunk_of(memory) : NULL;
	if (chunk != NULL)
		free_in(chunk, memory, len);
	else
		munmap(memory, len * PAGE_BYTES);
}
