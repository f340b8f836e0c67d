/* SPDX-License-Identifier: MIT
 * The process has a single table of blocks; each test uses other addresses. And it has a single arena, whose memory is
 * never freed: the test that uses it up comes last. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/valgrind.h>

#include "allocation.h"
#include "objects.h"
#include "test.h"
#include "wait_until.h"

#define SLOT() ((const uintptr_t *)__builtin_dwarf_cfa() - 1)
#define ADDRESS(n) ((const void *)(uintptr_t)(0x5000000000 + 0x100000 * (uintptr_t)(n)))

static struct stmlog_block block;

static bool is_known(const void *address)
{
	return stmlog_objects_find((uintptr_t)address, &block, NULL);
}

/* The first one. */
TEST(before_it_watches_nothing_is_noted)
{
	note_allocated(ADDRESS(0), 64, SLOT());
	assert_false(is_known(ADDRESS(0)));
	assert_int_equal(stmlog_objects_count().missing, 0);
	stmlog_objects_watch();
	assert_false(is_known(ADDRESS(0)));
}

static __attribute__((noinline)) void allocate(const void *address, size_t size)
{
	note_allocated(address, size, SLOT());
	__asm__ volatile("" ::: "memory");
}

TEST(what_was_allocated_has_size_and_traceback)
{
	stmlog_objects_watch();
	allocate(ADDRESS(1), 64);
	assert_true(is_known((const char *)ADDRESS(1) + 63));
	assert_true(block.start == (uintptr_t)ADDRESS(1) && block.size == 64 && !block.is_freed);
	assert_true(block.allocated.len > 1);
	assert_int_equal(block.allocated.sites[0].code, TB_CODE_ADDRESS);
	uintptr_t here = (uintptr_t)what_was_allocated_has_size_and_traceback;
	assert_true(block.allocated.sites[0].position - here < 4096);
	assert_false(is_known((const char *)ADDRESS(1) + 64));
}

TEST(what_is_freed_says_so_unless_it_was_kept)
{
	stmlog_objects_watch();
	allocate(ADDRESS(2), 64);
	note_freed(ADDRESS(2));
	assert_true(is_known(ADDRESS(2)) && block.is_freed);
	note_not_freed(ADDRESS(2));
	assert_true(is_known(ADDRESS(2)) && !block.is_freed);
}

TEST(no_memory_is_no_block)
{
	stmlog_objects_watch();
	allocate(NULL, 64);
	note_freed(NULL);
	note_not_freed(NULL);
	assert_false(is_known(NULL));
}

TEST(errno_is_kept)
{
	stmlog_objects_watch();
	errno = EDOM;
	allocate(ADDRESS(3), 64);
	note_freed(ADDRESS(3));
	is_known(ADDRESS(3));
	stmlog_objects_count();
	assert_int_equal(errno, EDOM);
}

/* ---- threads and forks ---- */

enum { ROUNDS = 3000, THREADS = 3, FORKS = 30 };

static void *allocate_and_free(void *arg)
{
	for (uintptr_t i = 0; i < (RUNNING_ON_VALGRIND ? ROUNDS / 10 : ROUNDS); i++) {
		allocate(arg, 64 + i % 64);
		note_freed(arg);
	}
	allocate(arg, 77);
	return NULL;
}

/* The child, in which no other thread can hold the lock. It does not end by _exit(): ThreadSanitizer would complain
 * about threads that do not exist in the child. */
static bool child_works(void)
{
	pid_t child = fork();
	if (child == 0) {
		hang_guard_begin();
		allocate(ADDRESS(9), 99);
		syscall(SYS_exit_group, is_known(ADDRESS(9)) && block.size == 99 ? 0 : 1);
	}
	int status = -1;
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(threads_and_forks_leave_it_whole)
{
	pthread_t threads[THREADS];
	stmlog_objects_watch();
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, (void *)ADDRESS(10 + i)), 0);
	for (int i = 0; i < FORKS; i++)
		assert_true(child_works());
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_true(is_known(ADDRESS(10 + i)) && block.size == 77);
	assert_int_equal(stmlog_objects_count().missing, 0);
}

/* ---- the real functions, and the arena ---- */

TEST(the_functions_behind_us_are_found)
{
	assert_true(behind_is_ready());
	assert_true(behind.calloc != NULL && behind.realloc != NULL && behind.free != NULL);
	assert_true(behind.posix_memalign != NULL && behind.aligned_alloc != NULL && behind.memalign != NULL);
	char *memory = behind.malloc(10);
	assert_non_null(memory);
	behind.free(memory);
}

TEST(early_memory_is_zeroed_aligned_and_known_again)
{
	static const size_t alignments[] = {1, 16, 64, 4096};
	for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
		char *memory = behind_early(10, alignments[i]);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % alignments[i], 0);
		assert_int_equal(memory[0] | memory[9], 0);
		assert_true(behind_early_left(memory) >= 10);
		memory[0] = memory[9] = 1;
	}
}

TEST(memory_of_no_bytes_is_known_too)
{
	void *one = behind_early(0, 16), *other = behind_early(0, 16);
	assert_ptr_not_equal(one, other);
	assert_int_not_equal(behind_early_left(one), 0);
	assert_int_not_equal(behind_early_left(other), 0);
}

TEST(other_memory_is_not_early)
{
	char *early = behind_early(16, 16), *heap = malloc(16);
	assert_int_equal(behind_early_left(heap), 0);
	assert_int_equal(behind_early_left(NULL), 0);
	assert_int_equal(behind_early_left(early + 16), 0);
	free(heap);
}

TEST(when_it_is_used_up_there_is_none)
{
	errno = 0;
	assert_null(behind_early(SIZE_MAX, 16));
	assert_int_equal(errno, ENOMEM);
	size_t pieces = 0;
	while (behind_early(1000, 16) != NULL)
		pieces++;
	assert_true(pieces > 10 && pieces < 1000);
	assert_null(behind_early(1000, 16));
}
