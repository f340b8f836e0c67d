/* SPDX-License-Identifier: MIT
 * The functions that the loader and fork() call when the library is loaded or unloaded, or the process forks. */
#include <errno.h>
#include <pthread.h>

#include "calls.h"
#include "passive.h"
#include "watch.h"

/* ---- forks ---- */

static void before_fork(void)
{
	itm_threads_before_fork();
	itm_watch_before_fork();
}

static void after_fork_in_parent(void)
{
	itm_watch_after_fork_in_parent();
	itm_threads_after_fork();
}

static void after_fork_in_child(void)
{
	itm_passive_after_fork_in_child();
	itm_threads_after_fork();
}

/* ---- load and unload ---- */

__attribute__((constructor)) static void at_load(void)
{
	int saved = errno;
	itm_leave_prepare();
	itm_filter_prepare(NULL);
	itm_threads_prepare();
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	itm_passive_load();
	errno = saved;
}

__attribute__((destructor)) static void at_unload(void)
{
	int saved = errno;
	itm_passive_unload();
	errno = saved;
}
