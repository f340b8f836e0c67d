/* SPDX-License-Identifier: MIT
 * The library's implementation of report_memory.h: an arena, which is freed as a whole when the report is done or
 * memory runs out. Each thread that makes a report has its own. */
#include "report_memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"

#define ALIGNMENT 16
#define PIECE 65536

struct piece {
	struct piece *next;
	size_t size;
};

/* Invariant: the last `left` bytes of the first piece are free, and zero. */
struct arena {
	struct piece *first;
	size_t left;
	jmp_buf no_memory;
};

static __thread struct arena *own __attribute__((tls_model("initial-exec")));

static size_t rounded(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void add_piece(struct arena *arena, size_t size)
{
	size_t needed = rounded(sizeof(struct piece)) + size;
	size_t whole = needed > PIECE ? needed : PIECE;
	struct piece *piece = mem_alloc(whole);
	if (piece == NULL)
		longjmp(arena->no_memory, 1);
	*piece = (struct piece){arena->first, whole};
	arena->first = piece;
	arena->left = whole - rounded(sizeof *piece);
}

static void free_pieces(struct arena *arena)
{
	while (arena->first != NULL) {
		struct piece *piece = arena->first;
		arena->first = piece->next;
		mem_free(piece, piece->size);
	}
}

static int run(struct arena *arena, void (*work)(void *arg), void *arg)
{
	if (setjmp(arena->no_memory) != 0)
		return -ENOMEM;
	work(arg);
	return 0;
}

int report_arena_run(void (*work)(void *arg), void *arg)
{
	struct arena arena = {.left = 0};
	own = &arena;
	int error = run(&arena, work, arg);
	own = NULL;
	free_pieces(&arena);
	return error;
}

/* ---- report_memory.h ---- */

void *memory_zeroed(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		longjmp(own->no_memory, 1);
	bytes = rounded(bytes);
	if (bytes > own->left)
		add_piece(own, bytes);
	char *end = (char *)own->first + own->first->size;
	own->left -= bytes;
	return end - own->left - bytes;
}

char *memory_text(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(memory_zeroed(size, 1), text, size);
}

char *memory_format(const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
	char *text = memory_zeroed(size, 1);
	vsnprintf(text, size, format, again);
	va_end(again);
	va_end(arguments);
	return text;
}

/* Does nothing: report_arena_run() frees all memory at once. */
void memory_free(void *memory)
{
	(void)memory;
}
