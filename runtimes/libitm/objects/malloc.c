/* SPDX-License-Identifier: MIT
 * Hooks of malloc and the other functions that allocate: they call the real function and note the block. Functions that
 * call these (strdup, operator new, libitm's _ITM_malloc) come here, too; the traceback shows their callers.
 *
 * Where nothing is noted the hook calls the real function last, and returns what it returns: the compiler makes a jump
 * of this call, so that the hook has no frame below the real function. A sanitizer needs that (stmlog_objects_watch()).
 */
#include "allocation.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/compiler.h>

#include "cache.h"

#define ALIGNMENT 16u

STMLOG_API void *malloc(size_t size);
STMLOG_API void *calloc(size_t count, size_t size);
STMLOG_API void *realloc(void *memory, size_t size);
STMLOG_API void free(void *memory);
STMLOG_API int posix_memalign(void **place, size_t alignment, size_t size);
STMLOG_API void *aligned_alloc(size_t alignment, size_t size);
STMLOG_API void *memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	if (!behind_is_ready())
		return behind_early(size, ALIGNMENT);
	if (!note_is_wanted())
		return behind.malloc(size);
	void *memory = behind.malloc(size);
	note_allocated(memory, size, NATIVE_RETURN_SLOT());
	return memory;
}

void *calloc(size_t count, size_t size)
{
	if (!behind_is_ready())
		return size == 0 || count <= SIZE_MAX / size ? behind_early(count * size, ALIGNMENT) : NULL;
	if (!note_is_wanted())
		return behind.calloc(count, size);
	void *memory = behind.calloc(count, size);
	note_allocated(memory, count * size, NATIVE_RETURN_SLOT());
	return memory;
}

static void *move_early(const void *memory, size_t size, size_t left, uintptr_t *return_slot)
{
	void *moved = behind_is_ready() ? behind.malloc(size) : behind_early(size, ALIGNMENT);
	note_allocated(moved, size, return_slot);
	if (moved != NULL)
		memcpy(moved, memory, size < left ? size : left);
	return moved;
}

void *realloc(void *memory, size_t size)
{
	size_t left = behind_early_left(memory);
	if (left != 0)
		return move_early(memory, size, left, NATIVE_RETURN_SLOT());
	if (!behind_is_ready())
		return behind_early(size, ALIGNMENT);
	if (!note_is_wanted())
		return behind.realloc(memory, size);
	note_freed(memory);
	void *moved = behind.realloc(memory, size);
	if (moved == NULL && size != 0)
		note_not_freed(memory);
	note_allocated(moved, size, NATIVE_RETURN_SLOT());
	return moved;
}

void free(void *memory)
{
	if (behind_early_left(memory) != 0 || !behind_is_ready())
		return;
	note_freed(memory);
	behind.free(memory);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
	if (!behind_is_ready() || behind.posix_memalign == NULL)
		return ENOMEM;
	if (!note_is_wanted())
		return behind.posix_memalign(place, alignment, size);
	int error = behind.posix_memalign(place, alignment, size);
	if (error == 0)
		note_allocated(*place, size, NATIVE_RETURN_SLOT());
	return error;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	if (!behind_is_ready() || behind.aligned_alloc == NULL)
		return behind_early(size, alignment);
	if (!note_is_wanted())
		return behind.aligned_alloc(alignment, size);
	void *memory = behind.aligned_alloc(alignment, size);
	note_allocated(memory, size, NATIVE_RETURN_SLOT());
	return memory;
}

void *memalign(size_t alignment, size_t size)
{
	if (!behind_is_ready() || behind.memalign == NULL)
		return behind_early(size, alignment);
	if (!note_is_wanted())
		return behind.memalign(alignment, size);
	void *memory = behind.memalign(alignment, size);
	note_allocated(memory, size, NATIVE_RETURN_SLOT());
	return memory;
}
