/* SPDX-License-Identifier: MIT
 * Parts that forked children begin anew: found out by the kernel's word, or in the fork handler on an old kernel. */
#include "forks.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "test.h"

static bool is_old_kernel;
int __real_madvise(void *memory, size_t size, int advice);
int __wrap_madvise(void *memory, size_t size, int advice);

int __wrap_madvise(void *memory, size_t size, int advice)
{
	bool is_refused = is_old_kernel && advice == MADV_WIPEONFORK;
	return is_refused ? -1 : __real_madvise(memory, size, advice);
}

static int first_begun, second_begun, begun_early;

static void begin_first(void)
{
	first_begun++;
	errno = EINVAL;
}

static void begin_second(void)
{
	second_begun++;
}

/* A handler that comes before the one of forks.c. */
static void look_early(void)
{
	forks_look(FORKS_FRAMES);
	begun_early = first_begun;
}

/* In a process that has watched no part yet. Its child has a child, too. */
static void watch_and_fork(void)
{
	pthread_atfork(NULL, NULL, look_early);
	errno = 77;
	forks_look(FORKS_FRAMES); /* is not watched yet */
	forks_watch(FORKS_FRAMES, begin_first);
	forks_watch(FORKS_REGISTRY, begin_second);
	forks_watch(FORKS_FRAMES, begin_first);
	for (int generation = 1; generation <= 2; generation++) {
		if (!in_forked_child())
			_exit(first_begun != generation - 1 || errno != 77);
		int early = is_old_kernel ? generation - 1 : generation;
		if (first_begun != generation || second_begun != generation || begun_early != early)
			_exit(1);
	}
	_exit(0);
}

TEST(each_child_begins_each_part_anew_once_before_it_is_used)
{
	if (in_forked_child())
		watch_and_fork();
	is_old_kernel = true;
	if (in_forked_child())
		watch_and_fork();
}
